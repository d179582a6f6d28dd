package group

import (
	"context"

	"github.com/gallop-go/gallop/actor"
)

// Topic is an actor that sends every published message to all its subscribers. It is an
// [actor.Handler], and an [actor.Target]: it can be stopped, watched and linked. Make one with
// [NewTopic], or declare it as the child of a supervisor: see [TopicType]. It may be copied. The
// zero Topic is not usable: its methods panic.
type Topic[M any] struct {
	topicRef[M]
	typ *topicType[M]
}

type topicRef[M any] = actor.Ref[TopicActor[M]]

var (
	_ actor.Handler[int] = Topic[int]{}
	_ actor.Target       = Topic[int]{}
)

// NewTopic spawns a topic without subscribers. It panics if an option is nil.
func NewTopic[M any](from actor.Sender, opts ...TopicOption) Topic[M] {
	t, o := typeOnce(newTopicType[M]), topicOptionsOf("NewTopic", opts)
	return Topic[M]{listed(t.typ.Spawn(from, TopicActor[M]{opts: o})), t}
}

func (t Topic[M]) ready() *topicType[M] {
	if t.typ == nil {
		panic("gallop: group: a zero Topic: use NewTopic")
	}
	return t.typ
}

// Publish sends m to all subscribers, the oldest subscription first, as [actor.Behaviour.Send]
// does. What happens at a subscriber that does not keep up depends on the policy: see [WithLag]. By
// default, [LagWait], the subscriber mutes the topic, and the topic then mutes the actors that
// publish. A goroutine cannot be muted: see [Topic.SendWait].
//
// If there is no subscriber, what m owns, a [heap.Region] or a [heap.Parcel], is
// discarded. With more than one subscriber, m should own nothing.
func (t Topic[M]) Publish(from actor.Sender, m M) { t.ready().publish.Send(from, t.topicRef, m) }

// Send is [Topic.Publish], for code that uses the topic as a handler.
func (t Topic[M]) Send(from actor.Sender, m M) { t.Publish(from, m) }

// TrySend is [Topic.Publish] with the errors of [actor.Behaviour.TrySend].
func (t Topic[M]) TrySend(from actor.Sender, m M) error {
	return t.ready().publish.TrySend(from, t.topicRef, m)
}

// SendWait is [Topic.Publish] from outside that blocks while the topic is muted or overloaded, or
// has no room, as [actor.Behaviour.SendWait] does. With [LagWait], a subscriber that does not keep
// up mutes the topic, so it slows a goroutine down too.
func (t Topic[M]) SendWait(ctx context.Context, m M) error {
	return t.ready().publish.SendWait(ctx, t.topicRef, m)
}

// Subscribe makes h a subscriber: it gets what the caller publishes after the Subscribe, and what
// others publish because of something that the caller did after it. A handler that subscribes twice
// gets each message once, and the options of the later call apply.
//
// Subscribe panics if h is nil, a value that Go cannot compare or that is not equal to itself, a
// zero Topic or Pool, or the topic itself; and if an option is nil. Cycles of several topics, in
// which a message would circulate for ever, are not detected.
func (t Topic[M]) Subscribe(from actor.Sender, h actor.Handler[M], opts ...SubscribeOption) {
	mustBeHandler("Subscribe", h)
	if me, ok := h.(*Topic[M]); h == actor.Handler[M](t) || ok && *me == t {
		panic("gallop: group: Subscribe of a Topic to itself")
	}
	t.ready().subscribe.Send(from, t.topicRef, subscriber[M]{h, subscriptionOf(opts)})
}

// Unsubscribe ends a subscription. If there is none, as with the topic itself, it does
// nothing. For any other handler it panics as [Topic.Subscribe] does.
func (t Topic[M]) Unsubscribe(from actor.Sender, h actor.Handler[M]) {
	mustBeHandler("Unsubscribe", h)
	t.ready().unsubscribe.Send(from, t.topicRef, h)
}

// Len returns, from outside, the number of subscribers that have not ended. The errors are
// those of [actor.AskBehaviour.Ask].
func (t Topic[M]) Len(ctx context.Context) (int, error) {
	return t.ready().count.Ask(ctx, t.topicRef, struct{}{})
}

// Stop ends the topic, as [actor.Stop] does.
func (t Topic[M]) Stop(from actor.Sender) {
	t.ready()
	actor.Stop(from, t.topicRef)
}

// Status returns the status of the topic's actor. See [actor.Ref.Status].
func (t Topic[M]) Status() actor.Status {
	t.ready()
	return t.topicRef.Status()
}

// handler returns the handler of the topic's actor: see makeDeadLetter.
func (t Topic[M]) handler() actor.Handler[M] { return t.typ.publish.To(t.topicRef) }
