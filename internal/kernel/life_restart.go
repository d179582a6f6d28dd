package kernel

import (
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
)

// Package supervise takes actors down and brings them up again in their place, with their refs and
// their mail. This file has the part of an actor that this needs.

// ChildDown is the message by which a supervisor learns of the fall of an actor that it
// has spawned with SpawnUnder.
type ChildDown struct {
	// Ref is the actor, and ActorID and Type name it.
	Ref     AnyRef
	ActorID uint64
	Type    string
	// Reason is the reason for which the actor fell. See IsNormal.
	Reason error
	// Final says that the actor has ended for good. If it is false, the actor is suspended:
	// it keeps its mail, holds the system, and waits for AnyRef.Restart or an order to
	// end.
	Final bool
	// Starting says that the actor was not up when it fell: init or OnStart failed, with
	// Reason as the error, or it was taken down before they ran.
	Starting bool
	// The answer of the supervisor's Decide for Reason; Restart if Decide was not called.
	Decision Decision
}

// supervision links a supervised actor to its supervisor. Read-only.
type supervision struct {
	super   *Cell
	init    func(a *Cell) // gives it a new state
	zero    func(a *Cell) // resets its state to zero, or to the part that actor.WithKeep keeps
	deliver func(c *Turn, at *Cell, f ChildDown)
	up      func(c *Turn, at *Cell, r ChildUp) // nil: the supervisor is not told
	family  any                                // ChildOptions.Family
	decides func(reason error) Decision        // ChildOptions.Decide

	restarts func(reason error) bool // ChildOptions.Restarts
	drops    bool                    // mail, at a restart
	keeps    int                     // ChildOptions.Backlog
}

// Suspend takes a supervised actor down until Restart, a restart by its supervisor, or its end. It
// panics if the actor was not spawned with SpawnUnder. Any goroutine.
func (r AnyRef) Suspend(e Env) {
	r.mustBeSupervised("Suspend").Tell(e, TakeDown{})
}

// Restart begins another life of a supervised actor, which may be up. It panics if the actor was
// not spawned with SpawnUnder. Any goroutine.
func (r AnyRef) Restart(e Env) {
	r.mustBeSupervised("Restart").Tell(e, BringUp{})
}

// mustBeSupervised returns the actor, and panics unless it was spawned by SpawnUnder.
func (r AnyRef) mustBeSupervised(call string) *Cell {
	a := r.must(call)
	if !a.Supervised {
		panic("gallop: " + call + ": " + a.String() + " is not supervised")
	}
	return a
}

// supervises reports whether an actor has supervised children. Owner only.
func (a *Cell) supervises() bool { return a.Cold != nil && a.Cold.Children.Guards > 0 }

func (s *supervision) tellChildDown(e Env, a *Cell, why error, final bool) {
	s.super.Tell(e, childDown{sup: s, news: ChildDown{
		Ref: AnyRef{a}, ActorID: a.ID, Type: a.Typ().Name, Reason: why, Final: final,
		Starting: a.Cold.starting, Decision: a.Cold.decision,
	}})
}

// childDown tells a supervisor that a child has fallen.
type childDown struct {
	Unanswered
	sup  *supervision
	news ChildDown
}

// Serve implements Signal.
func (s childDown) Serve(a *Cell, c *Turn) {
	if x := a.MakeCold(); x.State == leaving {
		s.news.Ref.b.Tell(c, orphaned{mode: x.stopMode})
	}
	s.sup.deliver(c, a, s.news)
}

// orphaned tells a supervised child that its supervisor leaves. It ends a child that is down, which
// would otherwise wait for its supervisor's decision for ever. It is sent to all children at once
// and not youngest first: a younger sibling, which would be ended first, may be muted for the
// child.
type orphaned struct {
	Unanswered
	mode StopMode // how the supervisor leaves
}

// Serve implements Signal.
func (s orphaned) Serve(a *Cell, c *Turn) {
	if a.MakeCold().State != Suspended {
		return
	}
	o := StopRequest{Mode: ModeStop, Why: ErrShutdown}
	if s.mode == ModeKill {
		o = StopRequest{Mode: ModeKill, Why: ErrKilled}
	}
	a.applyStop(c, o)
}

// TakeDown is the signal of Suspend.
type TakeDown struct{ Unanswered }

// Serve implements Signal.
func (TakeDown) Serve(a *Cell, c *Turn) {
	x := a.MakeCold()
	x.Orders.InTodo = NotAsked
	switch {
	case x.putOff(a, c, TakeDown{}, ErrShutdown):
	case x.State == alive && !x.drained:
		x.takenDown = true
		a.leave(c, nextSuspended, ModeStop, ErrShutdown)
	case x.State == leaving && x.after == nextRestart:
		x.after = nextSuspended
	}
}

// BringUp is the signal of Restart.
type BringUp struct{ Unanswered }

// Serve implements Signal.
func (BringUp) Serve(a *Cell, c *Turn) {
	x := a.MakeCold()
	x.Orders.InTodo = NotAsked
	switch {
	case x.putOff(a, c, BringUp{}, ErrShutdown):
	case x.State == Suspended:
		a.beginLife(c, x)
	case x.State == alive && !x.drained:
		x.takenDown = true
		a.leave(c, nextRestart, ModeStop, ErrShutdown)
	case x.State == leaving && x.after == nextSuspended:
		x.after = nextRestart
	}
}

// suspend is the end of LEAVING for an actor that may come up again. It shuts the gate, so that
// senders wait until the supervisor has decided.
func (a *Cell) suspend(c *Turn, x *Cold) {
	if invariant.On {
		verifySuspend(a, x, nextSuspended)
	}
	a.forget(c, x)
	x.State = Suspended
	f := a.FlowOf()
	a.countAjar(c)
	f.beginFall()
	a.SetLoad(c, a.Load&^backpressure.Overloaded|backpressure.Pressed)
	if a.Load&backpressure.Muted != 0 {
		a.unmuted(c)                                  // it sends nothing
		a.SetLoad(c, a.Load&^backpressure.Overloaded) // C4: as above, only the suspension shuts its gate
	}
	a.wait()
	x.Sup.tellChildDown(c, a, x.Reason, false)
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
	return fall(f.Falls.Load())
}

// keeps reports whether the actor keeps a message that did not pass the gate, and counts it. The
// sender has loaded f before it looked at the gate. If again is true, the sender must look at the
// gate again. Any goroutine.
func (f fall) keeps(a *Cell) (keeps, again bool) {
	if f != a.Flow.Load().fallNow() {
		return false, true
	}
	if f%2 == 0 || a.Shared().bounded { // lets decides for bounded actors
		return false, false
	}
	crowd, most := &a.Flow.Load().AjarCount, watermark(a)
	return crowd.Load() < most && crowd.Add(1) < most, false
}

// beginFall is called before the gate is shut for a fall, and before the end of a back-off. Owner
// only.
func (f *flow) beginFall() {
	if n := f.Falls.Load(); n%2 == 0 {
		f.Falls.Store(n + 1) // G1
	}
}

// endFall is called after the gate was opened again, when the actor is up or in a back-off. f may
// be nil. Owner only.
func (f *flow) endFall() {
	if f == nil {
		return // it was restarted without a fall
	}
	if n := f.Falls.Load(); n%2 != 0 {
		f.Falls.Store(n + 1) // G4
	}
}

// restart is the end of LEAVING for an actor that comes up again at once.
func (a *Cell) restart(c *Turn, x *Cold) {
	if invariant.On {
		verifySuspend(a, x, nextRestart)
	}
	a.forget(c, x)
	a.beginLife(c, x)
}

// forget drops all that belongs to one life of the actor: its state, its arena, its parts.
func (a *Cell) forget(c *Turn, x *Cold) {
	e := c
	c.forgo()
	x.nextLife()
	x.endParts(a, e, atLifeEnd, stoppedBecause(x.Reason))
	a.dropPressure()
	freeArena(a, e)
	if x.Sup.drops {
		dropMail(a, c, x)
	}
	x.exitWhy = nil
	x.Sup.zero(a)
}

// beginLife begins the next life.
func (a *Cell) beginLife(c *Turn, x *Cold) {
	if invariant.On {
		verifyBeginLife(a, x)
	}
	reason, wasDown := x.downFor(), x.Backoff != nil
	c.countRestart(reason)
	x.State, x.Reason, x.decision, x.takenDown = alive, nil, Restart, false
	x.unstarted, x.down = true, true
	a.waited()
	a.setPressed(c, false)
	a.Flow.Load().endFall()
	if f := a.Flow.Load(); wasDown {
		f.admit(a) // the gate may have been open
	}
	dropAbandoned(a, c, x, reason)
	a.start(c)
	a.applyExit(c, x)
	if x.State == alive {
		x.held.Add(x.Todo.All())
		x.Todo, x.held = x.held, messageList{}
	}
}

// countRestart counts a life that begins after one that has ended for the reason. Owner only.
func (c *Turn) countRestart(reason error) {
	c.Count.restarts.Add(1)
	if _, byOrder := reason.(takenDown); byOrder || Face.IsPanicError(reason) || IsNormal(reason) {
		return
	}
	c.Count.errorRestarts.Add(1)
}

// sieve goes through the mail of an actor. It makes dead letters of the messages for which refuse
// returns an error, with that error, and keeps the others in order. It is used at the end of a life
// and before the next one begins. Owner of a only, between two messages.
type sieve struct {
	a      *Cell
	c      *Turn
	refuse func(a *Cell, m *Message) error
}

// all goes through all mail of an actor, urgent messages too.
func (s sieve) all(x *Cold) {
	s.mailbox()
	x.held.Add(s.chain(x.held.All()))
	if !s.a.System.IsEmpty() {
		x.Todo.Add(s.a.System.Take())
		x.Orders = pendingOrders{InTodo: NotAsked}
	}
	x.Todo.Add(s.chain(x.Todo.All()))
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
	all.Add(a.In.Pending())
	a.In.SetPending(nil)
	if stub, _ := a.Box.Drain(&a.In); stub != nil && stub != all.Last { // else it is still to run
		c.Recycle(stub)
	}
	all.Add(a.In.Pending())
	a.In.SetPending(s.chain(all.All()))
}

// chain goes through a chain of messages, and returns the kept messages. The chain may contain the
// mailbox's top node, which stays in place even if its message becomes a dead letter.
func (s sieve) chain(m *Message) *Message {
	a, c := s.a, s.c
	var kept messageList
	for m != nil {
		next := m.Next
		m.Next = nil
		if err := s.refuse(a, m); err == nil {
			kept.Add(m)
		} else if endLetter(c, a, m, err); !a.In.IsTop(m) {
			c.Recycle(m)
		}
		m = next
	}
	return kept.All()
}

// dropMail makes dead letters of all mail that waits at the end of a life, urgent messages
// included. Signals and ticks of timers stay.
func dropMail(a *Cell, c *Turn, x *Cold) {
	why := because(ErrRestarted, x.downFor())
	sieve{a, c, func(_ *Cell, m *Message) error {
		if !isMail(m.ID) {
			return nil
		}
		return why
	}}.all(x)
}

// dropAbandoned makes dead letters of requests whose callers have given up. It runs before a life
// begins.
func dropAbandoned(a *Cell, c *Turn, x *Cold, reason error) {
	why := because(ErrRestarted, reason)
	sieve{a, c, func(a *Cell, m *Message) error {
		if d := a.Typ().Decls[m.ID]; d.Caller != nil && d.Caller(m).state() == callerGone {
			return why
		}
		return nil
	}}.all(x)
}

// verifySuspend checks the way from LEAVING to SUSPENDED, or up again.
func verifySuspend(a *Cell, x *Cold, g nextState) {
	invariant.Check(x.State == leaving && x.after == g,
		"%v comes to goal %d in phase %d, and left for %d", a, g, x.State, x.after)
	invariant.Check(a.Supervised && x.Sup != nil, "%v comes to goal %d, and has no supervisor", a, g)
	invariant.Check(!a.Box.PeekClosed(), "%v comes to goal %d, and its mailbox is closed", a, g)
	verifyBottom(a, x)
}

// verifyBeginLife checks that an actor that begins another life has nothing left of the last.
func verifyBeginLife(a *Cell, x *Cold) {
	invariant.Check(x.State == leaving || x.State == Suspended, "%v begins another life in phase %d",
		a, x.State)
	invariant.Check(a.Arena == nil && !a.Progress.IsCollecting(), "%v begins another life with its arena", a)
	invariant.Check(!x.drained && !x.gone, "%v begins another life after a drain", a)
}

// verifyFilter checks an actor that goes through its mail.
func verifyFilter(a *Cell) {
	invariant.Check(!a.Box.PeekClosed() && (a.Cold == nil || !a.Cold.drained),
		"%v goes through its mail behind the end of its mailbox", a)
}
