package actor

import "github.com/gallop-go/gallop/internal/invariant"

// How a supervisor looks after its children, in more detail than SpawnSupervised says.

// Risen is the message by which a supervisor learns that an actor is up: that OnStart
// has returned without an error.
type Risen struct {
	// Ref is the actor.
	Ref AnyRef
}

// Care says how an actor looks after a child that it spawns with [SpawnUnder]. T is the
// state of the parent.
type Care[T any] struct {
	// Fell is told of the child's falls, as [SpawnSupervised] says.
	Fell Behaviour[T, ChildDown]
	// Rose is told whenever the child is up, by a message that overtakes ordinary mail.
	// With the zero Behaviour no actor is told.
	Rose Behaviour[T, Risen]
	// Stop tells the child to end when the parent ends, is suspended or restarts, and is not
	// killed. It runs in the parent's turn. It must not wait, and must see to it that the child
	// ends. If Stop is nil, the child is told to end as its parent was.
	Stop func(c *Context, child AnyRef)
	// Together says that the child need not wait for its younger siblings to end: when the first
	// child with this mark is told to end, all of them are.
	Together bool
	// Family is what [FamilyOf] returns to the child.
	Family any
	// Before is a child of the running actor. If it is not zero, the new child takes the
	// place before it, as if it were older: it is told to end later.
	Before AnyRef
	// Decide decides what becomes of the child when a behaviour panics or exits with an error, when
	// init or OnStart fails, or when a linked actor fails. It is given the reason and is not asked
	// about normal ends, about [Suspend], [Restart] and orders to end, nor while the child drains.
	// It runs in the child's turn, before anything of the life is lost, perhaps on another worker
	// than the parent's: so it must not use the parent's state, and must not wait. If it panics
	// itself, or is nil, the decision is [DecideRestart].
	Decide func(reason error) Decision
	// Mail says what becomes of the mail that waits for the child when it is restarted.
	Mail MailPolicy
	// Backlog is how many ordinary messages are kept for the child while it is in a back-off,
	// from [Postpone] on, besides those that waited then: 1,000 if it is 0, none if it is
	// negative. The others become dead letters with the reason [ErrSuspended].
	Backlog int
	// KeepReplies lets the outcomes of what one life of the child has asked for, by [AskTo]
	// and [Pipe], run in the next. Otherwise they become dead letters with the reason
	// [ErrRestarted]. Timers end with their life in any case.
	KeepReplies bool
	// Path names the child in reports and logs, for example "shop/users/bob". It may be empty.
	Path string
}

// MailPolicy says what a restart does with the mail that waits for the actor.
type MailPolicy uint8

const (
	// KeepMail keeps queued and stashed messages. They run in the next life, in order. Requests
	// whose callers have given up by the restart are dropped all the same, for the reason
	// [ErrRestarted].
	KeepMail MailPolicy = iota
	// DropMail makes a dead letter of each message that waits when the life ends, also of stashed
	// and of urgent ones, with the reason [ErrRestarted]: the caller of a request among them is
	// told so. Messages that come later run in the next life.
	DropMail
)

// SpawnUnder is [SpawnSupervised] with more say: see [Care]. It also panics if Before
// is not a child of the running actor.
func SpawnUnder[S, T any](c *Context, t *Type[S], init func(*S), care Care[T]) Ref[S] {
	d := care.Fell.d.made()
	c.mustOwn(d)
	rose := care.deliverRisen(c)
	if i := infoOf(t).made("SpawnUnder"); init == nil {
		panic("gallop: SpawnUnder: a nil function for " + i.name)
	}
	if care.Mail > DropMail {
		panic("gallop: SpawnUnder: Care.Mail is neither KeepMail nor DropMail")
	}
	before := c.self.childAt(care.Before)
	a := newBody(t, c)
	a.supervised = true
	a.adopt(c)
	k := a.cold.child
	k.stop, k.together = care.Stop, care.Together
	c.self.cold.children.moveBefore(k, before)
	c.self.cold.guards++
	wipe := t.info.keep
	if wipe == nil {
		wipe = func(a *cell) { clear1(stateOf[S](a)) }
	}
	a.cold.sup = &supervision{
		super: c.self, zero: wipe, family: care.Family,
		init:    func(a *cell) { init(stateOf[S](a)) }, // of a state that is new, or that wipe has left
		deliver: func(c *Context, at *cell, f ChildDown) { deliver(c, at, d, f) },
		up:      rose,
		decides: care.Decide, drops: care.Mail ==
			DropMail, keeps: care.Backlog, keepReplies: care.KeepReplies,
	}
	a.cold.path = care.Path
	a.launch(c)
	return Ref[S]{a}
}

// deliverRisen returns nil if there is no behaviour for it.
func (care *Care[T]) deliverRisen(c *Context) func(*Context, *cell, Risen) {
	d := care.Rose.d
	if d == nil {
		return nil
	}
	c.mustOwn(d)
	return func(c *Context, at *cell, r Risen) { deliver(c, at, d, r) }
}

// childAt returns the place of a child; nil for a zero ref. It looks at the child's younger
// siblings.
func (a *cell) childAt(r AnyRef) *child {
	if r.b == nil {
		return nil
	}
	for k := a.makeCold().children.youngest; k != nil; k = k.older {
		if k.b == r.b {
			return k
		}
	}
	panic("gallop: SpawnUnder: " + r.String() + " is not a child of " + a.String())
}

// moveBefore makes k the next older sibling of at; the youngest if at is nil.
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
	// The supervisor's; the sender's supervision may be gone.
	deliver func(c *Context, at *cell, r Risen)
}

func (s childUp) serve(a *cell, c *Context) { s.deliver(c, a, Risen{s.of}) }

// tellChildUp is called when an actor has been started.
func (s *supervision) tellChildUp(c *Context, a *cell) {
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

// Decision is what becomes of a supervised actor that is about to fall: see [Care].
type Decision uint8

const (
	// DecideRestart suspends the actor. Its supervisor is told, and decides on [Restart]
	// or [Stop].
	DecideRestart Decision = iota
	// DecideResume lets the actor go on with its state as it is, and its mail, timers,
	// children, stash, and replies that were put off. The message over which it panicked is gone,
	// and its caller hears ErrPanicked. The panic is reported as usual. The supervisor is not told.
	// An actor that was not up, that has lost its arena to the panic of a collection, or that
	// leaves already has no state to go on with: for it this is DecideRestart.
	DecideResume
	// DecideStop ends the actor for good, with the reason of the fall, as StopWith would. Its
	// supervisor is told by a [ChildDown] that is Final.
	DecideStop
	// DecideEscalate suspends the actor and asks its supervisor to fail for the same reason:
	// see [ChildDown].
	DecideEscalate
)

// decide asks what becomes of a supervised actor that is about to fall for a reason. sound says
// that it could go on with its state. Owner only, between two messages.
func (a *cell) decide(c *Context, x *coldState, why error, sound bool) Decision {
	x.decision = DecideRestart
	if x.sup.decides == nil || IsNormal(why) {
		return DecideRestart
	}
	c.msg, x.where, x.exitWhy = &noMessage, inDecide, why // for the report, and for failed
	a.sys().sim.callback(c, a, x.where.name())
	d := x.sup.decides(why)
	if d > DecideEscalate {
		panic("gallop: Care.Decide of " + a.String() + " has returned none of the decisions")
	}
	x.where, x.exitWhy = inNone, nil
	if d == DecideResume && sound && !x.down {
		return d
	}
	if d != DecideResume {
		x.decision = d
	}
	return x.decision
}
