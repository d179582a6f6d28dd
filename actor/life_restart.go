package actor

import (
	"github.com/gallop-go/gallop/internal/access"

	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
)

// Package supervise takes actors down and brings them up again in their place, with their refs and
// their mail. This file has the part of an actor that this needs.

// ChildDown is the message by which a supervisor learns of the fall of an actor that it
// has spawned with [SpawnSupervised].
type ChildDown struct {
	// Ref is the actor, and ActorID and Type name it.
	Ref     AnyRef
	ActorID uint64
	Type    string
	// Reason is the reason for which the actor fell. See [IsNormal].
	Reason error
	// Final says that the actor has ended for good. If it is false, the actor is suspended:
	// it keeps its mail, holds the system, and waits for [Restart] or [Stop].
	Final bool
	// Starting says that the actor was not up when it fell: init or OnStart failed, with
	// Reason as the error, or it was taken down before they ran.
	Starting bool
	// The answer of the supervisor's Decide for Reason; access.Restart if Decide was not called.
	decision access.Decision
}

// supervision links a supervised actor to its supervisor. Read-only.
type supervision struct {
	super   *cell
	init    func(a *cell) // gives it a new state
	zero    func(a *cell) // resets its state to zero, or to the part that [WithKeep] keeps
	deliver func(c *kernelTurn, at *cell, f ChildDown)
	up      func(c *kernelTurn, at *cell, r access.ChildUp) // nil: the supervisor is not told
	family  any                                             // ChildOptions.Family
	decides func(reason error) access.Decision              // ChildOptions.Decide

	restarts func(reason error) bool // ChildOptions.Restarts
	drops    bool                    // mail, at a restart
	keeps    int                     // ChildOptions.Backlog
}

// SpawnSupervised spawns a child of the running actor that can be restarted in its
// place. init makes the child's state, out of the zero state, at every start; it runs
// in the child's own turn, before OnStart. SpawnSupervised panics if init is nil, or if
// fell belongs to another type than the running actor.
//
// Such a child falls if it panics, stops or exits, cannot be started, or is linked to an
// actor that fails. A fall does not end the child but suspends it:
//
//   - Its children are stopped, and OnStop runs.
//   - Its state is gone, and with it its arena, the variant it had become and its
//     monitors of other actors.
//   - Its ref, its mail, its links and its watchers stay. Stashed messages go first in
//     the mail. The message over which it fell does not run again.
//   - It holds the system until the running actor has decided on [Restart] or [Stop].
//     The running actor is told by a message for fell that overtakes ordinary mail.
//
// A Stop, Drain or Kill of the child ends it for good. So does the end of the
// running actor, at once if the child is down. An actor with supervised children is
// never muted.
func SpawnSupervised[S, T any](c *Context, t *Type[S], init func(*S),
	fell Behaviour[T, ChildDown]) Ref[S] {
	return Ref[S]{t.spawnUnder(c, init, access.ChildOptions{Down: fell})}
}

// Suspend takes a supervised actor down after the message that it is handling, as if it
// had failed with the reason [ErrShutdown], and keeps its mail. Its supervisor is told
// when that is done. Suspend panics if t was not spawned with [SpawnSupervised].
//
// An actor that is on its way down to be restarted stays down. Otherwise Suspend does
// nothing to an actor that is down or on its way down.
func Suspend(from Sender, t Target) {
	mustBeSupervised("Suspend", t)
	sendSignal("Suspend", from, t, takeDown{})
}

// Restart brings a supervised actor up again, with a new state, in its place: its
// queued mail runs, in order. An actor that is up is taken down first, as by [Suspend],
// but its supervisor is not told. Restart does nothing to an actor that is ending. It
// panics if t was not spawned with [SpawnSupervised].
func Restart(from Sender, t Target) {
	mustBeSupervised("Restart", t)
	sendSignal("Restart", from, t, bringUp{})
}

func mustBeSupervised(call string, t Target) {
	if a := targetOf(call, t); !a.supervised {
		panic("gallop: " + call + ": " + a.String() + " is not supervised")
	}
}

// supervises reports whether an actor has supervised children. Owner only.
func (a *cell) supervises() bool { return a.cold != nil && a.cold.children.guards > 0 }

func (s *supervision) tellChildDown(e env, a *cell, why error, final bool) {
	s.super.tell(e, childDown{sup: s, news: ChildDown{
		Ref: AnyRef{a}, ActorID: a.id, Type: a.typ().name, Reason: why, Final: final,
		Starting: a.cold.starting, decision: a.cold.decision,
	}})
}

// childDown tells a supervisor that a child has fallen.
type childDown struct {
	unanswered
	sup  *supervision
	news ChildDown
}

func (s childDown) serve(a *cell, c *kernelTurn) {
	if x := a.makeCold(); x.state == leaving {
		s.news.Ref.b.tell(c, orphaned{mode: x.stopMode})
	}
	s.sup.deliver(c, a, s.news)
}

// orphaned tells a supervised child that its supervisor leaves. It ends a child that is down, which
// would otherwise wait for its supervisor's decision for ever. It is sent to all children at once
// and not youngest first: a younger sibling, which would be ended first, may be muted for the
// child.
type orphaned struct {
	unanswered
	mode stopMode // how the supervisor leaves
}

func (s orphaned) serve(a *cell, c *kernelTurn) {
	if a.makeCold().state != suspended {
		return
	}
	o := stopRequest{mode: modeStop, why: ErrShutdown}
	if s.mode == modeKill {
		o = stopRequest{mode: modeKill, why: ErrKilled}
	}
	a.applyStop(c, o)
}

// takeDown is Suspend.
type takeDown struct{ unanswered }

func (takeDown) serve(a *cell, c *kernelTurn) {
	x := a.makeCold()
	x.orders.inTodo = notAsked
	switch {
	case x.putOff(a, c, takeDown{}, ErrShutdown):
	case x.state == alive && !x.drained:
		x.takenDown = true
		a.leave(c, nextSuspended, modeStop, ErrShutdown)
	case x.state == leaving && x.after == nextRestart:
		x.after = nextSuspended
	}
}

// bringUp is Restart.
type bringUp struct{ unanswered }

func (bringUp) serve(a *cell, c *kernelTurn) {
	x := a.makeCold()
	x.orders.inTodo = notAsked
	switch {
	case x.putOff(a, c, bringUp{}, ErrShutdown):
	case x.state == suspended:
		a.beginLife(c, x)
	case x.state == alive && !x.drained:
		x.takenDown = true
		a.leave(c, nextRestart, modeStop, ErrShutdown)
	case x.state == leaving && x.after == nextSuspended:
		x.after = nextRestart
	}
}

// suspend is the end of LEAVING for an actor that may come up again. It shuts the gate, so that
// senders wait until the supervisor has decided.
func (a *cell) suspend(c *kernelTurn, x *coldState) {
	if invariant.On {
		verifySuspend(a, x, nextSuspended)
	}
	a.forget(c, x)
	x.state = suspended
	f := a.flowOf()
	a.countAjar(c)
	f.beginFall()
	a.setLoad(c, a.load&^backpressure.Overloaded|backpressure.Pressed)
	if a.load&backpressure.Muted != 0 {
		a.unmuted(c)                                  // it sends nothing
		a.setLoad(c, a.load&^backpressure.Overloaded) // C4: as above, only the suspension shuts its gate
	}
	a.wait()
	x.sup.tellChildDown(c, a, x.reason, false)
}

// fall is a counter that a fall of the actor raises twice: when the gate is shut for the fall, and
// when it is opened again. It is odd while the actor has fallen and its supervisor has not decided.
// A message of DropOnOverload is kept then, as if the gate were ajar: the actor is not overloaded,
// and its supervisor usually decides soon. Only senders of such messages load the counter.
//
// The gate is shut and opened in one word, and the fall stands in another:
//
//	sender                                      the actor
//	F1 load the fall                            G1 make it odd      (store)
//	F2 suspended? the gate? else it gives way   G2 shut the gate, or end the suspension
//	F3 the fall is as in F1: it may give way    G3 open the gate, or begin the suspension
//	                                            G4 make it even     (store)
//
// If F1 and F3 find the same even number, the gate was shut for another reason at F2: G1 comes
// before G2, and G4 comes after G3. If they find two numbers, the sender looks again.
type fall uint32

// fallNow returns the fall of the actor. f may be nil. Any goroutine.
func (f *flow) fallNow() fall {
	if f == nil {
		return 0
	}
	return fall(f.falls.Load())
}

// keeps reports whether the actor keeps a message that did not pass the gate, and counts it. The
// sender has loaded f before it looked at the gate. If again is true, the sender must look at the
// gate again. Any goroutine.
func (f fall) keeps(a *cell) (keeps, again bool) {
	if f != a.flow.Load().fallNow() {
		return false, true
	}
	if f%2 == 0 || a.shared().bounded { // lets decides for bounded actors
		return false, false
	}
	crowd, most := &a.flow.Load().ajarCount, watermark(a)
	return crowd.Load() < most && crowd.Add(1) < most, false
}

// beginFall is called before the gate is shut for a fall, and before the end of a back-off. Owner
// only.
func (f *flow) beginFall() {
	if n := f.falls.Load(); n%2 == 0 {
		f.falls.Store(n + 1) // G1
	}
}

// endFall is called after the gate was opened again, when the actor is up or in a back-off. f may
// be nil. Owner only.
func (f *flow) endFall() {
	if f == nil {
		return // it was restarted without a fall
	}
	if n := f.falls.Load(); n%2 != 0 {
		f.falls.Store(n + 1) // G4
	}
}

// restart is the end of LEAVING for an actor that comes up again at once.
func (a *cell) restart(c *kernelTurn, x *coldState) {
	if invariant.On {
		verifySuspend(a, x, nextRestart)
	}
	a.forget(c, x)
	a.beginLife(c, x)
}

// forget drops all that belongs to one life of the actor: its state, its arena, its parts.
func (a *cell) forget(c *kernelTurn, x *coldState) {
	e := c
	c.forgo()
	x.nextLife()
	x.endParts(a, e, atLifeEnd, stoppedBecause(x.reason))
	a.dropPressure()
	freeArena(a, e)
	if x.sup.drops {
		dropMail(a, c, x)
	}
	x.exitWhy = nil
	x.sup.zero(a)
}

// beginLife begins the next life.
func (a *cell) beginLife(c *kernelTurn, x *coldState) {
	if invariant.On {
		verifyBeginLife(a, x)
	}
	reason, wasDown := x.downFor(), x.backoff != nil
	c.countRestart(reason)
	x.state, x.reason, x.decision, x.takenDown = alive, nil, access.Restart, false
	x.unstarted, x.down = true, true
	a.waited()
	a.setPressed(c, false)
	a.flow.Load().endFall()
	if f := a.flow.Load(); wasDown {
		f.admit(a) // the gate may have been open
	}
	dropAbandoned(a, c, x, reason)
	a.start(c)
	a.applyExit(c, x)
	if x.state == alive {
		x.held.Add(x.todo.All())
		x.todo, x.held = x.held, messageList{}
	}
}

// countRestart counts a life that begins after one that has ended for the reason. Owner only.
func (c *kernelTurn) countRestart(reason error) {
	c.count.restarts.Add(1)
	switch reason.(type) {
	case *PanicError, takenDown:
	default:
		if !IsNormal(reason) {
			c.count.errorRestarts.Add(1)
		}
	}
}

// WithKeep lets part of the state survive when an actor of this type goes down to be
// restarted in its place (see [SpawnSupervised]). keep runs in the actor's turn, after
// OnStop. It is given the state, and clears the parts that shall not survive. The init of
// the next life is given the result. Without WithKeep, init is given the zero state.
//
// An actor that was ended by order is replaced by a new one, for which nothing is kept.
// The kept state must not refer to the actor's arena, nor to anything else that ends
// with a life, such as timers. If keep panics, that is logged, and nothing is kept.
// WithKeep panics if keep is nil; NewType panics if its state is not an S.
func WithKeep[S any](keep func(*S)) TypeOption {
	if keep == nil {
		panic("gallop: WithKeep: a nil function")
	}
	return typeOption(func(t *typeInfo) {
		if _, ok := t.state.(*S); !ok {
			panicMisuse("NewType: WithKeep of another state than that of ", t.name)
		}
		t.keep = func(a *cell) {
			state, kept := stateOf[S](a), false
			a.sys().guard("WithKeep", func() { keep(state); kept = true })
			if !kept {
				clear1(state)
			}
		}
	})
}

// sieve goes through the mail of an actor. It makes dead letters of the messages for which refuse
// returns an error, with that error, and keeps the others in order. It is used at the end of a life
// and before the next one begins. Owner of a only, between two messages.
type sieve struct {
	a      *cell
	c      *kernelTurn
	refuse func(a *cell, m *message) error
}

// all goes through all mail of an actor, urgent messages too.
func (s sieve) all(x *coldState) {
	s.mailbox()
	x.held.Add(s.chain(x.held.All()))
	if !s.a.system.IsEmpty() {
		x.todo.Add(s.a.system.Take())
		x.orders = pendingOrders{inTodo: notAsked}
	}
	x.todo.Add(s.chain(x.todo.All()))
}

// mailbox goes through the mail that is in the mailbox now. The mailbox must be open.
func (s sieve) mailbox() {
	a, c := s.a, s.c
	if invariant.On {
		verifyFilter(a)
	}
	forgetCount(a)
	a.moveNewest(c)
	var all messageList
	all.Add(a.in.Pending())
	a.in.SetPending(nil)
	if stub, _ := a.box.Drain(&a.in); stub != nil && stub != all.Last { // else it is still to run
		c.recycle(stub)
	}
	all.Add(a.in.Pending())
	a.in.SetPending(s.chain(all.All()))
}

// chain goes through a chain of messages, and returns the kept messages. The chain may contain the
// mailbox's top node, which stays in place even if its message becomes a dead letter.
func (s sieve) chain(m *message) *message {
	a, c := s.a, s.c
	var kept messageList
	for m != nil {
		next := m.Next
		m.Next = nil
		if err := s.refuse(a, m); err == nil {
			kept.Add(m)
		} else if endLetter(c, a, m, err); !a.in.IsTop(m) {
			c.recycle(m)
		}
		m = next
	}
	return kept.All()
}

// dropMail makes dead letters of all mail that waits at the end of a life, urgent messages
// included. Signals and ticks of timers stay.
func dropMail(a *cell, c *kernelTurn, x *coldState) {
	why := because(ErrRestarted, x.downFor())
	sieve{a, c, func(_ *cell, m *message) error {
		if !isMail(m.ID) {
			return nil
		}
		return why
	}}.all(x)
}

// dropAbandoned makes dead letters of requests whose callers have given up. It runs before a life
// begins.
func dropAbandoned(a *cell, c *kernelTurn, x *coldState, reason error) {
	why := because(ErrRestarted, reason)
	sieve{a, c, func(a *cell, m *message) error {
		if d := a.typ().decls[m.ID]; d.caller != nil && d.caller(m).state() == callerGone {
			return why
		}
		return nil
	}}.all(x)
}

// verifySuspend checks the way from LEAVING to SUSPENDED, or up again.
func verifySuspend(a *cell, x *coldState, g nextState) {
	invariant.Check(x.state == leaving && x.after == g,
		"%v comes to goal %d in phase %d, and left for %d", a, g, x.state, x.after)
	invariant.Check(a.supervised && x.sup != nil, "%v comes to goal %d, and has no supervisor", a, g)
	invariant.Check(!a.box.PeekClosed(), "%v comes to goal %d, and its mailbox is closed", a, g)
	verifyBottom(a, x)
}

// verifyBeginLife checks that an actor that begins another life has nothing left of the last.
func verifyBeginLife(a *cell, x *coldState) {
	invariant.Check(x.state == leaving || x.state == suspended, "%v begins another life in phase %d",
		a, x.state)
	invariant.Check(a.arena == nil && !a.progress.isCollecting(), "%v begins another life with its arena", a)
	invariant.Check(!x.drained && !x.gone, "%v begins another life after a drain", a)
}

// verifyFilter checks an actor that goes through its mail.
func verifyFilter(a *cell) {
	invariant.Check(!a.box.PeekClosed() && (a.cold == nil || !a.cold.drained),
		"%v goes through its mail behind the end of its mailbox", a)
}
