package group

import (
	"context"
	"slices"

	"github.com/gallop-go/gallop/actor"
)

// Pool is an actor that gives each message to one of its members, which a [Policy]
// chooses. It is an [actor.Handler]. Make one with [NewPool]. It may be copied. The
// zero Pool is not ready: using it panics.
type Pool[M any] struct {
	ref actor.Ref[pool[M]]
	typ *poolType[M]
}

var _ actor.Handler[int] = Pool[int]{}

// poolType is the type of the pools for one type of messages.
type poolType[M any] struct {
	typ         *actor.Type[pool[M]]
	give        actor.Behaviour[pool[M], M]
	join, leave actor.Behaviour[pool[M], actor.Handler[M]]
	count       actor.AskBehaviour[pool[M], actor.None, int]
}

func newPoolType[M any]() *poolType[M] {
	t := &poolType[M]{typ: actor.NewType[pool[M]]("pool")}
	t.give = actor.Declare[M](t.typ, "give")
	t.join = actor.Declare[actor.Handler[M]](t.typ, "join")
	t.leave = actor.Declare[actor.Handler[M]](t.typ, "leave")
	t.count = actor.DeclareAsk[actor.None, int](t.typ, "count")
	t.typ.Table(t.give.Do((*pool[M]).doGive), t.join.Do((*pool[M]).doJoin),
		t.leave.Do((*pool[M]).doLeave), t.count.Do((*pool[M]).doCount))
	return t
}

// NewPool spawns a pool of these members. It panics if policy is zero, or if a member
// is nil, a value that Go cannot compare or that is not equal to itself, a zero Topic or Pool, or there twice.
func NewPool[M any](from actor.Sender, policy Policy[M], members ...actor.Handler[M]) Pool[M] {
	if policy.start == nil {
		panic("gallop: group: NewPool with a zero Policy")
	}
	there := make(map[actor.Handler[M]]bool, len(members))
	for _, h := range members {
		mustSuit("NewPool", h)
		if there[h] {
			panic("gallop: group: NewPool with a member that is there twice")
		}
		there[h] = true
	}
	t := typeOnce(newPoolType[M])
	return Pool[M]{t.typ.Spawn(from, newPool(policy, members)), t}
}

func (p Pool[M]) ready() *poolType[M] {
	if p.typ == nil {
		panic("gallop: group: a zero Pool: use NewPool")
	}
	return p.typ
}

// Send gives m to one of the members, on the terms of [actor.Behaviour.Send]: from a
// goroutine it never waits, unlike SendWait. Messages from one sender to the same
// member run in order. If there is no member, the message becomes a dead letter, of
// type "pool".
func (p Pool[M]) Send(from actor.Sender, m M) { p.ready().give.Send(from, p.ref, m) }

// TrySend is [Pool.Send] on the terms of [actor.Behaviour.TrySend].
func (p Pool[M]) TrySend(from actor.Sender, m M) error {
	return p.ready().give.TrySend(from, p.ref, m)
}

// SendWait is [Pool.Send] from outside that blocks while the pool is muted or
// overloaded, or there is no room, on the terms of [actor.Behaviour.SendWait]. Members
// that do not keep up mute the pool, so they hold back a goroutine too.
func (p Pool[M]) SendWait(ctx context.Context, sys *actor.System, m M) error {
	return p.ready().give.SendWait(ctx, sys, p.ref, m)
}

// Join adds a member. A member that is there already stays as it is. Join panics if h
// is nil, a value that Go cannot compare or that is not equal to itself, a zero Topic or Pool, or the pool itself.
func (p Pool[M]) Join(from actor.Sender, h actor.Handler[M]) {
	mustSuit("Join", h)
	if me, ok := h.(*Pool[M]); h == actor.Handler[M](p) || ok && *me == p {
		panic("gallop: group: Join of a Pool to itself")
	}
	p.ready().join.Send(from, p.ref, h)
}

// Leave takes a member out. Messages that the member has been given stay with it. Leave
// panics as [Pool.Join] does, but not for the pool itself, which is no member.
func (p Pool[M]) Leave(from actor.Sender, h actor.Handler[M]) {
	mustSuit("Leave", h)
	p.ready().leave.Send(from, p.ref, h)
}

// Members asks, from outside, how many members there are that have not ended. The
// errors are those of [actor.AskBehaviour.Ask].
func (p Pool[M]) Members(ctx context.Context, sys *actor.System) (int, error) {
	return p.ready().count.Ask(ctx, sys, p.ref, actor.None{})
}

// Stop ends the pool, as [actor.Stop] does, and leaves its members alone.
func (p Pool[M]) Stop(from actor.Sender) {
	p.ready()
	actor.Stop(from, p.ref)
}

// Standing returns how the pool stands. See [actor.Ref.Standing].
func (p Pool[M]) Standing() actor.Standing {
	p.ready()
	return p.ref.Standing()
}

// pool is the state of a pool.
type pool[M any] struct {
	policy  chooser[M]
	members []actor.Handler[M]
	nobody  actor.Ref[pool[M]] // one that has ended; zero until there is no member
	tidy    int                // how many there were when the ended were last looked for
}

// newPool tells the policy of all members at once: the cost may depend on how many there are.
func newPool[M any](policy Policy[M], members []actor.Handler[M]) pool[M] {
	p := pool[M]{policy: policy.start(), members: slices.Clone(members)}
	p.policy.changed(p.members)
	return p
}

// remove takes the member at i out.
func (p *pool[M]) remove(i int) {
	p.members = slices.Delete(p.members, i, i+1)
	p.policy.removed(i)
	p.policy.changed(p.members)
}

func (p *pool[M]) doGive(c *actor.Context, m M) {
	for len(p.members) > 0 {
		i := p.policy.choose(p.members, m)
		if deliver(c, p.members[i], m) {
			return
		}
		p.remove(i)
	}
	t := typeOnce(newPoolType[M])
	if p.nobody.IsZero() {
		p.nobody = t.typ.Spawn(c, pool[M]{})
		actor.Stop(c, p.nobody)
	}
	t.give.Send(c, p.nobody, m)
}

func (p *pool[M]) doJoin(_ *actor.Context, h actor.Handler[M]) {
	if slices.Contains(p.members, h) {
		return
	}
	if len(p.members) >= max(few, 2*p.tidy) {
		p.forgetEnded()
	}
	p.members = append(p.members, h)
	p.policy.changed(p.members)
}

// forgetEnded takes out the members that have ended.
func (p *pool[M]) forgetEnded() {
	before := len(p.members)
	for i := before - 1; i >= 0; i-- {
		if hasEnded(p.members[i]) {
			p.members = slices.Delete(p.members, i, i+1)
			p.policy.removed(i)
		}
	}
	if p.tidy = len(p.members); p.tidy < before {
		p.policy.changed(p.members)
	}
}

func (p *pool[M]) doLeave(_ *actor.Context, h actor.Handler[M]) {
	if i := slices.Index(p.members, h); i >= 0 {
		p.remove(i)
	}
}

func (p *pool[M]) doCount(*actor.Context, actor.None) (int, error) {
	p.forgetEnded()
	return len(p.members), nil
}
