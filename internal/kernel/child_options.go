package kernel

import (
	"github.com/gallop-go/gallop/internal/invariant"
)

// ChildOptions are a supervisor's options for one child.
type ChildOptions struct {
	// Down is a behaviour of the supervisor for ChildDown. It is called when the child fails.
	Down *Descriptor
	// Up is a behaviour of the supervisor for ChildUp. It is called whenever the child is up, by a
	// message that overtakes ordinary mail. It may be nil.
	Up *Descriptor
	// Stop tells the child to end when the supervisor ends, is suspended or restarts, and is not
	// killed. It is called in the supervisor's turn. It must not wait, and must see to it that the
	// child ends. If Stop is nil, the child is told to end as its supervisor was.
	Stop func(c *Turn, child AnyRef)
	// Together: the child need not wait for its younger siblings to end. When the first child with
	// this mark is told to end, all of them are.
	Together bool
	// Family is the result of FamilyOf for the child.
	Family any
	// Before is a child of the supervisor, or zero. The new child takes the place before it, as if it
	// were older: it is told to end later.
	Before AnyRef
	// Decide makes the decision for a child when a behaviour panics or exits with an error, when
	// init or OnStart fails, or when a linked actor fails. Its argument is the reason. It is not
	// called for normal ends, for Suspend, Restart and orders to end, nor while the child drains.
	// It runs in the child's turn, before anything of the life is lost, perhaps on another worker
	// than the supervisor's: so it must not use the supervisor's state, and must not wait. If it
	// panics itself, or is nil, the decision is Restart.
	Decide func(reason error) Decision
	// Restarts reports whether the child may come up again after it has fallen for the reason, by
	// itself and not by an order. nil: it may. It must be quick, and must not panic.
	Restarts func(reason error) bool
	// DropMail makes dead letters of the mail that waits for the child when it is restarted.
	DropMail bool
	// Backlog is how many ordinary messages are kept that come while the child is in a back-off,
	// from Postpone on: 1,000 if it is 0, none if it is negative. Messages that waited before do
	// not count. Further ones become dead letters with the reason ErrSuspended.
	Backlog int
	// Path names the child in reports and logs, for example "shop/users/bob". It may be empty.
	Path string
}

// Decision is supervise.Decision, which documents it: the fate of a supervised actor that is about
// to fail.
type Decision uint8

// The decisions.
const (
	Restart  Decision = iota // suspends the actor, and tells its supervisor
	Resume                   // lets it go on with its state
	Stop                     // ends it for good
	Escalate                 // suspends it; its supervisor is to fail as well
)

// ChildUp is the message by which a supervisor learns that an actor is up: that OnStart has
// returned without an error.
type ChildUp struct {
	Ref AnyRef
}

// SpawnUnder spawns a child of the running actor, which supervises it. S is the state of t. It
// panics if init is nil, or if Before is not a child of the running actor. Owner only, in a turn.
func SpawnUnder[S any](c *Turn, t *TypeInfo, init func(*S), o ChildOptions) AnyRef {
	if t.Made("SpawnUnder"); init == nil {
		panic("gallop: SpawnUnder: a nil function for " + t.Name)
	}
	return startSupervised(c, o, func(sup *supervision) *Cell {
		if sup.zero = t.Keep; sup.zero == nil {
			sup.zero = func(a *Cell) { ClearValue(StateOf[S](a)) }
		}
		sup.init = func(a *Cell) { init(StateOf[S](a)) } // the state is new, or zero has cleared it
		return newCell[S](t, c)
	}).Ref()
}

// startSupervised is SpawnUnder without its type parameter: it is compiled once, and SpawnUnder for
// each type of state.
func startSupervised(c *Turn, o ChildOptions, spawn func(*supervision) *Cell) *Cell {
	sup := superviseAs(c, o)
	before := childAt(c.Self, o.Before)
	a := spawn(sup)
	a.Supervised = true
	a.Adopt(c)
	k := a.Cold.Child
	if k.together = o.Together; o.Stop != nil {
		k.stop = o.Stop
	}
	c.Self.Cold.Children.moveBefore(k, before)
	c.Self.Cold.Children.Guards++
	a.Cold.Sup = sup
	a.Cold.Path = o.Path
	a.Launch(c)
	return a
}

// superviseAs returns the supervision of a new child of the running actor, without the functions
// that make the child's state.
func superviseAs(c *Turn, o ChildOptions) *supervision {
	down := o.Down
	c.MustOwn(down.Made())
	s := &supervision{
		super: c.Self, family: o.Family, drops: o.DropMail, keeps: o.Backlog,
		decides: o.Decide, restarts: o.Restarts,
		deliver: func(c *Turn, at *Cell, f ChildDown) { deliver(c, at, down, f) },
	}
	if o.Up != nil {
		up := o.Up
		c.MustOwn(up.Made())
		s.up = func(c *Turn, at *Cell, r ChildUp) { deliver(c, at, up, r) }
	}
	return s
}

// childAt returns the entry of the child r of a; nil for a zero ref. It panics if r is not a
// child. It costs a step for each younger sibling.
func childAt(a *Cell, r AnyRef) *child {
	if r.b == nil {
		return nil
	}
	for k := a.MakeCold().Children.Youngest; k != nil; k = k.Older {
		if k.b == r.b {
			return k
		}
	}
	panic("gallop: SpawnUnder: " + r.String() + " is not a child of " + a.String())
}

// moveBefore makes k, which is the youngest child, the next older sibling of at. If at is nil, k
// stays the youngest.
func (f *family) moveBefore(k, at *child) {
	if at == nil {
		return
	}
	f.unlink(k)
	k.Older, k.younger = at.Older, at
	if at.Older != nil {
		at.Older.younger = k
	}
	at.Older = k
	if invariant.On {
		verifyFamily(f, k)
		verifyFamily(f, at)
	}
}

// FamilyOf returns the Family of the running actor, or nil. It panics if no actor runs. Owner only,
// in a turn.
func (c *Turn) FamilyOf() any {
	MustRun(c, "FamilyOf")
	if x := c.Self.Cold; x != nil && x.Sup != nil {
		return x.Sup.family
	}
	return nil
}

// PathOf returns the Path of the running actor, or "". It panics if no actor runs. Owner only, in a
// turn.
func (c *Turn) PathOf() string {
	MustRun(c, "PathOf")
	if x := c.Self.Cold; x != nil {
		return x.Path
	}
	return ""
}

// childUp tells a supervisor that a child is up.
type childUp struct {
	Unanswered
	of AnyRef
	// A copy that the supervisor may use: the supervision of the child may be gone.
	deliver func(c *Turn, at *Cell, r ChildUp)
}

// Serve implements Signal.
func (s childUp) Serve(a *Cell, c *Turn) { s.deliver(c, a, ChildUp{Ref: s.of}) }

// tellChildUp is called when an actor has been started. It tells the supervisor.
func (s *supervision) tellChildUp(c *Turn, a *Cell) {
	if s.up != nil {
		s.super.Tell(c, childUp{of: AnyRef{a}, deliver: s.up})
	}
}

// decide returns the decision about a supervised actor that is about to fall for a reason. sound
// reports that the actor could go on with its state: otherwise the decision is not Resume. Owner
// only, between two messages.
func decide(a *Cell, c *Turn, x *Cold, why error, sound bool) Decision {
	x.decision = Restart
	if x.Sup.decides == nil || IsNormal(why) {
		return Restart
	}
	c.Msg, x.where, x.exitWhy = &noMessage, inDecide, why // for the report, and for failed
	a.Sys().Sim.callback(c, a, x.where.name())
	d := x.Sup.decides(why)
	if d > Escalate {
		panic("gallop: Decide of " + a.String() + " has returned none of the decisions")
	}
	x.where, x.exitWhy = inNone, nil
	if d == Resume && sound && !x.down {
		return d
	}
	if d != Resume {
		x.decision = d
	}
	return x.decision
}
