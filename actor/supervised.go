package actor

import (
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
)

// What package supervise needs of an actor: that it can be taken down and brought up in
// its place, with its ref and its mail.

// Fallen is the message by which a supervisor learns of the fall of an actor that it
// has spawned with [SpawnSupervised].
type Fallen struct {
	// Ref is the actor, and ActorID and Type name it.
	Ref     AnyRef
	ActorID uint64
	Type    string
	// Reason says why the actor fell: see [IsNormal].
	Reason error
	// Final says that the actor has ended for good. If it is false, the actor is suspended:
	// it keeps its mail, holds the system, and waits for [Restart] or [Stop].
	Final bool
	// Starting says that the actor was not up when it fell: init or OnStart failed, with
	// Reason as the error, or it was taken down before they ran.
	Starting bool
	// Decision is what Care.Decide has decided about Reason. With DecideStop the actor has
	// ended: Final is true. With DecideEscalate the actor is suspended, and the supervisor is to
	// fail itself, for example by c.Exit(f.Reason). It is DecideRestart if Decide was not asked.
	Decision Decision
}

// supervision is what a supervised actor knows of its supervisor. Read-only.
type supervision struct {
	super   *body
	renew   func(b *body) // gives it a fresh state
	wipe    func(b *body) // gives it the zero state, or what [TypeKeep] keeps
	deliver func(c *Context, at *body, f Fallen)
	rose    func(c *Context, at *body, r Risen) // nil: nobody wants to know
	family  any                                 // Care.Family
	decides func(reason error) Decision         // Care.Decide
	drops   bool                                // mail, at a restart
	keeps   int                                 // Care.Backlog

	keepReplies bool // outcomes that a life has asked for run in the next one

	// What else it takes, so that a program without supervisors does not link it.
	tell    func(s *supervision, r replier, b *body, why error, final bool)
	suspend func(b *body, c *Context, x *extras)
	restart func(b *body, c *Context, x *extras)
}

// SpawnSupervised spawns a child of the running actor that can be restarted in its
// place. init makes the child's state, out of the zero state, at every start; it runs
// in the child's own turn, before OnStart. SpawnSupervised panics if init is nil, or if
// fell belongs to another type than the running actor.
//
// What such a child does by itself does not end it but suspends it: if it panics, stops
// or exits, cannot be started, or is linked to an actor that fails. Then
//
//   - its children are stopped, and OnStop runs;
//   - its state is gone, and with it its arena, the variant it had become and what it
//     watched;
//   - its ref, its mail, its links and its watchers stay, with what was stashed first
//     in the mail; the message over which it fell does not run again;
//   - it holds the system until the running actor has decided on [Restart] or [Stop].
//     The running actor is told by a message for fell that overtakes ordinary mail.
//
// Whoever stops, drains or kills the child ends it for good. So does the end of the
// running actor, at once if the child is down. An actor with supervised children is
// never muted.
func SpawnSupervised[S, T any](c *Context, t *Type[S], init func(*S), fell Behaviour[T, Fallen]) Ref[S] {
	if i := infoOf(t).made("SpawnSupervised"); init == nil {
		panic("gallop: SpawnSupervised: a nil function for " + i.name)
	}
	return SpawnUnder(c, t, init, Care[T]{Fell: fell})
}

// Suspend takes a supervised actor down after the message that it is handling, as if it
// had failed with the reason [ErrShutdown], and keeps its mail. Its supervisor hears
// when that is done. Suspend panics if t was not spawned with [SpawnSupervised].
//
// An actor that is on its way down to be restarted stays down. Otherwise Suspend does
// nothing to an actor that is down or on its way down.
func Suspend(from Sender, t Target) {
	mustBeSupervised("Suspend", t)
	sendSignal("Suspend", from, t, takeDown{})
}

// Restart brings a supervised actor up again, with a fresh state, in its place: its
// queued mail runs, in order. An actor that is up is taken down first, as by [Suspend],
// but its supervisor is not told. Restart does nothing to an actor that is ending. It
// panics if t was not spawned with [SpawnSupervised].
func Restart(from Sender, t Target) {
	mustBeSupervised("Restart", t)
	sendSignal("Restart", from, t, bringUp{})
}

func mustBeSupervised(call string, t Target) {
	if b := targetOf(call, t); !b.supervised {
		panic("gallop: " + call + ": " + b.String() + " is not supervised")
	}
}

// supervises tells whether an actor has supervised children. Owner only.
func (b *body) supervises() bool { return b.extra != nil && b.extra.guards > 0 }

func (s *supervision) tellFall(r replier, b *body, why error, final bool) {
	s.super.tell(r, fell{sup: s, news: Fallen{
		Ref: AnyRef{b}, ActorID: b.id, Type: b.typ().name, Reason: why, Final: final, Starting: b.extra.starting, Decision: b.extra.decision,
	}})
}

// fell tells a supervisor that a child has fallen.
type fell struct {
	unanswered
	sup  *supervision
	news Fallen
}

func (s fell) serve(b *body, c *Context) {
	if x := b.mine(); x.phase == leaving {
		s.news.Ref.b.tell(replier{c: c, sys: b.sys()}, forsaken{verb: x.verb})
	}
	s.sup.deliver(c, b, s.news)
}

// guarding is parenting for supervised children.
var guarding = childCalls{(*child).order, (*child).ended, (*child).forsake}

func (k *child) forsake(r replier, v verb) { k.b.tell(r, forsaken{verb: v}) }

// forsaken is what a supervisor that leaves tells its children. A child that is down would wait for
// its verdict for ever. Nor can the child wait for its turn to be told to end: a younger sibling
// may be muted for it, and be waited for first.
type forsaken struct {
	unanswered
	verb verb // how the supervisor leaves
}

func (s forsaken) serve(b *body, c *Context) {
	if invariant.On {
		verifyForsaken(b)
	}
	if b.mine().phase != suspended {
		return
	}
	o := order{verb: verbStop, why: ErrShutdown}
	if s.verb == verbKill {
		o = order{verb: verbKill, why: ErrKilled}
	}
	b.ordered(c, o)
}

// takeDown is Suspend.
type takeDown struct{ unanswered }

func (takeDown) serve(b *body, c *Context) {
	if invariant.On {
		verifyVerdict(b)
	}
	x := b.mine()
	x.inTodo = notAsked
	switch {
	case x.phase == alive && !x.drained:
		b.leave(c, goalSuspend, verbStop, ErrShutdown)
	case x.phase == leaving && x.goal == goalRestart:
		x.goal = goalSuspend
	}
}

// bringUp is Restart.
type bringUp struct{ unanswered }

func (bringUp) serve(b *body, c *Context) {
	x := b.mine()
	x.inTodo = notAsked
	switch {
	case x.phase == suspended:
		b.revive(c, x)
	case x.phase == alive && !x.drained:
		b.leave(c, goalRestart, verbStop, ErrShutdown)
	case x.phase == leaving && x.goal == goalSuspend:
		x.goal = goalRestart
	}
}

// suspend is the end of LEAVING for an actor that may come up again. Its gate is shut: those that
// send to it wait with it.
func (b *body) suspend(c *Context, x *extras) {
	if invariant.On {
		verifySuspend(b, x, goalSuspend)
	}
	b.forget(c, x)
	x.phase = suspended
	b.setLoad(c, b.load&^backpressure.Overloaded|backpressure.Pressed)
	if b.load&backpressure.Muted != 0 {
		b.unmuted(c) // it sends nothing
	}
	b.wait()
	x.sup.tellFall(replier{c: c, sys: b.sys()}, b, x.reason, false)
}

// restart is the end of LEAVING for an actor that comes up again at once.
func (b *body) restart(c *Context, x *extras) {
	if invariant.On {
		verifySuspend(b, x, goalRestart)
	}
	b.forget(c, x)
	b.revive(c, x)
}

// forget drops what belongs to a life and not to the actor.
func (b *body) forget(c *Context, x *extras) {
	r := replier{c: c, sys: b.sys()}
	c.forgo()
	x.nextLife()
	b.forgetContext()
	if x.timers != nil {
		x.timers.cancelAll(c)
	}
	x.cutOff()
	if x.deferred != nil {
		x.deferred.of.endLife(b, r, stoppedBecause(x.reason))
	}
	b.dropPressure()
	for n := len(x.watching.entries); n > 0; n-- {
		x.watching.entries[n-1].who.cancel(r)
	}
	x.back.add(x.stash.all())
	b.comeBack(x)
	b.freeArena(r)
	b.dispatchBy(nil)
	if x.sup.drops {
		b.dropMail(c, x)
	}
	x.trap, x.exitWhy = nil, nil
	x.sup.wipe(b)
}

// revive begins the next life.
func (b *body) revive(c *Context, x *extras) {
	if invariant.On {
		verifyRevive(b, x)
	}
	reason, wasDown := x.reason, x.backoff != nil
	x.phase, x.reason, x.decision = alive, nil, DecideRestart
	x.due, x.down = true, true
	b.waited()
	b.setPressed(c, false)
	if f := b.flow.Load(); wasDown {
		f.calls.letIn(f, b) // the gate may have been open
	}
	b.dropAbandoned(c, x, reason)
	b.start(c)
	b.heed(c, x)
	if x.phase == alive {
		x.held.add(x.todo.all())
		x.todo, x.held = x.held, messageList{}
	}
}
