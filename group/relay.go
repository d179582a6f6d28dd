package group

import (
	"context"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/kernel"
)

// relay is an actor that sends one message to an overloaded receiver. The relay is muted instead of
// the actor that would have sent the message, and ends when the receiver has recovered.
type relay[T any] struct {
	to actor.Handler[T]
	m  T
	// called when it ends, for any reason; may be nil
	onEnd func(c *actor.Context)
}

// relayType is the type of the relays for one type of messages.
type relayType[T any] struct {
	typ       *actor.Type[relay[T]]
	forward   actor.Behaviour[relay[T], struct{}]
	delivered actor.Behaviour[relay[T], struct{}]
}

func newRelayType[T any]() *relayType[T] {
	t := &relayType[T]{typ: actor.NewType[relay[T]]("relay")}
	t.forward = actor.Declare[struct{}](t.typ, "forward")
	t.delivered = actor.Declare[struct{}](t.typ, "delivered")
	(*kernel.AnyType)(t.typ).Info().Unrefused = true
	t.typ.OnStop(func(r *relay[T], c *actor.Context, _ error) {
		if r.onEnd != nil {
			r.onEnd(c)
		}
	})
	t.typ.Table(
		t.forward.Handle(func(r *relay[T], c *actor.Context, _ struct{}) {
			// runs when the relay is no longer muted
			t.delivered.Send(c, actor.Self[relay[T]](c), struct{}{})
			r.to.Send(c, r.m)
		}),
		t.delivered.Handle(func(_ *relay[T], c *actor.Context, _ struct{}) { c.Stop() }),
	)
	return t
}

// sendByRelay sends m to an actor that may be overloaded. Only the relay is muted, not the caller. The
// message carries no context: the relay must run, also after the end of one.
func sendByRelay[T any](c *actor.Context, to actor.Handler[T], m T, done func(c *actor.Context)) {
	t := typeOnce(newRelayType[T])
	t.forward.Send(c.With(context.Background()), t.typ.Spawn(c, relay[T]{to, m, done}), struct{}{})
}
