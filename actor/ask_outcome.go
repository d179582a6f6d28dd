package actor

import (
	"math"
	"time"

	"github.com/gallop-go/gallop/actor/internal/msg"
	"github.com/gallop-go/gallop/heap"
	"github.com/gallop-go/gallop/internal/nocmp"
	"github.com/gallop-go/gallop/internal/sim"
)

// An outcome belongs to the life of the actor that asked for it. The request has the number of that
// life in its header, beside the number of the behaviour, where it costs no space. The message of the
// outcome gets the number from the request. Only the dispatch of behaviours whose messages are
// outcomes compares it; other behaviours pay nothing.
//
// The number is 0 for actors that have one life, and for messages that Send sends to such a
// behaviour. A node goes back to its pool with the number 0, so that the next Send finds it.

// anOutcome is implemented by a *Result and a *Reply.
type anOutcome interface{ outcome() }

func (*Result[R]) outcome()   {}
func (*Reply[R, K]) outcome() {}

// isOutcome reports whether M is the type of an outcome.
func isOutcome[M any]() bool {
	_, is := any(new(M)).(anOutcome)
	return is
}

// markAsk is called for each outcome that the running actor asks for, and returns what the outcome
// has in its header.
func (c *Context) markAsk() uint16 {
	if a := c.self; a.supervised || a.shared().typ.finishes {
		return markAsk(a)
	}
	return 0
}

func markAsk(a *cell) uint16 {
	if a.typ().finishes {
		a.flowOf().asks.Add(1)
	}
	return a.cold.lifeMark()
}

// lifeMark is the number of the actor's life, from 1. x may be nil. Owner only.
func (x *coldState) lifeMark() uint16 {
	if x == nil {
		return 1
	}
	return x.life + 1
}

// nextLife begins another life, to which the outcomes of the last one do not belong. Owner only. A
// number comes again after 65,535 lives: then an outcome that was under way for so long is heard.
func (x *coldState) nextLife() {
	if x.life++; x.life == math.MaxUint16 {
		x.life = 0
	}
}

// isStale reports whether an outcome belongs to an earlier life. x may be nil. Owner only.
func (x *coldState) isStale(mark uint16) bool { return mark != x.lifeMark() }

// heard returns run or, if d's messages are outcomes, what looks whether they are still wanted.
//
//go:noinline
func (d *descriptor) heard(run runFunc) runFunc {
	if !d.outcome {
		return run
	}
	return func(c *Context, at *cell, m *message) {
		if m.Life != 0 && !hears(at, c, m) {
			return
		}
		c.heard = m
		run(c, at, m)
		m.Life, c.heard = 0, nil // not before: see stashOutcome
	}
}

// hears is called with each outcome that has a mark, before it runs. If the outcome belongs to an
// earlier life, it becomes a dead letter, and hears reports false. Owner only.
func hears(a *cell, c *Context, m *message) bool {
	if a.cold.isStale(m.Life) {
		c.count.notRun++
		declareDead(c, a, m, ErrRestarted)
		return false
	}
	if a.typ().finishes {
		a.flowOf().asks.Add(^uint32(0))
	}
	return true
}

// outcomeCrashed takes an outcome that was not heard off those that are under way: what crashed
// over m was an interceptor, or an injected fault. Owner only.
func (c *Context) outcomeCrashed(a *cell, m *message) {
	m = contents(m)
	if d := a.typ().decls[m.ID]; d != nil && d.outcome && m.Life != 0 && m != c.heard &&
		a.typ().finishes {
		a.flowOf().asks.Add(^uint32(0))
	}
	c.heard = nil
}

// stashOutcome makes m, which takes the place of the outcome that runs, belong to the same life. It
// counts as under way again.
func stashOutcome(a *cell, c *Context, d *descriptor, m *message) {
	if !d.outcome || c.msg.Life == 0 {
		return
	}
	if m.Life = c.msg.Life; a.typ().finishes {
		a.flowOf().asks.Add(1)
	}
}

// lost is called when an outcome becomes a dead letter. Any goroutine.
func (d *descriptor) lost(e env, to *cell, m *message) {
	if !d.outcome || m.Life == 0 {
		return
	}
	m.Life = 0
	if to.typ().finishes && to.flowOf().asks.Add(^uint32(0)) == 0 {
		to.tell(e, nudge{}) // it may wait for that
	}
}

// nudge makes an actor look whether it has to wait any longer. See endDrainTurn.
type nudge struct{ unanswered }

func (nudge) serve(*cell, *Context) {}

// Drain ends an actor that is idle. One that waits for replies is idle too. WithFinishAsks makes
// the actor wait for them: behind its last mail it parks, as an actor does that waits for its
// children, until nothing is under way.
//
// Its mailbox is closed by then, and no other sender may send to it. So outcomes come through the
// system queue. They must not overtake the mail that is left, so until that has run they wait in
// held.

// WithFinishAsks makes [Drain] wait, after the mail of an actor of this type, until
//
//   - the replies are given that the actor has put off ([Defer]);
//   - the outcomes of its own [AskTo] and [Pipe] have come, and have run.
//
// Until then the outcomes run as usual, may ask for more, and hold the system; all else
// that is sent to the actor becomes a dead letter, also what it sends to itself; use
// [Yield] to go on. Time-outs of requests end, with the other timers, when the drain
// begins. A reply that never comes keeps the actor from its end, so give [DrainWait] a
// deadline: [Stop] and [Kill] end the actor as always.
//
// Each AskTo and Pipe of such an actor costs two locked instructions more.
func WithFinishAsks() TypeOption {
	return typeOption(func(t *typeInfo) { t.finishes = true })
}

// hasUnderWay reports whether the actor has asked for something that has not come, or has to give a
// reply. Owner only.
func hasUnderWay(a *cell) bool {
	if f := a.flow.Load(); f != nil && f.asks.Load() > 0 {
		return true
	}
	return deferralsOf(a.cold).all.Len() > 0
}

// takeLate brings an outcome to an actor whose mailbox is closed because it drains. It reports
// false if that is not so; then m is still the caller's.
func takeLate(e env, a *cell, m *message) bool {
	if !a.shared().typ.finishes || !bringsOutcome(a, m) {
		return false
	}
	return e.pushSystem(a, m) == nil
}

// bringsOutcome reports whether a message is an outcome that the actor has asked for. The caller owns
// m.
func bringsOutcome(a *cell, m *message) bool {
	if m.ID == systemID {
		_, is := (*payloadOf[signal](m)).(mail)
		return is
	}
	in := contents(m)
	return !isOwn(in.ID) && a.typ().decls[in.ID].outcome && in.Life != 0
}

// serveMail runs a message of the system queue that is for an ordinary behaviour: an outcome for an
// actor that drains. It waits while there is mail before it. Owner only.
func serveMail(a *cell, c *Context, x *coldState, m *message, d *descriptor) {
	if !d.urgent && x.drained && !x.gone && x.state == alive {
		x.held.Add(m)
		return
	}
	a.runUrgent(c, x, m)
}

// endDrainTurn decides, at the end of a turn beside the mail, how an actor goes on whose drain has
// come to its end: with what is there by now, with its end, or by waiting. Owner only.
func endDrainTurn(a *cell, c *Context, x *coldState) {
	if c.then&(lookAgain|unstashed) != 0 {
		c.then &^= lookAgain | unstashed
		requeueUnstashed(a)
	}
	left := msg.Concat(a.in.Pending(), x.held.All())
	switch {
	case left != nil:
		a.in.SetPending(msg.Concat(left, newSignal(c, drainEnd{})))
		x.gone = false
		a.waited()
	case a.typ().finishes && hasUnderWay(a):
		a.wait()
	default:
		a.waited()
		a.leave(c, nextEnded, modeDrain, ErrShutdown)
	}
}

// An ask with a time-out is decided in the caller's own turns: by what it comes to first,
// the reply or the timer. So there is no race, and there is one outcome. Both travel as
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
	k.node, k.by, k.sysDone = to.node, to.caller, &w.sysDone
	return replyTo[R]{call: k}
}

// answer sends the reply, as replyTo.answer does.
func (w *timedAsk[R]) answer(e env, res Result[R]) {
	e = e.in(w.to.caller)
	m := newSignal(e, &timedReply[R]{within: w, res: res, from: e.senderID()})
	if w.to.reply.urgent {
		answer(e, w.to.caller, m, systemDesc, true)
		return
	}
	e.answer(w.to.caller, m, systemDesc)
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
	// For the reports, if it panics or is dropped.
	m.From, c.msg.ID, c.msg.Life = c.msg.From, w.to.reply.id, w.life
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
	case w.life != 0 && a.cold.isStale(w.life):
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
	serveMail(a, c, a.makeCold(), m, w.to.reply)
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

func (s timeout[R]) serve(a *cell, c *Context) {
	s.within.run(a, c, Result[R]{Err: ErrNoReply}, false)
}

// mail is a signal that stands for a message of the user's.
type mail interface {
	signal
	discard(e env, a *cell, why error)
}

// discardMailIn makes a dead letter of the mail that a signal stands for, if it stands for any. The
// caller owns m.
func discardMailIn(e env, m *message, to *cell, why error) {
	switch s := takeSignal(m).(type) {
	case mail:
		s.discard(e, to, why)
	case lostInMail:
		s.lost(why)
	}
}
