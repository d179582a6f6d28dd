package actor

import (
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/sched"
)

// RunTask runs one turn of the actor: the messages that were in its mailbox at the
// beginning, up to a batch of them, unless it stops or must park. What comes in
// meanwhile, from itself as well, waits for the next turn: otherwise an actor that
// sends to itself would always spend its batch, count as overloaded, and never be
// muted. RunTask implements sched.Runner.
func (b *body) RunTask(w *sched.Worker) (again bool) {
	c := w.Local().(*Context)
	c.self = b
	m := b.in.fifo
	if m == nil {
		spent, ok := b.box.grab(&b.in)
		if !ok {
			return b.emptied(c, 0)
		}
		if spent != nil {
			c.recycleChain(spent, spent, 1)
		}
		m = b.in.fifo
	}
	left := int(b.batch)
	ran := spentChain{first: m}
	for b.stop.Load() == 0 {
		next := m.next
		b.in.fifo, c.msg = next, m
		c.count.Messages++
		b.typ.runs[m.id](c, b, m)
		m.sender = nil
		w.Spend(1)
		if left--; left == 0 || next == nil || c.then != goOn {
			return b.pause(c, m, ran, left)
		}
		ran.end = m
		if ran.n++; next.origin != m.origin || ran.n == chainLength {
			ran.recycle(c)
			ran = spentChain{first: next}
		}
		if w.Stopping() {
			ran.recycle(c)
			return true // to where what is left becomes dead letters
		}
		m = next
	}
	ran.recycle(c)
	return b.end(c)
}

// spentChain is what a turn has run and not yet recycled: nodes of one origin, linked
// as they were in the mailbox.
type spentChain struct {
	first, end *message
	n          int
}

func (s *spentChain) recycle(c *Context) {
	if s.n > 0 {
		c.recycleChain(s.first, s.end, s.n)
	}
}

// pause comes behind the message after which the turn may not simply go on: it was
// the last there was or that the batch allows, or its behaviour stopped the actor or
// met a gate.
func (b *body) pause(c *Context, m *message, ran spentChain, left int) (again bool) {
	if m != b.in.last {
		ran.end = m
		ran.n++
	}
	ran.recycle(c)
	then := c.then
	if then == goOn && left != 0 && b.load == 0 && b.in.fifo == nil {
		return b.doze(c) // what nearly every turn comes to
	}
	c.then = goOn
	if then&mustCollect != 0 {
		b.collect(c)
	}
	switch {
	case then&mustEnd != 0:
		return b.end(c)
	case then&mayPark != 0 && b.park(c):
		return false
	case b.in.fifo == nil:
		return b.emptied(c, left)
	case left == 0:
		return b.batchSpent(c)
	}
	return true // it need not park after all; the rest of the batch waits its turn
}

// emptied ends a turn that has run all there was when it began. It has used its
// batch up if left is 0.
func (b *body) emptied(c *Context, left int) (again bool) {
	if left == 0 && b.box.head.Load() != b.in.last {
		return b.batchSpent(c)
	}
	if b.load != 0 {
		b.setLoad(c, b.load&^backpressure.Overloaded)
	}
	return b.doze(c)
}

// doze gives the actor up if nothing has come in since the turn began and its arena is
// not being collected.
func (b *body) doze(c *Context) (again bool) {
	if b.gc && b.collecting(c) {
		return true
	}
	c.w.PrepareNext()
	spent, ok := b.box.rest(&b.in)
	if spent != nil {
		c.recycleChain(spent, spent, 1)
	}
	return !ok // if not, there is more by now
}

// batchSpent ends a turn that has used its batch up although mail is left: the
// actor is overloaded, as in the Pony runtime.
func (b *body) batchSpent(c *Context) (again bool) {
	if b.load&backpressure.Overloaded == 0 {
		b.setLoad(c, b.load|backpressure.Overloaded)
	}
	return true
}

// end ends the actor for good: what it has in its mailbox becomes dead letters.
func (b *body) end(c *Context) (again bool) {
	c.reset()
	c.count.Stopped++
	c.w.PrepareNext()
	b.bury(replier{c: c, sys: b.sys}, ErrStopped)
	return false
}

// TaskDied ends an actor whose behaviour crashed, or whose system has stopped. It
// implements sched.Runner.
func (b *body) TaskDied(w *sched.Worker, cause error) {
	if w == nil {
		b.sys.outside.stopped.Add(1)
		b.bury(replier{sys: b.sys}, ErrSystemStopped)
		return
	}
	b.crashed(w.Local().(*Context), cause.(*sched.Crash))
}

// bury closes the mailbox, lets go of everyone who waits at the gate, and makes
// dead letters of what was left. The caller owns the body.
func (b *body) bury(r replier, reason error) {
	left, spent := b.box.close(&b.in)
	if spent != nil && r.c != nil {
		r.c.recycle(spent)
	}
	b.load = 0
	b.freeArena(r)
	release(r, b.gate.Open(&gateMark))
	for left != nil {
		m := left
		left, m.next = m.next, nil
		r.deadLetter(b, m, reason)
	}
}
