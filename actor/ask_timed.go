package actor

import (
	"time"

	"github.com/gallop-go/gallop/heap"
	"github.com/gallop-go/gallop/internal/nocmp"
)

// An ask with a time-out is decided in the asker's own turns: by what it comes to first,
// the reply or the timer. So nobody races, and there is one outcome. Both travel as
// signals, which know what they decide: the timer in ordinary mail, and the reply too, or
// ahead of the mail if the behaviour that hears of it is urgent.

// timedAsk is an ask with a time-out. It is its asker's, except what is read-only.
type timedAsk[R any] struct {
	_     nocmp.Field
	to    replyTo[R] // whose call is nil. Read-only
	life  uint16
	timer Timer
	over  bool // the asker has had its outcome
}

// limit returns the address with a time-out.
func limit[R any](c *Context, to replyTo[R], d time.Duration, life uint16) replyTo[R] {
	w := &timedAsk[R]{to: to, life: life}
	w.timer = c.armSignal(d, expired[R]{within: w})
	k := &call[R]{timed: w}
	k.node = to.node
	return replyTo[R]{call: k}
}

// answer sends the reply, as replyTo.answer does.
func (w *timedAsk[R]) answer(r replier, res Result[R], mute bool) {
	r = r.in(w.to.asker)
	s := &replied[R]{within: w, res: res}
	if r.c != nil {
		s.from = r.c.self.id
	}
	m := newSignal(r.c, s)
	if r.c != nil && mute && w.to.reply.urgent == nil {
		r.c.send(w.to.asker, m, systemDecl)
		return
	}
	r.answer(w.to.asker, m, systemDecl, w.to.reply.urgent != nil)
}

// message makes the outcome a message for the asker's behaviour. If the address has one, and there
// will be another outcome, the message is a copy.
func (w *timedAsk[R]) message(c *Context, res Result[R], last bool) *message {
	m := w.to.node
	switch {
	case m == nil:
		m = newMessage(c, w.to.reply.pool)
		m.id = w.to.reply.id
	case !last:
		m = copyPrepared(c, m, w.to.reply)
	default:
		c.sys.sim.book(1) // as newMessage does
	}
	m.from, m.next = 0, nil
	*payloadOf[Result[R]](contents(m)) = res
	return m
}

// copyPrepared copies a message that was made for an outcome. c is nil outside.
func copyPrepared(c *Context, node *message, d *declaration) *message {
	from := contents(node)
	in := newMessage(c, d.pool)
	d.copy(in, &timer{held: from})
	in.id, in.life, in.next = d.id, from.life, nil
	if node.id == carriedID {
		return carry(c, payloadOf[carried](node).ctx, in, d)
	}
	return in
}

// run runs the outcome, in the place of the signal that brought it.
func (w *timedAsk[R]) run(b *body, c *Context, res Result[R], last bool) {
	w.over = true
	c.count.messages++
	m := w.message(c, res, last)
	contents(m).life = w.life
	m.from, c.msg.id, c.msg.life = c.msg.from, w.to.reply.id, w.life // for the reports, if it panics or is dropped
	b.runs()[m.id](c, b, m)
	c.recycle(m)
}

// replied is the reply to an ask with a time-out.
type replied[R any] struct {
	within *timedAsk[R]
	res    Result[R]
	from   uint64
}

func (s *replied[R]) serve(b *body, c *Context) {
	w := s.within
	switch {
	case w.over:
		s.bury(replier{c: c, sys: b.sys()}, b, ErrNoReply)
		return
	case w.life != 0 && b.isStale(w.life):
		w.over = true // its timer has ended with its life
		s.bury(replier{c: c, sys: b.sys()}, b, ErrRestarted)
		return
	}
	w.timer.Cancel(c)
	if !c.aside {
		w.run(b, c, s.res, true)
		return
	}
	w.over = true
	m := w.message(c, s.res, true)
	contents(m).life = w.life
	m.from = s.from
	b.serveMail(c, b.mine(), m, w.to.reply)
}

// refused makes a dead letter of a reply that came ahead of the mail, to an actor that has ended.
func (s *replied[R]) refused(b *body, r replier) { s.bury(r, b, b.whyEnded()) }

// bury makes a dead letter of the reply. Any goroutine: so it leaves alone what is the asker's.
func (s *replied[R]) bury(r replier, b *body, why error) {
	m := s.within.message(r.c, s.res, false)
	contents(m).life = 0 // the time-out is what is heard of
	if m.from = s.from; r.c == nil {
		b.sys().sim.book(1)
	}
	r.deadLetter(b, m, why)
}

// roots adds the reply, which the asker may have given itself. See typeRoots.queued.
func (s *replied[R]) roots(roots []heap.Root, t *typeRoots) []heap.Root {
	if l := t.byID[s.within.to.reply.id]; l != nil {
		roots = append(roots, heap.RootOf(&s.res, l))
	}
	return roots
}

// expired is the end of the time.
type expired[R any] struct {
	unanswered
	within *timedAsk[R]
}

func (s expired[R]) serve(b *body, c *Context) { s.within.run(b, c, Result[R]{Err: ErrNoReply}, false) }

// mail is a signal that stands for a message of the user's.
type mail interface {
	signal
	bury(r replier, b *body, why error)
}

// buryMailIn makes a dead letter of the mail that a signal stands for, if it stands for any. The
// caller owns m.
func (r replier) buryMailIn(m *message, to *body, why error) {
	if s, ok := takeSignal(m).(mail); ok {
		s.bury(r, to, why)
	}
}
