package group

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gallop-go/gallop/actor"
)

// Policy says which member of a pool is given a message or a request. Make one with
// [RoundRobin], [LeastLoaded], [Random] or [Hash], or your own with [PolicyOf]. Several
// pools may be made with the same policy.
type Policy[M any] struct {
	start func() chooser[M]
}

// Members is what a policy sees of the members of a pool. They are numbered in the order
// in which they joined, from 0 on. When one leaves, the numbers of those behind it change.
type Members interface {
	// Len returns how many members there are.
	Len() int
	// Standing returns how a member stands: see [actor.Ref.Standing]. A member that is
	// down until its pool restarts it counts as [actor.Ended], and one that is no actor
	// as [actor.Idle].
	Standing(i int) actor.Standing
}

// chooser is a policy at work in one pool.
type chooser[M any] interface {
	// choose returns the place of a member. There is at least one member.
	choose(among Members, m M) int
	// removed says that the member at i is gone. It is called before changed.
	removed(i int)
	// changed says how many members there are now.
	changed(members int)
}

// PolicyOf makes a policy of a function. start is called for every pool that is made with
// the policy, and again when the pool's actor is restarted, and returns the function that
// chooses: it is given a message and returns the number of a member, of which there is at
// least one. So what it has to remember can be variables of start. It must not block, nor
// call the pool. Its calls do not overlap. PolicyOf panics if start is nil. The pool's actor,
// or for an [AskPool] the caller, panics if start returns nil, or the function a number
// that no member has.
func PolicyOf[M any](start func() func(m M, among Members) int) Policy[M] {
	if start == nil {
		panic("gallop: group: PolicyOf with a nil function")
	}
	return Policy[M]{func() chooser[M] {
		f := start()
		if f == nil {
			panic("gallop: group: the function given to PolicyOf returned nil")
		}
		return custom[M]{f}
	}}
}

type custom[M any] struct{ f func(m M, among Members) int }

func (o custom[M]) choose(among Members, m M) int {
	i := o.f(m, among)
	if n := among.Len(); i < 0 || i >= n {
		panic(fmt.Sprintf("gallop: group: a policy chose member %d of %d", i, n))
	}
	return i
}

func (custom[M]) removed(int) {}
func (custom[M]) changed(int) {}

// scan returns a member that keeps up, the first one from a place on, going round. If there is
// none it returns one that is overloaded, and if all are down the one at that place.
func nextAvailable(among Members, from int) int {
	n := among.Len()
	overloaded := -1
	for k := range n {
		i := (from + k) % n
		switch s := among.Standing(i); {
		case s < actor.Overloaded:
			return i
		case s == actor.Overloaded && overloaded < 0:
			overloaded = i
		}
	}
	if overloaded >= 0 {
		return overloaded
	}
	return from % n
}

// RoundRobin gives the members one message each in turn. It passes over members that
// are overloaded or down, unless all are: then it gives the message to one that is
// overloaded, if there is one.
func RoundRobin[M any]() Policy[M] {
	return Policy[M]{func() chooser[M] { return &roundRobin[M]{} }}
}

type roundRobin[M any] struct{ next int }

func (r *roundRobin[M]) choose(among Members, _ M) int {
	i := nextAvailable(among, r.next)
	r.next = i + 1
	return i
}

func (r *roundRobin[M]) removed(i int) {
	if i < r.next {
		r.next--
	}
}

func (r *roundRobin[M]) changed(int) {}

// Random gives a message to a member that is left to chance, and passes over members that
// are overloaded or down as [RoundRobin] does. Each pool draws from a generator of its
// own, which begins anew with the pool, so that a run with a seed repeats itself.
func Random[M any]() Policy[M] {
	return Policy[M]{func() chooser[M] { return &random[M]{rand.New(rand.NewPCG(1, 2))} }}
}

type random[M any] struct{ rng *rand.Rand }

func (r *random[M]) choose(among Members, _ M) int {
	return nextAvailable(among, r.rng.IntN(among.Len()))
}
func (r *random[M]) removed(int) {}
func (r *random[M]) changed(int) {}

// LeastLoaded gives a message to a member that has nothing to do. If there is none, it
// gives it to the member that was given the fewest since it was last seen with nothing
// to do. An overloaded member is given a message only if all are overloaded, and one that
// is down only if all are.
//
// LeastLoaded counts no mailboxes. It looks at the members in turn, so it is for pools
// of tens and not of thousands.
func LeastLoaded[M any]() Policy[M] {
	return Policy[M]{func() chooser[M] { return &leastLoaded[M]{} }}
}

type leastLoaded[M any] struct {
	sent []int // by member, since it was last seen idle
	next int   // where to begin, so that equals take turns
}

// More than any member has been given.
const (
	overloadedLoad = math.MaxInt / 4
	downLoad       = math.MaxInt / 2
)

func (l *leastLoaded[M]) choose(among Members, _ M) int {
	best, least := 0, math.MaxInt
	for k, n := 0, among.Len(); k < n; k++ {
		i := (l.next + k) % n
		if load := l.load(i, among.Standing(i)); load < least {
			best, least = i, load
		}
		if least == 0 {
			break
		}
	}
	l.sent[best]++
	l.next = best + 1
	return best
}

// load is what member i has to do, as far as can be known.
func (l *leastLoaded[M]) load(i int, s actor.Standing) int {
	switch {
	case s == actor.Idle:
		l.sent[i] = 0
		return 0
	case s == actor.Busy:
		return 1 + l.sent[i] // it is at something, be it of others
	case s == actor.Overloaded:
		return overloadedLoad + l.sent[i]
	}
	return downLoad + l.sent[i]
}

func (l *leastLoaded[M]) removed(i int) { l.sent = slices.Delete(l.sent, i, i+1) }

func (l *leastLoaded[M]) changed(members int) {
	for len(l.sent) < members {
		l.sent = append(l.sent, 0)
	}
}
