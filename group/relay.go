package group

import "github.com/gallop-go/gallop/actor"

// courier is an actor that takes one message to a receiver that is overloaded. It is muted for the
// receiver in place of the actor that sent it, and ends when the receiver has recovered.
type relay[T any] struct {
	to actor.Handler[T]
	m  T
	// called when it ends, whatever happens; nil: nobody wants to know
	onEnd func(c *actor.Context)
}

// courierType is the type of the couriers for one type of messages.
type relayType[T any] struct {
	typ       *actor.Type[relay[T]]
	forward   actor.Behaviour[relay[T], actor.None]
	delivered actor.Behaviour[relay[T], actor.None]
}

func newRelayType[T any]() *relayType[T] {
	t := &relayType[T]{typ: actor.NewType[relay[T]]("courier")}
	t.forward = actor.Declare[actor.None](t.typ, "carry")
	t.delivered = actor.Declare[actor.None](t.typ, "received")
	t.typ.OnStop(func(r *relay[T], c *actor.Context, _ error) {
		if r.onEnd != nil {
			r.onEnd(c)
		}
	})
	t.typ.Table(
		t.forward.Do(func(r *relay[T], c *actor.Context, _ actor.None) {
			// it runs when the courier is muted no longer
			t.delivered.Send(c, actor.Self[relay[T]](c), actor.None{})
			r.to.Send(c, r.m)
		}),
		t.delivered.Do(func(_ *relay[T], c *actor.Context, _ actor.None) { c.Stop() }),
	)
	return t
}

// sendByCourier sends m to an actor that may be overloaded, and mutes nobody but the courier.
func sendByRelay[T any](c *actor.Context, to actor.Handler[T], m T, done func(c *actor.Context)) {
	t := typeOnce(newRelayType[T])
	t.forward.Send(c, t.typ.Spawn(c, relay[T]{to, m, done}), actor.None{})
}
