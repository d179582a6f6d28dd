package actor

import (
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/sched"
)

// RunTask runs one turn of an actor: the messages that were in its mailbox at the
// beginning, up to a batch of them, unless it stops or must park. What comes in
// meanwhile, from itself as well, waits for the next turn: otherwise an actor that
// sends to itself would always spend its batch, count as overloaded, and never be
// muted. RunTask implements sched.KindRunner.
func (k *kind) RunTask(w *sched.Worker, t *sched.Task) (again bool) {
	c, b := w.Local().(*Context), bodyOf(t)
	c.left = int(k.batch)
	c.self = b
	b.progress |= begun
	last := b.in.last
	if last != nil && last != &c.lease.mark {
		b.takeOver(&c.lease)
		last = b.in.last
	}
	if invariant.On {
		verifyLease(b, &c.lease)
		verifyTurn(b, c)
	}
	m := b.in.fifo
	if m == nil {
		if m = b.fetch(c); m == nil {
			return b.wokenForNothing(c)
		}
	} else if m.next == nil && k.leased {
		if b.box.head.Load() != last || b.in.more != nil { // mailWaits
			m = b.fetch(c)
		}
	}
	for b.lane.quiet() {
		over := false
		if next := m.next; next != nil && next.origin == m.origin {
			over = b.settle(c, b.stretch(c, m, min(c.left, w.Credit(), chainLength)))
		} else { // a stretch of one, written out: so most turns are, and a call less is a nanosecond less
			c.msg = m
			b.runs()[m.id](c, b, m)
			if c.then != goOn || b.load != 0 || c.left == 1 || w.Credit() == 1 {
				over = b.settle(c, 1)
			} else {
				if invariant.On {
					verifyStretch(b, c, 1)
				}
				b.in.fifo = m.next
				c.count.messages++
				c.left--
				if m != b.in.last { // as in settle
					if !c.shelve(m) { // recycle, written out as well
						c.recycleChain(m, m, 1)
					}
				}
				w.SpendOne()
				if b.in.fifo == nil && b.in.more == nil && !b.isCollecting() { // what nearly every turn comes to: doze, written out
					if invariant.On {
						verifyDoze(b, c)
					}
					w.PrepareNext()
					spent, ok := b.box.rest(&b.in)
					if spent != &c.lease.mark && spent != nil {
						c.recycle(spent)
					}
					return !ok
				}
			}
		}
		if m = b.in.fifo; over || m == nil {
			return b.conclude(c)
		}
		if w.MustYield() {
			return b.cutShort(c) // others have waited for long; or to where what is left becomes dead letters
		}
	}
	return b.attend(c)
}

// fetch takes out the mail that has come in, and puts it behind the one message that may be in
// hand. It returns the first message that is then in hand, or nil.
func (b *body) fetch(c *Context) *message {
	var spent *message
	if b.in.fifo == nil {
		spent, _ = b.box.grab(&b.in)
	} else {
		spent = b.box.join(&b.in)
	}
	if spent != nil {
		c.recycle(spent)
	}
	return b.in.fifo
}

// stretch runs messages of one origin, from m on and at most quota, until something calls for a
// closer look. It returns how many there were. c.msg is the last of them, and c.ran has those
// before it.
func (b *body) stretch(c *Context, m *message, quota int) (n int) {
	runs := b.runs()
	for left := quota; ; {
		c.msg = m
		runs[m.id](c, b, m)
		left--
		next := m.next
		if left == 0 || next == nil || c.then != goOn || next.origin != m.origin || !b.lane.quiet() {
			return quota - left
		}
		if c.w.MustYield() {
			return quota - left
		}
		m.next, c.ran = c.ran, m
		m = next
	}
}

// settle takes the n messages that a stretch has run off in.fifo. It recycles them, except for the
// mailbox's top node, which stays in place. The newest is the first to be used again, so nodes that
// lie side by side stay neighbours, however mail is cut into turns and stretches
// (docs/decisions/0008-messages-go-home.md). settle reports whether the turn is over.
func (b *body) settle(c *Context, n int) (over bool) {
	if invariant.On {
		verifyStretch(b, c, n)
	}
	oldest, newest, free := b.in.fifo, c.msg, n
	b.in.fifo = newest.next
	if newest == b.in.last { // the top node of the mailbox
		newest, free = c.ran, n-1
	} else {
		newest.next = c.ran
	}
	c.ran = nil
	c.count.messages += uint64(n)
	c.left -= n
	if b.load&backpressure.Counted != 0 {
		b.flow.Load().marks.ran(n)
	}
	if free > 0 {
		c.recycleChain(newest, oldest, free)
	}
	c.w.Spend(n)
	if c.then&(gasLow|turnTable|usesContext) != 0 {
		c.settleUp()
	}
	return c.left == 0 || c.then != goOn
}

// conclude ends a turn that has settled a stretch.
func (b *body) conclude(c *Context) (again bool) {
	if b.in.fifo != nil || c.left == 0 || c.then != goOn || b.load != 0 {
		return b.pause(c)
	}
	return b.doze(c)
}

// inHand tells whether m, which is or was c.msg, is a message from the mailbox whose stretch is not
// settled. If the stretch is settled, m is recycled, and may be anywhere. Owner only, in a turn
// that is about mail; or as a hint: see glimpse, which has looked whose turn it is, and may not
// read that again.
func inHand(c *Context, b *body, m *message) bool {
	return c.ran != nil || m != nil && m == b.in.fifo
}

// settleCrash settles a stretch that has ended in the middle of c.msg's behaviour. It returns how
// many messages there were, and leaves them to Go's collector.
func (b *body) settleCrash(c *Context) (n int) {
	n = 1 + distance(c.ran, nil)
	if invariant.On {
		verifyStretch(b, c, n)
	}
	m := c.msg
	b.in.fifo, m.next = m.next, c.ran
	c.ran = nil
	unlink(m, n)
	return n
}

// pause is for a turn that may not simply go on, of an actor that may not simply doze off: the turn
// has run all there was or all that its batch allows, or a behaviour stopped the actor, met a gate,
// spent the gas, or lasted for long.
func (b *body) pause(c *Context) (again bool) {
	then := c.then
	if then == mustEnd && b.endPlainly(c) {
		return false
	}
	c.then = goOn
	if then&lookAgain != 0 {
		b.comeBack(b.extra)
	}
	if then&yielded != 0 {
		b.putFirst(c.takeFront())
	}
	if then&mustCollect != 0 {
		b.collectArena(c)
	}
	if b.load&backpressure.Withheld != 0 {
		b.endWithholding(replier{c: c, sys: c.sys}) // its mail has had a turn
	}
	switch {
	case then&mustEnd != 0:
		return b.end(c)
	case then&mayPark != 0 && b.park(c):
		return false
	case then&hasLasted != 0 && b.leftAtLeast(b.batch()):
		return b.batchSpent(c)
	case then&yielded != 0:
		return b.handOn(c)
	case b.in.fifo == nil:
		return b.emptied(c)
	case c.left == 0 || b.load&backpressure.Counted != 0:
		return b.batchSpent(c)
	}
	return true // it need not park after all; the rest of the batch waits its turn
}

// emptied ends a turn that has run all the mail there was when it began. The turn has used its
// batch up if c.left is 0.
func (b *body) emptied(c *Context) (again bool) {
	switch {
	case b.load == 0:
		if c.left == 0 && b.mailWaits() {
			return b.batchSpent(c)
		}
		return b.doze(c)
	case b.load&backpressure.Spared != 0:
		b.endSparing()
	}
	switch {
	case b.load&backpressure.Bounded != 0:
		return b.kind().typ.bound.keeper.refill(b, c)
	case b.load&backpressure.Counted != 0:
		if b.kind().typ.marks.measure(b, c) {
			return true
		}
	case c.left == 0 && b.mailWaits():
		return b.batchSpent(c)
	default:
		b.forgetCrowd()
		b.setLoad(c, b.load&^backpressure.Overloaded)
	}
	return b.doze(c)
}

// doze gives the actor up if nothing has come in since the turn began and its arena is
// not being collected.
func (b *body) doze(c *Context) (again bool) {
	if b.isCollecting() && b.arenaKeeper().collecting(b, c) {
		return true
	}
	if b.in.more != nil {
		return true
	}
	if invariant.On {
		verifyDoze(b, c)
	}
	c.w.PrepareNext()
	spent, ok := b.box.rest(&b.in)
	if spent != nil && spent != &c.lease.mark {
		c.recycle(spent)
	}
	return !ok // if not, there is more by now
}

// batchSpent ends a turn that has used its batch or its gas up although mail is left:
// the actor is overloaded, as in the Pony runtime, unless its type has another policy.
func (b *body) batchSpent(c *Context) (again bool) {
	switch {
	case b.load&backpressure.Counted != 0:
		b.kind().typ.marks.measure(b, c)
	case b.load&(backpressure.Bounded|backpressure.Overloaded) == 0:
		b.setLoad(c, b.load|backpressure.Overloaded)
	}
	return true
}

// cutShort ends a turn before its batch is used up, because the worker is wanted elsewhere. How
// long a turn took says nothing about the mailbox: the worker may not have run at all for a while.
// So the actor is overloaded only if a batch of mail is left. If it were overloaded without that,
// it could not be muted, and would flood others.
func (b *body) cutShort(c *Context) (again bool) {
	if b.load&backpressure.Counted != 0 || b.leftAtLeast(b.batch()) {
		return b.batchSpent(c)
	}
	return true
}

// mailWaits tells whether there is mail that the turn has not taken out. Owner only.
func (b *body) mailWaits() bool { return b.in.more != nil || b.box.head.Load() != b.in.last }

// leftAtLeast tells whether n messages or more are left, and looks no further. Owner only.
func (b *body) leftAtLeast(n int) bool {
	for m := b.in.fifo; m != nil; m = m.next {
		if n--; n <= 0 {
			return true
		}
	}
	for m := b.in.more; m != nil; {
		if n--; n <= 0 {
			return true
		}
		if m = m.next; m == b.in.more {
			break
		}
	}
	for m := b.box.head.Load(); m != b.in.last; m = m.next {
		if n--; n <= 0 {
			return true
		}
	}
	return false
}

// wokenForNothing is a turn without mail: a signal has called the actor, or the actor was let go
// when it had no mail.
func (b *body) wokenForNothing(c *Context) (again bool) {
	if !b.lane.quiet() {
		return b.attend(c)
	}
	b.endWithholding(replier{c: c, sys: c.sys})
	c.left = 0
	return b.emptied(c)
}

// end ends an actor that has asked for its end itself.
func (b *body) end(c *Context) (again bool) {
	if !b.plain() {
		b.endWithCare(c, b.mine())
		return b.settleLane(c)
	}
	c.reset()
	c.count.stopped.Add(1)
	c.w.GiveUp() // a mailbox may be long
	b.bury(replier{c: c, sys: b.kind().sys}, tombNormal)
	return false
}

// endWithCare ends an actor that has more to see to than its mail.
func (b *body) endWithCare(c *Context, x *extras) {
	c.aside = true
	if x.over {
		if !b.typ().finishes { // or else settleDrain decides
			b.leave(c, goalEnd, verbDrain, ErrShutdown)
		}
		return
	}
	b.exit(c, x.takeExit())
}

// TaskDied ends an actor whose behaviour crashed, or whose system has stopped. It
// implements sched.KindRunner.
func (k *kind) TaskDied(w *sched.Worker, t *sched.Task, cause error) {
	b := bodyOf(t)
	if w == nil {
		b.takeOver(&noLease)
		k.sys.outside.stopped.Add(1)
		b.bury(replier{sys: k.sys}, tombSystem)
		return
	}
	b.crashed(w.Local().(*Context), cause.(*sched.Crash))
}
