package group

import (
	"slices"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/access"
)

// PoolActor is the state of a pool. It is exported for the declaration of a pool as the
// child of a supervisor: see [PoolType].
type PoolActor[M any] struct {
	policy  chooser[M]
	members []member[M]
	// an ended pool, which makes dead letters of messages without a member; zero: not needed yet
	ended       actor.Ref[PoolActor[M]]
	sizeAtPrune int  // number of members after the last pruneEnded
	sawEnd      bool // the policy saw a member that has ended
	// 1 + index of the member that is being called; 0: none
	calling int

	factory    *memberFactory[M] // nil: members join
	supervisor actor.Ref[MemberSupervisor]
}

// member is a member of a pool.
type member[M any] struct {
	h    actor.Handler[M] // nil: its actor has ended and will be replaced
	down bool             // it waits for its back-off
}

// memberFactory is what a pool needs to start its members.
type memberFactory[M any] struct {
	spec *memberSpec
	size int
	bind func(actor.AnyRef) actor.Handler[M]
}

// poolType is the type of the pools for one type of messages.
type poolType[M any] struct {
	typ         *actor.Type[PoolActor[M]]
	dispatch    actor.Behaviour[PoolActor[M], M]
	join, leave actor.Behaviour[PoolActor[M], actor.Handler[M]]
	resize      actor.Behaviour[PoolActor[M], int]
	update      actor.Behaviour[PoolActor[M], memberUpdate]
	count       actor.AskBehaviour[PoolActor[M], struct{}, int]
}

func newPoolType[M any]() *poolType[M] {
	t := &poolType[M]{typ: actor.NewType[PoolActor[M]]("pool",
		actor.WithKeep((*PoolActor[M]).keep))}
	t.dispatch = actor.Declare[M](t.typ, "dispatch")
	t.join = actor.Declare[actor.Handler[M]](t.typ, "join")
	t.leave = actor.Declare[actor.Handler[M]](t.typ, "leave")
	t.resize = actor.Declare[int](t.typ, "resize")
	t.update = actor.Declare[memberUpdate](t.typ, "update", actor.Urgent())
	t.count = actor.DeclareAsk[struct{}, int](t.typ, "count")
	t.typ.OnStart(t.start)
	t.typ.Table(t.dispatch.Handle(t.doDispatch), t.join.Handle((*PoolActor[M]).doJoin),
		t.leave.Handle((*PoolActor[M]).doLeave),
		t.resize.Handle((*PoolActor[M]).doResize), t.update.Handle((*PoolActor[M]).doUpdate),
		t.count.Handle((*PoolActor[M]).doCount))
	return t
}

// PoolType is the actor type of pools for messages of type M, for a pool that is the child
// of a supervisor:
//
//	supervise.Worker[group.PoolActor[Job]]{Name: "workers", Type: group.PoolType[Job](),
//		Init: group.StartPoolInit(group.LeastLoaded[Job](), 8, run,
//			group.MemberSpec[worker]{Type: workerType})}
//
// [AsPool] makes a Pool of the child's ref. A pool that is restarted in place keeps the members
// that have joined it, except for a handler whose call panicked. Members that it has started itself
// are new then. A pool that was ended by order, or whose supervisor was restarted, is replaced by a
// new one.
func PoolType[M any]() *actor.Type[PoolActor[M]] { return typeOnce(newPoolType[M]).typ }

// PoolInit returns the Init of a pool that is the child of a supervisor and that members join: see
// [PoolType] and [NewPool]. It panics as NewPool does.
func PoolInit[M any](policy Policy[M], members ...actor.Handler[M]) func(*PoolActor[M]) {
	mustBeMembers("PoolInit", policy, members)
	return func(p *PoolActor[M]) {
		if p.members == nil { // the first start
			p.members = membersOf(members)
		}
		p.startPolicy(policy)
	}
}

// StartPoolInit returns the Init of a pool that is the child of a supervisor and starts its members
// itself: see [PoolType] and [StartPool]. It panics as StartPool does.
func StartPoolInit[S, M any](policy Policy[M], n int, to actor.Behaviour[S, M],
	spec MemberSpec[S]) func(*PoolActor[M]) {
	return startPoolInit("StartPoolInit", policy, n, to, spec)
}

func startPoolInit[S, M any](call string, policy Policy[M], n int, to actor.Behaviour[S, M],
	spec MemberSpec[S]) func(*PoolActor[M]) {
	policy.mustBe(call)
	mustBeSize(call, n)
	made := &memberFactory[M]{spec: spec.check(call), size: n}
	if !access.IsOf(to, spec.Type) {
		panic("gallop: group: " + call +
			" with a Behaviour that was not declared for the Type of the MemberSpec")
	}
	made.bind = func(r actor.AnyRef) actor.Handler[M] {
		ref, _ := actor.As[S](r)
		return to.To(ref)
	}
	return func(p *PoolActor[M]) {
		p.factory, p.members = made, make([]member[M], n)
		p.startPolicy(policy)
	}
}

// AsPool returns the pool whose actor r is. It panics if r is the zero Ref.
func AsPool[M any](r actor.Ref[PoolActor[M]]) Pool[M] {
	if r.IsZero() {
		panic("gallop: group: AsPool of a zero Ref")
	}
	return Pool[M]{r, typeOnce(newPoolType[M])}
}

func newPool[M any](policy Policy[M], members []actor.Handler[M]) PoolActor[M] {
	p := PoolActor[M]{members: membersOf(members)}
	p.startPolicy(policy)
	return p
}

func membersOf[M any](handlers []actor.Handler[M]) []member[M] {
	all := make([]member[M], len(handlers))
	for i, h := range handlers {
		all[i].h = h
	}
	return all
}

// startPolicy starts the policy and tells it of all members at once, because the cost of that may
// depend on their number.
func (p *PoolActor[M]) startPolicy(policy Policy[M]) {
	p.policy = policy.start()
	p.policy.changed(len(p.members))
}

// keep keeps the members that have joined across a restart, except for the one whose call panicked.
func (p *PoolActor[M]) keep() {
	switch {
	case p.factory != nil:
		p.members = nil
	case p.calling != 0:
		p.members = slices.Delete(p.members, p.calling-1, p.calling)
	}
	*p = PoolActor[M]{members: p.members}
}

// start spawns the actor that supervises the members. The pool cannot supervise them itself: an
// actor with supervised children is never muted, so no back pressure would pass through it.
func (t *poolType[M]) start(p *PoolActor[M], c *actor.Context) error {
	if p.factory != nil {
		me := actor.Self[PoolActor[M]](c)
		p.supervisor = memberSupervisorType.SpawnChild(c, MemberSupervisor{
			spec: p.factory.spec, size: p.factory.size, log: c.Logger(),
			pool:   me.ID(),
			notify: func(c *actor.Context, u memberUpdate) { t.update.Send(c, me, u) },
		})
	}
	return nil
}

// poolMembers is a policy's view of a pool.
type poolMembers[M any] PoolActor[M]

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
func (p *PoolActor[M]) remove(i int) {
	p.members = slices.Delete(p.members, i, i+1)
	p.policy.removed(i)
	p.policy.changed(len(p.members))
}

func (t *poolType[M]) doDispatch(p *PoolActor[M], c *actor.Context, m M) {
	for len(p.members) > 0 {
		i := p.policy.choose((*poolMembers[M])(p), m)
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
	if p.ended.IsZero() {
		p.ended = t.typ.Spawn(c, PoolActor[M]{})
		actor.Stop(c, p.ended)
	}
	t.dispatch.Send(c, p.ended, m)
}

// doUpdate applies a memberUpdate.
func (p *PoolActor[M]) doUpdate(c *actor.Context, u memberUpdate) {
	if u.err != nil {
		c.Exit(u.err)
		return
	}
	for len(p.members) > u.size {
		p.remove(len(p.members) - 1)
	}
	if len(p.members) < u.size {
		p.members = append(p.members, make([]member[M], u.size-len(p.members))...)
		p.policy.changed(u.size)
	}
	for _, s := range u.slots {
		if s.index < u.size {
			p.members[s.index] = member[M]{p.factory.bind(s.ref), s.down}
		}
	}
	u.drain(c)
	actor.UnstashAll(c)
}

func (p *PoolActor[M]) doResize(c *actor.Context, n int) {
	if p.factory != nil {
		resize.Send(c, p.supervisor, n)
	}
}

func (p *PoolActor[M]) doJoin(_ *actor.Context, h actor.Handler[M]) {
	if p.factory != nil || p.indexOf(h) >= 0 {
		return
	}
	if len(p.members) >= max(minPrune, 2*p.sizeAtPrune) {
		p.pruneEnded()
	}
	p.members = append(p.members, member[M]{h: h})
	p.policy.changed(len(p.members))
}

// indexOf returns the index of a member; -1 if h is none.
func (p *PoolActor[M]) indexOf(h actor.Handler[M]) int {
	return slices.IndexFunc(p.members, func(m member[M]) bool { return m.h == h })
}

// pruneIfSeen removes the members that have ended, if the policy has seen one. Called after the
// policy has chosen.
func (p *PoolActor[M]) pruneIfSeen() {
	if p.sawEnd {
		p.sawEnd = false
		p.pruneEnded()
	}
}

// pruneEnded removes the members that have ended. Members that the pool started are replaced
// instead.
func (p *PoolActor[M]) pruneEnded() {
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

func (p *PoolActor[M]) doLeave(_ *actor.Context, h actor.Handler[M]) {
	if i := p.indexOf(h); i >= 0 && p.factory == nil {
		p.remove(i)
	}
}

func (p *PoolActor[M]) doCount(*actor.Context, struct{}) (int, error) {
	p.pruneEnded()
	return len(p.members), nil
}
