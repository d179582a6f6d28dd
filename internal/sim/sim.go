// Package sim is what packages actor and actortest tell each other about a
// deterministic run, and nobody else needs to know.
package sim

// Hooks are called by a deterministic system, in whatever goroutine has its turn, one at
// a time. They must not block and must not call the system. Any of them may be nil.
type Hooks struct {
	// Choose says which of the threads that are ready goes on. See sched.Turns.
	Choose func(ready []int, current int) int
	// Event is told what happens, in order.
	Event func(Event)
	// Clock is the *actor.VirtualClock that the system must go by; nil is any.
	Clock any
	// Panicked is told of every panic of a behaviour and its value, before the system's
	// own OnPanic is.
	Panicked func(e Event, value any)
	// Fault says what goes wrong with a message that is about to run.
	Fault func(Event) Fault
	// Refuse tells whether a TrySend of this behaviour finds its receiver overloaded.
	Refuse func(typ, behaviour string) bool
}

// Kind is what happened.
type Kind uint8

// The kinds of events.
const (
	Run  Kind = iota // a behaviour begins
	Dead             // a message has become a dead letter
	Died             // a behaviour has panicked
)

// Event is one thing that happened.
type Event struct {
	Kind      Kind
	Worker    int    // -1: outside
	Actor     uint64 // the receiver
	Type      string
	Behaviour string
	From      uint64 // the sender; 0: outside
	Callback  bool   // it is OnStart or its like, which no message makes run
	News      bool   // it hears of others' ends or starts, of which the runtime tells: nothing makes it lose that
}

// Goexit is told in place of a panic's value of a behaviour that has ended its goroutine.
type Goexit struct{}

// Blow is what goes wrong.
type Blow uint8

// The blows: what package actortest calls its actions.
const (
	None Blow = iota
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

// Fault is what goes wrong. The zero Fault is none.
type Fault struct {
	Blow   Blow
	Value  any   // what a Panic panics with
	Reason error // of the dead letter that a Drop makes
}

// Books are what was sent in a system.
type Books struct {
	Sent      uint64
	Strangers int // calls from goroutines that take no part
}

// Hope is a key. A context that has a value for it takes the question for its end as a wait, so
// that only its values are to be used.
type Hope struct{}
