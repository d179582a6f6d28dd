package actor

import (
	"context"

	"github.com/gallop-go/gallop/internal/kernel"
)

// Exit is the message that tells an actor that traps exits ([TrapExit]) of the end of an
// actor that it was linked to.
type Exit struct {
	// ActorID and Type name the actor that has ended.
	ActorID uint64
	Type    string
	// Reason is the reason for which the actor ended: nil, an error of its own, or ErrShutdown
	// after an order to end. See [IsNormal].
	Reason error
}

// Link ties the running actor to t: when one of them ends for a reason that is not nil,
// the other ends for the same reason, unless it traps exits. If t has ended already, the
// effect is as if it ended now. To link twice, or to itself, has no further effect. Link
// panics if t is a zero Ref.
func Link(c *Context, t Target) {
	kernel.MustRun(c.kernel(), "Link")
	c.kernel().Link(targetOf("Link", t))
}

// Unlink undoes [Link]. It does not matter which of the two called Link. When Unlink
// returns, the end of t no longer affects the running actor, even if t has ended already
// and the news is on its way. The end of the running actor no longer affects t once the
// news of Unlink has reached t. Unlink panics if t is a zero Ref.
func Unlink(c *Context, t Target) {
	kernel.MustRun(c.kernel(), "Unlink")
	c.kernel().Unlink(targetOf("Unlink", t))
}

// TrapExit makes the ends of linked actors, normal ones too, come as messages for b, a
// behaviour of the running actor. Such a message is the last that comes from the actor that
// has ended: see [Watch]. TrapExit is in force until [UntrapExit] or a restart. An exit is
// trapped if TrapExit is in force at the message's turn. TrapExit panics if b belongs to
// another type.
func TrapExit[S any](c *Context, b Behaviour[S, Exit]) {
	c.kernel().MustOwn(kernel.AnyBehaviour(b).Descriptor().Made())
	c.kernel().TrapExit(kernel.AnyBehaviour(b).Descriptor())
}

// UntrapExit undoes [TrapExit].
func UntrapExit(c *Context) {
	kernel.MustRun(c.kernel(), "UntrapExit")
	c.kernel().TrapExit(nil)
}

// Down is the message that tells an actor of the end of an actor that it watches.
type Down struct {
	// ActorID and Type name the actor that has ended.
	ActorID uint64
	Type    string
	// Reason is the reason for which the actor ended, as in [Exit].
	Reason error
	// Monitor is the value that [Watch] returned.
	Monitor Monitor
}

// Monitor stands for one call of [Watch]. The zero Monitor watches no actor.
type Monitor kernel.Monitor

// Watch makes the end of t come as a message for b, a behaviour of the running actor, once
// for each call of Watch. If t has ended long ago, the message is sent now, with the reason
// that t had. Watching does not affect t. Watch panics if t is a zero Ref, or if b belongs
// to another type.
//
// The message is the last that comes from t: messages that t has sent to the running actor
// run before it. So it waits in the mailbox like any message, also while the running actor
// is muted, but it takes no room of a bound. If b is [Urgent], the message overtakes
// ordinary mail, and so also the last messages of t. Use that for a watcher that must be
// told at once. A restart of t is not its end.
func Watch[S any](c *Context, t Target, b Behaviour[S, Down]) Monitor {
	return Monitor(c.kernel().Watch(targetOf("Watch", t), kernel.AnyBehaviour(b).Descriptor()))
}

// Unwatch undoes [Watch]. When it returns, the message no longer comes, even if t has
// ended already and the message is on its way. To unwatch twice, or the zero Monitor,
// does nothing. Unwatch panics if another actor has called Watch.
func Unwatch(c *Context, m Monitor) { c.kernel().Unwatch(kernel.Monitor(m)) }

// Join blocks, from outside, until t has ended. It does not end t. It returns at once if t
// has ended long ago. It returns ctx's error if ctx ends first, or ErrSystemStopped if the
// system of t stops first. Join panics if t is a zero Ref, or if a behaviour or a process
// calls it, as [StopWait] does.
func Join(ctx context.Context, t Target) (Down, error) {
	d, err := targetOf("Join", t).Ref().Join(ctx)
	return Down{d.ActorID, d.Type, d.Reason, Monitor(d.Monitor)}, err
}
