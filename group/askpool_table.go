package group

import (
	"slices"
	"sync"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/face"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/members"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/supervise"
)

// askPoolTable holds the members of an AskPool, and its policy. While the lock is held, nothing is
// sent, and no code of the user's runs: its policy and the method Status of its members are asked
// outside.
type askPoolTable[Q, R any] struct {
	factory *askerFactory[Q, R] // nil: members join. Read-only
	place[askPoolActor]

	turn policyTurn // of a policy that is, or has, a function of the user's

	mu      sync.Mutex
	policy  chooser[Q]        // guarded by mu, but for custom
	members []askMember[Q, R] // guarded by mu; elements are not changed, since others read a copy
	foreign int               // how many members are no actors, and may have a Status; guarded by mu
	// number of members after the last pruneEnded; guarded by mu
	sizeAtPrune int
}

// askerFactory has the declaration of the members that an AskPool starts. Read-only.
type askerFactory[Q, R any] struct {
	tree supervise.Spec
	size int
	bind func(actor.AnyRef) actor.Asker[Q, R]
}

// askMember is a member of an AskPool. Guarded by the lock of its table.
type askMember[Q, R any] struct {
	asker actor.Asker[Q, R]
	ref   actor.AnyRef // of one that the pool has started
	down  bool         // it waits for its restart
}

// update applies the news of the members that the pool has started. It runs in a turn of the pool's
// actor.
func (t *askPoolTable[Q, R]) update(n members.News) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.members = slices.Clone(t.members)
	for len(t.members) > n.Size {
		t.remove(len(t.members) - 1)
	}
	if len(t.members) < n.Size {
		t.members = append(t.members, make([]askMember[Q, R], n.Size-len(t.members))...)
		t.policy.changed(n.Size)
	}
	for _, m := range n.Changed {
		t.members[m.Index] = askMember[Q, R]{t.factory.bind(m.Ref), m.Ref, m.Down}
	}
}

// awaits reports whether the pool will learn of a successor of an actor; for the zero ref, whether it
// will learn of its first members.
func (t *askPoolTable[Q, R]) awaits(gone actor.AnyRef) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if gone.IsZero() {
		return len(t.members) == 0
	}
	return slices.ContainsFunc(t.members, func(m askMember[Q, R]) bool { return m.ref == gone })
}

// look describes the pool for its actor: see askPoolActor.Inspect.
func (t *askPoolTable[Q, R]) look() kernel.GroupLook {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := kernel.GroupLook{What: "ask pool", Of: typeName[Q]() + " to " + typeName[R](),
		Members: len(t.members)}
	for _, m := range t.members {
		if m.down {
			l.Down++
		}
	}
	return l
}

// choose returns the member for a request. If the pool starts its members and the chosen one has
// ended, a is nil and gone is the actor that will be replaced; gone is the zero ref while there are
// no members yet.
func (t *askPoolTable[Q, R]) choose(q Q) (a actor.Asker[Q, R], gone actor.AnyRef, err error) {
	for {
		m, some := t.chosen(q)
		switch {
		case !some && (t.factory == nil || t.actorRef().IsZero()):
			return nil, gone, ErrNoMember
		case !some:
			return nil, gone, t.endedErr()
		case m.down || m.status() != actor.StatusEnded:
			return m.asker, m.ref, nil
		case t.factory != nil:
			return nil, m.ref, t.endedErr()
		}
		t.leave(m.asker)
	}
}

// chosen returns the member that the policy chooses, if there is any.
func (t *askPoolTable[Q, R]) chosen(q Q) (m askMember[Q, R], some bool) {
	switch p := t.policy.(type) { // which of them it is never changes
	case custom[Q]:
		v, _ := t.view()
		if len(v.members) == 0 {
			return m, false
		}
		defer t.turn.begin()()
		return v.members[p.choose(v, q)], true
	case *hashRing[Q]:
		at := func() uint64 {
			defer t.turn.begin()()
			return p.key(q)
		}()
		t.mu.Lock()
		defer t.mu.Unlock()
		if len(t.members) == 0 {
			return m, false
		}
		return t.members[p.at(at)], true
	}
	v, foreign := t.view()
	if foreign {
		v.ask()
	}
	return t.chosenWith(v, q)
}

// chosenWith returns the member that a policy of this package chooses. v has the statuses of members
// that are no actors; one that has joined meanwhile counts as idle.
func (t *askPoolTable[Q, R]) chosenWith(v *askView[Q, R], q Q) (m askMember[Q, R], some bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if v.members = t.members; v.said == nil && t.foreign > 0 {
		v.said = map[actor.Asker[Q, R]]actor.Status{}
	}
	if some = len(v.members) > 0; some {
		m = v.members[t.policy.choose(v, q)]
	}
	return m, some
}

// askView is a policy's view of the members at one time. It implements [Members].
type askView[Q, R any] struct {
	members []askMember[Q, R] // not to be changed
	// said has the statuses of members that are no actors; nil: they were not asked.
	said map[actor.Asker[Q, R]]actor.Status
}

// view returns the members of now, and whether any of them is no actor.
func (t *askPoolTable[Q, R]) view() (v *askView[Q, R], foreign bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return &askView[Q, R]{members: t.members}, t.foreign > 0
}

// ask asks members that are no actors for their status. The lock is not held.
func (v *askView[Q, R]) ask() {
	v.said = map[actor.Asker[Q, R]]actor.Status{}
	for i := range v.members {
		if m := &v.members[i]; m.isForeign() {
			v.said[m.asker] = m.status()
		}
	}
}

// Len implements [Members].
func (v *askView[Q, R]) Len() int { return len(v.members) }

// Status implements [Members].
func (v *askView[Q, R]) Status(i int) actor.Status {
	m := &v.members[i]
	switch {
	case m.down:
		return actor.StatusEnded
	case v.said != nil && m.isForeign():
		return v.said[m.asker]
	}
	return m.status()
}

// policyTurn has the calls of a policy not overlap. It is held while code of the user's runs, so
// only those wait for it who choose a member. A policy that asks its own pool panics, and does not
// wait for itself.
type policyTurn struct {
	mu      sync.Mutex
	chooses seam.Uint64 // the goroutine in whose call the policy chooses; 0: none
}

// begin begins a call of the policy, and returns the function that ends it.
func (m *policyTurn) begin() (end func()) {
	me := seam.Goroutine()
	if m.chooses.Load() == me {
		panic("gallop: group: a call of an AskPool within its own Policy")
	}
	m.mu.Lock()
	m.chooses.Store(me)
	return func() {
		m.chooses.Store(0)
		m.mu.Unlock()
	}
}

// endedErr returns an error if the members will not be replaced, because the pool's actor has
// ended.
func (t *askPoolTable[Q, R]) endedErr() error {
	if t.actorRef().Status() == actor.StatusEnded {
		return actor.ErrStopped
	}
	return nil
}

// status returns the status of a member. It may call a method of the user's, so without the lock.
func (m *askMember[Q, R]) status() actor.Status {
	if x, ok := kernel.ReceiverOf(m.asker); ok {
		return actor.Status(x.B.Status())
	}
	return status(m.asker)
}

// isForeign reports whether status may call a method of the user's.
func (m *askMember[Q, R]) isForeign() bool {
	_, ok := kernel.ReceiverOf(m.asker)
	return !ok
}

// indexOf returns the index of a member; -1 if a is none. The caller holds the lock.
func (t *askPoolTable[Q, R]) indexOf(a actor.Asker[Q, R]) int {
	return slices.IndexFunc(t.members,
		func(m askMember[Q, R]) bool { return kernel.SameAsker(m.asker, a) })
}

// add adds a member. The caller holds the lock, and tells the policy.
func (t *askPoolTable[Q, R]) add(a actor.Asker[Q, R]) {
	m := askMember[Q, R]{asker: a}
	if m.isForeign() {
		t.foreign++
	}
	t.members = append(slices.Clip(t.members), m)
}

// remove removes the member at i. The caller holds the lock.
func (t *askPoolTable[Q, R]) remove(i int) {
	if t.members[i].isForeign() {
		t.foreign--
	}
	t.members = slices.Concat(t.members[:i], t.members[i+1:])
	t.policy.removed(i)
	t.policy.changed(len(t.members))
}

// join adds a new member, and reports whether it is time to look for ended members.
func (t *askPoolTable[Q, R]) join(a actor.Asker[Q, R]) (prune bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.indexOf(a) >= 0 {
		return false
	}
	prune = len(t.members) >= max(minPrune, 2*t.sizeAtPrune)
	t.add(a)
	t.policy.changed(len(t.members))
	return prune
}

// leave removes a member that has joined.
func (t *askPoolTable[Q, R]) leave(a actor.Asker[Q, R]) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := t.indexOf(a); i >= 0 {
		t.remove(i)
	}
}

// pruneEnded removes the members that have ended. Members that the pool started are replaced
// instead.
func (t *askPoolTable[Q, R]) pruneEnded() {
	if t.factory != nil {
		return
	}
	v, _ := t.view()
	for i := range v.members {
		if v.members[i].status() == actor.StatusEnded {
			t.leave(v.members[i].asker)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sizeAtPrune = len(t.members)
}

// askWaiter is an actor that waits until there is a member for one request of AskTo.
type askWaiter[Q, R any] struct {
	t     *askPoolTable[Q, R]
	q     Q
	reply actor.Handler[actor.Result[R]]
}

// askWaiterType is the type of the askWaiters for one type of requests and replies.
type askWaiterType[Q, R any] struct {
	typ *actor.Type[askWaiter[Q, R]]
	try actor.Behaviour[askWaiter[Q, R], actor.Result[struct{}]]
}

func newAskWaiterType[Q, R any]() *askWaiterType[Q, R] {
	t := &askWaiterType[Q, R]{typ: actor.NewType[askWaiter[Q, R]]("ask waiter")}
	t.try = actor.Declare[actor.Result[struct{}]](t.typ, "try")
	(*kernel.AnyType)(t.typ).Info().Unrefused = true
	t.typ.Table(t.try.Handle(t.doTry))
	return t
}

// doTry asks a member if there is one; otherwise it asks the pool's actor to reply when there is.
func (t *askWaiterType[Q, R]) doTry(p *askWaiter[Q, R], c *actor.Context,
	said actor.Result[struct{}]) {
	face.Turn(c).PassOn()
	a, gone, err := p.t.choose(p.q)
	if said.Err != nil {
		err = said.Err
	}
	switch {
	case err != nil:
		p.reply.Send(c, actor.Result[R]{Err: err})
	case a != nil:
		a.AskTo(c, p.q, p.reply)
	default:
		actor.AskTo(c, replaced, p.t.actorRef(), gone, t.try)
		return
	}
	c.Stop()
}
