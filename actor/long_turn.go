package actor

import (
	"time"

	"github.com/gallop-go/gallop/internal/kernel"
)

// LongTurnReport describes a behaviour that runs or blocks for long, while it still does
// so.
type LongTurnReport struct {
	// Type and Behaviour name the behaviour, or the callback: init, OnStart, OnStop, Stop.
	// Behaviour is empty while the runtime does work for the actor between two messages, such
	// as collecting its heap.
	//
	// For a process, Type is its type (process.WithType) or "process", Behaviour is empty,
	// ActorID is its number, and Name is one of its names.
	Type      string
	Behaviour string
	// ActorID, Name and Path name the actor, as in [ActorName].
	ActorID uint64
	Name    string
	Path    string
	// Worker is the number of the worker.
	Worker int
	// Blocking is true if the behaviour is in [Context.Blocking], or in an Ask, bridge.AskAll or
	// bridge.Replies of its own; or if the process is in Proc.Blocking, or in such a call. Then it
	// does not keep its worker from other actors.
	Blocking bool
	// AtLeast is how long the behaviour has run, or the call of Blocking has lasted; some
	// milliseconds may be missing.
	AtLeast time.Duration
	// Stack is the present stack of the behaviour's goroutine, down to the behaviour. It is
	// empty if the operating system process has more than 500 goroutines, or runs with
	// GODEBUG=asyncpreemptoff=1, or if the behaviour has just returned: see [WithLongTurn].
	Stack []byte
}

// WithLongTurn sets the time after which a behaviour that still runs, or is still in
// [Context.Blocking], is reported to the log or to [Hooks]. It is at least a millisecond,
// and 100 ms by default. Other actors do not wait for such a behaviour, since another
// goroutine stands in for its worker; but it uses a goroutine, and its own messages wait.
//
// Reports are made at most once a second. Further reports are counted, and the log has
// their number as missed. Behaviours of pinned types are reported only while they are in
// Blocking: they have a thread of their own and keep no other actor waiting.
//
// To get the stack, Go has to stop the process for two microseconds for each of its
// goroutines. So a report has a stack only if there are at most 500 goroutines, which
// takes about a millisecond. With GODEBUG=asyncpreemptoff=1 a report never has a stack,
// since the process would stand still until the behaviour's loop ends. With more
// goroutines use the names in the report, or a profile: package runtime/pprof.
func WithLongTurn(after time.Duration) Option {
	return systemOption(func(o *kernel.Options) { o.LongTurn = after })
}
