package actor

import (
	"time"

	"github.com/gallop-go/gallop/heap"
	"github.com/gallop-go/gallop/internal/nocmp"
	"github.com/gallop-go/gallop/internal/sim"
)

// An ask with a time-out is decided in the caller's own turns: by what it comes to first,
// the reply or the timer. So nobody races, and there is one outcome. Both travel as
// signals, which know what they decide: the timer in ordinary mail, and the reply too, or
// ahead of the mail if the behaviour that hears of it is urgent.

// timedAsk is an ask with a time-out. It is its caller's, except what is read-only.
type timedAsk[R any] struct {
	_       nocmp.Field // as in fanIn
	to      replyTo[R]  // whose call is nil. Read-only
	life    uint16
	timer   Timer
	sysDone bool // the caller has had its outcome
}

// limit returns the address with a time-out.
func limit[R any](c *Context, to replyTo[R], d time.Duration, life uint16) replyTo[R] {
	w := &timedAsk[R]{to: to, life: life}
	w.timer = c.armSignal(d, timeout[R]{within: w})
	k := &call[R]{timed: w}
	k.node, k.by, k.sysDone = to.node, to.asker, &w.sysDone
	return replyTo[R]{call: k}
}

// answer sends the reply, as replyTo.answer does.
func (w *timedAsk[R]) answer(e env, res Result[R], mute bool) {
	e = e.in(w.to.asker)
	m := newSignal(e, &timedReply[R]{within: w, res: res, from: e.senderID()})
	if mute && !w.to.reply.urgent {
		e.answer(w.to.asker, m, systemDesc)
		return
	}
	answer(e, w.to.asker, m, systemDesc, w.to.reply.urgent)
}

// message makes the outcome a message for the caller's behaviour. If the address has one, and there
// will be another outcome, the message is a copy.
func (w *timedAsk[R]) message(e env, res Result[R], last bool) *message {
	m := w.to.node
	switch {
	case m == nil:
		m = e.node(w.to.reply.size)
		m.ID = w.to.reply.id
	case !last:
		m = copyPrepared(e, m, w.to.reply)
	default:
		e.countMade(1)
	}
	m.From, m.Next = 0, nil
	*payloadOf[Result[R]](contents(m)) = res
	return m
}

// copyPrepared copies a message that was made for an outcome.
func copyPrepared(e env, node *message, d *descriptor) *message {
	from := contents(node)
	in := e.node(d.size)
	d.copy(in, &timer{Held: from})
	in.ID, in.Life, in.Next = d.id, from.Life, nil
	if node.ID == carriedID {
		return carry(e, payloadOf[carried](node).ctx, in, d)
	}
	return in
}

// run runs the outcome, in the place of the signal that brought it.
func (w *timedAsk[R]) run(a *cell, c *Context, res Result[R], last bool) {
	w.sysDone = true
	m := w.message(c, res, last)
	contents(m).Life = w.life
	m.From, c.msg.ID, c.msg.Life = c.msg.From, w.to.reply.id, w.life // for the reports, if it panics or is dropped
	if res.Err == ErrNoReply {
		c.sys.sim.comes(contents(m), sim.ByTimeout, a)
	}
	c.invoke(a, m)
	c.recycle(m)
}

// timedReply is the reply to an ask with a time-out.
type timedReply[R any] struct {
	within *timedAsk[R]
	res    Result[R]
	from   uint64
}

func (s *timedReply[R]) serve(a *cell, c *Context) {
	w := s.within
	switch {
	case w.sysDone:
		s.discard(c, a, ErrNoReply)
		return
	case w.life != 0 && a.isStale(w.life):
		w.sysDone = true // its timer has ended with its life
		s.discard(c, a, ErrRestarted)
		return
	}
	w.timer.Cancel(c)
	if !c.aside {
		w.run(a, c, s.res, true)
		return
	}
	w.sysDone = true
	m := w.message(c, s.res, true)
	contents(m).Life = w.life
	m.From = s.from
	a.serveMail(c, a.makeCold(), m, w.to.reply)
}

// refused makes a dead letter of a reply that came ahead of the mail, to an actor that has ended.
func (s *timedReply[R]) refused(a *cell, e env) { s.discard(e, a, a.whyEnded()) }

// terminate makes a dead letter of the reply. Any goroutine: so it leaves alone what is the
// caller's.
func (s *timedReply[R]) discard(e env, a *cell, why error) {
	m := s.within.message(e, s.res, false)
	contents(m).Life = 0 // the time-out is what is heard of
	m.From = s.from
	e.countLost()
	deadLetter(e, a, m, why)
}

// roots adds the reply, which the caller may have given itself. See typeRoots.queued.
func (s *timedReply[R]) roots(roots []heap.Root, t *typeRoots) []heap.Root {
	if l := t.byID[s.within.to.reply.id]; l != nil {
		roots = append(roots, heap.RootOf(&s.res, l))
	}
	return roots
}

// timeout is the end of the time.
type timeout[R any] struct {
	unanswered
	within *timedAsk[R]
}

func (s timeout[R]) serve(a *cell, c *Context) { s.within.run(a, c, Result[R]{Err: ErrNoReply}, false) }

// mail is a signal that stands for a message of the user's.
type mail interface {
	signal
	discard(e env, a *cell, why error)
}

// discardMailIn makes a dead letter of the mail that a signal stands for, if it stands for any. The
// caller owns m.
func discardMailIn(e env, m *message, to *cell, why error) {
	if s, ok := takeSignal(m).(mail); ok {
		s.discard(e, to, why)
	}
}
