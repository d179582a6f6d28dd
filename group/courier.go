package group

import "github.com/gallop-go/gallop/actor"

// courier is an actor that takes one message to a receiver that is overloaded. It is muted for the
// receiver in place of the actor that sent it, and ends when the receiver has recovered.
type courier[T any] struct {
	to   actor.Handler[T]
	m    T
	done func(c *actor.Context) // called when it ends, whatever happens; nil: nobody wants to know
}

// courierType is the type of the couriers for one type of messages.
type courierType[T any] struct {
	typ      *actor.Type[courier[T]]
	carry    actor.Behaviour[courier[T], actor.None]
	received actor.Behaviour[courier[T], actor.None]
}

func newCourierType[T any]() *courierType[T] {
	t := &courierType[T]{typ: actor.NewType[courier[T]]("courier")}
	t.carry = actor.Declare[actor.None](t.typ, "carry")
	t.received = actor.Declare[actor.None](t.typ, "received")
	t.typ.OnStop(func(k *courier[T], c *actor.Context, _ error) {
		if k.done != nil {
			k.done(c)
		}
	})
	t.typ.Table(
		t.carry.Do(func(k *courier[T], c *actor.Context, _ actor.None) {
			t.received.Send(c, actor.Self[courier[T]](c), actor.None{}) // it runs when the courier is muted no longer
			k.to.Send(c, k.m)
		}),
		t.received.Do(func(_ *courier[T], c *actor.Context, _ actor.None) { c.Stop() }),
	)
	return t
}

// sendByCourier sends m to an actor that may be overloaded, and mutes nobody but the courier.
func sendByCourier[T any](c *actor.Context, to actor.Handler[T], m T, done func(c *actor.Context)) {
	t := typeOnce(newCourierType[T])
	t.carry.Send(c, t.typ.Spawn(c, courier[T]{to, m, done}), actor.None{})
}
