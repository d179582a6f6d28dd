package actor

import (
	"context"
	"sync"
	"time"

	"github.com/gallop-go/gallop/internal/guard"
)

// AskTo sends a request from a behaviour and does not wait. The outcome comes as a
// message for reply, a behaviour of the asking actor itself. An actor may ask itself.
// AskTo panics if to is the zero Ref, or if reply belongs to another type than the
// running actor. Without options it allocates nothing in steady state.
//
// If to ends before it comes to the request, panics over it, or has a bound and refuses
// or drops it, the outcome has the error that [AskBehaviour.Ask] lists, and comes at
// once.
//
// The number of outcomes is bounded by the number of the caller's own requests. So an
// outcome is never refused and mutes no sender, even if the caller is overloaded, applies
// pressure or has a bound.
//
// An outcome belongs to the life of the caller in which it has asked. If the caller is
// restarted first, the outcome does not run: it becomes a dead letter with the reason
// [ErrRestarted], which is counted and not logged. To know which request an outcome belongs
// to, use [AskToWith].
//
// If to belongs to another system, the outcome comes unless the caller's system has
// stopped; a system in [System.Shutdown] still gets it. But a request that is under way in
// another system does not keep the caller's system from being quiescent.
func AskTo[S, Q, R, T any](c *Context, b AskBehaviour[S, Q, R], to Ref[S], q Q,
	reply Behaviour[T, Result[R]], opts ...AskOption) {
	turn := c.kernel()
	b.d.madeAsk().mustSuit(to.b)
	turn.mustOwn(reply.d.made())
	back := replyTo[R]{caller: turn.self, reply: reply.d}
	life := turn.markAsk()
	if turn.travels != nil {
		back.node = turn.prepare(reply.d, life)
	}
	if len(opts) != 0 {
		back = withOptions(turn, back, life, opts)
	}
	sendRequest(turn, b.d, to.b, q, back, life)
}

// Reply is the outcome of a request or of a function of [Pipe], as a message, together
// with a mark that the caller has chosen: the number of a job, a key, or a [Deferred] that
// waits for the outcome. The mark comes back with every outcome, also with an error.
type Reply[R, K any] struct {
	Value R     // the value that was returned, if Err is nil
	Err   error // the error that was returned, or the reason why the request did not run
	Mark  K     // the mark that the caller has given
}

// AskToWith is [AskTo] with a mark: the outcome brings back mark, which tells the caller
// to which request the outcome belongs. Without options it allocates nothing in steady
// state, for any type of mark.
//
// The message for the outcome, which holds the mark, is made with the request. So while the
// request is under way, it also takes the space of an R.
func AskToWith[S, Q, R, T, K any](c *Context, b AskBehaviour[S, Q, R], to Ref[S], q Q,
	reply Behaviour[T, Reply[R, K]], mark K, opts ...AskOption) {
	turn := c.kernel()
	b.d.madeAsk().mustSuit(to.b)
	turn.mustOwn(reply.d.made())
	life := turn.markAsk()
	back := replyTo[R]{caller: turn.self, reply: reply.d, node: turn.prepare(reply.d, life)}
	payloadOf[Reply[R, K]](contents(back.node)).Mark = mark
	if len(opts) != 0 {
		back = withOptions(turn, back, life, opts)
	}
	sendRequest(turn, b.d, to.b, q, back, life)
}

// AskOption is an option of one request: see [Within]. The zero AskOption has no effect.
type AskOption struct {
	limited bool
	within  time.Duration
}

// Within gives a request a time-out. If d passes on the runtime's clock before the caller
// has come to the outcome, the outcome is [ErrNoReply]. It comes in ordinary mail.
//
// The request runs all the same. Its late reply becomes a dead letter. The reason is
// ErrNoReply or, if the caller has ended by then, the reason of that.
//
// The time-out is a timer of the running actor, on the terms of [After]: it ends with
// the life that has asked, and when the actor drains. The request allocates four small
// objects.
func Within(d time.Duration) AskOption { return AskOption{limited: true, within: d} }

// withOptions returns the reply address of a request with options. The last of several time-outs
// counts.
func withOptions[R any](c *kernelTurn, back replyTo[R], life uint16, opts []AskOption) replyTo[R] {
	o := lastLimit(opts)
	if !o.limited {
		return back
	}
	return limit(c, back, o.within, life)
}

// lastLimit returns the last option that is a time-out, or a zero one.
func lastLimit(opts []AskOption) (o AskOption) {
	for i := len(opts) - 1; i >= 0 && !o.limited; i-- {
		o = opts[i]
	}
	return o
}

// askLimit is access.AskLimit. It returns 0 if the options have no time-out.
func askLimit(opts any) time.Duration {
	if o := lastLimit(opts.([]AskOption)); o.limited {
		return max(o.within, 1)
	}
	return 0
}

// sendRequest sends a request from a behaviour.
func sendRequest[Q, R any](c *kernelTurn, d *descriptor, to *cell, q Q, back replyTo[R], life uint16) {
	m := c.node(d.size)
	m.Life = life
	*payloadOf[request[Q, R]](m) = request[Q, R]{q, back}
	switch {
	case to.shared().sys != c.sys:
		countMade(c, -1) // the other system counts it
		to.sys().sendRequest(asPlain, to, m, d)
	case d.urgent:
		sendUrgent(c, to, m, d)
	default:
		c.send(to, m, d)
	}
}

// mustOwn panics if d is not a behaviour of the running actor.
func (c *kernelTurn) mustOwn(d *descriptor) {
	mustRun(c, d.name)
	if d.typ != c.self.shared().typ {
		panic("gallop: " + d.fullName() + " is not one of " + c.self.String() + "'s behaviours")
	}
}

// prepare makes the message of an outcome when the actor asks, since the message has to keep a
// mark, or the context under which the actor has asked.
func (c *kernelTurn) prepare(d *descriptor, life uint16) *message {
	m := c.node(d.size)
	c.sys.sim.count(-1) // it is not sent yet
	m.ID, m.Life, m.Next = d.id, life, nil
	if c.travels != nil {
		m = carry(c, c.travels, m, d)
		payloadOf[carried](m).waits = c.waits
	}
	return m
}

// request is the payload of an ask. The header of its message has the life of the caller: see
// markAsk.
type request[Q, R any] struct {
	q  Q
	to replyTo[R]
}

// take moves the reply address out of the message, which may be recycled.
func (p *request[Q, R]) take() replyTo[R] {
	to := p.to
	*p = request[Q, R]{}
	return to
}

// replyTo is the address of a reply: that of a call or that of an actor.
type replyTo[R any] struct {
	call   *call[R]
	caller *cell
	reply  *descriptor
	// The message for caller, if it was made already: see prepare.
	node *message
}

// answer sends the reply. It mutes no sender, since the caller has asked for the reply. alive is
// true if a behaviour gives the reply, and false if the runtime does so after a panic, an end or a
// dead letter. life is that of the caller.
func (to replyTo[R]) answer(e env, life uint16, res Result[R], alive bool) {
	if k := to.call; k != nil {
		switch {
		case k.timed != nil:
			k.timed.answer(e, res)
		case k.handler != nil && alive:
			k.handler.Send(senderOfEnv(e), res)
		case k.handler != nil:
			rejectTo(e.system(), k.handler, res)
		default:
			k.finish(res)
		}
		return
	}
	e = e.in(to.caller)
	m, d := to.node, to.reply
	if m == nil {
		m = e.node(d.size)
		m.Life = life
		*payloadOf[Result[R]](m) = res
	} else {
		var in *message
		countMade(e, 1)
		in, d = prepared(m, d)
		*payloadOf[Result[R]](in) = res
	}
	if to.reply.urgent {
		answer(e, to.caller, m, d, true)
		return
	}
	e.answer(to.caller, m, d)
}

// reject tells the caller why there will be no reply. It does nothing if the request was answered
// already: an interceptor may panic after that.
func (to replyTo[R]) reject(e env, life uint16, err error) {
	switch {
	case to.call == nil && to.caller == nil:
	case to.call != nil && to.call.putOff != nil:
		to.call.putOff.crashed(e, err)
	default:
		to.answer(e, life, Result[R]{Err: err}, false)
	}
}

// prepared returns the message into which an outcome is written, and the descriptor by which m is
// sent. m was made by prepare, and may carry that message. The outcome is written as a Result, also
// if the payload is a Reply: both types begin with the same fields.
func prepared(m *message, d *descriptor) (in *message, as *descriptor) {
	if m.ID == carriedID {
		d = carriedDesc
	}
	return contents(m), d
}

// rejectTo tells a handler why there will be no reply. Its caller may be in the middle of other
// work, such as a walk through the mail of an actor. So a handler of the user's is called by guard.
func rejectTo[R any](s *kernelSystem, h Handler[Result[R]], res Result[R]) {
	switch h.(type) {
	case bound[Result[R]], guard.Own:
		h.Send(s.face(), res)
	default:
		s.guard("Handler of a reply", func() { h.Send(s.face(), res) })
	}
}

// refused returns the reason why the caller does not want the request to run; nil: it may run.
func (to replyTo[R]) refused() error {
	if to.call == nil {
		return nil
	}
	switch to.call.state.Load() {
	case callRefused:
		return ErrDeadlock
	case callUnhelped:
		return ErrTooManyBlocked
	}
	return nil
}

// nowhere is a reply address for a request whose reply has been put aside. It keeps the context.
func nowhere[R any](to replyTo[R]) replyTo[R] {
	k := &call[R]{}
	k.ctx = callerOf(&to).context()
	k.state.StoreRelease(callAbandoned)
	return replyTo[R]{call: k}
}

// Asker is anything that answers requests of type Q with replies of type R. It is for asks,
// as [Handler] is for one-way messages: a test double can take the place of an actor in
// code that knows only an Asker. Get one with [AskBehaviour.To].
//
// A double implements both methods. Its AskTo calls reply.Send(c, …) once, at once or
// later.
type Asker[Q, R any] interface {
	// Ask is like [AskBehaviour.Ask].
	Ask(ctx context.Context, q Q) (R, error)
	// AskTo is like the function [AskTo]. The outcome is sent to reply, which is usually a
	// behaviour of the running actor, kept by that actor: reply.To(actor.Self[S](c)). It
	// may also be a behaviour of another actor. That actor has not asked, so it runs the
	// outcome like any message, also after a restart.
	AskTo(c *Context, q Q, reply Handler[Result[R]])
}

// To returns r as an Asker of b's requests. It panics if r is the zero Ref.
func (b AskBehaviour[S, Q, R]) To(r Ref[S]) Asker[Q, R] {
	b.d.madeAsk().mustSuit(r.b)
	return &askedActor[Q, R]{b.d, b.calls, r.b}
}

// askedActor is an AskBehaviour with the actor that it asks.
type askedActor[Q, R any] struct {
	d     *descriptor
	calls *sync.Pool
	b     *cell
}

func (a *askedActor[Q, R]) Ask(ctx context.Context, q Q) (R, error) {
	return ask[Q, R](ctx, a.d, a.calls, a.b, q)
}

func (a *askedActor[Q, R]) AskTo(c *Context, q Q, reply Handler[Result[R]]) {
	turn := c.kernel()
	mustRun(turn, "AskTo")
	if reply == nil {
		panic("gallop: AskTo: a nil reply for " + a.d.fullName())
	}
	if own, ok := reply.(bound[Result[R]]); ok && own.b == turn.self {
		back, life := replyTo[R]{caller: own.b, reply: own.d}, turn.markAsk()
		if turn.travels != nil {
			back.node = turn.prepare(own.d, life)
		}
		sendRequest(turn, a.d, a.b, q, back, life)
		return
	}
	k := &call[R]{handler: reply}
	k.ctx, k.tells, k.waits = turn.travels, true, turn.waits
	sendRequest(turn, a.d, a.b, q, replyTo[R]{call: k}, 0)
}
