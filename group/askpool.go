package group

import (
	"context"
	"errors"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/supervise"
)

// ErrNoMember says that a pool has no member that could take a request.
var ErrNoMember = errors.New("gallop: group: the pool has no member")

// AskPool sends each request to one of its members, which a [Policy] chooses. It is an
// [actor.Asker] itself. Make one with [NewAskPool] for existing members, or with [NewAskPoolOf] for
// members that the pool starts. The latter has an actor, which is started with [AskPool.Start], or
// as the child of a supervisor with [AskPool.Child]. An AskPool may be copied. The zero AskPool is
// not usable: its methods panic.
//
// An AskPool is a shared table and not an actor that requests pass through. The caller chooses the
// member in a short critical section, and asks it directly. So back pressure, deadlines and errors
// are as with an ask of the member. A request that was sent to a member is not sent to another one,
// even if it fails.
type AskPool[Q, R any] struct{ t *askPoolTable[Q, R] }

var _ actor.Asker[int, int] = AskPool[int, int]{}

// NewAskPool makes a pool of these members. It panics if policy is zero, or if a member is nil, a
// value that Go cannot compare or that is not equal to itself, or given twice. Such a pool has no
// actor and need not be started, and may have members of several systems.
func NewAskPool[Q, R any](policy Policy[Q], members ...actor.Asker[Q, R]) AskPool[Q, R] {
	policy.mustBe("NewAskPool")
	t := &askPoolTable[Q, R]{policy: policy.start(), place: place[askPoolActor]{kind: "AskPool"}}
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

// NewAskPoolOf makes a pool that starts n members when it is started itself. They answer its
// requests with the behaviour to. They are restarted and replaced like members of [NewPoolOf], and
// end with the pool's actor: see [AskPool.Stop]. Requests that arrive before the members have
// started wait for them; before the pool was started, they fail with [ErrNoMember]. A request for a
// member that is down fails with [actor.ErrSuspended], unless its context says that it waits. This
// happens only with [Hash], or if all members are down.
//
// NewAskPoolOf panics if policy or to is zero, n is less than 1, or spec is wrong.
func NewAskPoolOf[S, Q, R any](policy Policy[Q], n int, to actor.AskBehaviour[S, Q, R],
	spec MemberSpec[S]) AskPool[Q, R] {
	policy.mustBe("NewAskPoolOf")
	mustBeSize("NewAskPoolOf", n)
	t := &askPoolTable[Q, R]{policy: policy.start(), place: place[askPoolActor]{kind: "AskPool"},
		factory: &askerFactory[Q, R]{tree: spec.tree("NewAskPoolOf"), size: n,
			bind: func(r actor.AnyRef) actor.Asker[Q, R] {
				ref, _ := actor.As[S](r)
				return to.To(ref)
			}}}
	mustSuit("NewAskPoolOf", kernel.AnyAsk(to).Descriptor(), spec.Type)
	return AskPool[Q, R]{t}
}

// Start starts the actor of a pool of [NewAskPoolOf], and returns the pool. It panics if the pool was
// started before, is the child of a supervisor, or has no actor.
func (p AskPool[Q, R]) Start(from actor.Sender) AskPool[Q, R] {
	t := p.mustStartMembers("Start")
	t.start(from)
	t.publish(listed(askPoolType.Spawn(from, askPoolActor{table: t})))
	return p
}

// Child declares the actor of a pool of [NewAskPoolOf] as the child of a supervisor. Set the
// restart type and similar fields in the result. A pool is for one running tree: a second actor
// fails to start. Child panics if the pool was started, or has no actor.
func (p AskPool[Q, R]) Child(name string) supervise.Worker[askPoolActor] {
	t := p.mustStartMembers("Child")
	t.declare()
	return supervise.Worker[askPoolActor]{Name: name, Type: askPoolType,
		Init: func(a *askPoolActor) { a.table = t }}
}

func (p AskPool[Q, R]) ready() *askPoolTable[Q, R] {
	if p.t == nil {
		panic("gallop: group: a zero AskPool: use NewAskPool")
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
		if _, err = replaced.Ask(ctx, t.actorRef(), gone); err != nil {
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

// Join adds a member. A second Join of a member does nothing. Join panics if the pool starts its
// members itself, as a pool of [NewAskPoolOf] does, and if a is nil, a value that Go cannot compare
// or that is not equal to itself, a zero AskPool, or the pool itself.
func (p AskPool[Q, R]) Join(a actor.Asker[Q, R]) {
	t := p.mustTakeMembers("Join")
	mustBeAsker("Join", a)
	if me, ok := a.(*AskPool[Q, R]); kernel.SameAsker(a, p) || ok && *me == p {
		panic("gallop: group: Join of an AskPool to itself")
	}
	if t.join(a) {
		t.pruneEnded()
	}
}

// Leave removes a member. Requests that it was sent stay with it. Leave panics as [AskPool.Join]
// does, but not for the pool itself, which is no member.
func (p AskPool[Q, R]) Leave(a actor.Asker[Q, R]) {
	t := p.mustTakeMembers("Leave")
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

// Resize changes the number of members of a pool of [NewAskPoolOf] to n, as [Pool.Resize] does. It
// panics if n is less than 1, or if the pool does not start its members.
func (p AskPool[Q, R]) Resize(from actor.Sender, n int) {
	mustBeSize("Resize", n)
	t := p.mustStartMembers("Resize")
	order(&t.place, from, resizeAskers, (*askPoolActor).resize, n)
}

// Stop ends the actor of a pool of [NewAskPoolOf], and the members with it, as [actor.Stop] does. It
// does nothing before the pool has started, and panics if it has no actor.
func (p AskPool[Q, R]) Stop(from actor.Sender) { p.mustStartMembers("Stop").stop(from) }

// Any returns the actor of a pool of [NewAskPoolOf], to be watched, joined or linked; the zero AnyRef
// if the pool has none, or has not started. A pool that is a supervisor's child may get another
// actor.
func (p AskPool[Q, R]) Any() actor.AnyRef { return p.ready().actorRef().Any() }

func (p AskPool[Q, R]) mustStartMembers(call string) *askPoolTable[Q, R] {
	t := p.ready()
	if t.factory == nil {
		panic("gallop: group: " + call + " of an AskPool without an actor: use NewAskPoolOf")
	}
	return t
}

// mustTakeMembers returns the table. It panics, naming call, if the pool starts its members itself.
func (p AskPool[Q, R]) mustTakeMembers(call string) *askPoolTable[Q, R] {
	t := p.ready()
	if t.factory != nil {
		panic("gallop: group: " + call + " of an AskPool that starts its members: use NewAskPool")
	}
	return t
}

// mustBeAsker panics, naming call, if a cannot be a member: if it is nil, or could not be found
// again by ==. It also panics if a is a zero AskPool, a pointer to a zero AskPool, or a nil pointer
// to an AskPool.
func mustBeAsker[Q, R any](call string, a actor.Asker[Q, R]) {
	mustBeKey(call, "member", a)
	switch p := a.(type) {
	case AskPool[Q, R]:
		p.ready()
	case *AskPool[Q, R]:
		if p == nil {
			panic("gallop: group: " + call + " with a nil pointer to an AskPool")
		}
		p.ready()
	}
}
