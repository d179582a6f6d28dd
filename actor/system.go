package actor

import (
	"context"

	"github.com/gallop-go/gallop/internal/kernel"
)

// System is a runtime: workers, and the actors that were spawned from it. A process may
// have several systems; they share nothing but recycled memory. A System is the
// [Sender] for code outside of behaviours. Its methods may be called from any
// goroutine.
//
// An idle system uses no processor time. Before its first message a system has no goroutine, except
// for the threads of pinned types with actors.
type System struct{ systemBase }

type systemBase = kernel.SystemBase

// Start makes a system. If options are bad it panics, and the panic lists all mistakes.
func Start(opts ...Option) *System {
	return systemOf(kernel.NewSystem(func(all *kernel.Options) {
		for _, o := range opts {
			if o == nil {
				all.Wrong = append(all.Wrong, "a nil option")
				continue
			}
			all.Apply(o)
		}
	}))
}

// With returns a sender for code outside of behaviours whose messages carry ctx: its
// values, its deadline and its end. The behaviours find it in [Context.Context]. A
// message whose context has ended before its turn comes does not run: it becomes a dead
// letter, and the reason is the context's error.
//
// With allocates one object. Each message that is sent by it takes a second node, from
// the same free lists as the message itself. [AskBehaviour.Ask] needs no such sender,
// as it is given a context. With panics if ctx is nil.
func (s *System) With(ctx context.Context) Sender { return s.kernel().With(ctx) }

// Stats returns the system's figures.
func (s *System) Stats() Stats { return statsOf(s.kernel().Stats()) }

// Workers returns the number of workers.
func (s *System) Workers() int { return s.kernel().Workers() }

// Wait blocks until the system is quiescent: no message is queued or running anywhere,
// and there is no hold of the system. The system goes on running and may be waited for again.
// Wait returns ctx's error if ctx ends first, and ErrSystemStopped if the system stops.
//
// The system is not quiescent while there is
//
//   - an armed timer, so that [Every] keeps the system busy for ever (for exceptions
//     see [VirtualClock]);
//   - a restart that is put off;
//   - a function of [Pipe];
//   - an open channel of bridge.FromChan.
//
// Every behaviour that ran before synchronizes before Wait returns. That includes the
// behaviours for messages whose Send returned before Wait was called.
//
// Wait, Run, Shutdown and Stop must not be called from a behaviour or a process. In a behaviour
// of this system they panic. In a behaviour of another system they block its worker.
func (s *System) Wait(ctx context.Context) error { return s.kernel().Wait(ctx) }

// Run blocks until the system is quiescent, as [System.Wait] does, and then stops it.
// Messages sent afterwards from outside become dead letters. Run returns nil, or
// ErrSystemStopped if the system was stopped by other means.
func (s *System) Run() error { return s.kernel().Run() }

// Shutdown stops the system in good order: it refuses messages from outside, runs the queued
// messages until the system is quiescent, and stops it. It blocks until then. It returns nil if
// the system has stopped already.
//
// If ctx ends before, Shutdown stops the system at once, like [System.Stop] but without waiting
// for behaviours that still run. It then returns a [*ShutdownError], which wraps ctx's error and
// names the reasons why the system was not quiescent, as in "gallop: Shutdown: context deadline
// exceeded: 1 Pipe of worker#12, 3 timers of order".
//
// Shutdown ends the system and not its actors: no OnStop runs. Everything that keeps
// [System.Wait] waiting keeps Shutdown waiting, until ctx ends. So a service first drains or stops
// its root actor, and with it all others, and then stops the system: [DrainWait], then Shutdown.
func (s *System) Shutdown(ctx context.Context) error {
	holders, err := s.kernel().Shutdown(ctx)
	if err != nil {
		return &ShutdownError{Holders: holdersOf(holders), Err: err}
	}
	return nil
}

// Stop ends the system now: behaviours that run finish, and all other mail becomes dead
// letters. It blocks until that has happened and no goroutine of the system is left.
//
// Stop does not wait for functions that [Pipe] runs: their context has ended, and their
// results become dead letters. Nor does it wait for a function of [Hooks], or for the log,
// while that is called with a long turn or with too many blocked behaviours.
func (s *System) Stop() { s.kernel().Stop() }

// Hold keeps the system from being quiescent until release is called. It is for things outside of
// the system: a connection, a goroutine that will send. Calling release again does nothing. Hold
// returns ErrSystemStopped if the system has begun to stop.
func (s *System) Hold() (release func(), err error) { return s.kernel().Hold() }

// Why returns the reasons why the system is not quiescent at this moment, and [System.Wait], Run
// and Shutdown therefore do not return. They are in the order of this list:
//
//   - a running turn: a behaviour, which may be blocked or wait in Ask; or a process (package
//     process), which may be in Blocking, or block its worker at something that is not its own, as
//     at a channel of Go's;
//   - a queued turn: an actor that is to run. Only the number of these actors is known;
//   - a mute: an actor that waits until another is no longer overloaded;
//   - a pending restart or a pending stop: an actor that waits for its supervisor, or for
//     its children to end;
//   - a Pipe; a FromChan or ToChan of package bridge;
//   - a timer, if time passes by itself; also that of a process that sleeps, or that waits for
//     something else with a time-out;
//   - a [System.Hold].
//
// A process that waits without a time-out does not keep the system from being quiescent, and is not
// listed.
//
// Two more kinds of holder do not keep the system from being quiescent, but explain why an actor
// waits: put-off replies ([Defer]) and goroutines in SendWait.
//
// For each reason Why names up to three actors of a type; more of them are counted in one Holder.
// The result is a hint while the system is at work, and exact once nothing moves.
//
// Why is for people and logs. It looks at each timer and at each actor that waits, which takes
// about 100 ns for each, and holds the lock of a shard of timers for some microseconds at a time.
// Any goroutine may call it, a behaviour too.
func (s *System) Why() []Holder { return holdersOf(s.kernel().Why()) }
