package timerwheel

import (
	"math"

	"github.com/gallop-go/gallop/internal/kernel/msg"
	"github.com/gallop-go/gallop/internal/nocmp"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// Ref names a timer: its number, and the gen that distinguishes the timers of that number.
type Ref struct{ Number, gen uint32 }

// Timer is a timer in memory: an entry of its shard's slab, by a number. It is in one of four
// states: it is free, its number is in the shard's wheel, it was taken from there and is on its way
// in a message, or its behaviour runs.
//
// Its owner writes to it while it is armed, under the shard's lock: the message may be on its way
// to a mailbox that is closed meanwhile, and then the shard ends the timer. Besides, the worker
// that runs its message writes to it, and so does the worker that frees it.
//
// It fills one cache line on a 64-bit machine: a million timers fit into no cache, and their cost
// is the number of fetches. For the same reason a small payload without pointers is stored here,
// and is copied to a message when the timer fires. A timer is no message itself, and is not linked
// to other timers, which saves the GC a million objects.
type Timer struct {
	_      nocmp.Field
	at     uint64       // the time when it is due
	Owner  *sched.Task  // the actor that has armed it; nil: free
	Period int64        // 0: once
	Held   *msg.Message // its payload; nil: in Words
	Words  [3]uint64    // the payload; in a free timer, the next free timer's number + 1
	gen    seam.Uint32  // raised at the end of each timer with this number: see slab
	ID     uint16       // of the behaviour
	in     bool         // it is in the wheel
	live   bool         // it will run, or run again
}

// Live reports whether a timer that is on its way will run.
func (k *Timer) Live() bool { return k.live }

// Due returns the time when the timer is due, or was due last.
func (k *Timer) Due() int64 { return int64(k.at) }

// End ends a timer, which will not run any more. It returns the payload, if that is a message. The
// caller must be one that may write to the timer: see [Timer].
func (k *Timer) End() (held *msg.Message) {
	k.markDone()
	return k.takeHeld()
}

// Outdate makes Refs to the timer find nothing. The caller must be one that may write to the timer:
// see [Timer].
func (k *Timer) Outdate() { k.gen.Add(1) }

func (k *Timer) markDone() {
	k.live = false
	k.Outdate()
}

// takeHeld takes the payload out of the timer, if it is a message. The caller must be one that may
// write to the timer: see [Timer].
func (k *Timer) takeHeld() *msg.Message {
	held := k.Held
	if held != nil {
		k.Held, held.ID, held.Next = nil, k.ID, nil
	}
	return held
}

// Following returns the time of the next tick: a whole number of periods after the last tick, and
// later than now.
func (k *Timer) Following(now int64) int64 {
	at := int64(k.at)
	behind := max(now-at, 0) / k.Period
	if at > math.MaxInt64-k.Period*(behind+1) {
		return math.MaxInt64
	}
	return at + k.Period*(behind+1)
}

// Fired reports whether the timer is in no wheel. Called only by the worker that runs its message.
func (k *Timer) Fired() bool { return !k.in }
