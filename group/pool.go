package group

import (
	"context"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/supervise"
)

// Pool sends each message on to one of its members, which a [Policy] chooses. It is an
// [actor.Handler]. Make one with [NewPool], for members that are there already, or with
// [NewPoolOf], for members that the pool starts; and start it with [Pool.Start], or as the child of a
// supervisor with [Pool.Child]. It may be copied. The zero Pool is not usable: its methods panic.
//
// A pool is an actor, which may be restarted, or replaced by a new one. It keeps the members that
// have joined it, except for a handler whose call panicked; members that it has started are new
// then. While a pool has no actor, as a [Topic] has none, Join, Leave and Resize are kept for the
// next one, and messages are dead letters; TrySend and SendWait return an error that wraps
// [actor.ErrSuspended].
type Pool[M any] struct{ p *pool[M] }

var _ actor.Handler[int] = Pool[int]{}

// NewPool makes a pool of these members, which is not started yet. It panics if policy is zero, or
// if a member is nil, a value that Go cannot compare or that is not equal to itself, a zero Topic or
// Pool, or given twice.
func NewPool[M any](policy Policy[M], members ...actor.Handler[M]) Pool[M] {
	policy.mustBe("NewPool")
	there := make(map[actor.Handler[M]]bool, len(members))
	for _, h := range members {
		mustBeHandler("NewPool", h)
		if there[h] {
			panic("gallop: group: NewPool with a member that is there twice")
		}
		there[h] = true
	}
	p := newPool(policy)
	for _, h := range members {
		p.members = append(p.members, member[M]{h: h})
	}
	p.startPolicy()
	return Pool[M]{p}
}

// NewPoolOf makes a pool that starts n members when it starts itself. Each handles the pool's
// messages with the behaviour to. When the pool ends they are stopped, and when it is drained they
// are drained.
//
// A member that fails, or ends by itself, is restarted in place, with a new state, after a
// back-off: see [MemberSpec]. Until then the policy skips it, and only [Hash] queues messages for
// it. A member that was ended by order is replaced by a new one at once, and no message is lost in
// between.
//
// NewPoolOf panics if policy or to is zero, n is less than 1, or spec is wrong.
func NewPoolOf[S, M any](policy Policy[M], n int, to actor.Behaviour[S, M],
	spec MemberSpec[S]) Pool[M] {
	policy.mustBe("NewPoolOf")
	mustBeSize("NewPoolOf", n)
	p := newPool(policy)
	p.factory = &memberFactory[M]{tree: spec.tree("NewPoolOf"), size: n,
		bind: func(r actor.AnyRef) actor.Handler[M] {
			ref, _ := actor.As[S](r)
			return to.To(ref)
		}}
	mustSuit("NewPoolOf", kernel.AnyBehaviour(to).Descriptor(), spec.Type)
	p.members = make([]member[M], n)
	p.startPolicy()
	return Pool[M]{p}
}

// Start starts the pool's actor, and returns the pool. It panics if the pool was started before, or
// is the child of a supervisor.
func (p Pool[M]) Start(from actor.Sender) Pool[M] {
	x := p.ready()
	x.start(from)
	x.publish(listed(x.typ.typ.Spawn(from, poolActor[M]{pool: x})))
	return p
}

// Child declares the pool's actor as the child of a supervisor. Set the restart type and similar
// fields in the result. A pool is for one running tree: a second actor fails to start. Child panics
// if the pool was started.
func (p Pool[M]) Child(name string) supervise.Worker[poolActor[M]] {
	x := p.ready()
	x.declare()
	return supervise.Worker[poolActor[M]]{Name: name, Type: x.typ.typ,
		Init: func(a *poolActor[M]) { a.pool = x }}
}

func (p Policy[M]) mustBe(call string) {
	if p.start == nil {
		panic("gallop: group: " + call + " with a zero Policy")
	}
}

func (p Pool[M]) ready() *pool[M] {
	if p.p == nil {
		panic("gallop: group: a zero Pool: use NewPool")
	}
	return p.p
}

// mustTakeMembers returns the pool. It panics, naming call, if the pool starts its members itself.
func (p Pool[M]) mustTakeMembers(call string) *pool[M] {
	x := p.ready()
	if x.factory != nil {
		panic("gallop: group: " + call + " of a Pool that starts its members: use NewPool")
	}
	return x
}

// Send sends m to one of the members, as [actor.Behaviour.Send] does: from a goroutine it never
// waits, unlike SendWait. Messages from one sender to the same member run in order. If there is no
// member, the message becomes a dead letter of type "pool", with [ErrNoMember].
func (p Pool[M]) Send(from actor.Sender, m M) {
	x := p.ready()
	if to := x.current.Load(); to != nil {
		x.typ.dispatch.Send(from, *to, m)
		return
	}
	lose(&x.place, x.typ.typ, x.typ.dispatch, from, m)
}

// TrySend is [Pool.Send] with the errors of [actor.Behaviour.TrySend].
func (p Pool[M]) TrySend(from actor.Sender, m M) error {
	x := p.ready()
	if to := x.current.Load(); to != nil {
		return x.errOf(x.typ.dispatch.TrySend(from, *to, m))
	}
	return errNoActor
}

// SendWait is [Pool.Send] from outside that blocks while the pool is muted or overloaded, or has no
// room, as [actor.Behaviour.SendWait] does. Members that do not keep up mute the pool, so they slow
// a goroutine down too.
func (p Pool[M]) SendWait(ctx context.Context, m M) error {
	x := p.ready()
	if to := x.current.Load(); to != nil {
		return x.errOf(x.typ.dispatch.SendWait(ctx, *to, m))
	}
	return errNoActor
}

// Join adds a member. A second Join of a member does nothing. Join panics if the pool starts its
// members itself, as a pool of [NewPoolOf] does, and if h is nil, a value that Go cannot compare or
// that is not equal to itself, a zero Topic or Pool, or the pool itself.
func (p Pool[M]) Join(from actor.Sender, h actor.Handler[M]) {
	mustBeHandler("Join", h)
	if me, ok := h.(*Pool[M]); h == actor.Handler[M](p) || ok && *me == p {
		panic("gallop: group: Join of a Pool to itself")
	}
	x := p.mustTakeMembers("Join")
	order(&x.place, from, x.typ.join, (*poolActor[M]).doJoin, h)
}

// Leave removes a member. Messages that the member was sent stay with it. Leave panics as
// [Pool.Join] does, but not for the pool itself, which is no member.
func (p Pool[M]) Leave(from actor.Sender, h actor.Handler[M]) {
	mustBeHandler("Leave", h)
	x := p.mustTakeMembers("Leave")
	order(&x.place, from, x.typ.leave, (*poolActor[M]).doLeave, h)
}

// Resize changes the number of members of a pool of [NewPoolOf] to n: it starts more, or drains the
// youngest. A member that leaves is sent nothing more, and ends when it has handled its mail. Until
// then it is restarted like others, so that a message over which it fails costs no other; these
// failures do not count for the Intensity. A pool that is restarted begins with the number given to
// NewPoolOf. Resize panics if n is less than 1, or if the pool does not start its members.
func (p Pool[M]) Resize(from actor.Sender, n int) {
	mustBeSize("Resize", n)
	x := p.ready()
	if x.factory == nil {
		panic("gallop: group: Resize of a Pool that does not start its members: use NewPoolOf")
	}
	order(&x.place, from, x.typ.resize, (*poolActor[M]).doResize, n)
}

// Len returns, from outside, the number of members that have not ended. The errors are the errors
// of [actor.AskBehaviour.Ask]; [actor.ErrSuspended] also while the pool has no actor.
func (p Pool[M]) Len(ctx context.Context) (int, error) {
	x := p.ready()
	if to := x.current.Load(); to != nil {
		n, err := x.typ.count.Ask(ctx, *to, struct{}{})
		return n, x.errOf(err)
	}
	return 0, errNoActor
}

// Any returns the pool's actor, to be watched, joined or linked; the zero AnyRef before the pool has
// started. A pool that is a supervisor's child may get another actor.
func (p Pool[M]) Any() actor.AnyRef { return p.ready().actorRef().Any() }

// Stop ends the pool, as [actor.Stop] does, and with it the members that it has started. Other
// members go on. It does nothing before the pool has started.
func (p Pool[M]) Stop(from actor.Sender) { p.ready().stop(from) }

// Status returns the status of the pool's actor: see [actor.Ref.Status]. While the pool has no
// actor it is [actor.StatusOverloaded].
func (p Pool[M]) Status() actor.Status { return p.ready().status() }

// handler returns the handler of the pool's actor: see makeDeadLetter. nil: it has none.
func (p Pool[M]) handler() actor.Handler[M] {
	if to := p.p.current.Load(); to != nil {
		return p.p.typ.dispatch.To(*to)
	}
	return nil
}
