package actor

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/gallop-go/gallop/heap"
	"github.com/gallop-go/gallop/internal/kernel"
)

// Context is an argument of each behaviour, by which the behaviour calls the runtime. It is
// valid only until the behaviour returns, and only in the behaviour's goroutine.
//
// To keep a Context, or to use it in another goroutine, as in a function that [Pipe] runs,
// is a data race. A Context belongs to a worker, and so to the actor that the worker runs
// at that time: Stop ends that actor, and Send corrupts data of the worker. In another
// goroutine, use the System, and a ref that [Self] has returned before.
//
// Functions that take a Context, and its methods, panic if it is nil or zero. A few cheap
// methods do not check this: System, ActorID, Now, Rand, Gas, ShouldYield, Checkpoint and
// Stopping. If they panic, it may be with an error of Go's runtime.
type Context struct{ base }

type base = kernel.TurnBase

// Sender is the sender of a message: a *[Context] inside a behaviour, a *[System] outside,
// or a result of [System.With] or [Context.With]. A struct that embeds a *Context or a
// *System is a Sender as well, and is valid for as long. No other type can implement
// Sender.
type Sender interface {
	kernel.Sender
}

// Heap returns the running actor's own arena, for data without Go pointers. Go's collector
// does not scan the arena. The first call makes the arena; it is freed as a whole when the
// actor ends. Neither the *Arena nor the pointers that handles give may be used after the
// behaviour has returned: call Heap again in the next behaviour.
//
// The arena is collected between behaviours, when it has doubled. The roots are the
// handles in the actor's state and in the messages that the actor has sent to itself:
// messages in its mailbox and in its stash, and messages of its timers. A handle that is
// kept anywhere else is dead after a collection.
//
// Heap panics if the state, or a message, keeps a handle behind a Go pointer, slice, map
// or channel. The panic names the path of the field.
//
// The arena's chunks come from the worker's cache and go back to it. A worker, or a
// pinned thread, keeps up to 2.75 MiB for the life of its system. An actor that never
// calls Heap pays for one nil pointer.
func (c *Context) Heap() *heap.Arena { return c.kernel().Heap() }

// Blocking calls f, which may block for long, for example on a query or a lock, without
// keeping other actors waiting: other workers run the actors that are queued after this
// one at once. The actor itself waits for f, as for any call: its messages keep their
// order, and the behaviour continues when f returns. f may use the Context as the
// behaviour does.
//
// A behaviour that blocks outside of Blocking delays the actors queued after it by up to
// ten milliseconds, until the runtime's monitor notices. Blocking costs about two tenths of
// a microsecond if no other actor waits, and the waking of an idle worker otherwise. At
// most [WithMaxBlocked] behaviours can use other workers at a time; beyond that, and on a
// pinned type, Blocking just calls f. A call that lasts longer than [WithLongTurn] is
// reported once, while it still lasts.
//
// A turn that has blocked for a millisecond, by the runtime's clock ([WithClock]), ends
// with the current message. If a batch of mail or more is left then, the actor is
// overloaded, so that its senders are muted. For types with [WithBound] or
// [WithWatermarks] these decide instead. The mail that comes while the actor blocks is
// bounded only by the duration of f: use [WithBound] for a smaller bound.
func (c *Context) Blocking(f func()) { c.kernel().Blocking(f) }

// System returns the system that the actor belongs to.
func (c *Context) System() *System { return systemOf(c.kernel().Sys) }

// ActorID returns the number of the running actor, as [Ref.ID] does.
func (c *Context) ActorID() uint64 { return c.kernel().ActorID() }

// Now returns the time of the runtime's clock: the machine's, or that of [WithClock] or
// [WithDeterministic].
func (c *Context) Now() time.Time { return c.kernel().Now() }

// Rand returns the worker's source of random numbers. [WithDeterministic] and [WithRandSeed] seed
// it.
func (c *Context) Rand() *rand.Rand { return c.kernel().Rand() }

// Context returns a context for calls of libraries, and above all for calls that block in
// [Context.Blocking]. It is made at the first call, and costs nothing before. It ends, and
// context.Cause returns
//
//   - ErrStopped with the reason, as soon as the actor is told to [Stop], is killed, has
//     drained or ends by itself, and when it is suspended or restarted: each life has a
//     context of its own;
//   - ErrSystemStopped, when the system stops.
//
// If the running message carries a context ([System.With], [Context.SetContext]), or is a
// request whose caller gave one ([AskBehaviour.Ask], or an [AskTo] under SetContext), the
// result is derived from that context too: it has its values and its deadline, and ends
// when that context ends. Such a result ends at the latest when the behaviour returns or,
// if the behaviour has put its reply off, when the reply is given. Otherwise the result is
// the context of the life: the actor's next behaviours get the same.
//
// In OnStop the context has ended; use context.WithoutCancel there. Unlike c, the context
// may be used in any goroutine.
func (c *Context) Context() context.Context { return c.kernel().Context() }

// SetContext makes ctx the context of the rest of the behaviour: [Context.Context] derives
// from it. Its values, its deadline and its end travel with
//
//   - messages that the behaviour sends by Send, TrySend or [Yield], to any actor;
//   - requests by [AskTo]: the actor that is asked has them in its Context, and the outcome
//     brings them back;
//   - ticks of timers that the behaviour arms by [After] or [Every];
//   - functions of [Pipe]: the function's context has them, and the outcome brings them
//     back.
//
// The usual call passes on the context of the message: c.SetContext(c.Context()). If ctx is
// derived from a result of Context, its values and its deadline travel, and of its ends
// only that of the context that the message came with. The end of the life does not
// travel, since messages outlive the life of their sender. The end by a cancel function
// does not travel either, since cancel functions are often deferred.
//
// A context that never ends travels without an end. An example is
// context.WithoutCancel(c.Context()), for a compensation that has to happen although the
// caller has gone. To limit such a request use [Within], and not context.WithTimeout around
// WithoutCancel: with WithTimeout the end of the message's context travels again, unless
// that has a deadline, and the time-out ends later.
//
// A message whose context has ended before its turn comes becomes a dead letter. The
// reason is the context's error. Requests run all the same, as requests of
// [AskBehaviour.Ask] do, and outcomes always run.
//
// A message with a context costs a second node of the same free lists, and the sends of
// this behaviour cost some more instructions; other behaviours pay nothing. An empty
// context of package context carries nothing. SetContext panics if ctx is nil.
func (c *Context) SetContext(ctx context.Context) { c.kernel().SetContext(ctx) }

// Gas charges the turn n reductions. It is for a behaviour that does more work than an ordinary
// message. By convention, one reduction is worth about a tenth of a microsecond. Gas panics if n is
// negative.
//
// When the turn has spent its budget (the option [WithGas]), it ends as soon as the behaviour
// returns, and the actor goes on after the other runnable actors. If mail is left, the actor counts
// as overloaded.
func (c *Context) Gas(n int) { c.kernel().Gas(n) }

// ShouldYield reports whether a long behaviour should return soon, because
//
//   - its turn has spent its gas;
//   - its turn has used up its slice of time, which is 1 to 5 ms, usually 1, and does
//     not depend on the load of the processors;
//   - or the system stops.
//
// To go on later, call [Yield] and return. Within [Context.Blocking], and in actors of a pinned
// type, time does not count, because no other actor waits for the worker. ShouldYield costs a few
// loads. In a turn that calls it often, it also reads the clock about every 20 µs.
func (c *Context) ShouldYield() bool { return c.kernel().ShouldYield() }

// Stop makes the running message the last of its actor, which ends normally: the reason
// is nil, unless [Context.Exit] has given one. In all else it is like the function
// [Stop].
func (c *Context) Stop() { c.kernel().Stop() }

// Exit is [Context.Stop] with a reason. Actors that are linked to this one end with it,
// unless the reason is nil.
func (c *Context) Exit(reason error) { c.kernel().Exit(reason) }

// Restarting reports, in OnStop, whether the actor may come up again in its place: it is
// suspended or restarted, and not at its end. Outside of OnStop it reports false. It also
// reports false if the declaration of the child (package supervise) excludes a restart:
//
//   - the child is Temporary;
//   - the child is Transient and the end is normal;
//   - its Decide escalates.
//
// If Restarting reports true, the actor may still end: the supervisor of a suspended actor
// decides after OnStop, and an order to end may come during OnStop.
func (c *Context) Restarting() bool { return c.kernel().Restarting() }

// Shield calls fn so that a Kill does not cut it in half. A Kill that comes meanwhile,
// or came before, takes effect when the outermost Shield of the behaviour returns.
// Deferred functions run then, as in a panic. An order to stop takes effect after the
// message, as always. If fn panics, that comes first: see [Kill]. Shield panics if fn
// is nil.
func (c *Context) Shield(fn func()) { c.kernel().Shield(fn) }

// Checkpoint ends the behaviour here if its actor has been killed, unless the behaviour
// is in a [Context.Shield]. It does so by a panic with a value of the runtime's own,
// which a behaviour should not recover. Without a checkpoint a behaviour runs to its
// end. Checkpoint costs one load.
func (c *Context) Checkpoint() { c.kernel().Checkpoint() }

// Stopping reports whether the running actor has been told to end, or is to be taken
// down by its supervisor. A behaviour that runs long should check it now and then.
// It costs one load while there is no signal.
func (c *Context) Stopping() bool { return c.kernel().Stopping() }

// Logger returns a logger for the running actor. It writes to the logger of the system
// ([WithLogger]; [slog.Default] if that is not set). Its lines have the attributes actor, which is
// the actor's number, and type. They also have name ([Context.Register]) and path (given by package
// supervise), if the actor has them.
//
// The logger is made at the first call, and again when the actor gets its first name or gives it
// up. An actor that never calls Logger pays nothing for it. Unlike the Context, a logger may be
// kept and used anywhere.
func (c *Context) Logger() *slog.Logger { return c.kernel().Logger() }

// With returns a sender whose messages carry ctx, as [System.With] does, for a single
// send of a behaviour. It is valid until the behaviour returns. To carry a context with
// all later messages of the behaviour, use [Context.SetContext].
func (c *Context) With(ctx context.Context) Sender { return c.kernel().With(ctx) }

// Register gives the running actor a name, on the terms of [Type.SpawnNamed]. An actor
// may have several names. Register returns nil if the actor has that name already, and
// ErrStopped if the actor takes no mail any more, as in its OnStop. It panics if the
// name is empty.
func (c *Context) Register(name string) error { return c.kernel().Register(name) }

// Unregister takes a name away from the running actor, and reports whether it had that
// name.
func (c *Context) Unregister(name string) bool { return c.kernel().Unregister(name) }

// ApplyPressure says that the actor wants no more messages for now, because of
// something that the runtime does not see, such as a socket that takes no data. Actors
// that send to it are muted until it calls ReleasePressure or ends. It handles its own
// messages as before, and is never muted itself meanwhile. Applying pressure twice is
// the same as once.
//
// An actor that reports that there is room again must not be muted meanwhile: its message
// would never come. If that happens, the actors that wait are released to run the mail that
// they have, for the first time within a tenth of a second; see [PressureDeadlock]. If the
// report comes from outside, take a [System.Hold] for as long as you wait for it.
func (c *Context) ApplyPressure() { c.kernel().ApplyPressure() }

// ReleasePressure undoes ApplyPressure: actors that were muted for it go on.
// Without pressure it does nothing.
func (c *Context) ReleasePressure() { c.kernel().ReleasePressure() }
