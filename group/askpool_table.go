package group

import (
	"errors"
	"slices"
	"sync"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/access"
	"github.com/gallop-go/gallop/internal/seam"
)

// askPoolTable holds the members of an AskPool, and its policy. Nothing is sent while the lock is
// held.
type askPoolTable[Q, R any] struct {
	spec *memberSpec                          // nil: members join. Read-only
	size int                                  // initial number of members. Read-only
	bind func(actor.AnyRef) actor.Asker[Q, R] // read-only

	mu      poolMutex
	policy  chooser[Q]        // guarded by mu
	members []askMember[Q, R] // guarded by mu
	// number of members after the last pruneEnded; guarded by mu
	sizeAtPrune int
	actor       actor.Ref[MemberSupervisor] // zero: none yet; guarded by mu
}

// askMember is a member of an AskPool. Guarded by the lock of its table.
type askMember[Q, R any] struct {
	asker actor.Asker[Q, R] // nil: its actor was not spawned yet
	ref   actor.AnyRef      // of one that the pool has started
	down  bool              // it waits for its restart
}

func newAskTable[S, Q, R any](call string, policy Policy[Q], n int, to actor.AskBehaviour[S, Q, R],
	spec MemberSpec[S]) *askPoolTable[Q, R] {
	policy.mustBe(call)
	mustBeSize(call, n)
	t := &askPoolTable[Q, R]{spec: spec.check(call), size: n, policy: policy.start()}
	if !access.IsOf(to, spec.Type) {
		panic("gallop: group: " + call +
			" with a Behaviour that was not declared for the Type of the MemberSpec")
	}
	t.bind = func(r actor.AnyRef) actor.Asker[Q, R] {
		ref, _ := actor.As[S](r)
		return to.To(ref)
	}
	return t
}

// init makes the state of the actor that supervises the members.
func (t *askPoolTable[Q, R]) init(a *MemberSupervisor) {
	*a = MemberSupervisor{spec: t.spec, size: t.size, notify: t.update,
		of: typeName[Q]() + " to " + typeName[R](),
		onStart: func(c *actor.Context) error {
			if !t.setActor(actor.Self[MemberSupervisor](c)) {
				return errors.New("gallop: group: the AskPool has an actor already: make one for each tree")
			}
			return nil
		}}
}

// setActor makes r the actor of the table. It returns false if there is another one that has not
// ended.
func (t *askPoolTable[Q, R]) setActor(r actor.Ref[MemberSupervisor]) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.actor.IsZero() && t.actor != r && t.actor.Status() != actor.StatusEnded {
		return false
	}
	t.actor = r
	return true
}

// actorRef returns the actor; zero if there is none.
func (t *askPoolTable[Q, R]) actorRef() actor.Ref[MemberSupervisor] {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.actor
}

// update applies a memberUpdate. It runs in a turn of the pool's actor.
func (t *askPoolTable[Q, R]) update(c *actor.Context, u memberUpdate) {
	if u.err != nil {
		c.Exit(u.err)
		return
	}
	defer u.drain(c)
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.members) > u.size {
		t.remove(len(t.members) - 1)
	}
	if len(t.members) < u.size {
		t.members = append(t.members, make([]askMember[Q, R], u.size-len(t.members))...)
		t.policy.changed(u.size)
	}
	for _, s := range u.slots {
		t.members[s.index] = askMember[Q, R]{t.bind(s.ref), s.ref, s.down}
	}
}

// choose returns the member for a request. If the pool starts its members and the chosen one has
// ended, a is nil and gone is the actor that will be replaced; gone is the zero ref while there are
// no members yet.
func (t *askPoolTable[Q, R]) choose(q Q) (a actor.Asker[Q, R], gone actor.AnyRef, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.members) > 0 {
		i := t.chosen(q)
		m := t.members[i]
		switch {
		case m.asker == nil || m.down || t.Status(i) != actor.StatusEnded:
			return m.asker, m.ref, nil
		case t.spec != nil:
			return nil, m.ref, t.endedErr()
		}
		t.remove(i)
	}
	if t.spec == nil || t.actor.IsZero() {
		return nil, gone, ErrNoMember
	}
	return nil, gone, t.endedErr()
}

// poolMutex is the mutex of a table, under which its policy chooses, so that its calls do not overlap.
// A policy that calls the pool itself panics, and does not wait for itself.
type poolMutex struct {
	sync.Mutex
	chooses seam.Uint64 // the goroutine in whose call the policy chooses; 0: none
}

// Lock implements sync.Locker.
func (m *poolMutex) Lock() {
	if by := m.chooses.Load(); by != 0 && by == seam.Goroutine() {
		panic("gallop: group: a call of an AskPool within its own Policy")
	}
	m.Mutex.Lock()
}

// chosen returns what the policy chooses. The caller holds the lock.
func (t *askPoolTable[Q, R]) chosen(q Q) int {
	t.mu.chooses.Store(seam.Goroutine())
	defer t.mu.chooses.Store(0)
	return t.policy.choose(t, q)
}

// endedErr returns an error if the members will not be replaced, because the pool's actor has
// ended. The caller holds the lock.
func (t *askPoolTable[Q, R]) endedErr() error {
	if t.actor.Status() == actor.StatusEnded {
		return actor.ErrStopped
	}
	return nil
}

// Len implements [Members]. The caller holds the lock.
func (t *askPoolTable[Q, R]) Len() int { return len(t.members) }

// Status implements [Members]. The caller holds the lock.
func (t *askPoolTable[Q, R]) Status(i int) actor.Status {
	m := &t.members[i]
	if m.asker == nil || m.down {
		return actor.StatusEnded
	}
	if r, ok := access.AskTarget(m.asker); ok {
		return actor.StatusOf(r.(actor.AnyRef))
	}
	return status(m.asker)
}

// indexOf returns the index of a member; -1 if a is none. The caller holds the lock.
func (t *askPoolTable[Q, R]) indexOf(a actor.Asker[Q, R]) int {
	return slices.IndexFunc(t.members,
		func(m askMember[Q, R]) bool { return m.asker != nil && access.SameAskTarget(m.asker, a) })
}

// remove removes the member at i. The caller holds the lock.
func (t *askPoolTable[Q, R]) remove(i int) {
	t.members = slices.Delete(t.members, i, i+1)
	t.policy.removed(i)
	t.policy.changed(len(t.members))
}

// pruneEnded removes the members that have ended. Members that the pool started are replaced
// instead. The caller holds the lock.
func (t *askPoolTable[Q, R]) pruneEnded() {
	for i := len(t.members) - 1; i >= 0 && t.spec == nil; i-- {
		if t.Status(i) == actor.StatusEnded {
			t.remove(i)
		}
	}
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
	t.typ.Table(t.try.Handle(t.doTry))
	return t
}

// doTry asks a member if there is one; otherwise it asks the pool's actor to reply when there is.
func (t *askWaiterType[Q, R]) doTry(p *askWaiter[Q, R], c *actor.Context,
	said actor.Result[struct{}]) {
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
