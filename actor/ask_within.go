package actor

import (
	"time"

	"github.com/gallop-go/gallop/heap"
	"github.com/gallop-go/gallop/internal/sim"
)

// An ask with a time-out is decided in the asker's own turns: by what it comes to first,
// the reply or the timer. So nobody races, and there is one outcome. Both travel as
// signals, which know what they decide: the timer in ordinary mail, and the reply too, or
// ahead of the mail if the behaviour that hears of it is urgent.

// AskToWithin is [AskTo] with a time-out: if d passes on the runtime's clock before the
// asker has come to the outcome, the outcome is [ErrNoReply], at once. AskToWithin
// panics as AskTo does.
//
// The request runs all the same. Its late reply becomes a dead letter, either for the
// reason ErrNoReply or because the asker has ended by then.
//
// The time-out is a timer of the running actor, on the terms of [After]: a restart ends
// it, and the reply is then waited for without one.
func AskToWithin[S, Q, R, T any](c *Context, d time.Duration, b AskBehaviour[S, Q, R], to Ref[S], q Q, reply Behaviour[T, Result[R]]) {
	b.d.madeAsk().mustSuit(to.b)
	c.mustOwn(reply.d.made())
	w := &bidden[R]{asker: c.self, reply: reply.d}
	w.timer = c.armSignal(d, expired[R]{within: w})
	sendRequest(c, b.d, to.b, q, replyTo[R]{call: &call[R]{within: w}})
}

// bidden is an ask with a time-out. It is its asker's, except what is read-only.
type bidden[R any] struct {
	asker *body        // read-only
	reply *declaration // read-only
	timer Timer
	over  bool // the asker has had its outcome
}

// answer sends the reply, as replyTo.answer does.
func (w *bidden[R]) answer(r replier, res Result[R], mute bool) {
	r = r.in(w.asker)
	s := &replied[R]{within: w, res: res}
	if r.c != nil {
		s.from = r.c.self.id
	}
	m := newSignal(r.c, s)
	if r.c != nil && mute && w.reply.urgent == nil {
		r.c.send(w.asker, m, systemDecl)
		return
	}
	r.answer(w.asker, m, systemDecl, w.reply.urgent != nil)
}

// message makes the outcome a message for the asker's behaviour.
func (w *bidden[R]) message(c *Context, res Result[R]) *message {
	m := newMessage(c, w.reply.pool)
	m.id, m.from, m.next = w.reply.id, 0, nil
	*payloadOf[Result[R]](m) = res
	return m
}

// run runs the outcome, in the place of the signal that brought it.
func (w *bidden[R]) run(b *body, c *Context, res Result[R]) {
	w.over = true
	c.count.messages++
	m := w.message(c, res)
	m.from, c.msg.id = c.msg.from, m.id // for the reports, if it panics or is dropped
	if res.Err == ErrNoReply {
		c.sys.sim.comes(m, sim.ByTimeout, b)
	}
	b.runs()[m.id](c, b, m)
	c.recycle(m)
}

// replied is the reply to an ask with a time-out.
type replied[R any] struct {
	within *bidden[R]
	res    Result[R]
	from   uint64
}

func (s *replied[R]) serve(b *body, c *Context) {
	if s.within.over {
		s.bury(replier{c: c, sys: b.sys()}, b, ErrNoReply)
		return
	}
	s.within.timer.Cancel(c)
	if s.within.reply.urgent == nil {
		s.within.run(b, c, s.res)
		return
	}
	s.within.over = true
	m := s.within.message(c, s.res)
	m.from = s.from
	b.runUrgent(c, b.mine(), m)
}

// refused makes a dead letter of a reply that came ahead of the mail, to an actor that has ended.
func (s *replied[R]) refused(b *body, r replier) { s.bury(r, b, b.whyEnded()) }

// bury makes a dead letter of the reply.
func (s *replied[R]) bury(r replier, b *body, why error) {
	m := s.within.message(r.c, s.res)
	if m.from = s.from; r.c == nil {
		b.sys().sim.book(1)
	}
	r.deadLetter(b, m, why)
}

// roots adds the reply, which the asker may have given itself. See typeRoots.queued.
func (s *replied[R]) roots(roots []heap.Root, t *typeRoots) []heap.Root {
	if l := t.byID[s.within.reply.id]; l != nil {
		roots = append(roots, heap.RootOf(&s.res, l))
	}
	return roots
}

// expired is the end of the time.
type expired[R any] struct {
	unanswered
	within *bidden[R]
}

func (s expired[R]) serve(b *body, c *Context) { s.within.run(b, c, Result[R]{Err: ErrNoReply}) }

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
