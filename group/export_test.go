package group

import (
	"github.com/gallop-go/gallop/actor"
)

var ErrCrewEnded = errCrewEnded

// KeptMembers returns how many members a pool keeps that these have joined, one after the other,
// without a message in between.
func KeptMembers[M any](p Policy[M], members func(yield func(actor.Handler[M]) bool)) int {
	pool := newPool(p)
	pool.startPolicy()
	for h := range members {
		pool.doJoin(nil, h)
	}
	return len(pool.members)
}

// KeptSubscribers returns how many subscribers a topic keeps to which these have subscribed, one
// after the other, without a publication in between.
func KeptSubscribers[M any](subscribers func(yield func(actor.Handler[M]) bool)) int {
	t := NewSubscribers[M]()
	for h := range subscribers {
		t.Subscribe(h)
	}
	return t.subscribers.len()
}

// mustAgree panics if the index of an orderedMap does not agree with its list.
func (om *orderedMap[K, V]) mustAgree() {
	there := 0
	for i, e := range om.list {
		if !e.present {
			continue
		}
		if there++; om.index[e.key] != i {
			panic("an orderedMap has a wrong index")
		}
	}
	if there != len(om.index) || len(om.list) > 2*there {
		panic("an orderedMap has other keys than its index, or too many gaps")
	}
}

// Subscribers is a topic and nothing around it.
type Subscribers[M any] struct{ topicActor[M] }

func NewSubscribers[M any]() *Subscribers[M] {
	return &Subscribers[M]{topicActor[M]{new(topic[M])}}
}

func (s *Subscribers[M]) Subscribe(h actor.Handler[M]) {
	s.doSubscribe(nil, subscriber[M]{h: h})
	s.subscribers.mustAgree()
}

// Unsubscribe reports whether all others have stayed where they were.
func (s *Subscribers[M]) Unsubscribe(h actor.Handler[M]) (stayed bool) {
	before := len(s.subscribers.list)
	s.doUnsubscribe(nil, h)
	s.subscribers.mustAgree()
	return len(s.subscribers.list) == before
}

// InOrder are all who have subscribed.
func (s *Subscribers[M]) InOrder() []actor.Handler[M] { return s.subscribers.keys() }

// PoolState is the members of a pool and nothing around them.
type PoolState[M any] struct{ *pool[M] }

// NewPoolState is NewPool without the pool's actor.
func NewPoolState[M any](p Policy[M], members ...actor.Handler[M]) *PoolState[M] {
	return &PoolState[M]{NewPool(p, members...).p}
}

func (m *PoolState[M]) Join(h actor.Handler[M])  { m.doJoin(nil, h) }
func (m *PoolState[M]) Leave(h actor.Handler[M]) { m.doLeave(nil, h) }

// Choose returns who is given a message.
func (m *PoolState[M]) Choose(message M) actor.Handler[M] {
	return m.members[m.policy.choose((*poolMembers[M])(m.pool), message)].h
}

// RingSize is how many points are on the circle of a pool with Hash.
func (m *PoolState[M]) RingSize() int { return len(m.policy.(*hashRing[M]).ring) }

// VirtualNodes are the places on the circle of the member that came after so many others, and At is
// that of a key.
func VirtualNodes(others uint64) (at [virtualNodes]uint64) {
	for p := range at {
		at[p] = mix(others*virtualNodes + uint64(p) + 1<<40)
	}
	return at
}

func HashOf(key uint64) uint64 { return mix(key) }

// countingPolicy is a policy that counts how often its members change.
type countingPolicy struct {
	roundRobin[int]
	times int
}

func (t *countingPolicy) changed(int) { t.times++ }

// CountingPolicy returns a policy, and its number of updates.
func CountingPolicy() (p Policy[int], times func() int) {
	t := &countingPolicy{}
	return Policy[int]{func() chooser[int] { return t }}, func() int { return t.times }
}

// SubscriberCount returns how many subscribers a registry has.
func SubscriberCount[K, V comparable](r Registry[K, V]) int { return r.t.subscribers.all.len() }

// GroupCount returns how many groups a registry keeps.
func GroupCount[K, V comparable](r Registry[K, V]) int { return r.t.groups.len() }

// AskMemberCount returns how many members an AskPool keeps, and AskMemberRefs their actors.
func AskMemberCount[Q, R any](p AskPool[Q, R]) int { return len(p.t.members) }

func AskMemberRefs[Q, R any](p AskPool[Q, R]) (all []actor.AnyRef) {
	p.t.mu.Lock()
	defer p.t.mu.Unlock()
	for _, m := range p.t.members {
		all = append(all, m.ref)
	}
	return all
}

// ChooseAround chooses a member as Ask does, and calls between after it has seen which members there
// are.
func ChooseAround[Q, R any](p AskPool[Q, R], q Q, between func()) {
	v, _ := p.t.view()
	between()
	p.t.chosenWith(v, q)
}
