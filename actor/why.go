package actor

import (
	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/kernel"
)

// Holder is one reason why a system is not quiescent, or why an actor does not end: see
// [System.Why].
type Holder struct {
	// What is one of "running turn", "queued turn", "mute", "pending restart", "pending stop",
	// "Pipe", "FromChan", "ToChan", "timer", "Hold", "put-off reply" and "SendWait".
	What string
	// Count is the number of them, at least 1.
	Count int
	// Actor is their owner, an actor or a process. If its ID is 0, they belong to several actors of
	// the Type. If the Type is "" too, they belong to no actor.
	Actor ActorName
	// For is the actor for which a muted actor or a turn in Ask waits. It is the zero ActorName if
	// that is not known.
	For ActorName

	// where says what a process waits for and in which line, for String; "" if that is not known.
	where string
}

// String returns the holder in words, as in "1 Pipe of worker#12 (app/workers/12)", "3 timers of
// order", "1 mute of reader#2 for log#3". Of a process it also says what it waits for and, if the
// program has at most 500 goroutines, in which line: "1 timer of process#17 in sleep at main.poll
// main.go:40".
func (h Holder) String() string { return h.kernel().String() }

func (h Holder) kernel() kernel.Holder {
	return kernel.Holder{What: h.What, Count: h.Count, Actor: kernel.ActorName(h.Actor),
		For: kernel.ActorName(h.For), Where: h.where}
}

// holdersOf returns the Holders that users get.
func holdersOf(all []kernel.Holder) (holders []Holder) {
	for _, h := range all {
		holders = append(holders, Holder{What: h.What, Count: h.Count, Actor: ActorName(h.Actor),
			For: ActorName(h.For), where: h.Where})
	}
	return holders
}

// ShutdownError is the error of [System.Shutdown] if its context ends before the system
// is quiescent.
type ShutdownError struct {
	// Holders is the result of [System.Why] when the context ended.
	Holders []Holder
	// Err is the context's error.
	Err error
}

// Error returns the context's error and the holders.
func (e *ShutdownError) Error() string {
	if e == nil {
		return "<nil>"
	}
	var holders []kernel.Holder
	for _, h := range e.Holders {
		holders = append(holders, h.kernel())
	}
	return "gallop: Shutdown: " + guard.Text(e.Err) + kernel.InWords(holders)
}

// Unwrap returns the context's error.
func (e *ShutdownError) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Err
}
