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
// life in its header, beside the number of the behaviour, where it needs no extra space. The
// message of the outcome gets the number from the request. Only the dispatch of behaviours whose
// messages are outcomes compares the number; other behaviours pay nothing.
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

// markAsk is called for each outcome that the running actor asks for. It returns the number of the
// life for the header of the request; 0 if the actor has only one life.
func (c *kernelTurn) markAsk() uint16 {
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

// lifeMark returns the number of the actor's life, from 1. x may be nil. Owner only.
func (x *coldState) lifeMark() uint16 {
	if x == nil {
		return 1
	}
	return x.life + 1
}

// nextLife begins another life of the actor. In it, outcomes of the earlier life do not run: see
// isStale. The numbers of lives repeat after 65,535 lives. An outcome that was under way for just
// so many lives runs by mistake. Owner only.
func (x *coldState) nextLife() {
	if x.life++; x.life == math.MaxUint16 {
		x.life = 0
	}
}

// isStale reports whether an outcome belongs to an earlier life. x may be nil. Owner only.
func (x *coldState) isStale(mark uint16) bool { return mark != x.lifeMark() }

// heard returns run or, if d's messages are outcomes, a function that calls run only for outcomes
// of the actor's present life.
//
//go:noinline
func (d *descriptor) heard(run runFunc) runFunc {
	if !d.outcome {
		return run
	}
	return func(c *kernelTurn, at *cell, m *message) {
		if m.Life != 0 && !hears(at, c, m) {
			return
		}
		c.heard = m
		run(c, at, m)
		m.Life, c.heard = 0, nil // not before run: stashOutcome needs the life
	}
}

// hears is called with each outcome that has a mark, before it runs. If the outcome belongs to an
// earlier life, it becomes a dead letter, and hears reports false. Owner only.
func hears(a *cell, c *kernelTurn, m *message) bool {
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

// outcomeCrashed is called after a panic over m. If m is an outcome that is still counted as under
// way, since an interceptor or an injected fault has panicked before its behaviour ran, the outcome
// is counted out. Owner only.
func (c *kernelTurn) outcomeCrashed(a *cell, m *message) {
	m = contents(m)
	if d := a.typ().decls[m.ID]; d != nil && d.outcome && m.Life != 0 && m != c.heard &&
		a.typ().finishes {
		a.flowOf().asks.Add(^uint32(0))
	}
	c.heard = nil
}

// stashOutcome gives m, which replaces the running outcome, the life of that outcome. m counts as
// under way again.
func stashOutcome(a *cell, c *kernelTurn, d *descriptor, m *message) {
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
		to.tell(e, nudge{}) // it may be waiting for the last outcome
	}
}

// nudge makes an actor check whether it still has to wait. See endDrainTurn.
type nudge struct{ unanswered }

func (nudge) serve(*cell, *kernelTurn) {}

// Drain ends an actor when it has run its mail, even if it waits for replies. With WithFinishAsks
// the actor waits for them: after its last mail it parks, like an actor that waits for its
// children, until nothing is under way.
//
// Its mailbox is closed by then, so that no other sender may send to it. Outcomes therefore come
// through the system queue. They must not overtake the remaining mail, so they wait in held until
// that mail has run.

// WithFinishAsks makes [Drain] wait, after an actor of this type has run its mail, until
//
//   - the replies that the actor has put off ([Defer]) are given;
//   - the outcomes of its own [AskTo] and [Pipe] have come, and have run.
//
// Until then the outcomes run as usual, and may ask for more. They hold the system. All
// other messages to the actor become dead letters, also messages that it sends to itself;
// a behaviour that needs another turn can use [Yield]. The timers of the actor end when
// the drain begins, and so do the time-outs of its requests. A reply that never comes keeps
// the actor from its end, so give [DrainWait] a deadline. [Stop] and [Kill] end the actor
// without waiting.
//
// Each AskTo and Pipe of such an actor costs two locked instructions more.
func WithFinishAsks() TypeOption {
	return typeOption(func(t *typeInfo) { t.finishes = true })
}

// hasUnderWay reports whether an outcome for which the actor has asked has not run yet, or the
// actor has put off a reply. Owner only.
func hasUnderWay(a *cell) bool {
	if f := a.flow.Load(); f != nil && f.asks.Load() > 0 {
		return true
	}
	return deferralsOf(a.cold).all.Len() > 0
}

// takeLate pushes an outcome to the system queue of an actor that drains, whose mailbox is closed.
// It reports false if a's type has no WithFinishAsks, if m is not an outcome, or if the system
// queue is closed as well. Then the caller still owns m.
func takeLate(e env, a *cell, m *message) bool {
	if !a.shared().typ.finishes || !bringsOutcome(a, m) {
		return false
	}
	return e.pushSystem(a, m) == nil
}

// bringsOutcome reports whether a message is an outcome that the actor has asked for. The caller
// owns m.
func bringsOutcome(a *cell, m *message) bool {
	if m.ID == systemID {
		_, is := (*payloadOf[signal](m)).(mail)
		return is
	}
	in := contents(m)
	return !isOwn(in.ID) && a.typ().decls[in.ID].outcome && in.Life != 0
}

// serveMail runs a message for a behaviour that came through the system queue. A message for an
// ordinary behaviour is an outcome for an actor that drains: it waits in held while mail is left.
// Owner only.
func serveMail(a *cell, c *kernelTurn, x *coldState, m *message, d *descriptor) {
	if !d.urgent && x.drained && !x.gone && x.state == alive {
		x.held.Add(m)
		return
	}
	a.runUrgent(c, x, m)
}

// endDrainTurn is called at the end of a turn beside the mail, when the actor drains and has run
// its mail. The actor runs the mail that is there by now, or waits, or ends. Owner only.
func endDrainTurn(a *cell, c *kernelTurn, x *coldState) {
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

// An ask with a time-out is decided in the caller's own turns, by the reply or by the timer: the
// first that has its turn. So there is no race, and there is one outcome. Both travel as signals
// that refer to the timedAsk. The timer comes in ordinary mail. So does the reply, unless the
// behaviour that gets the outcome is urgent: then the reply comes ahead of the mail.

// timedAsk is an ask with a time-out. The actor that asks owns it, except for the read-only field.
type timedAsk[R any] struct {
	_       nocmp.Field // as in fanIn
	to      replyTo[R]  // its call is nil. Read-only
	life    uint16
	timer   Timer
	sysDone bool // the caller has had its outcome
}

// limit returns an address that is to with a time-out after d. It arms the timer.
func limit[R any](c *kernelTurn, to replyTo[R], d time.Duration, life uint16) replyTo[R] {
	w := &timedAsk[R]{to: to, life: life}
	w.timer = c.armSignal(d, timeout[R]{within: w})
	k := &call[R]{timed: w}
	k.node, k.by, k.sysDone = to.node, to.caller, &w.sysDone
	return replyTo[R]{call: k}
}

// answer sends the reply, as replyTo.answer does.
func (w *timedAsk[R]) answer(e env, res Result[R]) {
	e = e.in(w.to.caller)
	m := newSignal(e, &timedReply[R]{within: w, res: res, from: senderID(e)})
	if w.to.reply.urgent {
		answer(e, w.to.caller, m, systemDesc, true)
		return
	}
	e.answer(w.to.caller, m, systemDesc)
}

// message returns a message with the outcome for the caller's behaviour. If the address has a
// prepared message, that is used if last says that no other outcome will need it. Otherwise message
// returns a copy.
func (w *timedAsk[R]) message(e env, res Result[R], last bool) *message {
	m := w.to.node
	switch {
	case m == nil:
		m = e.node(w.to.reply.size)
		m.ID = w.to.reply.id
	case !last:
		m = copyPrepared(e, m, w.to.reply)
	default:
		countMade(e, 1)
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

// run runs the outcome in place of the signal that brought it.
func (w *timedAsk[R]) run(a *cell, c *kernelTurn, res Result[R], last bool) {
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

func (s *timedReply[R]) serve(a *cell, c *kernelTurn) {
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
	w.timer.Cancel(c.face())
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

// discard makes a dead letter of the reply. Any goroutine: so it uses no field that the asking
// actor owns, and copies a prepared message.
func (s *timedReply[R]) discard(e env, a *cell, why error) {
	m := s.within.message(e, s.res, false)
	contents(m).Life = 0 // so that lost does not count it
	m.From = s.from
	countLost(e)
	deadLetter(e, a, m, why)
}

// roots adds the reply: an actor may ask itself, and then the reply has handles of its own arena.
// See typeRoots.queued.
func (s *timedReply[R]) roots(roots []heap.Root, t *typeRoots) []heap.Root {
	if l := t.byID[s.within.to.reply.id]; l != nil {
		roots = append(roots, heap.RootOf(&s.res, l))
	}
	return roots
}

// timeout is the signal of the timer.
type timeout[R any] struct {
	unanswered
	within *timedAsk[R]
}

func (s timeout[R]) serve(a *cell, c *kernelTurn) {
	s.within.run(a, c, Result[R]{Err: ErrNoReply}, false)
}

// mail is a signal that stands for a message of the user's.
type mail interface {
	signal
	discard(e env, a *cell, why error)
}

// discardMailIn makes a dead letter of the message that the signal in m stands for, if there is
// one. The caller owns m.
func discardMailIn(e env, m *message, to *cell, why error) {
	switch s := takeSignal(m).(type) {
	case mail:
		s.discard(e, to, why)
	case lostInMail:
		s.lost(why)
	}
}
