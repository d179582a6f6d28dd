package actor

import (
	"github.com/gallop-go/gallop/actor/internal/mpsc"
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/heap"
)

// The inside: env for a running behaviour, implemented by the worker's Context.
//
// A worker keeps the system from being quiescent, so nothing here needs an admission: an idle
// receiver is scheduled at once, on this worker, mostly in the next-slot, where it runs next.
// Messages come from the worker's cache, and it counts in its own counters, which no other
// goroutine writes.

var _ env = (*kernelTurn)(nil)

// system implements env.
func (c *kernelTurn) system() *kernelSystem { return c.sys }

// asSender implements env.
func (c *kernelTurn) asSender() Sender { return c.face() }

// in implements env. For an actor of another system a worker is as good as any goroutine: its
// cache, its next-slot and its blocked-on counts belong to its own system.
func (c *kernelTurn) in(a *cell) env {
	if sys := a.shared().sys; sys != c.sys {
		return sys
	}
	return c
}

// runs implements env.
func (c *kernelTurn) runs(a *cell) bool { return c.self == a }

// senderID implements env. Dead letters and reports name this number.
func (c *kernelTurn) senderID() uint64 { return c.self.id }

// mustRun implements env: a Context is valid only while its behaviour runs.
func (c *kernelTurn) mustRun(call string) { mustRun(c, call) }

// workerID implements env.
func (c *kernelTurn) workerID() int { return c.w.ID() }

// node implements env: about a nanosecond, while the cache lasts.
func (c *kernelTurn) node(p *sizeClass) *message { return c.alloc(p.ID) }

// recycle takes back a node that keeps nothing alive.
func (c *kernelTurn) recycle(m *message) {
	if !c.cache.Free(m) {
		c.recycleChain(m, m, 1)
	}
}

// keepWaiter implements env: the worker whose actors are muted next needs entries.
func (c *kernelTurn) keepWaiter(w *backpressure.Waiter[waiting]) { c.waiters.put(w) }

// chunkCache implements env. New arenas reuse the memory of ended ones.
func (c *kernelTurn) chunkCache() *heap.Recycler { return &c.chunks }

// schedule implements env. The first task that a turn wakes goes to the next-slot.
func (c *kernelTurn) schedule(a *cell) { c.w.Schedule(&a.task) }

// wait is Blocking for a wait of the runtime's own, which the behaviour has not asked for. If too
// many behaviours block already, wait gives up, where Blocking would keep the worker. Within
// Blocking the worker has been handed over before.
func (c *kernelTurn) wait(f func()) bool {
	if c.w.InBlocking() {
		return c.w.TryBlocking(f)
	}
	began := c.beginBlocking()
	defer c.endBlocking(began)
	return c.w.TryBlocking(f)
}

// countMade implements env. A node counts as sent when it is taken, so the hot send need not count.
func (c *kernelTurn) countMade(n int) { c.sys.sim.count(n) }

// countLost implements env.
func (c *kernelTurn) countLost() {} // it was counted when it was made

// countDead implements env.
func (c *kernelTurn) countDead(d *descriptor) {
	c.count.deadLetters.Add(1)
	if d.bestEffort {
		c.count.bestEffort.Add(1)
	}
}

// countUnmute implements env.
func (c *kernelTurn) countUnmute() { c.count.unmutes.Add(1) }

// countSpawned implements env.
func (c *kernelTurn) countSpawned() { c.count.spawned.Add(1) }

// marksReply implements env: the sender of a reply from inside is known.
func (c *kernelTurn) marksReply(*message, *cell) {}

// mayAct implements env: a system in Shutdown lets its behaviours go on.
func (c *kernelTurn) mayAct() error { return nil }

// mayTry implements env. A message that passes the ajar gate of a muted actor counts against the
// watermark.
func (c *kernelTurn) mayTry(a *cell, d *descriptor) error {
	return a.mayTry(d)
}

// mayTry is env.mayTry for behaviours and processes. It takes a place in a mailbox with a bound.
func (a *cell) mayTry(d *descriptor) error {
	switch {
	case a.policy().refuses(a, true), a.shared().bounded && !a.flow.Load().permits.TryAcquire(a):
		return a.tooMuch()
	case a.sys().sim.refuses(a, d): // last: it counts, and must not count other refusals
		if a.shared().bounded {
			a.flow.Load().permits.Release(1, a)
		}
		return ErrOverloaded
	}
	return nil
}

// answer implements env. It sets a flag for the hot send, which serves replies as well, and looks
// at the flag only if a gate is not open.
func (c *kernelTurn) answer(to *cell, m *message, d *descriptor) {
	c.answers = true
	c.send(to, m, d)
	c.answers = false
}

// trySend implements env.
func (c *kernelTurn) trySend(to *cell, m *message, d *descriptor) error {
	if m.ID = d.id; to.shared().bounded {
		return c.pushPlaced(to, m)
	}
	return c.push(to, m, asPlain)
}

// push implements env. It serves the cases that the hot send does not: TrySend, unless the receiver
// has a bound, and replies, which mute no sender and take no place.
func (c *kernelTurn) push(to *cell, m *message, how delivery) error {
	if how.fromUser() {
		m.From = c.self.id
		// The receiver's mailbox has the mark of this worker's bias: a plain store does.
		if to.box.Head() == c.bias.Mark() && c.bias.Append(&to.box, &to.in, m) {
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
// result of a push; the others are System.push and System.pushHeld.
func (c *kernelTurn) pushMail(to *cell, m *message) bool {
	switch to.box.Push(m) {
	case mpsc.PushWoke:
		c.w.Schedule(&to.task)
	case mpsc.PushClosed:
		return false
	}
	return true
}

// pushFirst implements env. The actor is scheduled last: until then it cannot run.
func (c *kernelTurn) pushFirst(to *cell, m *message, publish func()) error {
	// No sender knows the actor, so the push wakes it, and its task is this worker's.
	to.box.Push(m)
	publish()
	c.w.Schedule(&to.task)
	return nil
}

// pushSystem implements env: steps S1 to S3 of package mpsc. The signal is in the system queue
// before the actor is called to it, so the turn that the call brings finds it.
func (c *kernelTurn) pushSystem(to *cell, m *message) error {
	if to.endedPlainly() || !to.system.Push(m) { // S1
		return to.endedBecause()
	}
	if to.wakeParked(c) { // S2
		c.w.Schedule(&to.task)
		return nil
	}
	// The wake-up is mail like any other: if the actor is busy, its turn looks at the system queue
	// anyway, and drops it.
	if wake := newSignal(c, nil); !c.pushMail(to, wake) { // S3
		c.recycle(wake)
		to.closeSystem(c)
	}
	return nil
}

// askToStop implements env: the function that stops a child runs in its supervisor's turn.
func (c *kernelTurn) askToStop(k *child) bool {
	stop := k.stop
	if stop == nil {
		return false
	}
	// Before the call: if it crashes, the parent's end comes here again, and must not repeat it.
	k.stop = nil
	callChildStop(c.self, c, func() { stop(c, AnyRef{k.b}) })
	return true
}

// fromUser reports whether the message names its sender. Messages that have a place of a bound name
// it already, and the runtime's own messages have none.
func (how delivery) fromUser() bool { return how <= asReply && how != asPlaced }
