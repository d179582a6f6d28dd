package group

import (
	"context"

	"github.com/gallop-go/gallop/actor"
)

// Pool is an actor that sends each message on to one of its members, which a [Policy] chooses. It
// is an [actor.Handler], and an [actor.Target]: it can be stopped, watched and linked. Make one
// with [NewPool], for members that are there already, or with [StartPool], which starts its members
// and restarts them; or declare it as the child of a supervisor: see [PoolType]. It may be copied.
// The zero Pool is not usable: its methods panic.
type Pool[M any] struct {
	poolRef[M]
	typ *poolType[M]
}

type poolRef[M any] = actor.Ref[PoolActor[M]]

var (
	_ actor.Handler[int] = Pool[int]{}
	_ actor.Target       = Pool[int]{}
)

// NewPool spawns a pool of these members. It panics if policy is zero, or if a member is nil, a
// value that Go cannot compare or that is not equal to itself, a zero Topic or Pool, or given
// twice.
func NewPool[M any](from actor.Sender, policy Policy[M], members ...actor.Handler[M]) Pool[M] {
	mustBeMembers("NewPool", policy, members)
	t := typeOnce(newPoolType[M])
	return Pool[M]{listed(t.typ.Spawn(from, newPool(policy, members))), t}
}

// mustBeMembers panics if a pool cannot have these members.
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

// StartPool spawns a pool that starts and supervises n members. Each handles the pool's messages
// with the behaviour to. They are children of the pool: when it ends they are stopped, and when it
// is drained they are drained.
//
// A member that fails, or ends by itself, is restarted in place, with a new state, after a
// back-off: see [MemberSpec]. Until then the policy skips it, and only [Hash] queues messages for
// it. A member that was ended by order is replaced by a new one at once, and no message is lost in
// between.
//
// StartPool panics if policy or to is zero, n is less than 1, or spec is wrong.
func StartPool[S, M any](from actor.Sender, policy Policy[M], n int, to actor.Behaviour[S, M],
	spec MemberSpec[S]) Pool[M] {
	init := startPoolInit("StartPool", policy, n, to, spec)
	t := typeOnce(newPoolType[M])
	var p PoolActor[M]
	init(&p)
	return Pool[M]{listed(t.typ.Spawn(from, p)), t}
}

func (p Pool[M]) ready() *poolType[M] {
	if p.typ == nil {
		panic("gallop: group: a zero Pool: use NewPool or StartPool")
	}
	return p.typ
}

// Send sends m to one of the members, as [actor.Behaviour.Send] does: from a goroutine it never
// waits, unlike SendWait. Messages from one sender to the same member run in order. If there is no
// member, the message becomes a dead letter, of type "pool".
func (p Pool[M]) Send(from actor.Sender, m M) { p.ready().dispatch.Send(from, p.poolRef, m) }

// TrySend is [Pool.Send] with the errors of [actor.Behaviour.TrySend].
func (p Pool[M]) TrySend(from actor.Sender, m M) error {
	return p.ready().dispatch.TrySend(from, p.poolRef, m)
}

// SendWait is [Pool.Send] from outside that blocks while the pool is muted or overloaded, or has no
// room, as [actor.Behaviour.SendWait] does. Members that do not keep up mute the pool, so they slow
// a goroutine down too.
func (p Pool[M]) SendWait(ctx context.Context, m M) error {
	return p.ready().dispatch.SendWait(ctx, p.poolRef, m)
}

// Join adds a member. A second Join of a member does nothing, and so does Join of a pool of
// [StartPool], which starts its members itself. Join panics if h is nil, a value that Go cannot
// compare or that is not equal to itself, a zero Topic or Pool, or the pool itself.
func (p Pool[M]) Join(from actor.Sender, h actor.Handler[M]) {
	mustBeHandler("Join", h)
	if me, ok := h.(*Pool[M]); h == actor.Handler[M](p) || ok && *me == p {
		panic("gallop: group: Join of a Pool to itself")
	}
	p.ready().join.Send(from, p.poolRef, h)
}

// Leave removes a member. Messages that the member was sent stay with it. Leave panics as
// [Pool.Join] does, but not for the pool itself, which is no member.
func (p Pool[M]) Leave(from actor.Sender, h actor.Handler[M]) {
	mustBeHandler("Leave", h)
	p.ready().leave.Send(from, p.poolRef, h)
}

// Resize changes the number of members of a pool of [StartPool] to n: it starts more, or drains the
// youngest. A member that leaves is sent nothing more, and ends when it has handled what it was sent;
// until then it is restarted like others, so that a message over which it fails costs no other. Resize
// does nothing to a pool that did not start its members, and panics if n is less than 1.
func (p Pool[M]) Resize(from actor.Sender, n int) {
	mustBeSize("Resize", n)
	p.ready().resize.Send(from, p.poolRef, n)
}

// Len returns, from outside, the number of members that have not ended. The errors are those of
// [actor.AskBehaviour.Ask].
func (p Pool[M]) Len(ctx context.Context) (int, error) {
	return p.ready().count.Ask(ctx, p.poolRef, struct{}{})
}

// Stop ends the pool, as [actor.Stop] does, and with it the members that it has started. Other
// members go on.
func (p Pool[M]) Stop(from actor.Sender) {
	p.ready()
	actor.Stop(from, p.poolRef)
}

// Status returns the status of the pool's actor. See [actor.Ref.Status].
func (p Pool[M]) Status() actor.Status {
	p.ready()
	return p.poolRef.Status()
}

// handler returns the handler of the pool's actor: see makeDeadLetter.
func (p Pool[M]) handler() actor.Handler[M] { return p.typ.dispatch.To(p.poolRef) }
