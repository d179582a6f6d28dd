package access

import (
	"context"
	"time"
)

// ActorOf returns the actor.ActorName of the actor whose behaviour, or whose Pipe, was given ctx or
// a parent of ctx.
var ActorOf func(ctx context.Context) (who any, ok bool)

// InspectorOf returns, of an *actor.System, a value whose methods look into it. Package inspect
// says in interfaces of its own which methods these are. A program in which no code calls them
// does not have them: the linker drops methods that no interface calls.
var InspectorOf func(sys any) any

// WorkerLook describes a worker as seen from outside.
type WorkerLook struct {
	ID               int
	Pinned, Blocking bool
	Type, Behaviour  string // of the turn that it runs; Type "": none
	Actor, Process   uint64 // the number of the actor or process; the other is 0
}

// LongTurnLook describes a turn that has lasted for long.
type LongTurnLook struct {
	Worker    int
	Who       any  // an actor.ActorName
	Ref       any  // its actor.AnyRef; nil: of a process
	Process   bool // Who names a process
	Behaviour string
	Blocking  bool // in Blocking, or an Ask in the turn
	Lasted    time.Duration
	Stack     func() []byte // as that of sched.Worker
}

// ActorLook describes an actor as seen from outside, without its name and its status.
type ActorLook struct {
	Queued int // messages in its mailbox, counted up to a limit
	// As inspect.Actor says.
	Overloaded, Muted, Suspended, Pinned bool
}

// SupervisorsOf returns the supervisors of an *actor.System that have no supervisor and have not
// ended, each a supervise.Supervisor. Package supervise sets it.
var SupervisorsOf func(sys any) []any

// ProcessLook describes a process as seen from outside.
type ProcessLook struct {
	ID    uint64
	Type  string // as in ProcessName
	Names []string
	// Waits says that it waits: for On, and there for Of, which may be an actor.AnyRef or an
	// actor.Ref, if that is not nil.
	Waits bool
	On    string
	Of    any
	// Asked is the process whose reply, or room in whose mailbox, it waits for; 0: none.
	Asked uint64
	// Queued counts the messages in its mailbox, up to a thousand.
	Queued int
	// At returns the stack of the process, out of all; nil: it is not there.
	At func(stacks map[string][]byte) []byte
}

// ProcessHolder is a process that keeps its system from being quiescent because it has armed a
// timer.
type ProcessHolder struct {
	Who ProcessName   // the zero ProcessName: a goroutine outside has armed it
	On  func() string // a description of the process's wait; "" if it does not wait
	At  func(stacks map[string][]byte) []byte
}

// TimersOf calls f for each armed timer of a *process.System, if it keeps the system from being
// quiescent. Package process sets it.
var TimersOf func(processes any, f func(ProcessHolder))

// RunningTask returns the process of a *process.System that a *sched.Task is, whose turn was seen
// to run. It reports false if the task is none of the system. Any goroutine. Package process sets
// it.
var RunningTask func(processes, task any) (who ProcessName, at func(stacks map[string][]byte) []byte,
	ok bool)

// UserFrame returns the line of the user's code in which a goroutine is, as a function and a place.
// The argument is the text of the goroutine's stack. Package actor sets it.
var UserFrame func(goroutine []byte) string

// StacksOfProcesses returns the stacks of all processes, on the terms of sched.Stacks. Their keys
// are for ProcessHolder.At and ProcessLook.At. Package process sets it.
var StacksOfProcesses func() map[string][]byte

// EachProcess calls f for processes of a *process.System, at most so many of each of its parts, the
// newest first. It reports whether there are more. Package process sets it.
var EachProcess func(processes any, most int, f func(ProcessLook)) (more bool)

// GroupLook describes a pool, a topic or a registry. A state of theirs returns it to inspect.State.
type GroupLook struct {
	What string `json:"what"` // pool, ask pool, topic or registry
	// Of is the Go type of its messages, or those of its keys and members.
	Of      string `json:"of"`
	Members int    `json:"members"`        // or subscribers
	Down    int    `json:"down,omitempty"` // members that wait for their restart
	Keys    int    `json:"keys,omitempty"` // of a registry
}

// GroupsOf returns the actor.AnyRef of each pool, topic and registry of an *actor.System that was
// made without a supervisor since inspect.Begin, and has not ended. Package group sets it.
var GroupsOf func(sys any) (refs []any)
