package group

import (
	"reflect"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/heap"
	"github.com/gallop-go/gallop/internal/face"
	"github.com/gallop-go/gallop/internal/guard"
)

// topic is shared by all copies of a Topic.
type topic[M any] struct {
	typ  *topicType[M]
	opts topicOptions // read-only
	place[topicActor[M]]

	// Owner: the topic's actor. The next one takes over the subscribers.
	subscribers orderedMap[actor.Handler[M], *subscription]
	sizeAtPrune int // number of subscribers after the last pruneEnded
	// 1 + index of the handler that is being called; 0: none
	calling int
}

// topicActor is the state of the actor of a topic. A stand-in has no topic: see place.lose.
type topicActor[M any] struct{ *topic[M] }

// subscriber is the message of Subscribe.
type subscriber[M any] struct {
	h   actor.Handler[M]
	sub *subscription // nil: no options
}

// topicType is the type of the topics for one type of messages.
type topicType[M any] struct {
	typ         *actor.Type[topicActor[M]]
	publish     actor.Behaviour[topicActor[M], M]
	subscribe   actor.Behaviour[topicActor[M], subscriber[M]]
	unsubscribe actor.Behaviour[topicActor[M], actor.Handler[M]]
	count       actor.AskBehaviour[topicActor[M], struct{}, int]
	owned       heap.Owned // finds values that a message without a receiver owns
}

func newTopicType[M any]() *topicType[M] {
	t := &topicType[M]{
		typ:   actor.NewType[topicActor[M]]("topic").OnStart((*topicActor[M]).start),
		owned: heap.OwnedIn(reflect.TypeFor[M]()),
	}
	t.publish = actor.Declare[M](t.typ, "publish")
	t.subscribe = actor.Declare[subscriber[M]](t.typ, "subscribe")
	t.unsubscribe = actor.Declare[actor.Handler[M]](t.typ, "unsubscribe")
	t.count = actor.DeclareAsk[struct{}, int](t.typ, "count")
	t.typ.Table(t.publish.Handle(t.doPublish), t.subscribe.Handle((*topicActor[M]).doSubscribe),
		t.unsubscribe.Handle((*topicActor[M]).doUnsubscribe), t.count.Handle((*topicActor[M]).doCount))
	return t
}

// start takes over the subscribers, except a subscriber whose call panicked.
func (t *topicActor[M]) start(c *actor.Context) error {
	if t.topic == nil {
		return nil
	}
	carryOut, err := t.enter(t, c)
	if err != nil {
		return err
	}
	if t.calling != 0 {
		t.subscribers.removeAt(t.calling - 1)
		t.subscribers.compact()
		t.calling = 0
	}
	carryOut()
	return nil
}

// doPublish runs one publication. It charges the turn for each subscriber, so that a topic with a
// thousand subscribers runs four publications a turn and not a hundred: the messages of a hundred
// publications would be evicted from all CPU caches before the first of them ran.
func (t *topicType[M]) doPublish(of *topicActor[M], c *actor.Context, m M) {
	face.Turn(c).PassOn()
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
func (t *topicType[M]) deliver(of *topicActor[M], c *actor.Context, h actor.Handler[M],
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
	self := actor.Self[topicActor[M]](c)
	makeDeadLetter(c, receiverOf(t.publish, self), h, m, actor.ErrOverloaded)
	if lag == LagDrop {
		return delivered
	}
	s.notifyEnd(c, Lagged{Topic: self.Any()})
	return lagged
}

// pruneEnded removes the subscribers that have ended.
func (t *topic[M]) pruneEnded() {
	t.subscribers.removeIf(hasEnded)
	t.sizeAtPrune = t.subscribers.len()
}

func (t *topic[M]) doSubscribe(_ *actor.Context, s subscriber[M]) {
	if e := t.subscribers.find(s.h); e != nil {
		e.val = s.sub
		return
	}
	if t.subscribers.len() >= max(minPrune, 2*t.sizeAtPrune) {
		t.pruneEnded()
	}
	t.subscribers.add(s.h, s.sub)
}

func (t *topic[M]) doUnsubscribe(_ *actor.Context, h actor.Handler[M]) {
	t.subscribers.remove(h)
}

func (t *topic[M]) doCount(*actor.Context, struct{}) (int, error) {
	t.pruneEnded()
	return t.subscribers.len(), nil
}
