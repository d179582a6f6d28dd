package group

import (
	"context"
	"reflect"
	"slices"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/heap"
)

// Topic is an actor that passes what is published on to all who have subscribed. It is
// an [actor.Handler]. Make one with [NewTopic]. It may be copied. The zero Topic is not
// ready: using it panics.
type Topic[M any] struct {
	ref actor.Ref[topic[M]]
	typ *topicType[M]
}

var _ actor.Handler[int] = Topic[int]{}

// topicType is the type of the topics for one type of messages.
type topicType[M any] struct {
	typ                    *actor.Type[topic[M]]
	publish                actor.Behaviour[topic[M], M]
	subscribe, unsubscribe actor.Behaviour[topic[M], actor.Handler[M]]
	count                  actor.AskBehaviour[topic[M], actor.None, int]
	owned                  heap.Owned // what a message owns that reaches nobody
}

func newTopicType[M any]() *topicType[M] {
	t := &topicType[M]{typ: actor.NewType[topic[M]]("topic"), owned: heap.OwnedIn(reflect.TypeFor[M]())}
	t.publish = actor.Declare[M](t.typ, "publish")
	t.subscribe = actor.Declare[actor.Handler[M]](t.typ, "subscribe")
	t.unsubscribe = actor.Declare[actor.Handler[M]](t.typ, "unsubscribe")
	t.count = actor.DeclareAsk[actor.None, int](t.typ, "count")
	t.typ.Table(t.publish.Do(t.doPublish), t.subscribe.Do((*topic[M]).doSubscribe),
		t.unsubscribe.Do((*topic[M]).doUnsubscribe), t.count.Do((*topic[M]).doCount))
	return t
}

// NewTopic spawns a topic without subscribers.
func NewTopic[M any](from actor.Sender) Topic[M] {
	t := typeOnce(newTopicType[M])
	return Topic[M]{t.typ.Spawn(from, topic[M]{}), t}
}

func (t Topic[M]) ready() *topicType[M] {
	if t.typ == nil {
		panic("gallop: group: a zero Topic: use NewTopic")
	}
	return t.typ
}

// Publish sends m to all subscribers, the oldest subscription first, on the terms of
// [actor.Behaviour.Send]. A subscriber that is overloaded mutes the topic, and the
// topic then mutes the actors that publish. It does not mute a goroutine: see
// [Topic.SendWait].
//
// If there is no subscriber, what m owns, a [heap.Region] or a [heap.Parcel], is
// discarded. With more than one subscriber, m should own nothing.
func (t Topic[M]) Publish(from actor.Sender, m M) { t.ready().publish.Send(from, t.ref, m) }

// Send is [Topic.Publish], for code that takes the topic for any other handler.
func (t Topic[M]) Send(from actor.Sender, m M) { t.Publish(from, m) }

// TrySend is [Topic.Publish] on the terms of [actor.Behaviour.TrySend].
func (t Topic[M]) TrySend(from actor.Sender, m M) error {
	return t.ready().publish.TrySend(from, t.ref, m)
}

// SendWait is [Topic.Publish] from outside that blocks while the topic is muted or
// overloaded, or there is no room, on the terms of [actor.Behaviour.SendWait]. A
// subscriber that does not keep up mutes the topic, so it holds back a goroutine too.
func (t Topic[M]) SendWait(ctx context.Context, sys *actor.System, m M) error {
	return t.ready().publish.SendWait(ctx, sys, t.ref, m)
}

// Subscribe makes h get what is published from now on: what the caller publishes after
// the Subscribe, and what others publish because of something that the caller did after
// it. A handler that subscribes twice gets each message once.
//
// Subscribe panics if h is nil, a value that Go cannot compare or that is not equal to itself, a zero Topic or Pool,
// or the topic itself. What is published in a circle goes round for ever; larger
// circles are the caller's to avoid.
func (t Topic[M]) Subscribe(from actor.Sender, h actor.Handler[M]) {
	mustSuit("Subscribe", h)
	if me, ok := h.(*Topic[M]); h == actor.Handler[M](t) || ok && *me == t {
		panic("gallop: group: Subscribe of a Topic to itself")
	}
	t.ready().subscribe.Send(from, t.ref, h)
}

// Unsubscribe ends a subscription. If there is none, as with the topic itself, it does
// nothing. For any other handler it panics as [Topic.Subscribe] does.
func (t Topic[M]) Unsubscribe(from actor.Sender, h actor.Handler[M]) {
	mustSuit("Unsubscribe", h)
	t.ready().unsubscribe.Send(from, t.ref, h)
}

// Subscribers asks, from outside, how many have subscribed and not ended. The errors
// are those of [actor.AskBehaviour.Ask].
func (t Topic[M]) Subscribers(ctx context.Context, sys *actor.System) (int, error) {
	return t.ready().count.Ask(ctx, sys, t.ref, actor.None{})
}

// Stop ends the topic, as [actor.Stop] does.
func (t Topic[M]) Stop(from actor.Sender) {
	t.ready()
	actor.Stop(from, t.ref)
}

// Standing returns how the topic stands. See [actor.Ref.Standing].
func (t Topic[M]) Standing() actor.Standing {
	t.ready()
	return t.ref.Standing()
}

// topic is the state of a topic.
type topic[M any] struct {
	list []actor.Handler[M]       // in the order of subscription; nil: one that is subscribed no longer
	know map[actor.Handler[M]]int // where in the list
	tidy int                      // how many there were when the ended were last looked for
}

func (t *topicType[M]) doPublish(of *topic[M], c *actor.Context, m M) {
	for i, h := range of.list {
		if h != nil && !deliver(c, h, m) {
			of.drop(i)
		}
	}
	of.closeRanks()
	of.tidy = len(of.know)
	if len(of.know) == 0 {
		lost := m // m itself would be moved to Go's heap at every call
		heap.DiscardIn(&lost, t.owned)
	}
}

// forgetEnded drops the subscribers that have ended.
func (t *topic[M]) forgetEnded() {
	for i, h := range t.list {
		if h != nil && hasEnded(h) {
			t.drop(i)
		}
	}
	t.closeRanks()
	t.tidy = len(t.know)
}

// drop forgets the subscriber at i. The place stays empty, so the cost does not depend on how many
// there are.
func (t *topic[M]) drop(i int) {
	delete(t.know, t.list[i])
	t.list[i] = nil
}

// closeRanks closes the gaps when there are more gaps than subscribers.
func (t *topic[M]) closeRanks() {
	if len(t.list) <= 2*len(t.know) {
		return
	}
	t.list = slices.DeleteFunc(t.list, func(h actor.Handler[M]) bool { return h == nil })
	for i, h := range t.list {
		t.know[h] = i
	}
}

func (t *topic[M]) doSubscribe(_ *actor.Context, h actor.Handler[M]) {
	if _, there := t.know[h]; there {
		return
	}
	if len(t.know) >= max(few, 2*t.tidy) {
		t.forgetEnded()
	}
	if t.know == nil {
		t.know = map[actor.Handler[M]]int{}
	}
	t.know[h] = len(t.list)
	t.list = append(t.list, h)
}

func (t *topic[M]) doUnsubscribe(_ *actor.Context, h actor.Handler[M]) {
	if i, there := t.know[h]; there {
		t.drop(i)
		t.closeRanks()
	}
}

func (t *topic[M]) doCount(*actor.Context, actor.None) (int, error) {
	t.forgetEnded()
	return len(t.know), nil
}
