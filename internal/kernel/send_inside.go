package kernel

import (
	"github.com/gallop-go/gallop/internal/kernel/mpsc"
)

// The inside: the Env of a running behaviour, which the worker's Turn implements.
//
// A worker keeps the system from being quiescent, so nothing here needs an admission: an idle
// receiver is scheduled at once, on this worker, mostly in the next-slot, where it runs next.
// Messages come from the worker's cache, and it counts in its own counters, which no other
// goroutine writes.

var _ Env = (*Turn)(nil)

// InSystem implements Env.
func (c *Turn) InSystem() *System { return c.Sys }

// Turn implements Env.
func (c *Turn) Turn() *Turn { return c }

// In implements Env. For an actor of another system a worker is as good as any goroutine: its
// cache, its next-slot and its blocked-on counts belong to its own system.
func (c *Turn) In(a *Cell) Env {
	if sys := a.Shared().Sys; sys != c.Sys {
		return sys
	}
	return c
}

// Node implements Env: about a nanosecond, while the cache lasts.
func (c *Turn) Node(p *SizeClass) *Message { return c.Alloc(p.ID) }

// Recycle takes back a node that keeps nothing alive. Owner only.
func (c *Turn) Recycle(m *Message) {
	if !c.Cache.Free(m) {
		c.RecycleChain(m, m, 1)
	}
}

// schedule implements Env. The first task that a turn wakes goes to the next-slot.
func (c *Turn) schedule(a *Cell) { c.W.Schedule(&a.Task) }

// wait is Blocking for a wait of the runtime's own, which the behaviour has not asked for. If too
// many behaviours block already, wait gives up, where Blocking would keep the worker. Within
// Blocking the worker has been handed over before.
func (c *Turn) wait(f func()) bool {
	if c.W.InBlocking() {
		return c.W.TryBlocking(f)
	}
	began := c.beginBlocking()
	defer c.endBlocking(began)
	return c.W.TryBlocking(f)
}

// mayAct implements Env: a system in Shutdown lets its behaviours go on.
func (c *Turn) mayAct() error { return nil }

// mayTry implements Env. A message that passes the ajar gate of a muted actor counts against the
// watermark.
func (c *Turn) mayTry(a *Cell, d *Descriptor) error {
	return a.mayTry(d)
}

// mayTry is Env.mayTry for behaviours and processes. It takes a place in a mailbox with a bound.
func (a *Cell) mayTry(d *Descriptor) error {
	switch {
	case a.policy().refuses(a, true), a.Shared().bounded && !a.Flow.Load().Permits.TryAcquire(a):
		return a.tooMuch()
	case a.Sys().Sim.refuses(a, d): // last: it counts, and must not count other refusals
		if a.Shared().bounded {
			a.Flow.Load().Permits.Release(1, a)
		}
		return ErrOverloaded
	}
	return nil
}

// Answer implements Env. It sets a flag for the hot send, which serves replies as well, and looks
// at the flag only if a gate is not open.
func (c *Turn) Answer(to *Cell, m *Message, d *Descriptor) {
	c.answers = true
	c.Send(to, m, d)
	c.answers = false
}

// trySend implements Env.
func (c *Turn) trySend(to *Cell, m *Message, d *Descriptor) error {
	if m.ID = d.ID; to.Shared().bounded {
		return c.pushPlaced(to, m)
	}
	return c.Push(to, m, AsPlain)
}

// Push implements Env. It serves the cases that the hot send does not: TrySend, unless the receiver
// has a bound, and replies, which mute no sender and take no place.
func (c *Turn) Push(to *Cell, m *Message, how delivery) error {
	if how.fromUser() {
		m.From = c.Self.ID
		// The receiver's mailbox has the mark of this worker's bias: a plain store does.
		if to.Box.Head() == c.Bias.Mark() && c.Bias.Append(&to.Box, &to.In, m) {
			return nil
		}
	}
	if !c.pushMail(to, m) {
		return to.endedBecause()
	}
	return nil
}

// pushMail pushes m, and makes its receiver runnable if it was idle. It reports false if the
// mailbox is closed; then m is still the caller's. It is one of the three places that act on the
// result of a push; the others are System.Push and System.PushHeld.
func (c *Turn) pushMail(to *Cell, m *Message) bool {
	switch to.Box.Push(m) {
	case mpsc.PushWoke:
		c.W.Schedule(&to.Task)
	case mpsc.PushClosed:
		return false
	}
	return true
}

// pushFirst implements Env. The actor is scheduled last: until then it cannot run.
func (c *Turn) pushFirst(to *Cell, m *Message, publish func()) error {
	// No sender knows the actor, so the push wakes it, and its task is this worker's.
	to.Box.Push(m)
	publish()
	c.W.Schedule(&to.Task)
	return nil
}

// pushSystem implements Env: steps S1 to S3 of package mpsc. The signal is in the system queue
// before the actor is called to it, so the turn that the call brings finds it.
func (c *Turn) pushSystem(to *Cell, m *Message) error {
	if to.endedPlainly() || !to.System.Push(m) { // S1
		return to.endedBecause()
	}
	if to.WakeParked(c) { // S2
		c.W.Schedule(&to.Task)
		return nil
	}
	// The wake-up is mail like any other: if the actor is busy, its turn looks at the system queue
	// anyway, and drops it.
	if wake := NewSignal(c, nil); !c.pushMail(to, wake) { // S3
		c.Recycle(wake)
		to.closeSystem(c)
	}
	return nil
}

// fromUser reports whether the message names its sender. Messages that have a place of a bound name
// it already, and the runtime's own messages have none.
func (how delivery) fromUser() bool { return how <= asReply && how != asPlaced }
