package group

import (
	"errors"
	"slices"
	"sync"

	"github.com/gallop-go/gallop/actor"
)

// askTable is the members of an AskPool, and its policy. Nothing is sent under the lock.
type askTable[Q, R any] struct {
	spec *memberSpec                          // nil: the members join. Read-only
	size int                                  // how many members there are at first. Read-only
	bind func(actor.AnyRef) actor.Asker[Q, R] // read-only

	mu      sync.Mutex
	policy  chooser[Q]        // guarded by mu
	members []askMember[Q, R] // guarded by mu
	// how many there were when the ended were last looked for; guarded by mu
	sizeAtPrune int
	actor       actor.Ref[CrewActor] // zero: there is none yet; guarded by mu
}

// askMember is a member of an AskPool. Guarded by the lock of its table.
type askMember[Q, R any] struct {
	asker actor.Asker[Q, R] // nil: its actor was not spawned yet
	ref   actor.AnyRef      // of one that the pool has made
	down  bool              // it waits for its restart
}

func newAskTable[S, Q, R any](call string, policy Policy[Q], n int, to actor.AskBehaviour[S, Q, R],
	crew Crew[S]) *askTable[Q, R] {
	policy.mustBe(call)
	mustBeSize(call, n)
	t := &askTable[Q, R]{spec: crew.check(call), size: n, policy: policy.start()}
	if !actor.AskIsOf(to, crew.Type) {
		panic("gallop: group: " + call +
			" with a Behaviour that was not declared for the Type of the Crew")
	}
	t.bind = func(r actor.AnyRef) actor.Asker[Q, R] {
		ref, _ := actor.As[S](r)
		return to.To(ref)
	}
	return t
}

// init makes the state of the actor that looks after the members.
func (t *askTable[Q, R]) init(a *CrewActor) {
	*a = CrewActor{spec: t.spec, size: t.size, notify: t.update,
		onStart: func(c *actor.Context) error {
			if !t.setActor(actor.Self[CrewActor](c)) {
				return errors.New("gallop: group: the AskPool has an actor already: make one for each tree")
			}
			return nil
		}}
}

// serveBy makes r the actor of the table. It reports false if there is another one, which has not
// ended.
func (t *askTable[Q, R]) setActor(r actor.Ref[CrewActor]) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.actor.IsZero() && t.actor != r && t.actor.Standing() != actor.Ended {
		return false
	}
	t.actor = r
	return true
}

// server returns the actor; zero if there is none.
func (t *askTable[Q, R]) actorRef() actor.Ref[CrewActor] {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.actor
}

// hear takes over what the actor says of the members. It runs in a turn of the actor.
func (t *askTable[Q, R]) update(c *actor.Context, u memberUpdate) {
	if u.err != nil {
		c.Exit(u.err)
		return
	}
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

// choose returns the member for a request. If the pool has made its members, and the one chosen has
// ended, a is nil, and gone is the one that will be replaced; the zero ref stands for all, while
// there are none yet.
func (t *askTable[Q, R]) choose(q Q) (a actor.Asker[Q, R], gone actor.AnyRef, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.members) > 0 {
		i := t.policy.choose(t, q)
		m := t.members[i]
		switch {
		case m.asker == nil || m.down || t.Standing(i) != actor.Ended:
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

// over returns an error if nobody will replace the members. The caller holds the lock.
func (t *askTable[Q, R]) endedErr() error {
	if t.actor.Standing() == actor.Ended {
		return actor.ErrStopped
	}
	return nil
}

// Len is a part of [Members]. The caller holds the lock.
func (t *askTable[Q, R]) Len() int { return len(t.members) }

// Standing is a part of [Members]. The caller holds the lock.
func (t *askTable[Q, R]) Standing(i int) actor.Standing {
	m := &t.members[i]
	if m.asker == nil || m.down {
		return actor.Ended
	}
	if r, ok := actor.AskedActor(m.asker); ok {
		return actor.StandingOf(r)
	}
	return status(m.asker)
}

// has returns the place of a member; less than 0 if a is none. The caller holds the lock.
func (t *askTable[Q, R]) indexOf(a actor.Asker[Q, R]) int {
	return slices.IndexFunc(t.members,
		func(m askMember[Q, R]) bool { return m.asker != nil && actor.SameAsker(m.asker, a) })
}

// remove takes the member at i out. The caller holds the lock.
func (t *askTable[Q, R]) remove(i int) {
	t.members = slices.Delete(t.members, i, i+1)
	t.policy.removed(i)
	t.policy.changed(len(t.members))
}

// forgetEnded takes out the members that have ended. Those that the pool has made are replaced
// instead. The caller holds the lock.
func (t *askTable[Q, R]) pruneEnded() {
	for i := len(t.members) - 1; i >= 0 && t.spec == nil; i-- {
		if t.Standing(i) == actor.Ended {
			t.remove(i)
		}
	}
	t.sizeAtPrune = len(t.members)
}

// patient is an actor that waits until there is a member for a request.
type askWaiter[Q, R any] struct {
	t     *askTable[Q, R]
	q     Q
	reply actor.Handler[actor.Result[R]]
}

// patientType is the type of the patients for one type of requests and replies.
type askWaiterType[Q, R any] struct {
	typ *actor.Type[askWaiter[Q, R]]
	try actor.Behaviour[askWaiter[Q, R], actor.Result[actor.None]]
}

func newAskWaiterType[Q, R any]() *askWaiterType[Q, R] {
	t := &askWaiterType[Q, R]{typ: actor.NewType[askWaiter[Q, R]]("asker")}
	t.try = actor.Declare[actor.Result[actor.None]](t.typ, "try")
	t.typ.Table(t.try.Do(t.doTry))
	return t
}

// doTry asks a member if there is one, and else the pool's actor to say when there is.
func (t *askWaiterType[Q, R]) doTry(p *askWaiter[Q, R], c *actor.Context,
	said actor.Result[actor.None]) {
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
