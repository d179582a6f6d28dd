package group

import (
	"context"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/supervise"
)

// Topic sends every published message to all its subscribers. It is an [actor.Handler]. Make one
// with [NewTopic], and start it with [Topic.Start], or as the child of a supervisor with
// [Topic.Child]. It may be copied. The zero Topic is not usable: its methods panic.
//
// A topic is an actor, which may be restarted, or replaced by a new one. It keeps its subscribers,
// except for a handler whose call panicked.
//
// A topic has no actor before it has started, nor after its actor has ended as the child of a
// supervisor, until the supervisor starts another one. Meanwhile subscriptions are kept for the
// next actor, and messages are dead letters; TrySend and SendWait return an error that wraps
// [actor.ErrSuspended]. So a topic or pool that sends to this topic keeps it, also if the
// supervisor never starts another actor.
type Topic[M any] struct{ t *topic[M] }

var _ actor.Handler[int] = Topic[int]{}

// NewTopic makes a topic without subscribers, which is not started yet. It panics if an option is
// nil.
func NewTopic[M any](opts ...TopicOption) Topic[M] {
	return Topic[M]{&topic[M]{typ: typeOnce(newTopicType[M]), opts: topicOptionsOf("NewTopic", opts),
		place: place[topicActor[M]]{kind: "Topic"}}}
}

// Start starts the topic's actor, and returns the topic. It panics if the topic was started before,
// or is the child of a supervisor.
func (t Topic[M]) Start(from actor.Sender) Topic[M] {
	x := t.ready()
	x.start(from)
	x.publish(listed(x.typ.typ.Spawn(from, topicActor[M]{x})))
	return t
}

// Child declares the topic's actor as the child of a supervisor. Set the restart type and similar
// fields in the result. A topic is for one running tree: a second actor fails to start. Child
// panics if the topic was started.
func (t Topic[M]) Child(name string) supervise.Worker[topicActor[M]] {
	x := t.ready()
	x.declare()
	return supervise.Worker[topicActor[M]]{Name: name, Type: x.typ.typ,
		Init: func(a *topicActor[M]) { a.topic = x }}
}

func (t Topic[M]) ready() *topic[M] {
	if t.t == nil {
		panic("gallop: group: a zero Topic: use NewTopic")
	}
	return t.t
}

// Publish sends m to all subscribers, the oldest subscription first, as [actor.Behaviour.Send]
// does. The policy decides about a subscriber that does not keep up: see [WithLag]. By default,
// [LagWait], the subscriber mutes the topic, and the topic then mutes the actors that publish. A
// goroutine cannot be muted: see [Topic.SendWait].
//
// If there is no subscriber, a [heap.Region] or [heap.Parcel] that m owns is discarded. With more
// than one subscriber, m should own nothing.
func (t Topic[M]) Publish(from actor.Sender, m M) {
	x := t.ready()
	if to := x.current.Load(); to != nil {
		x.typ.publish.Send(from, *to, m)
		return
	}
	lose(&x.place, x.typ.typ, x.typ.publish, from, m)
}

// Send is [Topic.Publish], for code that uses the topic as a handler.
func (t Topic[M]) Send(from actor.Sender, m M) { t.Publish(from, m) }

// TrySend is [Topic.Publish] with the errors of [actor.Behaviour.TrySend].
func (t Topic[M]) TrySend(from actor.Sender, m M) error {
	x := t.ready()
	if to := x.current.Load(); to != nil {
		return x.errOf(x.typ.publish.TrySend(from, *to, m))
	}
	return errNoActor
}

// SendWait is [Topic.Publish] from outside that blocks while the topic is muted or overloaded, or
// has no room, as [actor.Behaviour.SendWait] does. With [LagWait], a subscriber that does not keep
// up mutes the topic, so it slows a goroutine down too.
func (t Topic[M]) SendWait(ctx context.Context, m M) error {
	x := t.ready()
	if to := x.current.Load(); to != nil {
		return x.errOf(x.typ.publish.SendWait(ctx, *to, m))
	}
	return errNoActor
}

// Subscribe makes h a subscriber. It receives messages that the caller publishes after the
// Subscribe, and messages that others publish because of a later act of the caller. A handler that
// subscribes twice gets each message once, and the options of the later call apply.
//
// Subscribe panics if an option is nil, and if h is
//
//   - nil, or a zero Topic or Pool,
//   - a value that Go cannot compare or that is not equal to itself,
//   - the topic itself.
//
// Cycles of several topics, in which a message would circulate for ever, are not detected.
func (t Topic[M]) Subscribe(from actor.Sender, h actor.Handler[M], opts ...SubscribeOption) {
	mustBeHandler("Subscribe", h)
	if me, ok := h.(*Topic[M]); h == actor.Handler[M](t) || ok && *me == t {
		panic("gallop: group: Subscribe of a Topic to itself")
	}
	x := t.ready()
	order(&x.place, from, x.typ.subscribe, (*topicActor[M]).doSubscribe,
		subscriber[M]{h, subscriptionOf(opts)})
}

// Unsubscribe ends a subscription. If there is none, as with the topic itself, it does
// nothing. For any other handler it panics as [Topic.Subscribe] does.
func (t Topic[M]) Unsubscribe(from actor.Sender, h actor.Handler[M]) {
	mustBeHandler("Unsubscribe", h)
	x := t.ready()
	order(&x.place, from, x.typ.unsubscribe, (*topicActor[M]).doUnsubscribe, h)
}

// Len returns, from outside, the number of subscribers that have not ended. The errors are the
// errors of [actor.AskBehaviour.Ask]; [actor.ErrSuspended] also while the topic has no actor.
func (t Topic[M]) Len(ctx context.Context) (int, error) {
	x := t.ready()
	if to := x.current.Load(); to != nil {
		n, err := x.typ.count.Ask(ctx, *to, struct{}{})
		return n, x.errOf(err)
	}
	return 0, errNoActor
}

// Any returns the topic's actor, to be watched, joined or linked; the zero AnyRef before the topic
// has started. A topic that is a supervisor's child may get another actor.
func (t Topic[M]) Any() actor.AnyRef { return t.ready().actorRef().Any() }

// Stop ends the topic, as [actor.Stop] does. It does nothing before the topic has started.
func (t Topic[M]) Stop(from actor.Sender) { t.ready().stop(from) }

// Status returns the status of the topic's actor: see [actor.Ref.Status]. While the topic has no
// actor it is [actor.StatusOverloaded].
func (t Topic[M]) Status() actor.Status { return t.ready().status() }

// handler returns the handler of the topic's actor: see makeDeadLetter. nil: it has none.
func (t Topic[M]) handler() actor.Handler[M] {
	if to := t.t.current.Load(); to != nil {
		return t.t.typ.publish.To(*to)
	}
	return nil
}
