package actor

import (
	"time"

	"github.com/gallop-go/gallop/heap"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/kernel/sim"
	"github.com/gallop-go/gallop/internal/nocmp"
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

func (*Result[R]) outcome() {}

func (*Reply[R, K]) outcome() {}

// isOutcome reports whether M is the type of an outcome.
func isOutcome[M any]() bool {
	_, is := any(new(M)).(anOutcome)
	return is
}

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
	return typeOption(func(t *kernel.TypeInfo) { t.Finishes = true })
}

// An ask with a time-out is decided in the caller's own turns, by the reply or by the timer: the
// first that has its turn. So there is no race, and there is one outcome. Both travel as signals
// that refer to the timedAsk. The timer comes in ordinary mail. So does the reply, unless the
// behaviour that gets the outcome is urgent: then the reply comes ahead of the mail.

// timedAsk is an ask with a time-out. The actor that asks owns it, except for the read-only field.
type timedAsk[R any] struct {
	_     nocmp.Field // or the compiler makes a comparing function for each type of reply
	to    replyTo[R]  // its call is nil. Read-only
	life  uint16
	timer kernel.Timer
	over  bool // the caller has had its outcome
}

// limit returns an address that is to with a time-out after d. It arms the timer.
func limit[R any](c *kernel.Turn, to replyTo[R], d time.Duration, life uint16) replyTo[R] {
	w := &timedAsk[R]{to: to, life: life}
	w.timer = c.ArmSignal(d, timeout[R]{within: w})
	k := &call[R]{timed: w}
	k.Node, k.By, k.Over = to.node, to.caller, &w.over
	return replyTo[R]{call: k}
}

// Answer sends the reply, as replyTo.answer does.
func (w *timedAsk[R]) Answer(e kernel.Env, res Result[R]) {
	e = e.In(w.to.caller)
	m := kernel.NewSignal(e, &timedReply[R]{within: w, res: res, from: kernel.SenderID(e)})
	if w.to.reply.Urgent {
		kernel.Answer(e, w.to.caller, m, kernel.SystemDesc, true)
		return
	}
	e.Answer(w.to.caller, m, kernel.SystemDesc)
}

// message returns a message with the outcome for the caller's behaviour. If the address has a
// prepared message, that is used if last says that no other outcome will need it. Otherwise message
// returns a copy.
func (w *timedAsk[R]) message(e kernel.Env, res Result[R], last bool) *kernel.Message {
	m := w.to.node
	switch {
	case m == nil:
		m = e.Node(w.to.reply.Size)
		m.ID = w.to.reply.ID
	case !last:
		m = kernel.CopyPrepared(e, m, w.to.reply)
	default:
		kernel.CountMade(e, 1)
	}
	m.From, m.Next = 0, nil
	*kernel.PayloadOf[Result[R]](kernel.Contents(m)) = res
	return m
}

// run runs the outcome in place of the signal that brought it.
func (w *timedAsk[R]) run(a *kernel.Cell, c *kernel.Turn, res Result[R], last bool) {
	w.over = true
	m := w.message(c, res, last)
	kernel.Contents(m).Life = w.life
	// For the reports, if it panics or is dropped.
	m.From, c.Msg.ID, c.Msg.Life = c.Msg.From, w.to.reply.ID, w.life
	if res.Err == ErrNoReply {
		c.Sys.Sim.Comes(kernel.Contents(m), sim.ByTimeout, a)
	}
	c.Invoke(a, m)
	c.Recycle(m)
}

// timedReply is the reply to an ask with a time-out.
type timedReply[R any] struct {
	within *timedAsk[R]
	res    Result[R]
	from   uint64
}

func (s *timedReply[R]) Serve(a *kernel.Cell, c *kernel.Turn) {
	w := s.within
	switch {
	case w.over:
		s.Discard(c, a, ErrNoReply)
		return
	case w.life != 0 && a.Cold.IsStale(w.life):
		w.over = true // its timer has ended with its life
		s.Discard(c, a, ErrRestarted)
		return
	}
	w.timer.Cancel(c)
	if !c.Aside {
		w.run(a, c, s.res, true)
		return
	}
	w.over = true
	m := w.message(c, s.res, true)
	kernel.Contents(m).Life = w.life
	m.From = s.from
	kernel.ServeMail(a, c, a.MakeCold(), m, w.to.reply)
}

// Refused makes a dead letter of a reply that came ahead of the mail, to an actor that has ended.
func (s *timedReply[R]) Refused(a *kernel.Cell, e kernel.Env) { s.Discard(e, a, a.WhyEnded()) }

// Discard makes a dead letter of the reply. Any goroutine: so it uses no field that the asking
// actor owns, and copies a prepared message.
func (s *timedReply[R]) Discard(e kernel.Env, a *kernel.Cell, why error) {
	m := s.within.message(e, s.res, false)
	kernel.Contents(m).Life = 0 // so that lost does not count it
	m.From = s.from
	kernel.CountLost(e)
	kernel.MakeDeadLetter(e, a, m, why)
}

// Roots adds the reply: an actor may ask itself, and then the reply has handles of its own arena.
// See kernel.TypeRoots.
func (s *timedReply[R]) Roots(roots []heap.Root, t *kernel.TypeRoots) []heap.Root {
	if l := t.ByID[s.within.to.reply.ID]; l != nil {
		roots = append(roots, heap.RootOf(&s.res, l))
	}
	return roots
}

// timeout is the signal of the timer.
type timeout[R any] struct {
	kernel.Unanswered
	within *timedAsk[R]
}

func (s timeout[R]) Serve(a *kernel.Cell, c *kernel.Turn) {
	s.within.run(a, c, Result[R]{Err: ErrNoReply}, false)
}
