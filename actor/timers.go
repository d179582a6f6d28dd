package actor

import (
	"fmt"
	"time"
	"unsafe"

	"github.com/gallop-go/gallop/internal/kernel"
)

// Timer is a message that an actor will send itself, once or repeatedly. [After] and [Every] return
// Timers. A Timer may be copied. The zero Timer is no timer, and canceling it does nothing.
type Timer kernel.Timer

// After sends the running actor the message m for behaviour b when d has passed. The
// message is then put at the end of the mailbox, as if the actor had sent it to itself at
// that moment. If d is zero or less, it has passed at once. After panics if b belongs to
// another type than the running actor. It allocates nothing in steady state.
//
// An actor's timers fire in the order of their times; timers of the same time fire in the
// order in which they were armed. They never fire early. They use the system's clock: see
// [WithClock]. While time passes by itself, an armed timer keeps the system from
// being quiescent.
//
// Timers end with their actor, and when it is restarted, even if a sibling is the cause.
// Their messages that have not run by then do not run, and are not dead letters; nothing is
// reported. Arm the timers that each life needs in OnStart.
//
// A retry that must not be lost should be mail, not a timer: [Yield] it, stash it
// ([Behaviour.Stash]), leave it with a sibling that stays up, or have it sent by a
// supervised child, which falls and is restarted after a back-off.
func After[S, M any](c *Context, d time.Duration, b Behaviour[S, M], m M) Timer {
	return arm(c.kernel(), d, 0, b, m)
}

// Every is a repeated [After]: it sends when d has passed, when 2d have passed, and so on,
// until the timer is canceled or the actor ends or is restarted. Until then the system
// is not quiescent, under the conditions of After. Every panics if d is not positive.
//
// Ticks never pile up. While one tick waits in the mailbox, further ticks are left out. After
// it has run, the next tick comes at its regular time.
//
// Every also panics if messages of b own a parcel or a region of package heap, since each
// tick would need its own: make the parcel or region in the behaviour.
func Every[S, M any](c *Context, d time.Duration, b Behaviour[S, M], m M) Timer {
	if d <= 0 {
		panic(fmt.Sprintf("gallop: Every(%v): want a positive period", d))
	}
	t := kernel.AnyBehaviour(b).Descriptor().Made()
	c.kernel().MustOwn(t)
	if t.Owns() {
		panic("gallop: Every: messages of " + t.FullName() +
			" own a parcel or a region: make it in the behaviour")
	}
	return arm(c.kernel(), d, d, b, m)
}

func arm[S, M any](c *kernel.Turn, d, period time.Duration, b Behaviour[S, M], m M) Timer {
	t := kernel.AnyBehaviour(b).Descriptor().Made()
	c.MustOwn(t)
	var held *kernel.Message
	if t.Pointers || unsafe.Sizeof(m) > unsafe.Sizeof(kernel.ArmedTimer{}.Words) || c.Travels != nil {
		held = c.Node(t.Size)
		c.Sys.Sim.Count(-1) // it is not sent yet
	}
	if c.Travels != nil {
		*kernel.PayloadOf[M](held) = m
		held = kernel.Carry(c, c.Travels, held, t)
		return Timer(c.EndArm(c.BeginArm(kernel.CarriedID, held), d, period))
	}
	a := c.BeginArm(t.ID, held)
	*kernel.KeptBy[M](a.ArmedTimer) = m
	return Timer(c.EndArm(a, d, period))
}

// Cancel ends the timer and reports whether that was in time. If so, the message of
// [After], or the next message of [Every], will not run, even if it is in the mailbox
// already. Cancel panics if the timer belongs to another actor.
//
// Cancel returns false
//
//   - if the message of After has run or is running;
//   - if the timer was canceled before;
//   - if the timer has ended because its actor drains, runs its OnStop or was restarted.
//
// A timer that is armed while its actor drains or runs its OnStop never runs. Cancel returns
// true for it until it is due.
func (t Timer) Cancel(c *Context) bool { return kernel.Timer(t).Cancel(c.kernel()) }
