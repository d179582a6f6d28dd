package group

import (
	"github.com/gallop-go/gallop/actor"
)

// KeptMembers is Kept for a pool that nobody sends to, and who joins it.
func KeptMembers[M any](p Policy[M], members func(yield func(actor.Handler[M]) bool)) int {
	pool := newPool(p, nil)
	for h := range members {
		pool.doJoin(nil, h)
	}
	return len(pool.members)
}

// Kept returns how many subscribers a topic keeps to which these have subscribed, one
// after the other, and nobody has published.
func Kept[M any](subscribers func(yield func(actor.Handler[M]) bool)) int {
	var t Subscribers[M]
	for h := range subscribers {
		t.Subscribe(h)
	}
	return t.subs.len()
}

// mustAgree panics if what a roster knows is not what is in its list.
func (r *roster[K, V]) mustAgree() {
	there := 0
	for i, e := range r.list {
		if !e.there {
			continue
		}
		if there++; r.know[e.key] != i {
			panic("a roster does not know where a key is")
		}
	}
	if there != len(r.know) || len(r.list) > 2*there {
		panic("a roster knows others than are in its list, or has too many gaps")
	}
}

// Subscribers is a topic and nothing around it.
type Subscribers[M any] struct{ TopicActor[M] }

func (s *Subscribers[M]) Subscribe(h actor.Handler[M]) {
	s.doSubscribe(nil, subscriber[M]{h: h})
	s.subs.mustAgree()
}

// Unsubscribe reports whether all others have stayed where they were.
func (s *Subscribers[M]) Unsubscribe(h actor.Handler[M]) (stayed bool) {
	before := len(s.subs.list)
	s.doUnsubscribe(nil, h)
	s.subs.mustAgree()
	return len(s.subs.list) == before
}

// InOrder are all who have subscribed.
func (s *Subscribers[M]) InOrder() []actor.Handler[M] { return s.subs.keys() }

// Gathered is the members of a pool and nothing around them.
type Gathered[M any] struct{ PoolActor[M] }

// Gather is NewPool without the pool's actor.
func Gather[M any](p Policy[M], members ...actor.Handler[M]) *Gathered[M] {
	return &Gathered[M]{newPool(p, members)}
}

func (m *Gathered[M]) Join(h actor.Handler[M])  { m.doJoin(nil, h) }
func (m *Gathered[M]) Leave(h actor.Handler[M]) { m.doLeave(nil, h) }

// Of returns who is given a message.
func (m *Gathered[M]) Of(message M) actor.Handler[M] {
	return m.members[m.policy.choose((*crowd[M])(&m.PoolActor), message)].h
}

// Placed is how many points are on the circle of a pool with Hash.
func (m *Gathered[M]) Placed() int { return len(m.policy.(*hash[M]).circle) }

// Points are the places on the circle of the member that came after so many others, and At is that of a key.
func Points(others uint64) (at [points]uint64) {
	for p := range at {
		at[p] = mix(others*points + uint64(p) + 1<<40)
	}
	return at
}

func At(key uint64) uint64 { return mix(key) }

// told is a policy that counts how often it is told who the members are.
type told struct {
	roundRobin[int]
	times int
}

func (t *told) changed(int) { t.times++ }

// Told returns a policy, and how often it was told.
func Told() (p Policy[int], times func() int) {
	t := &told{}
	return Policy[int]{func() chooser[int] { return t }}, func() int { return t.times }
}

// Watching returns how many watchers a registry has.
func Watching[K, V comparable](r Registry[K, V]) int { return r.t.watch.all.len() }

// Groups returns how many groups a registry keeps.
func Groups[K, V comparable](r Registry[K, V]) int { return r.t.groups.len() }

// Asked returns how many members an AskPool keeps, and Refs which actors they are.
func Asked[Q, R any](p AskPool[Q, R]) int { return len(p.t.members) }

func Refs[Q, R any](p AskPool[Q, R]) (all []actor.AnyRef) {
	p.t.mu.Lock()
	defer p.t.mu.Unlock()
	for _, m := range p.t.members {
		all = append(all, m.ref)
	}
	return all
}
