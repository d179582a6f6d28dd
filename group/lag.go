package group

import (
	"fmt"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/kernel"
)

// Lag is a topic's treatment of a message for a subscriber that does not keep up, whose TrySend
// returns [actor.ErrOverloaded].
type Lag uint8

const (
	// LagWait sends the message in spite of that. This mutes the topic until the subscriber has
	// recovered, and the topic mutes the actors that publish: the slowest subscriber limits all.
	// Nothing is lost. It is the default.
	LagWait Lag = 1 + iota
	// LagDrop makes the message a dead letter with ErrOverloaded. Other subscribers and the
	// publishers are not affected, and the subscription goes on.
	LagDrop
	// LagUnsubscribe makes the message a dead letter with ErrOverloaded, and ends the subscription:
	// see [WithNotify].
	LagUnsubscribe
)

// String returns the name of the policy, in lower case.
func (l Lag) String() string {
	names := [...]string{"unknown", "wait", "drop", "unsubscribe"}
	if int(l) >= len(names) {
		return names[0]
	}
	return names[l]
}

// mustBe panics if l is none of the policies.
func (l Lag) mustBe(call string) {
	if l < LagWait || l > LagUnsubscribe {
		panic(fmt.Sprintf("gallop: group: %s(%d): want LagWait, LagDrop or LagUnsubscribe", call,
			uint8(l)))
	}
}

// TopicOption sets a property of a topic when it is made.
type TopicOption interface{ setTopic(*topicOptions) }

type topicOptions struct{ lag Lag }

// WithLag sets the policy for subscribers that do not keep up, [LagWait] by default. As an option
// of Subscribe it applies to one subscriber, instead of the topic's. WithLag panics if l is none of
// the three policies.
func WithLag(l Lag) interface {
	TopicOption
	SubscribeOption
} {
	l.mustBe("WithLag")
	return lagOption(l)
}

type lagOption Lag

func (l lagOption) setTopic(o *topicOptions)        { o.lag = Lag(l) }
func (l lagOption) setSubscription(s *subscription) { s.lag = Lag(l) }

// topicOptionsOf applies options to the defaults.
func topicOptionsOf(call string, opts []TopicOption) topicOptions {
	o := topicOptions{lag: LagWait}
	for _, opt := range opts {
		if opt == nil {
			panic("gallop: group: " + call + " with a nil option")
		}
		opt.setTopic(&o)
	}
	return o
}

// SubscribeOption sets a property of one subscription.
type SubscribeOption interface{ setSubscription(*subscription) }

// subscription holds the options of a subscriber.
type subscription struct {
	lag   Lag // 0: the topic's
	onEnd actor.Handler[Lagged]
}

// Lagged is the message that tells a subscriber that its subscription has ended because it did not
// keep up.
type Lagged struct {
	// Topic is the topic.
	Topic actor.AnyRef
}

// WithNotify sends h a message when [LagUnsubscribe] ends the subscription: exactly one, even if h
// is overloaded itself. If h is the subscriber's own actor, the message comes after those it was
// sent before. WithNotify panics if h is nil.
func WithNotify(h actor.Handler[Lagged]) SubscribeOption {
	if h == nil {
		panic("gallop: group: WithNotify with a nil Handler")
	}
	return notifyOption{h}
}

type notifyOption struct{ h actor.Handler[Lagged] }

func (o notifyOption) setSubscription(s *subscription) { s.onEnd = o.h }

// subscriptionOf applies options. It returns nil if there are none.
func subscriptionOf(opts []SubscribeOption) *subscription {
	if len(opts) == 0 {
		return nil
	}
	s := new(subscription)
	for _, opt := range opts {
		if opt == nil {
			panic("gallop: group: Subscribe with a nil option")
		}
		opt.setSubscription(s)
	}
	return s
}

// lagOf returns the policy of a subscription; topic is the policy of the topic.
func (s *subscription) lagOf(topic Lag) Lag {
	if s == nil || s.lag == 0 {
		return topic
	}
	return s.lag
}

// notifyEnd tells a subscriber that its subscription has ended.
func (s *subscription) notifyEnd(c *actor.Context, l Lagged) {
	if s == nil || s.onEnd == nil {
		return
	}
	if err := s.onEnd.TrySend(c, l); err != nil && !isEnd(err) {
		sendByRelay(c, s.onEnd, l, nil)
	}
}

// isEnd reports whether an error of TrySend says that the receiver has ended.
func isEnd(err error) bool {
	return guard.Is(err, actor.ErrStopped) || guard.Is(err, actor.ErrSystemStopped)
}

// makeDeadLetter makes a dead letter of a message that a handler has refused. The dead letter names
// the handler's actor or, if the handler is not an actor's, the actor of own.
func makeDeadLetter[M any](c *actor.Context, own kernel.Receiver, h actor.Handler[M], m M,
	why error) {
	x, ok := kernel.ReceiverOf(actorHandler(h))
	if !ok {
		x = own
	}
	kernel.Refuse(c, x, m, why)
}

// actorHandler returns the handler of the actor behind a topic or pool, and any other handler as it
// is.
func actorHandler[M any](h actor.Handler[M]) actor.Handler[M] {
	if g, ok := h.(interface{ handler() actor.Handler[M] }); ok {
		return g.handler()
	}
	return h
}
