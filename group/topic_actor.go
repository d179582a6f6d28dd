package group

import (
	"reflect"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/heap"
	"github.com/gallop-go/gallop/internal/guard"
)

// TopicActor is the state of a topic. It is exported for the declaration of a topic as
// the child of a supervisor: see [TopicType].
type TopicActor[M any] struct {
	opts        topicOptions
	subscribers orderedMap[actor.Handler[M], *subscription]
	sizeAtPrune int // number of subscribers after the last pruneEnded
	// 1 + index of the handler that is being called; 0: none
	calling int
}

// subscriber is the message of Subscribe.
type subscriber[M any] struct {
	h   actor.Handler[M]
	sub *subscription // nil: no options
}

// topicType is the type of the topics for one type of messages.
type topicType[M any] struct {
	typ         *actor.Type[TopicActor[M]]
	publish     actor.Behaviour[TopicActor[M], M]
	subscribe   actor.Behaviour[TopicActor[M], subscriber[M]]
	unsubscribe actor.Behaviour[TopicActor[M], actor.Handler[M]]
	count       actor.AskBehaviour[TopicActor[M], struct{}, int]
	owned       heap.Owned // finds what a message without a receiver owns
}

func newTopicType[M any]() *topicType[M] {
	t := &topicType[M]{
		typ:   actor.NewType[TopicActor[M]]("topic", actor.WithKeep((*TopicActor[M]).keep)),
		owned: heap.OwnedIn(reflect.TypeFor[M]()),
	}
	t.publish = actor.Declare[M](t.typ, "publish")
	t.subscribe = actor.Declare[subscriber[M]](t.typ, "subscribe")
	t.unsubscribe = actor.Declare[actor.Handler[M]](t.typ, "unsubscribe")
	t.count = actor.DeclareAsk[struct{}, int](t.typ, "count")
	t.typ.Table(t.publish.Handle(t.doPublish), t.subscribe.Handle((*TopicActor[M]).doSubscribe),
		t.unsubscribe.Handle((*TopicActor[M]).doUnsubscribe), t.count.Handle((*TopicActor[M]).doCount))
	return t
}

// TopicType is the actor type of topics for messages of type M, for a topic that is the
// child of a supervisor:
//
//	supervise.Worker[group.TopicActor[Line]]{Name: "news",
//		Type: group.TopicType[Line](), Init: group.TopicInit[Line](group.WithLag(group.LagDrop))}
//
// [AsTopic] makes a Topic of the child's ref. A topic that is restarted in place keeps its
// subscribers, except for a handler whose call panicked. A topic that was ended by order, or whose
// supervisor was restarted, is replaced by a new one, which has no subscribers; a subscriber that
// has to subscribe again can watch the old one.
func TopicType[M any]() *actor.Type[TopicActor[M]] { return typeOnce(newTopicType[M]).typ }

// TopicInit returns the Init of a topic that is the child of a supervisor: see
// [TopicType]. It panics if an option is nil.
func TopicInit[M any](opts ...TopicOption) func(*TopicActor[M]) {
	o := topicOptionsOf("TopicInit", opts)
	return func(t *TopicActor[M]) { t.opts = o }
}

// AsTopic returns the topic whose actor r is. It panics if r is the zero Ref.
func AsTopic[M any](r actor.Ref[TopicActor[M]]) Topic[M] {
	if r.IsZero() {
		panic("gallop: group: AsTopic of a zero Ref")
	}
	return Topic[M]{r, typeOnce(newTopicType[M])}
}

// keep keeps the subscribers across a restart, except for the one whose call panicked.
func (t *TopicActor[M]) keep() {
	if t.calling != 0 {
		t.subscribers.removeAt(t.calling - 1)
		t.subscribers.compact()
	}
	*t = TopicActor[M]{subscribers: t.subscribers}
}

// doPublish runs one publication. It charges the turn for each subscriber, so that a topic with a
// thousand subscribers runs four publications a turn and not a hundred: the messages of a hundred
// publications would be evicted from all CPU caches before the first of them ran.
func (t *topicType[M]) doPublish(of *TopicActor[M], c *actor.Context, m M) {
	c.Gas(of.subscribers.len())
	reached := false
	for i := range of.subscribers.list {
		e := &of.subscribers.list[i]
		if !e.present {
			continue
		}
		of.calling = i + 1
		switch t.deliver(of, c, e.key, e.val, m) {
		case delivered:
			reached = true
		case lagged:
			reached = true // as a dead letter
			of.subscribers.removeAt(i)
		case subscriberEnded:
			of.subscribers.removeAt(i)
		}
	}
	of.calling = 0
	of.subscribers.compact()
	of.sizeAtPrune = of.subscribers.len()
	if !reached {
		// without the copy, m would escape at every call
		lost := m
		heap.DiscardIn(&lost, t.owned)
	}
}

// outcome is the result of delivering a message to one subscriber.
type outcome uint8

const (
	delivered       outcome = iota // the handler got it, or it is a dead letter
	lagged                         // it is a dead letter, and the subscription ends
	subscriberEnded                // the handler has ended and did not get it
)

// deliver sends m to a subscriber, or applies its lag policy.
func (t *topicType[M]) deliver(of *TopicActor[M], c *actor.Context, h actor.Handler[M],
	s *subscription, m M) outcome {
	err := h.TrySend(c, m)
	if err == nil {
		return delivered
	}
	if isEnd(err) || hasEnded(h) {
		return subscriberEnded
	}
	lag, overloaded := s.lagOf(of.opts.lag), guard.Is(err, actor.ErrOverloaded)
	if lag == LagWait || !overloaded {
		h.Send(c, m)
		return delivered
	}
	self := actor.Self[TopicActor[M]](c)
	makeDeadLetter(c, t.publish.To(self), h, m, actor.ErrOverloaded)
	if lag == LagDrop {
		return delivered
	}
	s.notifyEnd(c, Lagged{Topic: self.Any()})
	return lagged
}

// pruneEnded removes the subscribers that have ended.
func (t *TopicActor[M]) pruneEnded() {
	t.subscribers.removeIf(hasEnded)
	t.sizeAtPrune = t.subscribers.len()
}

func (t *TopicActor[M]) doSubscribe(_ *actor.Context, s subscriber[M]) {
	if e := t.subscribers.find(s.h); e != nil {
		e.val = s.sub
		return
	}
	if t.subscribers.len() >= max(minPrune, 2*t.sizeAtPrune) {
		t.pruneEnded()
	}
	t.subscribers.add(s.h, s.sub)
}

func (t *TopicActor[M]) doUnsubscribe(_ *actor.Context,
	h actor.Handler[M]) {
	t.subscribers.remove(h)
}

func (t *TopicActor[M]) doCount(*actor.Context, struct{}) (int, error) {
	t.pruneEnded()
	return t.subscribers.len(), nil
}
