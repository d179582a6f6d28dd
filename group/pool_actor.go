package group

import (
	"slices"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/face"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/supervise"
)

// pool is shared by all copies of a Pool.
type pool[M any] struct {
	typ     *poolType[M]
	made    Policy[M]         // read-only
	factory *memberFactory[M] // nil: members join. Read-only
	place[poolActor[M]]

	// Owner: the pool's actor. The next one takes over the members that have joined.
	policy      chooser[M]
	ran         bool // an actor has started, with the policy as NewPool has started it
	members     []member[M]
	sizeAtPrune int  // number of members after the last pruneEnded
	sawEnd      bool // the policy saw a member that has ended
	// 1 + index of the member that is being called; 0: none
	calling int
}

// poolActor is the state of the actor of a pool. A stand-in has no pool: see place.lose.
type poolActor[M any] struct {
	*pool[M]
	crew *crew // nil: members join
}

// member is a member of a pool.
type member[M any] struct {
	h    actor.Handler[M] // nil: its actor has ended and will be replaced
	down bool             // it waits for its back-off
}

// memberFactory has the declaration of the members that a pool starts. Read-only.
type memberFactory[M any] struct {
	tree supervise.Spec
	size int
	bind func(actor.AnyRef) actor.Handler[M]
}

// poolType is the type of the pools for one type of messages.
type poolType[M any] struct {
	typ         *actor.Type[poolActor[M]]
	dispatch    actor.Behaviour[poolActor[M], M]
	join, leave actor.Behaviour[poolActor[M], actor.Handler[M]]
	resize      actor.Behaviour[poolActor[M], int]
	update      actor.Behaviour[poolActor[M], memberNews]
	crewEnded   actor.Behaviour[poolActor[M], actor.Down]
	count       actor.AskBehaviour[poolActor[M], struct{}, int]
}

func newPoolType[M any]() *poolType[M] {
	t := &poolType[M]{typ: actor.NewType[poolActor[M]]("pool")}
	t.dispatch = actor.Declare[M](t.typ, "dispatch")
	t.join = actor.Declare[actor.Handler[M]](t.typ, "join")
	t.leave = actor.Declare[actor.Handler[M]](t.typ, "leave")
	t.resize = actor.Declare[int](t.typ, "resize")
	t.update = actor.Declare[memberNews](t.typ, "update", actor.Urgent())
	t.count = actor.DeclareAsk[struct{}, int](t.typ, "count")
	t.crewEnded = actor.Declare[actor.Down](t.typ, "crew ended")
	unrefused(t.update)
	unrefused(t.crewEnded)
	t.typ.OnStart(t.start)
	t.typ.Table(t.dispatch.Handle(t.doDispatch), t.join.Handle((*poolActor[M]).doJoin),
		t.leave.Handle((*poolActor[M]).doLeave),
		t.resize.Handle((*poolActor[M]).doResize), t.update.Handle((*poolActor[M]).doUpdate),
		t.count.Handle((*poolActor[M]).doCount),
		t.crewEnded.Handle(func(_ *poolActor[M], c *actor.Context, _ actor.Down) { crewEnded(c) }))
	return t
}

func newPool[M any](policy Policy[M]) *pool[M] {
	return &pool[M]{typ: typeOnce(newPoolType[M]), made: policy, place: place[poolActor[M]]{kind: "Pool"}}
}

// startPolicy starts the policy and tells it of all members at once, because the cost of that may
// depend on their number.
func (p *pool[M]) startPolicy() {
	p.policy = p.made.start()
	p.policy.changed(len(p.members))
}

// start takes over the joined members, except a member whose call panicked. The first actor finds a
// policy that has been started.
func (t *poolType[M]) start(p *poolActor[M], c *actor.Context) error {
	if p.pool == nil {
		return nil
	}
	carryOut, err := p.enter(p, c)
	if err != nil {
		return err
	}
	switch {
	case p.factory != nil:
		p.members = make([]member[M], p.factory.size)
		p.crew = startCrew(c, p.factory.tree, p.factory.size, t.update, t.crewEnded)
	case p.calling != 0:
		p.members = slices.Delete(p.members, p.calling-1, p.calling)
	}
	p.calling, p.sawEnd = 0, false
	if p.ran {
		p.startPolicy()
	}
	p.ran = true
	carryOut()
	return nil
}

// poolMembers is a policy's view of a pool.
type poolMembers[M any] pool[M]

func (p *poolMembers[M]) Len() int { return len(p.members) }

func (p *poolMembers[M]) Status(i int) actor.Status {
	m := &p.members[i]
	if m.h == nil || m.down {
		return actor.StatusEnded
	}
	s := status(m.h)
	if s == actor.StatusEnded {
		p.sawEnd = true
	}
	return s
}

// remove removes the member at i.
func (p *pool[M]) remove(i int) {
	p.members = slices.Delete(p.members, i, i+1)
	p.policy.removed(i)
	p.policy.changed(len(p.members))
}

func (t *poolType[M]) doDispatch(p *poolActor[M], c *actor.Context, m M) {
	face.Turn(c).PassOn()
	for len(p.members) > 0 {
		i := p.policy.choose((*poolMembers[M])(p.pool), m)
		h := p.members[i].h
		if h == nil {
			t.dispatch.Stash(c, m) // until its successor is known, which is soon
			return
		}
		p.calling = i + 1
		given := deliver(c, h, m)
		if p.calling = 0; given {
			p.pruneIfSeen()
			return
		}
		if p.factory != nil {
			p.members[i].h = nil
		} else {
			p.remove(i)
		}
	}
	kernel.Refuse(c, receiverOf(t.dispatch, actor.Self[poolActor[M]](c)), m, ErrNoMember)
}

// doUpdate applies the news of the members that the pool has started.
func (p *poolActor[M]) doUpdate(c *actor.Context, n memberNews) {
	switch {
	case n.crew != p.crew:
		return
	case n.Err != nil:
		c.Exit(n.Err)
		return
	}
	for len(p.members) > n.Size {
		p.remove(len(p.members) - 1)
	}
	if len(p.members) < n.Size {
		p.members = append(p.members, make([]member[M], n.Size-len(p.members))...)
		p.policy.changed(n.Size)
	}
	for _, m := range n.Changed {
		if m.Index < n.Size {
			p.members[m.Index] = member[M]{p.factory.bind(m.Ref), m.Down}
		}
	}
	n.drainLeaving(c)
	actor.UnstashAll(c)
}

func (p *poolActor[M]) doResize(c *actor.Context, n int) {
	p.crew.resize(c, n)
}

func (p *pool[M]) doJoin(_ *actor.Context, h actor.Handler[M]) {
	if p.indexOf(h) >= 0 {
		return
	}
	if len(p.members) >= max(minPrune, 2*p.sizeAtPrune) {
		p.pruneEnded()
	}
	p.members = append(p.members, member[M]{h: h})
	p.policy.changed(len(p.members))
}

// indexOf returns the index of a member; -1 if h is none.
func (p *pool[M]) indexOf(h actor.Handler[M]) int {
	return slices.IndexFunc(p.members, func(m member[M]) bool { return m.h == h })
}

// pruneIfSeen removes the members that have ended, if the policy has seen one. Called after the
// policy has chosen.
func (p *pool[M]) pruneIfSeen() {
	if p.sawEnd {
		p.sawEnd = false
		p.pruneEnded()
	}
}

// pruneEnded removes the members that have ended. Members that the pool started are replaced
// instead.
func (p *pool[M]) pruneEnded() {
	if p.factory != nil {
		return
	}
	before := len(p.members)
	for i := before - 1; i >= 0; i-- {
		if hasEnded(p.members[i].h) {
			p.members = slices.Delete(p.members, i, i+1)
			p.policy.removed(i)
		}
	}
	if p.sizeAtPrune = len(p.members); p.sizeAtPrune < before {
		p.policy.changed(p.sizeAtPrune)
	}
}

func (p *pool[M]) doLeave(_ *actor.Context, h actor.Handler[M]) {
	if i := p.indexOf(h); i >= 0 {
		p.remove(i)
	}
}

func (p *pool[M]) doCount(*actor.Context, struct{}) (int, error) {
	p.pruneEnded()
	return len(p.members), nil
}
