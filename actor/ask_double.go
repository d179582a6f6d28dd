package actor

import (
	"context"
	"sync"
)

// Asker is anything that answers requests of type Q with replies of type R, whatever
// else it does. It is to asks what [Handler] is to one-way messages: code that knows
// only an Asker can be given a test double in the place of an actor. Get one with
// [AskBehaviour.To].
//
// A double implements both methods. Its AskTo calls reply.Send(c, …) once, at once or
// later.
type Asker[Q, R any] interface {
	// Ask is like [AskBehaviour.Ask].
	Ask(ctx context.Context, q Q) (R, error)
	// AskTo is like the function [AskTo]. The outcome is sent to reply, which is usually a
	// behaviour of the running actor, kept by that actor: reply.To(actor.Self[S](c)). It
	// may also be a behaviour of another actor, which then hears the outcome in each of its
	// lives.
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
	return ask[Q, R](ctx, a.b.sys(), a.d, a.calls, a.b, q)
}

func (a *askedActor[Q, R]) AskTo(c *Context, q Q, reply Handler[Result[R]]) {
	mustRun(c, "AskTo")
	if reply == nil {
		panic("gallop: AskTo: a nil reply for " + a.d.fullName())
	}
	if own, ok := reply.(bound[Result[R]]); ok && own.b == c.self {
		back, life := replyTo[R]{asker: own.b, reply: own.d}, c.markAsk()
		if c.travels != nil {
			back.node = c.prepare(own.d, life)
		}
		sendRequest(c, a.d, a.b, q, back, life)
		return
	}
	k := &call[R]{handler: reply}
	k.ctx, k.tells = c.travels, true
	sendRequest(c, a.d, a.b, q, replyTo[R]{call: k}, 0)
}
