package actor

import (
	"github.com/gallop-go/gallop/actor/internal/mpsc"
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/heap"
)

// The inside: what a worker does for the behaviour that runs. See env.

var _ env = (*Context)(nil)

func (c *Context) system() *System { return c.sys }

func (c *Context) in(a *cell) env {
	if sys := a.shared().sys; sys != c.sys {
		return sys
	}
	return c
}

func (c *Context) runs(a *cell) bool { return c.self == a }

func (c *Context) senderID() uint64 { return c.self.id }

func (c *Context) mustRun(call string) { mustRun(c, call) }

func (c *Context) workerID() int { return c.w.ID() }

func (c *Context) node(p *sizeClass) *message { return c.alloc(p.ID) }

// recycle takes back a node that keeps nothing alive.
func (c *Context) recycle(m *message) {
	if !c.cache.Free(m) {
		c.recycleChain(m, m, 1)
	}
}

func (c *Context) keepWaiter(w *backpressure.Waiter[waiting]) { c.waiters.put(w) }

func (c *Context) chunkCache() *heap.Recycler { return &c.chunks }

func (c *Context) schedule(a *cell) { c.w.Schedule(&a.task) }

// wait is Blocking for a wait of the runtime's own, for which the behaviour has not asked.
func (c *Context) wait(f func()) bool {
	if c.w.InBlocking() {
		return c.w.TryBlocking(f)
	}
	began := c.beginBlocking()
	defer c.endBlocking(began)
	return c.w.TryBlocking(f)
}

func (c *Context) countMade(n int) { c.sys.sim.count(n) }

func (c *Context) countLost() {} // it was counted when it was made

func (c *Context) countDead(d *descriptor) {
	c.count.deadLetters.Add(1)
	if d.bestEffort {
		c.count.bestEffort.Add(1)
	}
}

func (c *Context) countUnmute() { c.count.unmutes.Add(1) }

func (c *Context) countSpawned() { c.count.spawned.Add(1) }

func (c *Context) marksReply(*message, *cell) {}

func (c *Context) mayAct() error { return nil }

func (c *Context) mayTry(a *cell, d *descriptor) error {
	switch {
	case a.policy().refuses(a, true):
		return a.tooMuch()
	case a.shared().sys.sim.refuses(a, d): // last, or it would count what is refused anyhow
		return ErrOverloaded
	}
	return nil
}

func (c *Context) answer(to *cell, m *message, d *descriptor) { c.send(to, m, d) }

func (c *Context) trySend(to *cell, m *message, d *descriptor) error {
	m.ID = d.id
	return to.policy().try(c, to, m)
}

func (c *Context) push(to *cell, m *message, how delivery) error {
	if how.fromUser() {
		m.From = c.self.id
		if to.shared().queues {
			return c.pushBounded(to, m)
		}
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
// mailbox is closed; then m is still the caller's.
func (c *Context) pushMail(to *cell, m *message) bool {
	switch to.box.Push(m) {
	case mpsc.PushWoke:
		c.w.Schedule(&to.task)
	case mpsc.PushClosed:
		return false
	}
	return true
}

func (c *Context) pushFirst(to *cell, m *message, publish func()) error {
	to.box.Push(m)
	publish()
	c.w.Schedule(&to.task)
	return nil
}

func (c *Context) pushSystem(to *cell, m *message) error {
	if to.endedPlainly() || !to.system.Push(m) { // S1
		return to.endedBecause()
	}
	if to.wakeParked(c) { // S2
		c.w.Schedule(&to.task)
		return nil
	}
	if wake := newSignal(c, nil); !c.pushMail(to, wake) { // S3
		c.recycle(wake)
		to.closeSystem(c)
	}
	return nil
}

func (c *Context) endTimers(a *cell, l *actorTimers) { l.end(c, a) }

func (c *Context) askToStop(k *child) bool {
	stop := k.stop
	if stop == nil {
		return false
	}
	k.stop = nil // if it crashes, left comes here again
	c.self.callChildStop(c, func() { stop(c, AnyRef{k.b}) })
	return true
}

// fromUser reports whether the message counts for a bound, and names its sender.
func (how delivery) fromUser() bool { return how <= asReply && how != asPlaced }
