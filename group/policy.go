package group

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gallop-go/gallop/actor"
)

// Policy chooses the member of a pool for each message or request. Make one with [RoundRobin],
// [LeastLoaded], [Random] or [Hash], or your own with [PolicyOf]. Several pools may be made with
// the same policy.
type Policy[M any] struct {
	start func() chooser[M]
}

// Members is a policy's view of the members of a pool. They are numbered from 0 in the order in
// which they joined. When one leaves, the numbers of the later ones change.
type Members interface {
	// Len returns how many members there are.
	Len() int
	// Status returns the status of a member: see [actor.Ref.Status]. A member that waits for
	// its restart counts as [actor.StatusEnded], and one that is no actor as [actor.StatusIdle].
	Status(i int) actor.Status
}

// chooser is the state of a policy in one pool.
type chooser[M any] interface {
	// choose returns the index of a member. There is at least one member.
	choose(among Members, m M) int
	// removed is called when the member at i is removed, before changed.
	removed(i int)
	// changed is called with the new number of members.
	changed(members int)
}

// PolicyOf makes a policy from a function. start is called for every pool that is made with the
// policy, and again when the actor of a [Pool] is restarted. An [AskPool] keeps its function. start
// returns the function that chooses: it gets a message and returns the number of a member; there is
// at least one. State that it keeps can live in variables of start. It must not block, nor call the
// pool. Its calls do not overlap.
//
// PolicyOf panics if start is nil. A call of start that returns nil panics: in the function that
// makes the pool, or in the restarted actor. If the function returns a number that no member has,
// the Pool's actor panics, or the caller of the AskPool.
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

// nextAvailable returns the first member from an index on, wrapping around, that is not overloaded
// or down. Otherwise it returns an overloaded member, and if all are down the member at that index.
func nextAvailable(among Members, from int) int {
	n := among.Len()
	overloaded := -1
	for k := range n {
		i := (from + k) % n
		switch s := among.Status(i); {
		case s < actor.StatusOverloaded:
			return i
		case s == actor.StatusOverloaded && overloaded < 0:
			overloaded = i
		}
	}
	if overloaded >= 0 {
		return overloaded
	}
	return from % n
}

// RoundRobin gives the members one message each in turn. It skips members that are overloaded or
// down, unless all are: then it chooses an overloaded one, if there is one.
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

// Random chooses a member at random, and skips members that are overloaded or down as [RoundRobin]
// does. Each pool has its own generator with a fixed seed, so that a deterministic run repeats
// itself.
func Random[M any]() Policy[M] {
	return Policy[M]{func() chooser[M] { return &random[M]{rand.New(rand.NewPCG(1, 2))} }}
}

type random[M any] struct{ rng *rand.Rand }

func (r *random[M]) choose(among Members, _ M) int {
	return nextAvailable(among, r.rng.IntN(among.Len()))
}
func (r *random[M]) removed(int) {}
func (r *random[M]) changed(int) {}

// LeastLoaded chooses an idle member. If there is none, it chooses the member that was sent the
// fewest messages since it was last seen idle. An overloaded member is chosen only if all are
// overloaded, and one that is down only if all are.
//
// LeastLoaded does not look into mailboxes. Each choice takes time proportional to the number of
// members, so it is for pools of tens and not of thousands.
func LeastLoaded[M any]() Policy[M] {
	return Policy[M]{func() chooser[M] { return &leastLoaded[M]{} }}
}

type leastLoaded[M any] struct {
	sent []int // by member, since it was last seen idle
	next int   // first index to look at, so that equals take turns
}

// Added to the load of members that are overloaded or down: more than any member was sent.
const (
	overloadedLoad = math.MaxInt / 4
	downLoad       = math.MaxInt / 2
)

func (l *leastLoaded[M]) choose(among Members, _ M) int {
	best, least := 0, math.MaxInt
	for k, n := 0, among.Len(); k < n; k++ {
		i := (l.next + k) % n
		if load := l.load(i, among.Status(i)); load < least {
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

// load estimates the load of member i.
func (l *leastLoaded[M]) load(i int, s actor.Status) int {
	switch {
	case s == actor.StatusIdle:
		l.sent[i] = 0
		return 0
	case s == actor.StatusBusy:
		return 1 + l.sent[i] // it runs a message, which may be of another sender
	case s == actor.StatusOverloaded:
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
