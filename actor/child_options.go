package actor

import (
	"reflect"

	"github.com/gallop-go/gallop/actor/internal/msg"
	"github.com/gallop-go/gallop/internal/access"
	"github.com/gallop-go/gallop/internal/invariant"
)

// spawnUnder is access.SpawnUnder, and the implementation of SpawnSupervised. It starts a child of
// the running actor, which supervises it.
func (t *Type[S]) spawnUnder(c *Context, init any, o access.ChildOptions) *cell {
	make, _ := init.(func(*S))
	if i := infoOf(t).made("SpawnSupervised"); make == nil {
		panic("gallop: SpawnSupervised: a nil function for " + i.name)
	}
	return startSupervised(c.kernel(), o, func(sup *supervision) *cell {
		if sup.zero = t.info.keep; sup.zero == nil {
			sup.zero = func(a *cell) { clear1(stateOf[S](a)) }
		}
		sup.init = func(a *cell) { make(stateOf[S](a)) } // the state is new, or zero has cleared it
		return newCell(t, c)
	})
}

// startSupervised is spawnUnder without its type parameter: it is compiled once, and spawnUnder for
// each type of actors.
func startSupervised(c *kernelTurn, o access.ChildOptions, spawn func(*supervision) *cell) *cell {
	sup := superviseAs(c, o)
	before := childAt(c.self, o.Before)
	a := spawn(sup)
	a.supervised = true
	a.adopt(c)
	k := a.cold.child
	if k.together = o.Together; o.Stop != nil {
		k.stop = func(c *kernelTurn, child AnyRef) { o.Stop(c.face(), child) }
	}
	c.self.cold.children.moveBefore(k, before)
	c.self.cold.children.guards++
	a.cold.sup = sup
	a.cold.path = o.Path
	a.launch(c.face())
	return a
}

// superviseAs returns the supervision of a new child of the running actor, without the functions
// that make the child's state.
func superviseAs(c *kernelTurn, o access.ChildOptions) *supervision {
	down := declaredFor(c, o.Down, ChildDown{})
	s := &supervision{
		super: c.self, family: o.Family, drops: o.DropMail, keeps: o.Backlog,
		decides: o.Decide, restarts: o.Restarts,
		deliver: func(c *kernelTurn, at *cell, f ChildDown) { deliver(c, at, down, f) },
	}
	if o.Up != nil {
		up := declaredFor(c, o.Up, access.ChildUp{})
		s.up = func(c *kernelTurn, at *cell, r access.ChildUp) { deliver(c, at, up, r) }
	}
	return s
}

// declaredFor returns the descriptor of a Behaviour, whose type parameters are not known here. It
// panics if the running actor has no such behaviour, or if the type of its messages is not that of
// m.
func declaredFor(c *kernelTurn, behaviour, m any) *descriptor {
	d := descriptorOf(behaviour).made()
	c.mustOwn(d)
	if reflect.TypeOf(d.payload(d.size.New(msg.Outside))) != reflect.TypeOf(m) {
		panicMisuse(d.fullName(), " is told of a child and does not take that")
	}
	return d
}

// childAt returns the entry of a child of a; nil for a zero ref. It panics if before is not a
// child. It costs a step for each younger sibling.
func childAt(a *cell, before any) *child {
	r, _ := before.(AnyRef)
	if r.b == nil {
		return nil
	}
	for k := a.makeCold().children.youngest; k != nil; k = k.older {
		if k.b == r.b {
			return k
		}
	}
	panic("gallop: SpawnSupervised: " + r.String() + " is not a child of " + a.String())
}

// moveBefore makes k, which is the youngest child, the next older sibling of at. If at is nil, k
// stays the youngest.
func (f *family) moveBefore(k, at *child) {
	if at == nil {
		return
	}
	f.unlink(k)
	k.older, k.younger = at.older, at
	if at.older != nil {
		at.older.younger = k
	}
	at.older = k
	if invariant.On {
		verifyFamily(f, k)
		verifyFamily(f, at)
	}
}

// childUp tells a supervisor that a child is up.
type childUp struct {
	unanswered
	of AnyRef
	// A copy that the supervisor may use: the supervision of the child may be gone.
	deliver func(c *kernelTurn, at *cell, r access.ChildUp)
}

func (s childUp) serve(a *cell, c *kernelTurn) { s.deliver(c, a, access.ChildUp{Ref: s.of}) }

// tellChildUp is called when an actor has been started. It tells the supervisor.
func (s *supervision) tellChildUp(c *kernelTurn, a *cell) {
	if s.up != nil {
		s.super.tell(c, childUp{of: AnyRef{a}, deliver: s.up})
	}
}

// As returns r as a ref to an actor with state S. It returns false if r is zero or its
// actor has another state type.
func As[S any](r AnyRef) (Ref[S], bool) {
	if r.b == nil {
		return Ref[S]{}, false
	}
	if _, ok := r.b.typ().state.(*S); !ok {
		return Ref[S]{}, false
	}
	return Ref[S](r), true
}

// decide returns the decision about a supervised actor that is about to fall for a reason. sound
// reports that the actor could go on with its state: otherwise the decision is not Resume. Owner
// only, between two messages.
func decide(a *cell, c *kernelTurn, x *coldState, why error, sound bool) access.Decision {
	x.decision = access.Restart
	if x.sup.decides == nil || IsNormal(why) {
		return access.Restart
	}
	c.msg, x.where, x.exitWhy = &noMessage, inDecide, why // for the report, and for failed
	a.sys().sim.callback(c, a, x.where.name())
	d := x.sup.decides(why)
	if d > access.Escalate {
		panic("gallop: Decide of " + a.String() + " has returned none of the decisions")
	}
	x.where, x.exitWhy = inNone, nil
	if d == access.Resume && sound && !x.down {
		return d
	}
	if d != access.Resume {
		x.decision = d
	}
	return x.decision
}
