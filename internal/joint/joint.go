// Package joint has the types by which a system of actors and a system of processes on its workers
// know each other. Packages kernel and process do not import each other: each implements one
// interface of this package, and package process/actors joins the two. See decision 42.
package joint

import (
	"context"

	"github.com/gallop-go/gallop/internal/kernel/sim"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// Shared has the things that a system of actors shares with a system of processes.
type Shared struct {
	Actors    Actors
	Scheduler *sched.Scheduler
	Clock     seam.Clock
	Seed      uint64
	Stepwise  bool // a deterministic run
	// Event is called with each event of a process in a run of package actortest, and with its
	// message or reason. It is nil in any other run. It fills in the time, and the type of a sender
	// that is an actor.
	Event func(e sim.Event, payload any)
}

// Actors is a system of actors, as its processes use it. A *kernel.System implements it.
type Actors interface {
	// Stop is System.Stop of package actor.
	Stop()
	// DeadProcess is told of a message that no process will receive.
	DeadProcess(to ProcessName, message any, reason error, bestEffort bool)
	// PanickedProcess is told of a process that has not returned. Its turn.
	PanickedProcess(who ProcessName, crash *sched.Crash)
	// BlockProcess is Blocking of a worker for the process that runs there. A call that lasts for
	// long is reported. Owner of w only, in a turn.
	BlockProcess(w *sched.Worker, f func())
	// ActorOn returns the number of the actor whose turn runs on a worker; 0: none does. Owner of w
	// only, in a turn.
	ActorOn(w *sched.Worker) uint64
}

// Processes is a system of processes, as the system of actors that it is joined to uses it. Any
// goroutine may call its methods.
type Processes interface {
	// Unwind ends all processes. It is called once, when no worker is left.
	Unwind()
	// LongTurnOf says which process a task is, whose turn lasts for long. stack returns its stack, or
	// nil. It reports false if the task is none of the system.
	LongTurnOf(task *sched.Task) (who ProcessName, stack func() []byte, ok bool)
	// RunningTask returns the process that a task is, whose turn was seen to run. It reports false if
	// the task is none of the system.
	RunningTask(task *sched.Task) (who ProcessName, at StackIn, ok bool)
	// EachProcess calls f for processes, at most so many of each part of the system, the newest
	// first. It reports whether there are more.
	EachProcess(most int, f func(ProcessLook)) (more bool)
	// EachTimer calls f for each armed timer, if timers keep the system from being quiescent.
	EachTimer(f func(ProcessHolder))
	// Stacks returns the stacks of all processes, of any system, on the terms of sched.Stacks. It is
	// for functions of the type StackIn.
	Stacks() map[string][]byte
}

// StackIn returns the stack of one process. The argument is the result of Processes.Stacks. StackIn
// returns nil if the process is not among them.
type StackIn func(stacks map[string][]byte) []byte

// ProcessName names a process in reports.
type ProcessName struct {
	ID   uint64
	Type string // "process" if it was given none
	Name string // the first of its names; "": it has none
}

// Running is a process that acts on actors. Its methods panic unless the process runs.
type Running interface {
	// Worker returns the worker of the turn, or nil while the process is unwound because its system
	// ends.
	Worker() *sched.Worker
	// Context returns the context that the messages of the process carry; nil: none.
	Context() context.Context
	// Name returns the number of the process, and its name in the place of an actor's type.
	Name() (id uint64, typ string)
	// Operation counts an operation of the process, which may yield, or be unwound.
	Operation(name string)
}

// Actor is an actor, as package process knows it.
type Actor interface {
	// ID returns the actor's number.
	ID() uint64
	// String returns the actor's type and number, as in "order#17".
	String() string
}

// ProcessLook describes a process as seen from outside.
type ProcessLook struct {
	ID    uint64
	Type  string // as in ProcessName
	Names []string
	// Waits says that it waits: for On, and there for Of if that is not nil.
	Waits bool
	On    string
	Of    Actor // a kernel.AnyRef
	// Asked is the process whose reply, or room in whose mailbox, it waits for; 0: none.
	Asked uint64
	// Queued counts the messages in its mailbox, up to a thousand.
	Queued int
	At     StackIn
}

// ProcessHolder is a process that keeps its system from being quiescent because it has armed a
// timer.
type ProcessHolder struct {
	Who ProcessName   // the zero ProcessName: a goroutine outside has armed it
	On  func() string // a description of the process's wait; "" if it does not wait
	At  StackIn
}

// InProcess returns the scheduler and the worker of the process, of any system, that the calling
// goroutine runs. The worker is nil once the scheduler has stopped. Both are nil if it runs none.
// Package process sets it: in a program without that package it is nil.
var InProcess func() (*sched.Scheduler, *sched.Worker)
