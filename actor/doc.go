// Package actor runs typed actors on a work-stealing scheduler.
//
// # What
//
// An actor is a state, a mailbox, and behaviours that run one at a time, each to
// completion. You define actor types with a table of behaviours, spawn actors from them,
// and send them messages. The runtime runs a million of them on a few goroutines.
//
//	type Counter struct{ n int }
//
//	func (c *Counter) Add(ctx *actor.Context, by int) { c.n += by }
//
//	var (
//		CounterType = actor.NewType[Counter]("counter")
//		Add         = actor.Declare[int](CounterType, "add")
//		_           = CounterType.Table(Add.Handle((*Counter).Add))
//	)
//
// # Choosing
//
//   - A one-way message is a [Behaviour], and a request with a reply an [AskBehaviour].
//   - From outside, [AskBehaviour.Ask] blocks until the reply comes. Inside a behaviour,
//     [AskTo] delivers the reply as a message, and [AskToWith] does so with a mark.
//   - An actor that has to wait before it can reply puts the reply off with [Defer].
//   - [Context.Context] is a context for functions that a behaviour calls.
//     [Context.SetContext] sends a deadline or a trace along with messages.
//   - Put work that blocks into [Context.Blocking], or move it into a goroutine with [Pipe].
//   - Continue a long computation in another turn with [Yield].
//   - Use [Handler] in code that depends only on the messages that an actor understands.
//     Package group makes topics and pools of handlers.
//   - To send a message later, use [After] or [Every].
//   - To let others find an actor, give it a name ([Type.SpawnNamed], [Lookup]).
//   - Package bridge connects actors to the channels of other code, and asks several actors at
//     once.
//
// # Guarantees
//
//   - One behaviour of an actor runs at a time; its state needs no lock. A behaviour
//     synchronizes before the next one of the same actor, and a send before the behaviour
//     that it starts.
//   - Messages from one sender to one receiver run in order, and causally: if A sends to B
//     and then to C, B gets A's message before any message that C sends in reaction.
//   - A message runs exactly once or becomes a dead letter, which is counted and reported.
//   - An actor that cannot keep up mutes the actors of its system that send to it, until it
//     has recovered. An actor that is only muted itself takes more mail, up to a watermark,
//     and mutes no sender until then. Goroutines and actors of other systems are never
//     muted. Their Send does not wait; SendWait waits, and TrySend refuses. See
//     [Behaviour.Send].
//   - A panic or runtime.Goexit in a behaviour ends its actor, and nothing else.
//   - Timers of an actor fire in the order of their times. They end with the actor, or when
//     it is restarted. A canceled timer does not run.
//   - A name has one actor, and is free before any code can learn of the actor's end.
//   - [System.Wait] and [System.Run] return when nothing is queued, running or still to
//     come, for example from a timer; not earlier and not later.
//
// # What the verbs mean
//
//	                outside senders  queued mail        running behaviours  returns
//	System.Wait     go on            runs          run on              when quiescent; it stays
//	System.Run      go on, until it  runs          run on              when quiescent; it has stopped
//	System.Shutdown refused          runs          run on              when quiescent, or ctx ends
//	System.Stop     refused          dead letters  finish              when they have; stopped
//	actor.Stop      dead letters     dead letters  finish              at once
//	Context.Stop    dead letters     dead letters  this one finishes   at once
//	actor.Drain     dead letters     runs          run on              at once
//	actor.Kill      dead letters     dead letters  until a Checkpoint  at once; OnStop does not run
//
// [StopWait], [DrainWait] and [KillWait] wait until the actor has ended, or their context
// has.
//
// # Costs
//
// A send from a behaviour to an actor that is running or has mail is one locked
// instruction, or none within a stream on one worker. A send that wakes its receiver is two
// to five in all. Sends allocate nothing in steady state. docs/guarantees.md has every
// other kind of send.
//
// For operating a service, see docs/operating.md: [System.Why], [Context.Logger], the lines
// of the log, and [Interceptor].
//
// An idle actor is one allocation of about 100 bytes plus its state. An idle system uses no
// processor time. Workers yield to Go's scheduler every 100 µs, or every 400 µs while some
// of Go's processors are free, so that the process's other goroutines run.
//
// # Sources
//
// One mailbox per actor, run to completion, stealing one actor at a time, muting and
// quiescence follow the Pony runtime; the fault contract follows Erlang's.
//
// This package is the API and little else. The machinery is package internal/kernel, which has no
// type parameters. Of a type that is declared as one of the kernel's, such as [AnyRef], users can
// reach the methods that are documented here, and no field.
package actor
