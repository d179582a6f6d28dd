package group

import (
	"context"
	"errors"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/access"
)

// ErrNoMember says that a pool has no member that could take a request.
var ErrNoMember = errors.New("gallop: group: the pool has no member")

// AskPool sends each request to one of its members, which a [Policy] chooses. It is an
// [actor.Asker] itself. Make one with [NewAskPool], for members that are there already, or with
// [StartAskPool], which starts its members and restarts them; or declare it as the child of a
// supervisor: see [AskPoolForSupervisor]. It may be copied. The zero AskPool is not usable: its
// methods panic.
//
// An AskPool is a shared table and not an actor that requests pass through: the caller chooses the
// member in a short critical section, and asks it directly, so back pressure, deadlines and errors are those of
// an ask of the member. A request that was sent to a member is not sent to another one, even if it
// fails.
type AskPool[Q, R any] struct{ t *askPoolTable[Q, R] }

var _ actor.Asker[int, int] = AskPool[int, int]{}

// NewAskPool makes a pool of these members. It panics if policy is zero, or if a member is nil, a
// value that Go cannot compare or that is not equal to itself, or given twice. Such a pool has no
// actor, and may have members of several systems.
func NewAskPool[Q, R any](policy Policy[Q], members ...actor.Asker[Q, R]) AskPool[Q, R] {
	policy.mustBe("NewAskPool")
	t := &askPoolTable[Q, R]{policy: policy.start()}
	for _, a := range members {
		mustBeAsker("NewAskPool", a)
		if t.indexOf(a) >= 0 {
			panic("gallop: group: NewAskPool with a member that is there twice")
		}
		t.add(a)
	}
	t.policy.changed(len(t.members))
	return AskPool[Q, R]{t}
}

// StartAskPool makes a pool that starts n members, which answer its requests with the behaviour to.
// They are children of the pool's actor, are restarted and replaced as those of [StartPool], and
// end with it: see [AskPool.Stop]. Requests that arrive before the members have started wait for
// them. A request for a member that is down fails with [actor.ErrSuspended], unless its context
// says that it waits; this happens only with [Hash], or if all members are down.
//
// StartAskPool panics if policy or to is zero, n is less than 1, or spec is wrong.
func StartAskPool[S, Q, R any](from actor.Sender, policy Policy[Q], n int,
	to actor.AskBehaviour[S, Q, R], spec MemberSpec[S]) AskPool[Q, R] {
	t := newAskTable("StartAskPool", policy, n, to, spec)
	var a MemberSupervisor
	t.init(&a)
	t.setActor(listed(memberSupervisorType.Spawn(from, a)))
	return AskPool[Q, R]{t}
}

// AskPoolForSupervisor makes a pool as [StartAskPool] does, whose actor is the child of a
// supervisor:
//
//	quotes := group.AskPoolForSupervisor(group.LeastLoaded[Symbol](), 8, quote,
//		group.MemberSpec[quoter]{Type: quoterType})
//	supervise.Worker[group.MemberSupervisor]{Name: "quotes", Type: quotes.Type(), Init: quotes.Init}
//
// It has members as soon as its actor has started, and stays usable when the actor is replaced by a
// new one. Declare it once for each running tree: a second actor for the same pool fails to start.
func AskPoolForSupervisor[S, Q, R any](policy Policy[Q], n int, to actor.AskBehaviour[S, Q, R],
	spec MemberSpec[S]) AskPool[Q, R] {
	return AskPool[Q, R]{newAskTable("AskPoolForSupervisor", policy, n, to, spec)}
}

// Type is the actor type of the pool's actor, for [AskPoolForSupervisor].
func (p AskPool[Q, R]) Type() *actor.Type[MemberSupervisor] { return memberSupervisorType }

// Init makes the state of the pool's actor, for [AskPoolForSupervisor]. It panics if the pool
// was made by [NewAskPool], and has no actor.
func (p AskPool[Q, R]) Init(a *MemberSupervisor) {
	if p.ready().spec == nil {
		panic("gallop: group: Init of an AskPool that has no actor: use AskPoolForSupervisor")
	}
	mustBeState("Init", a == nil)
	p.t.init(a)
}

func (p AskPool[Q, R]) ready() *askPoolTable[Q, R] {
	if p.t == nil {
		panic("gallop: group: a zero AskPool: use NewAskPool or StartAskPool")
	}
	return p.t
}

// Ask asks one of the members, as [actor.AskBehaviour.Ask] does. The error is one that Ask lists,
// or [ErrNoMember]; or [actor.ErrStopped] if a pool that made its members has ended.
func (p AskPool[Q, R]) Ask(ctx context.Context, q Q) (r R, err error) {
	t := p.ready()
	for {
		a, gone, err := t.choose(q)
		switch {
		case err != nil:
			return r, err
		case a != nil:
			return a.Ask(ctx, q)
		}
		if _, err = replaced.To(t.actorRef()).Ask(ctx, gone); err != nil {
			return r, err
		}
	}
}

// AskTo asks one of the members, as the function [actor.AskTo] does: the outcome is sent to reply.
// It panics if reply is nil.
func (p AskPool[Q, R]) AskTo(c *actor.Context, q Q, reply actor.Handler[actor.Result[R]]) {
	t := p.ready()
	if reply == nil {
		panic("gallop: group: AskTo with a nil reply")
	}
	a, _, err := t.choose(q)
	switch {
	case err != nil:
		reply.Send(c, actor.Result[R]{Err: err})
	case a != nil:
		a.AskTo(c, q, reply)
	default: // an askWaiter waits until there is a member
		waiting := typeOnce(newAskWaiterType[Q, R])
		waiting.try.Send(c, waiting.typ.Spawn(c, askWaiter[Q, R]{t, q, reply}),
			actor.Result[struct{}]{})
	}
}

// Join adds a member. A second Join of a member does nothing, and so does Join of a pool that
// started its members. Join panics if a is nil, a value that Go cannot compare or that is not equal
// to itself, or the pool itself.
func (p AskPool[Q, R]) Join(a actor.Asker[Q, R]) {
	t := p.ready()
	if mustBeAsker("Join", a); access.SameAskTarget(a, p) {
		panic("gallop: group: Join of an AskPool to itself")
	}
	if t.join(a) {
		t.pruneEnded()
	}
}

// Leave removes a member. Requests that it was sent stay with it. Leave panics as [AskPool.Join]
// does, but not for the pool itself, which is no member.
func (p AskPool[Q, R]) Leave(a actor.Asker[Q, R]) {
	t := p.ready()
	mustBeAsker("Leave", a)
	t.leave(a)
}

// Len returns how many members there are that have not ended. Any goroutine.
func (p AskPool[Q, R]) Len() int {
	t := p.ready()
	t.pruneEnded()
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.members)
}

// Resize changes the number of members of a pool that started them to n: it starts more, or drains
// the youngest. Resize panics if n is less than 1, or if the pool has no actor, because it did not
// start its members or its supervisor has not started it.
func (p AskPool[Q, R]) Resize(from actor.Sender, n int) {
	mustBeSize("Resize", n)
	resize.Send(from, p.mustHaveActor("Resize"), n)
}

// Stop ends a pool that started its members, and the members with it, as [actor.Stop] does. It
// panics as [AskPool.Resize] does.
func (p AskPool[Q, R]) Stop(from actor.Sender) { actor.Stop(from, p.mustHaveActor("Stop")) }

// Any returns the actor of a pool that started its members, to be watched or joined; the zero
// AnyRef if the pool has none.
func (p AskPool[Q, R]) Any() actor.AnyRef { return p.ready().actorRef().Any() }

func (p AskPool[Q, R]) mustHaveActor(call string) actor.Ref[MemberSupervisor] {
	r := p.ready().actorRef()
	if r.IsZero() {
		panic("gallop: group: " + call + " of an AskPool without an actor")
	}
	return r
}

// mustBeAsker panics if a member could not be found again by comparing.
func mustBeAsker[Q, R any](call string, a actor.Asker[Q, R]) {
	mustBeKey(call, "member", a)
	if p, ok := a.(AskPool[Q, R]); ok {
		p.ready()
	}
}
