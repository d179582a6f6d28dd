package actor

import (
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// The life of an actor, beside the picture in body.go that says who owns it:
//
//	         Stop, Drain done, Kill, exit        its children have ended; OnStop has run
//	ALIVE ──────────────────────────────▶ LEAVING ─────────────────────────────────▶ ENDED
//	  ▲                                     │  ▲                                       ▲
//	  │                  it is supervised,  │  │ Stop, Kill                            │
//	  │ Restart          and nobody ordered ▼  │                                       │
//	  └──────────────────────────────── SUSPENDED ── Stop, Drain, Kill, its supervisor ┘
//	                                                 ends
//
// Before LEAVING the mailbox is closed if the actor is to end, and stays open if it is to come up
// again. LEAVING with children, and SUSPENDED, are spent parked: the actor owes itself a debt, and
// holds the system. Only signals reach it there, and only it forgives that debt.

// phase is where an actor stands. An actor without extras is alive, or has ended.
type phase uint8

const (
	alive phase = iota
	leaving
	suspended
	ended
)

// goal is what comes after LEAVING.
type goal uint8

const (
	goalEnd goal = iota
	goalSuspend
	goalRestart
)

// exit is for an actor that leaves by itself: it said so, it crashed, or one that it is linked to
// has died. If it is supervised, its supervisor decides what comes of it, unless it had been told
// to drain.
func (b *body) exit(c *Context, why error) {
	if x := b.mine(); x.phase == alive {
		if b.supervised && !x.drained {
			b.leave(c, goalSuspend, verbStop, why)
		} else {
			b.leave(c, goalEnd, verbStop, why)
		}
	}
}

// leave takes an actor down. It is done when left returns, or when the last child has
// ended.
func (b *body) leave(c *Context, g goal, v verb, why error) {
	x := b.mine()
	if invariant.On {
		verifyLeave(b, x, g)
	}
	x.phase, x.goal, x.verb, x.reason = leaving, g, v, why
	b.endContext(stoppedBecause(why))
	b.forgetMarks() // turns without mail take out what comes in; and the stash comes and goes
	r := replier{c: c, sys: b.sys()}
	if g == goalEnd {
		b.closeBox(r)
	}
	x.children.forsake(r, v)
	b.left(c)
}

// closeBox makes dead letters of all mail, and refuses what comes. Owner only.
func (b *body) closeBox(r replier) {
	x := b.mine()
	b.giveUpNamesAndTimers(r)
	why := x.tooLate()
	x.setTooLate(why)
	for _, l := range [...]*messageList{&x.back, &x.stash, &x.held} {
		r.deadLetters(b, l.all(), why)
	}
	b.buryBox(r, why)
}

// setTooLate sets the error for senders that come too late. The first one counts: once the box is
// closed, they read it. Owner only, before the box is closed.
func (x *extras) setTooLate(why error) {
	if x.err == nil {
		x.err = why
	}
}

// tooLate is the error for senders that come too late, as x has it by now.
func (x *extras) tooLate() error {
	if x.taken {
		return ErrSystemStopped
	}
	return stoppedBecause(x.reason)
}

// left goes on with an actor that leaves: its youngest child first; when there is none
// OnStop; and then what it leaves for. OnStop may have spawned children.
func (b *body) left(c *Context) {
	if invariant.On {
		verifyLeft(b, b.extra)
	}
	x := b.extra
	for {
		if k := x.children.youngest; k != nil {
			k.calls.order(k, replier{c: c, sys: b.sys()}, x.verb)
			b.wait()
			return
		}
		if x.down || x.verb == verbKill || b.typ().onStop == nil {
			break
		}
		x.down = true
		b.callStop(c, x)
	}
	if invariant.On {
		verifyBottom(b, x)
	}
	switch x.goal {
	case goalEnd:
		c.reset()
		c.count.stopped.Add(1)
		c.w.GiveUp() // many may have to be told
		b.finish(replier{c: c, sys: b.sys()})
	case goalSuspend:
		x.sup.suspend(b, c, x)
	case goalRestart:
		x.sup.restart(b, c, x)
	}
}

// wait makes the turn end parked, for a reason of the actor's own.
func (b *body) wait() {
	if x := b.extra; !x.waiting {
		if invariant.On {
			verifyWait(b, x)
		}
		x.waiting = true
		b.sys().sched.HoldStill()
		b.debt.Owe()
		b.sys().wards.add(b, x)
	}
}

// waited ends the wait of an actor that runs.
func (b *body) waited() {
	if x := b.extra; x.waiting {
		if invariant.On {
			verifyWaited(b, x)
		}
		x.waiting = false
		b.sys().wards.remove(x)
		b.debt.Forgive()
		if !x.resting {
			b.sys().sched.ReleaseStill()
		}
		x.resting = false
	}
}

// endPlainly ends an actor that has stopped itself and has nobody and nothing to see to, not even
// mail: most ends are like that. Otherwise it reports false, and has done nothing. One locked
// instruction, since it leaves the lane alone: see there. Owner only, between two turns.
func (b *body) endPlainly(c *Context) bool {
	if !b.plain() || b.load != 0 || b.in.fifo != nil || b.in.more != nil || b.arena != nil || !b.gate.IsOpen() {
		return false
	}
	c.w.PrepareNext()
	last := b.in.last
	b.in.last = &closedMark // a turn that looks finds nothing; and see SwapHeld
	b.extra = tombNormal    // before the swap, which publishes it
	if !seam.SwapHeld(&b.box.head, last, &closedMark) {
		b.in.last, b.extra = last, nil // nobody has looked: the box was not closed
		return false
	}
	c.then = goOn
	c.count.stopped.Add(1)
	if last != nil {
		c.recycle(last)
	}
	if b.flow.Load() != nil { // after the swap: whoever makes one later finds the mailbox closed
		r := replier{c: c, sys: c.sys}
		r.deadLetters(b, b.endFlow(), ErrStopped)
	}
	return true
}

// bury ends an actor at once. If it had no extras, t is what is left of it. It has nothing to see
// to, or its system has stopped. Owner only.
func (b *body) bury(r replier, t *extras) {
	if invariant.On {
		verifyBury(b)
	}
	if b.extra == nil && b.load&backpressure.Muted == 0 {
		b.extra = t // before the box is closed, which publishes it
		if invariant.On {
			verifyTomb(b.extra)
		}
		b.buryBox(r, b.extra.err)
		b.freeArena(r)
		b.refuseAll(r, b.lane.close())
		return
	}
	x := b.mine()
	x.reason, x.taken = t.reason, t.taken
	b.closeBox(r)
	b.finish(r)
}

// buryBox closes the mailbox, lets go of everyone who waits at the gate, and makes dead
// letters of what was left. Owner only.
func (b *body) buryBox(r replier, why error) {
	left, spent := b.box.close(&b.in)
	b.in.last = &closedMark // a turn that looks finds nothing
	if spent != nil {
		r.recycle(spent)
	}
	b.load &= backpressure.Muted // which ends with its debts
	left = concat(left, b.endFlow())
	release(r, b.gate.Open(&gateMark))
	r.deadLetters(b, left, why)
}

// leavesForGood tells whether what runs is the OnStop of an actor that ends, or what comes
// after it: its mailbox is closed, and its gate open to everybody. Owner only.
func (b *body) leavesForGood() bool {
	x := b.extra
	return x != nil && x.phase == leaving && x.goal == goalEnd
}

// takesNoMail tells whether the mailbox is closed, though what runs may be a message that was in it: the actor
// drains, or leaves for good. Owner only.
func (b *body) takesNoMail() bool { return b.extra != nil && b.extra.drained || b.leavesForGood() }

// finish ends an actor whose box is closed, and tells all that want to know.
func (b *body) finish(r replier) {
	x := b.extra
	b.waited()
	b.endContext(x.tooLate()) // its system took it along
	b.giveUpNamesAndTimers(r) // OnStop may have armed timers
	if x.deferred != nil {
		x.deferred.of.endLife(b, r, x.tooLate())
	}
	if invariant.On {
		verifyFinish(b, x)
	}
	if b.load&backpressure.Muted != 0 {
		b.load = 0
		r.countUnmute()
		b.sys().sched.ReleaseStill()
	}
	b.freeArena(r)
	b.dispatchBy(nil)
	b.sys().wards.drop(x)
	x.phase = ended
	left := b.lane.close() // publishes the reason
	b.refuseAll(r, x.todo.all())
	b.refuseAll(r, left)
	x.announce(b, r)
}

// refuseAll answers for the dead: a chain from the lane.
func (b *body) refuseAll(r replier, left *message) {
	for left != nil {
		m := left
		left, m.next = m.next, nil
		if m.id != systemID {
			r.deadLetter(b, m, b.whyEnded())
			continue
		}
		s := takeSignal(m)
		r.recycle(m)
		if s != nil {
			s.refused(b, r)
		}
	}
}

// announce tells links, watchers, supervisor and parent, in this order.
func (x *extras) announce(b *body, r replier) {
	for l := x.links.pop(); l != nil; l = x.links.pop() {
		l.ended(l, b, r, x.reason)
	}
	x.links.by = nil
	for m := x.watching.pop(); m != nil; m = x.watching.pop() {
		m.live = false
		m.calls.leave(m, r)
	}
	for m := x.watchers.pop(); m != nil; m = x.watchers.pop() {
		m.calls.report(m, r, b, x)
	}
	if x.sup != nil {
		x.sup.tell(x.sup, r, b, x.reason, true)
	}
	if x.kid != nil {
		x.kid.calls.ended(x.kid, r)
	}
	x.children.disband()
	x.sup, x.trap, x.toldTo = nil, nil, nil // a ref to the dead keeps nobody else; nor does x.kid
	if invariant.On {
		verifyEnded(b, x)
	}
}

// What is left of actors that had no extras, when the reason is common.
var (
	tombNormal   = &extras{phase: ended, tomb: true, err: ErrStopped}
	tombShutdown = &extras{phase: ended, reason: ErrShutdown, err: stoppedBecause(ErrShutdown)}
	tombKilled   = &extras{phase: ended, reason: ErrKilled, err: stoppedBecause(ErrKilled)}
	tombSystem   = &extras{phase: ended, taken: true, reason: ErrSystemStopped, err: ErrSystemStopped}
)

// tomb is what is left of an actor that had no extras.
func tomb(why error) *extras {
	switch why {
	case nil:
		return tombNormal
	case ErrShutdown:
		return tombShutdown
	case ErrKilled:
		return tombKilled
	}
	return &extras{phase: ended, reason: why, err: stoppedBecause(why)}
}

// neverLived makes an actor that ended before anybody saw it: its system has stopped.
func (b *body) neverLived() {
	// Its own, and not tombSystem: spawning it as a child writes there.
	b.extra = &extras{phase: ended, taken: true, reason: ErrSystemStopped, err: ErrSystemStopped}
	b.box.head.Store(&closedMark)
	b.lane.head.Store(&closedMark)
	b.endFlow() // the queue of one with a bound takes no mail either, and mutes nobody
}

// whyEnded is the error for senders whose mail is refused: the box is closed, or the lane. Any
// goroutine that has seen so.
func (b *body) whyEnded() error { return b.extra.err }

// endedPlainly tells whether the actor had only a box to close when it ended, and so has
// ended although its lane may be open. Any goroutine. A call, which keeps a small program small.
//
//go:noinline
func (b *body) endedPlainly() bool { return b.box.closed() && b.extra.tomb }

// ended tells whether the actor has ended. If so, its extras do not change any more, and may be
// read. Any goroutine.
func (b *body) ended() bool { return b.lane.closed() || b.endedPlainly() }

// remains is what is left of an actor that nobody serves any more: it has ended, or its system took
// it along.
func (b *body) remains() *extras {
	if b.ended() {
		return b.extra
	}
	return tombSystem
}
