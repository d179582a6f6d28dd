package actor

import (
	"time"
	"unsafe"

	"github.com/gallop-go/gallop/internal/seam"
)

// What tests outside of the package need to see of its inside.

// OnItsWay tells whether a timer is in no wheel: its message is in the mailbox, or
// will be in a moment. Its actor only, before it has run.
func (t Timer) OnItsWay() bool {
	s := t.owner.extra.timers.shard
	s.mu.Lock()
	defer s.mu.Unlock()
	return !payloadOf[timer](t.m).In()
}

// NewClockAt is NewVirtualClock for a clock with a past: one that was started so many
// nanoseconds ago.
func NewClockAt(start time.Time, nanos int64) *VirtualClock {
	return &VirtualClock{seam: seam.NewVirtualClock(start, nanos)}
}

// StopHandler stops the actor behind what ToChan has returned.
func StopHandler[M any](sys *System, h Handler[M]) {
	Stop(sys, h.(bound[outlet[M], M]).r)
}

// TimerSize is what a timer takes with the header of its message.
const TimerSize = unsafe.Sizeof(node[timer]{})

// TimerOffset is where a timer lies in its message, and where payloadOf looks for it.
const (
	TimerOffset = unsafe.Offsetof(node[timer]{}.payload)
	HeaderSize  = headerSize
)
