package group

import (
	"context"

	"github.com/gallop-go/gallop/actor"
)

// Pool is an actor that gives each message to one of its members, which a [Policy]
// chooses. It is an [actor.Handler], and an [actor.Target]: it can be stopped, watched
// and linked. Make one with [NewPool], for members that are there already, or with
// [StartPool], which starts its members and restarts them; or declare it as the child of
// a supervisor: see [PoolType]. It may be copied. The zero Pool is not ready: using it
// panics.
type Pool[M any] struct {
	poolRef[M]
	typ *poolType[M]
}

type poolRef[M any] = actor.Ref[PoolActor[M]]

var (
	_ actor.Handler[int] = Pool[int]{}
	_ actor.Target       = Pool[int]{}
)

// NewPool spawns a pool of these members. It panics if policy is zero, or if a member
// is nil, a value that Go cannot compare or that is not equal to itself, a zero Topic or
// Pool, or there twice.
func NewPool[M any](from actor.Sender, policy Policy[M], members ...actor.Handler[M]) Pool[M] {
	mustBeMembers("NewPool", policy, members)
	t := typeOnce(newPoolType[M])
	return Pool[M]{t.typ.Spawn(from, newPool(policy, members)), t}
}

// mustBeMembers panics if a pool cannot be made of these.
func mustBeMembers[M any](call string, policy Policy[M], members []actor.Handler[M]) {
	policy.mustBe(call)
	there := make(map[actor.Handler[M]]bool, len(members))
	for _, h := range members {
		mustBeHandler(call, h)
		if there[h] {
			panic("gallop: group: " + call + " with a member that is there twice")
		}
		there[h] = true
	}
}

func (p Policy[M]) mustBe(call string) {
	if p.start == nil {
		panic("gallop: group: " + call + " with a zero Policy")
	}
}

// StartPool spawns a pool that makes n members and looks after them. Each handles the
// pool's messages by the behaviour to. They are children of the pool: when it ends they
// are stopped, and when it is drained they are drained.
//
// A member that falls, or ends by itself, is restarted in its place, with a fresh state,
// after a back-off: see [Crew]. Until then the policy passes over it, and only [Hash]
// leaves messages with it: [actor.Postpone] says what becomes of them. A member that was
// ended by order is replaced by a new one at once, and no message is lost to the gap.
//
// StartPool panics if policy or to is zero, n is less than 1, or the crew is wrong.
func StartPool[S, M any](from actor.Sender, policy Policy[M], n int, to actor.Behaviour[S, M],
	crew Crew[S]) Pool[M] {
	init := startPoolInit("StartPool", policy, n, to, crew)
	t := typeOnce(newPoolType[M])
	var p PoolActor[M]
	init(&p)
	return Pool[M]{t.typ.Spawn(from, p), t}
}

func (p Pool[M]) ready() *poolType[M] {
	if p.typ == nil {
		panic("gallop: group: a zero Pool: use NewPool or StartPool")
	}
	return p.typ
}

// Send gives m to one of the members, on the terms of [actor.Behaviour.Send]: from a
// goroutine it never waits, unlike SendWait. Messages from one sender to the same
// member run in order. If there is no member, the message becomes a dead letter, of
// type "pool".
func (p Pool[M]) Send(from actor.Sender, m M) { p.ready().dispatch.Send(from, p.poolRef, m) }

// TrySend is [Pool.Send] on the terms of [actor.Behaviour.TrySend].
func (p Pool[M]) TrySend(from actor.Sender, m M) error {
	return p.ready().dispatch.TrySend(from, p.poolRef, m)
}

// SendWait is [Pool.Send] from outside that blocks while the pool is muted or
// overloaded, or there is no room, on the terms of [actor.Behaviour.SendWait]. Members
// that do not keep up mute the pool, so they hold back a goroutine too.
func (p Pool[M]) SendWait(ctx context.Context, sys *actor.System, m M) error {
	return p.ready().dispatch.SendWait(ctx, sys, p.poolRef, m)
}

// Join adds a member. A member that is there already stays as it is, and a pool of
// [StartPool], whose members are its own, takes in nobody. Join panics if h is nil, a
// value that Go cannot compare or that is not equal to itself, a zero Topic or Pool, or
// the pool itself.
func (p Pool[M]) Join(from actor.Sender, h actor.Handler[M]) {
	mustBeHandler("Join", h)
	if me, ok := h.(*Pool[M]); h == actor.Handler[M](p) || ok && *me == p {
		panic("gallop: group: Join of a Pool to itself")
	}
	p.ready().join.Send(from, p.poolRef, h)
}

// Leave takes a member out. Messages that the member has been given stay with it. Leave
// panics as [Pool.Join] does, but not for the pool itself, which is no member.
func (p Pool[M]) Leave(from actor.Sender, h actor.Handler[M]) {
	mustBeHandler("Leave", h)
	p.ready().leave.Send(from, p.poolRef, h)
}

// Resize makes a pool of [StartPool] have n members: it starts more, or drains the
// youngest. A pool that did not make its members stays as it is. Resize panics if n is
// less than 1.
func (p Pool[M]) Resize(from actor.Sender, n int) {
	mustBeSize("Resize", n)
	p.ready().resize.Send(from, p.poolRef, n)
}

// Members asks, from outside, how many members there are that have not ended. The
// errors are those of [actor.AskBehaviour.Ask].
func (p Pool[M]) Members(ctx context.Context, sys *actor.System) (int, error) {
	return p.ready().count.Ask(ctx, sys, p.poolRef, actor.None{})
}

// Stop ends the pool, as [actor.Stop] does, and with it the members that it has started.
// It leaves others alone.
func (p Pool[M]) Stop(from actor.Sender) {
	p.ready()
	actor.Stop(from, p.poolRef)
}

// Standing returns how the pool stands. See [actor.Ref.Standing].
func (p Pool[M]) Standing() actor.Standing {
	p.ready()
	return p.poolRef.Standing()
}

// handler returns the pool as an actor's handler: see refuse.
func (p Pool[M]) handler() actor.Handler[M] { return p.typ.dispatch.To(p.poolRef) }
