package access

import (
	"context"
	"time"

	"github.com/gallop-go/gallop/internal/seam"
)

// Functions of the packages actor and process that package process/actors calls. The two do not
// import each other; each sets its variables when it is initialised.

// Shared has the things that a system of actors shares with a system of processes.
type Shared struct {
	Actors    any // the *actor.System
	Scheduler any // a *sched.Scheduler
	Clock     seam.Clock
	Seed      uint64
	Stepwise  bool // a deterministic run
	// Stop is System.Stop of the actors.
	Stop func()
	// Event is called with each sim.Event of a process in a run of package actortest, and with its
	// message or reason. It is nil in any other run. It fills in the time, and the type of a sender
	// that is an actor.
	Event func(e, payload any)
	// DeadLetter is told of a message that no process will receive.
	DeadLetter func(to ProcessName, message any, reason error, bestEffort bool)
	// Panicked is told of a process that has not returned, with a *sched.Crash.
	Panicked func(who ProcessName, crash any)
}

// ProcessName names a process in reports.
type ProcessName struct {
	ID   uint64
	Type string // "process" if it was given none
	Name string // the first of its names; "": it has none
}

// Running is a process that acts on actors, as package actor uses it. Its methods panic unless the
// process runs.
type Running interface {
	// Worker returns the *sched.Worker of the turn, or nil while the process is unwound because its
	// system ends.
	Worker() any
	// Context returns the context that the messages of the process carry; nil: none.
	Context() context.Context
	// Name returns the number of the process, and its name in the place of an actor's type.
	Name() (id uint64, typ string)
	// Operation counts an operation of the process, which may yield, or be unwound.
	Operation(name string)
}

// Stand has f run in a turn of the actor that stands for the process, with a *actor.Context, and
// returns when that actor is not muted. If it has ended, lost runs instead, in any goroutine. to is
// the actor.AnyRef to which f sends.
type Stand func(to any, f func(c any), lost func())

// Set by package actor.
var (
	// Join returns the *process.System that was joined to an *actor.System. It is made by start at
	// first. unwind ends it, and is called once when no worker is left.
	Join func(sys any, start func(Shared) (processes any, unwind func())) (processes any)

	// Travels returns the context that messages of an *actor.Context carry; nil: none.
	Travels func(c any) context.Context

	// WorkerOf returns the *actor.System and the *sched.Worker of an *actor.Context, whose
	// behaviour must run.
	WorkerOf func(c any, call string) (sys, worker any)

	// ProcessSender returns the actor.Sender of a process of an *actor.System.
	ProcessSender func(sys any, p Running, stand Stand) (sender any)

	// AskFor sends a request to a target that AskBehaviour.To has made. The outcome goes to an
	// actor.Handler. The request carries ctx, as that of AskBehaviour.Ask does; nil: nothing.
	AskFor func(ctx context.Context, sender, to, question, handler any)

	// With returns the actor.Sender whose messages carry ctx, for one that ProcessSender has
	// returned.
	With func(sender any, ctx context.Context) any

	// Outcome returns a function that sends the running actor the outcome, an M, of something that
	// it has asked for, on the terms of actor.AskTo. It is called with a *actor.Context and an
	// actor.Behaviour[T, M].
	Outcome func(c, behaviour any) (tell func(sender, outcome any))

	// Blocking is Blocking of a *sched.Worker of an *actor.System for the process that runs there.
	// A call that lasts for long is reported.
	Blocking func(worker any, f func())

	// ActorOn returns the number of the actor whose turn runs on a *sched.Worker.
	ActorOn func(worker any) uint64

	// Outlive says that the running actor, an *actor.Context, stands for something that ends before
	// it. When the actor is told to end, to suspend or to restart, end is called in a turn of the
	// actor, with its *actor.Context and the reason. The actor lives on until over was called, and
	// is not muted meanwhile; then the order is carried out. A Kill does not wait. It holds for the
	// life of the actor. Any goroutine may call over, once.
	Outlive func(c any, end func(c any, why error, over func()))
)

// Set by package process.
var (
	// StartOn makes a *process.System on the scheduler of another system.
	StartOn func(Shared) (processes any, unwind func())

	// EnvOf returns the process.Env of a turn on a *sched.Worker that is none of a process. Its messages
	// carry ctx; nil: nothing.
	EnvOf func(processes, worker any, ctx context.Context) (env any)

	// RunningOf returns a process.Party that is a process, and the process.Process that it is. It
	// reports false for a goroutine.
	RunningOf func(party any) (r Running, process any, ok bool)

	// SystemOf returns the *process.System of a process.Env or process.Process, and the
	// *actor.System that it is joined to, or nil.
	SystemOf func(of any) (processes, actors any)

	// OnReply registers heard for a process.ReplyTo whose request is not sent yet. heard is called
	// when that is given its reply, or an error by Fail: by the process.Env from that replies,
	// before it does anything else.
	OnReply func(reply any, heard func(from, v any, err error))

	// CallLimit returns the time-out that a []process.CallOption gives, and AskLimit that of an
	// []actor.AskOption; 0: none.
	CallLimit, AskLimit func(opts any) time.Duration

	// Failed reports whether the last process.Call of a process.Party, which is a process, has
	// returned an error that was given to process.ReplyTo.Fail.
	Failed func(party any) bool

	// LongTurnOf says which process of a *process.System a *sched.Task is, whose turn lasts for
	// long. stack returns its stack, or nil. It reports false if the task is none of the system.
	// Any goroutine.
	LongTurnOf func(processes, task any) (who ProcessName, stack func() []byte, ok bool)

	// TellerOf returns a function that sends a *process.Self[M], which runs, the M that a function
	// of the user's makes, and which no bound keeps out. The process ends if the function does not
	// return. env is a process.Env.
	TellerOf func(self any) func(env any, wrap func() any)

	// CheckOptions panics, as process.Spawn does, if a []process.Option is wrong.
	CheckOptions func(call string, options any)

	// InProcess returns the *sched.Scheduler and the *sched.Worker of the process, of any system,
	// that the calling goroutine runs; the worker is nil once the scheduler has stopped. Both are
	// nil if it runs none. It is nil itself in a program without package process.
	InProcess func() (scheduler, worker any)

	// Waits records, for reports, that a process.Party waits for, say, the "reply of" an actor. It
	// returns a function that ends this.
	Waits func(party any, what string, actor any) (over func())

	// SlotOf returns where package process/actors keeps something for a process.Process, until that
	// ends, or for a *process.System. nil: it has kept nothing.
	SlotOf func(of any) *seam.Pointer[any]

	// AtEnd registers tell, which is called when a process.Process has ended. If it has ended
	// before, tell is called at once. If it ends because its system does, tell is not called.
	AtEnd func(process any, tell func(reason error))

	// EndWithin cancels a process.Process for a reason, and kills it after a time. over is called
	// when it has ended, as with AtEnd. env is a process.Env.
	EndWithin func(process, env any, reason error, within time.Duration, over func())

	// Exited tells a process.Process that an actor to which it is linked has ended. env is a
	// process.Env. cause is the reason that the process ends for, or traps; nil: a normal end.
	Exited func(process, env any, cause error)
)
