package inspect

import (
	"time"

	"github.com/gallop-go/gallop/actor"
)

// Letters are the dead letters that have the same receivers' type, behaviour, reason and senders'
// type.
type Letters struct {
	// Type and Behaviour say what they were for.
	Type, Behaviour string
	// Reason is the text of one of the errors of [actor.DeadLetter], or the Go type of another error.
	Reason string
	// FromType is the type of the senders; "" if they are outside or their type is not known.
	FromType string
	// BestEffort is as in [actor.DeadLetter].
	BestEffort  bool
	Count       uint64
	First, Last time.Time
	// Rate is how many there were per second over the last ten seconds.
	Rate float64
}

// Letter is one dead letter. The message itself is not kept: it may be secret, or large.
type Letter struct {
	At time.Time // when it was declared dead
	// Actor is the receiver.
	Actor      actor.ActorName
	Behaviour  string
	Reason     string
	From       uint64 // the sender's number; 0 if it came from outside
	FromType   string // as in [Letters]
	BestEffort bool
}

// Feed is told of the dead letters of a system from its beginning to its Close. Its methods may
// be called from any goroutine.
type Feed struct{}

// DeadLetters begins a feed. A dead letter costs some 100 ns more, and no goroutine. The feed has
// a fixed size, below 1 MiB, however many there are.
func DeadLetters(sys *actor.System) *Feed { return new(Feed) }

// Letters returns the dead letters so far, the most frequent first. The counts are exact. There
// are at most 1,024 groups; what fits into none of them is in one without a type.
func (f *Feed) Letters() []Letters { return nil }

// Recent returns up to 1,024 of the last letters, the oldest first, and how many were left out
// because there were more than 10,000 in a second.
func (f *Feed) Recent() (last []Letter, left uint64) { return nil, 0 }

// Total returns how many there were.
func (f *Feed) Total() uint64 { return 0 }

// Close ends the feed. What it has stays.
func (f *Feed) Close() {}

// Recent has the last reports of one sort, beside the user's [actor.Hooks]: a report is in both.
// Its methods may be called from any goroutine.
type Recent[T any] struct{}

// RecentReports is how many reports a [Recent] keeps.
const RecentReports = 64

// All returns the reports that it keeps, the oldest first.
func (r *Recent[T]) All() []T { return nil }

// Total returns how many there were.
func (r *Recent[T]) Total() uint64 { return 0 }

// Close ends it. What it has stays.
func (r *Recent[T]) Close() {}

// Panic is a behaviour that has panicked. Its Value is a text, so that nothing of the actor is
// kept.
type Panic struct {
	At time.Time // when it was reported
	actor.PanicReport
}

// LongTurn is a behaviour that has run or blocked for long.
type LongTurn struct {
	At time.Time // when it was reported
	actor.LongTurnReport
}

// PressureDeadlock is a circle of actors that wait.
type PressureDeadlock struct {
	At time.Time // when it was reported
	actor.PressureDeadlock
}

// Panics keeps the last panics.
func Panics(sys *actor.System) *Recent[Panic] { return new(Recent[Panic]) }

// LongTurns keeps the last long turns: see [actor.WithLongTurn].
func LongTurns(sys *actor.System) *Recent[LongTurn] { return new(Recent[LongTurn]) }

// PressureDeadlocks keeps the last of these.
func PressureDeadlocks(sys *actor.System) *Recent[PressureDeadlock] {
	return new(Recent[PressureDeadlock])
}
