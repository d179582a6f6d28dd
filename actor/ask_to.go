package actor

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/seam"
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
	turn, d := c.kernel(), kernel.AnyBehaviour(reply).Descriptor()
	kernel.AnyAsk(b).Descriptor().MadeAsk().MustSuit(to.target())
	turn.MustOwn(d.Made())
	back := replyTo[R]{caller: turn.Self, reply: d}
	life := turn.MarkAsk()
	if turn.Travels != nil {
		back.node = turn.Prepare(d, life)
	}
	if len(opts) != 0 {
		back = withOptions(turn, back, life, opts)
	}
	sendRequest(turn, kernel.AnyAsk(b).Descriptor(), to.target(), q, back, life)
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
	turn, d := c.kernel(), kernel.AnyBehaviour(reply).Descriptor()
	kernel.AnyAsk(b).Descriptor().MadeAsk().MustSuit(to.target())
	turn.MustOwn(d.Made())
	life := turn.MarkAsk()
	back := replyTo[R]{caller: turn.Self, reply: d, node: turn.Prepare(d, life)}
	kernel.PayloadOf[Reply[R, K]](kernel.Contents(back.node)).Mark = mark
	if len(opts) != 0 {
		back = withOptions(turn, back, life, opts)
	}
	sendRequest(turn, kernel.AnyAsk(b).Descriptor(), to.target(), q, back, life)
}

// AskOption is an option of one request: see [Within]. The zero AskOption has no effect.
type AskOption kernel.AskOption

// Within gives a request a time-out. If d passes on the runtime's clock before the caller
// has come to the outcome, the outcome is [ErrNoReply]. It comes in ordinary mail.
//
// The request runs all the same. Its late reply becomes a dead letter. The reason is
// ErrNoReply or, if the caller has ended by then, the reason of that.
//
// The time-out is a timer of the running actor, on the terms of [After]: it ends with
// the life that has asked, and when the actor drains. The request allocates four small
// objects.
func Within(d time.Duration) AskOption { return AskOption(kernel.Within(d)) }

// withOptions returns the reply address of a request with options. The last of several time-outs
// counts.
func withOptions[R any](c *kernel.Turn, back replyTo[R], life uint16, opts []AskOption) replyTo[R] {
	for _, o := range slices.Backward(opts) {
		if d, limited := kernel.AskOption(o).Limit(); limited {
			return limit(c, back, d, life)
		}
	}
	return back
}

// sendRequest sends a request from a behaviour.
func sendRequest[Q, R any](c *kernel.Turn, d *kernel.Descriptor, to *kernel.Cell, q Q,
	back replyTo[R], life uint16) {
	m := c.Node(d.Size)
	m.Life = life
	*kernel.PayloadOf[request[Q, R]](m) = request[Q, R]{q, back}
	switch {
	case to.Shared().Sys != c.Sys:
		kernel.CountMade(c, -1) // the other system counts it
		to.Sys().SendRequest(kernel.AsPlain, to, m, d)
	case d.Urgent:
		kernel.SendUrgent(c, to, m, d)
	default:
		c.Send(to, m, d)
	}
}

// request is the payload of an ask. The header of its message has the life of the caller: see
// kernel.Turn.MarkAsk.
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
	caller *kernel.Cell
	reply  *kernel.Descriptor
	// The message for caller, if it was made already: see kernel.Turn.Prepare.
	node *kernel.Message
}

// Answer sends the reply. It mutes no sender, since the caller has asked for the reply. alive is
// true if a behaviour gives the reply, and false if the runtime does so after a panic, an end or a
// dead letter. life is that of the caller.
func (to replyTo[R]) Answer(e kernel.Env, life uint16, res Result[R], alive bool) {
	if k := to.call; k != nil {
		switch {
		case k.timed != nil:
			k.timed.Answer(e, res)
		case k.handler != nil && alive:
			k.handler.Send(senderOfEnv(e), res)
		case k.handler != nil:
			rejectTo(e.InSystem(), k.handler, res)
		default:
			k.finish(res)
		}
		return
	}
	e = e.In(to.caller)
	m, d := to.node, to.reply
	if m == nil {
		m = e.Node(d.Size)
		m.Life = life
		*kernel.PayloadOf[Result[R]](m) = res
	} else {
		var in *kernel.Message
		kernel.CountMade(e, 1)
		in, d = kernel.Prepared(m, d)
		*kernel.PayloadOf[Result[R]](in) = res
	}
	if to.reply.Urgent {
		kernel.Answer(e, to.caller, m, d, true)
		return
	}
	e.Answer(to.caller, m, d)
}

// reject tells the caller why there will be no reply. It does nothing if the request was answered
// already: an interceptor may panic after that.
func (to replyTo[R]) reject(e kernel.Env, life uint16, err error) {
	switch {
	case to.call == nil && to.caller == nil:
	case to.call != nil && to.call.PutOff != nil:
		to.call.PutOff.Crashed(e, err)
	default:
		to.Answer(e, life, Result[R]{Err: err}, false)
	}
}

// rejectTo tells a handler why there will be no reply. Its caller may be in the middle of other
// work, such as a walk through the mail of an actor. So a handler of the user's is called by guard.
func rejectTo[R any](s *kernel.System, h Handler[Result[R]], res Result[R]) {
	switch h.(type) {
	case bound[Result[R]], guard.Own:
		h.Send(systemOf(s), res)
	default:
		s.Guard("Handler of a reply", func() { h.Send(systemOf(s), res) })
	}
}

// Refused returns the reason why the caller does not want the request to run; nil: it may run.
func (to replyTo[R]) Refused() error {
	if to.call == nil {
		return nil
	}
	switch to.call.State.Load() {
	case kernel.CallRefused:
		return ErrDeadlock
	case kernel.CallUnhelped:
		return ErrTooManyBlocked
	}
	return nil
}

// nowhere is a reply address for a request whose reply has been put aside. It keeps the context.
func nowhere[R any](to replyTo[R]) replyTo[R] {
	k := &call[R]{}
	k.Ctx = callerOf(&to).Context()
	k.State.StoreRelease(kernel.CallAbandoned)
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
	d := kernel.AnyAsk(b).Descriptor().MadeAsk()
	d.MustSuit(r.target())
	return &askedActor[Q, R]{kernel.Receiver{D: d, B: r.target()}, kernel.AnyAsk(b).Calls()}
}

// askedActor is an AskBehaviour with the actor that it asks.
type askedActor[Q, R any] struct {
	kernel.Receiver
	calls *sync.Pool
}

func (a *askedActor[Q, R]) Ask(ctx context.Context, q Q) (R, error) {
	return ask[Q, R](ctx, a.D, a.calls, a.B, q)
}

func (a *askedActor[Q, R]) AskTo(c *Context, q Q, reply Handler[Result[R]]) {
	turn := c.kernel()
	kernel.MustRun(turn, "AskTo")
	if reply == nil {
		panic("gallop: AskTo: a nil reply for " + a.D.FullName())
	}
	if own, ok := reply.(bound[Result[R]]); ok && own.B == turn.Self {
		back, life := replyTo[R]{caller: own.B, reply: own.D}, turn.MarkAsk()
		if turn.Travels != nil {
			back.node = turn.Prepare(own.D, life)
		}
		sendRequest(turn, a.D, a.B, q, back, life)
		return
	}
	k := &call[R]{handler: reply}
	k.Ctx, k.Tells, k.Waits = turn.Travels, true, turn.Waits
	sendRequest(turn, a.D, a.B, q, replyTo[R]{call: k}, 0)
}

// AskFor sends a request to an actor that suits the behaviour, or to that of a if to is nil. The
// outcome goes to handler. The request carries ctx, as that of [AskBehaviour.Ask] does; nil: nothing.
// If left is not nil, the request takes no room, as that of Ask: a caller outside waits for the outcome,
// and sets left when it gives up. Packages process/actors and bridge call it.
func (a *askedActor[Q, R]) AskFor(ctx context.Context, e kernel.Env, to *kernel.Cell, q Q,
	left *seam.Bool, handler Handler[Result[R]]) {
	if to == nil {
		to = a.B
	}
	k := &call[R]{handler: handler}
	k.Ctx, k.Left, k.Tells, k.Waits = ctx, left, left == nil, to.Supervised && kernel.WaitsForRestart(ctx)
	e = e.In(to)
	m := e.Node(a.D.Size)
	*kernel.PayloadOf[request[Q, R]](m) = request[Q, R]{q, replyTo[R]{call: k}}
	switch {
	case left != nil:
		to.Sys().SendRequest(kernel.AsPlain, to, m, a.D)
	case a.D.Urgent:
		kernel.SendUrgent(e, to, m, a.D)
	default:
		e.Send(to, m, a.D)
	}
}

// callerOf returns the caller in an address. Like kernel.MakeDone it is a function.
func callerOf[R any](to *replyTo[R]) kernel.Caller {
	if k := to.call; k != nil {
		return kernel.Caller{Call: &k.CallState, By: k.By, Node: k.Node}
	}
	return kernel.Caller{By: to.caller, Node: to.node}
}
