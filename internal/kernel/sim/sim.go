// Package sim has the types of deterministic runs that the packages kernel, process and actortest
// share.
package sim

import "time"

// Hooks are called by a deterministic system, in whatever goroutine has its turn, one at
// a time. They must not block and must not call the system. Any of them may be nil.
type Hooks struct {
	// Choose selects the thread that goes on among the ready ones. See sched.Turns.
	Choose func(ready []int, current int) int
	// Event is called for every event, in order.
	Event func(Event)
	// Panicked is called for every panic of a behaviour with its value, before the system's own
	// hook.
	Panicked func(e Event, value any)
	// Fault returns the fault to inject into a message that is about to run.
	Fault func(Event) Fault
	// Refuse reports whether a TrySend of this behaviour finds its receiver overloaded.
	Refuse func(typ, behaviour string) bool
	// Payload is called with the subject of the next Event: the message, or the reason of an
	// OnStop. It may keep the value only if it copies it.
	Payload func(v any)
	// Latency returns the virtual time that a function of Pipe or Blocking takes before and after
	// its work. behaviour is the behaviour that gets the result of a Pipe, or that blocks.
	Latency func(typ, behaviour string) (before, after time.Duration)
	// Name is set by the system: it returns the name of an actor.
	Name func(actor uint64) string
	// Stuck is called in the goroutine that made the system, when that waits for something
	// and nothing can happen any more. It ends the goroutine, by a panic or a Goexit.
	Stuck func()
}

// Kind is the kind of an event.
type Kind uint8

// The kinds of events.
const (
	Run           Kind = iota // a behaviour begins
	DeadLetter                // a message has become a dead letter
	Panicked                  // a behaviour or a process has panicked
	Did                       // a process begins an operation
	Ended                     // a process has ended
	SentToProcess             // it is counted, and no event
)

// Event is one thing that happened.
type Event struct {
	Kind      Kind
	Time      time.Duration // on the system's clock
	Worker    int           // -1: outside
	Actor     uint64        // the receiver
	Type      string
	Behaviour string
	From      uint64 // the sender; 0: outside. See Via
	FromType  string // the sender's type; "" if From is 0
	Via       Via    // how it came
	Request   bool   // it is a request
	// The receiver is an actor of the runtime's own, not of the user's.
	Own bool
	// Actor is the number of a process, and Run is the receipt of a message.
	Process  bool
	Callback bool // it is OnStart or its like, which no message makes run
	// It hears of ends or starts of other actors, of which the runtime tells: nothing makes it
	// lose that.
	News bool
}

// Via is the way of a message to its receiver.
type Via uint8

// The ways of a message.
const (
	BySend    Via = iota // a behaviour or a goroutine sent it
	ByPipe               // a Pipe of From brings its result
	ByChannel            // FromChan of From took it out of a channel
	ByTimeout            // the time of an ask of From is over
	// A reply from outside of the system, or of the runtime for an actor that cannot give it.
	ByReply
)

// Wait is a caller that waits for a reply.
type Wait struct {
	Caller    string // who waits, as "client#3"; "": a goroutine from outside
	Callee    string // the actor that was asked, as "desk#2"
	Type      string // of that actor
	Behaviour string // that was asked
	Question  any
	// When the actor came to the request, or when the wait began.
	Since time.Duration
	How   How
}

// How is the state of a request whose reply is awaited.
type How uint8

// The states of a request.
const (
	Unanswered How = iota // the caller waits in Ask
	PutOff                // Defer has put the reply off
	Stashed               // the request is in a stash
	Suspended             // the actor that was asked does not run
	Owed                  // a process waits for the reply of another, or of an actor
)

// Turn is the record of a function that ran in a turn of an actor, for package actortest.
type Turn struct {
	Sent    []Sent
	Armed   []Armed
	Stopped bool  // it ended its actor by Stop or Exit
	Reason  error // that it gave to Exit
}

// Sent is a message that was sent in a turn and has come to its receiver.
type Sent struct {
	Event   Event // its run, or its end as a dead letter
	Message any
	Order   int // when it was sent, among all of the turn
}

// Armed is a timer that was armed in a turn.
type Armed struct {
	Behaviour    string
	After, Every time.Duration // Every is 0 for a timer that fires once
	Message      any
}

// Goexit stands for a panic's value if a behaviour has ended its goroutine.
type Goexit struct{}

// FaultKind is the kind of a fault.
type FaultKind uint8

// The kinds of faults, which package actortest calls its actions.
const (
	None FaultKind = iota
	Panic
	Drop
	Stop
	Kill
	Delay
	Preempt
	Flood
	Collect
	Starve
)

// Fault is a fault to inject. The zero Fault is none.
type Fault struct {
	Kind   FaultKind
	Value  any   // the value of the Panic
	Reason error // of the dead letter that a Drop makes
}

// Counts are the figures of a system.
type Counts struct {
	Sent      uint64 // by and to actors and processes
	Received  uint64 // by processes
	Strangers int    // calls from goroutines that take no part
	Waits     []Wait
}

// WaitKey is a key. A context that has a value for it, with a method NoProgress, is ended by that
// method if its user waits when nothing can happen any more.
type WaitKey struct{}
