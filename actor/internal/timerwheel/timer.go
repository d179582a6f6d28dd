package timerwheel

import (
	"math"

	"github.com/gallop-go/gallop/actor/internal/msg"
	"github.com/gallop-go/gallop/internal/nocmp"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// Ref is a timer as its owner knows it: its number, and which one of that number.
type Ref struct{ Number, gen uint32 }

// Timer is a timer in memory: an entry of its shard's slab, by a number. It is either free, or the
// number is in the shard's wheel, or has been taken from there and is on its way in a message, or
// its behaviour runs.
//
// Its owner writes to it while it is armed, under the shard's lock: the message may be on its way
// to a mailbox that is closed meanwhile, and then the shard ends the timer. Besides, the worker
// that runs its message writes to it, and the one that frees it.
//
// It fills one cache line on a 64-bit machine: a million timers are not in any cache, and what they
// cost is how often they are fetched. For the same reason a small payload without pointers lies
// here, and is copied to a message that is at hand when it runs. That it is no message itself, and
// linked to no other timer, saves the GC a million objects.
type Timer struct {
	_      nocmp.Field
	at     uint64       // when it is due
	Owner  *sched.Task  // the actor that has armed it; nil: free
	Period int64        // 0: once
	Held   *msg.Message // its payload; nil: in Words
	Words  [3]uint64    // of a free one, which one is free besides
	gen    seam.Uint32  // how many timers were here before: see slab
	ID     uint16       // of the behaviour
	in     bool         // the wheel has it
	live   bool         // it will run, or run again
}

// Live reports whether a timer that is on its way will run.
func (k *Timer) Live() bool { return k.live }

// Due returns when the timer is due, or was.
func (k *Timer) Due() int64 { return int64(k.at) }

// End ends a timer, which does not run any more, and returns its payload, if it is a message. The
// caller may write to the timer.
func (k *Timer) End() (held *msg.Message) {
	k.markDone()
	return k.takeHeld()
}

// Outdate makes Refs to the timer find nothing. The caller may write to the timer.
func (k *Timer) Outdate() { k.gen.Add(1) }

func (k *Timer) markDone() {
	k.live = false
	k.Outdate()
}

// takeHeld takes the payload out of the timer, if it is a message. The caller may write to it.
func (k *Timer) takeHeld() *msg.Message {
	held := k.Held
	if held != nil {
		k.Held, held.ID, held.Next = nil, k.ID, nil
	}
	return held
}

// Following returns when the next tick is due: a whole number of periods after the last one, and
// later than now.
func (k *Timer) Following(now int64) int64 {
	at := int64(k.at)
	behind := max(now-at, 0) / k.Period
	if at > math.MaxInt64-k.Period*(behind+1) {
		return math.MaxInt64
	}
	return at + k.Period*(behind+1)
}

// Fired reports whether the timer is in no wheel. The worker that runs its message only.
func (k *Timer) Fired() bool { return !k.in }
