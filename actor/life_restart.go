package actor

import (
	"github.com/gallop-go/gallop/internal/access"
	"slices"

	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
)

// What package supervise needs of an actor: that it can be taken down and brought up in
// its place, with its ref and its mail.

// ChildDown is the message by which a supervisor learns of the fall of an actor that it
// has spawned with [SpawnSupervised].
type ChildDown struct {
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
	// What the supervisor's Decide has said about Reason. It is access.Restart if that was not asked.
	decision access.Decision
}

// supervision is what a supervised actor knows of its supervisor. Read-only.
type supervision struct {
	super   *cell
	init    func(a *cell) // gives it a new state
	zero    func(a *cell) // gives it the zero state, or what [WithKeep] keeps
	deliver func(c *Context, at *cell, f ChildDown)
	up      func(c *Context, at *cell, r access.ChildUp) // nil: the supervisor is not told
	family  any                                          // ChildOptions.Family
	decides func(reason error) access.Decision           // ChildOptions.Decide

	restarts func(reason error) bool // ChildOptions.Restarts
	drops    bool                    // mail, at a restart
	keeps    int                     // ChildOptions.Backlog
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
// A Stop, Drain or Kill of the child ends it for good. So does the end of the
// running actor, at once if the child is down. An actor with supervised children is
// never muted.
func SpawnSupervised[S, T any](c *Context, t *Type[S], init func(*S),
	fell Behaviour[T, ChildDown]) Ref[S] {
	return Ref[S]{t.spawnUnder(c, init, access.ChildOptions{Down: fell})}
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
func (a *cell) supervises() bool { return a.cold != nil && a.cold.guards > 0 }

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

func (s childDown) serve(a *cell, c *Context) {
	if x := a.makeCold(); x.state == leaving {
		s.news.Ref.b.tell(c, orphaned{mode: x.stopMode})
	}
	s.sup.deliver(c, a, s.news)
}

// orphaned is what a supervisor that leaves tells its children. A child that is down would wait for
// its verdict for ever. Nor can the child wait for its turn to be told to end: a younger sibling
// may be muted for it, and be waited for first.
type orphaned struct {
	unanswered
	mode stopMode // how the supervisor leaves
}

func (s orphaned) serve(a *cell, c *Context) {
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

func (takeDown) serve(a *cell, c *Context) {
	x := a.makeCold()
	x.inTodo = notAsked
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

func (bringUp) serve(a *cell, c *Context) {
	x := a.makeCold()
	x.inTodo = notAsked
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

// suspend is the end of LEAVING for an actor that may come up again. Its gate is shut: those that
// send to it wait with it.
func (a *cell) suspend(c *Context, x *coldState) {
	if invariant.On {
		verifySuspend(a, x, nextSuspended)
	}
	a.forget(c, x)
	x.state = suspended
	f := a.flowOf()
	a.policy().countAjar(a, c, f)
	f.beginFall()
	a.setLoad(c, a.load&^backpressure.Overloaded|backpressure.Pressed)
	if a.load&backpressure.Muted != 0 {
		a.unmuted(c)                                  // it sends nothing
		a.setLoad(c, a.load&^backpressure.Overloaded) // C4: as above, only the suspension shuts its gate
	}
	a.wait()
	x.sup.tellChildDown(c, a, x.reason, false)
}

// fall counts the times at which the gate of an actor was shut for a fall, and those at which it was
// opened again. It is odd while the actor has fallen and its supervisor has not decided. A message of
// DropOnOverload is kept then, as if the gate were ajar: the actor is not overloaded, and its
// supervisor decides soon as a rule. Only senders of such messages load it.
//
// The gate is shut and opened in one word, and the fall stands in another:
//
//	sender                                      the actor
//	F1 load the fall                            G1 make it odd      (store)
//	F2 suspended? the gate? else it gives way   G2 shut the gate, or end the suspension
//	F3 the fall is as in F1: it may give way    G3 open the gate, or begin the suspension
//	                                            G4 make it even     (store)
//
// If F1 and F3 find the same even number, the gate was shut for another reason at F2: G1 comes before
// G2, and G4 comes after G3. If they find two numbers, the sender looks again.
type fall uint32

// fallNow returns the fall of the actor. Any goroutine.
func (a *cell) fallNow() fall {
	if f := a.flow.Load(); f != nil {
		return fall(f.falls.Load())
	}
	return 0
}

// keeps reports whether the actor keeps a message that a sender has not got past the gate after it
// had loaded f, and counts it. again says that the sender is to look at the gate again. Any
// goroutine.
func (f fall) keeps(a *cell) (keeps, again bool) {
	if f != a.fallNow() {
		return false, true
	}
	if f%2 == 0 || a.shared().bounded { // lets decides for bounded actors
		return false, false
	}
	crowd, most := &a.flow.Load().ajarCount, a.policy().watermark(a)
	return crowd.Load() < most && crowd.Add(1) < most, false
}

// beginFall comes before the gate is shut for a fall, and before the end of a back-off. Owner only.
func (f *flow) beginFall() {
	if n := f.falls.Load(); n%2 == 0 {
		f.falls.Store(n + 1) // G1
	}
}

// endFall comes after the gate was opened again, since the actor is up or in a back-off. Owner only.
func (a *cell) endFall() {
	f := a.flow.Load()
	if f == nil {
		return // it was restarted without a fall
	}
	if n := f.falls.Load(); n%2 != 0 {
		f.falls.Store(n + 1) // G4
	}
}

// restart is the end of LEAVING for an actor that comes up again at once.
func (a *cell) restart(c *Context, x *coldState) {
	if invariant.On {
		verifySuspend(a, x, nextRestart)
	}
	a.forget(c, x)
	a.beginLife(c, x)
}

// forget drops what belongs to a life and not to the actor.
func (a *cell) forget(c *Context, x *coldState) {
	e := c
	c.forgo()
	x.nextLife()
	a.forgetContext()
	if x.timers != nil {
		x.timers.cancelAll(c)
	}
	x.closeLife()
	if x.deferred != nil {
		x.deferred.endLife(a, e, stoppedBecause(x.reason))
	}
	a.dropPressure()
	for _, m := range slices.Backward(x.watching.Members()) {
		m.cancel(e)
	}
	x.stash.moveTo(&x.unstashed, x.stash.n)
	a.requeueUnstashed(x)
	a.freeArena(e)
	a.dispatchBy(nil)
	if x.sup.drops {
		a.dropMail(c, x)
	}
	x.trap, x.exitWhy, x.outlives = nil, nil, nil
	x.sup.zero(a)
}

// restarts begins the next life.
func (a *cell) beginLife(c *Context, x *coldState) {
	if invariant.On {
		verifyBeginLife(a, x)
	}
	reason, wasDown := x.downFor(), x.backoff != nil
	x.state, x.reason, x.decision, x.takenDown = alive, nil, access.Restart, false
	x.unstarted, x.down = true, true
	a.waited()
	a.setPressed(c, false)
	a.endFall()
	if f := a.flow.Load(); wasDown {
		f.admit(a) // the gate may have been open
	}
	a.dropAbandoned(c, x, reason)
	a.start(c)
	a.applyExit(c, x)
	if x.state == alive {
		x.held.Add(x.todo.All())
		x.todo, x.held = x.held, messageList{}
	}
}

// WithKeep says what of the state survives when an actor of this type goes down to be
// restarted in its place (see [SpawnSupervised]). keep runs in the actor's turn, after
// OnStop. It is given the state, and what it leaves there is what the init of the next
// life finds. Without WithKeep, that is the zero state.
//
// An actor that was ended by order is replaced by a new one, for which nothing was kept.
// What keep leaves must not refer to the actor's arena, nor to anything else that ends
// with a life, such as timers. If keep panics, that is logged, and nothing is kept. WithKeep panics if keep
// is nil; NewType panics if its state is not an S.
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

// At the end of a life, and before the next one begins, an actor goes through the mail that
// waits for it, and makes dead letters of what is not to run.

// filterMail makes dead letters of the mail for which refuse returns an error, with that error, and
// keeps the rest in order. It looks at what is in the mailbox by now. Owner only, between two
// messages, while the mailbox is open.
func (a *cell) filterMail(c *Context, refuse func(a *cell, m *message) error) {
	if invariant.On {
		verifyFilter(a)
	}
	a.policy().forget(a)
	a.moveNewest(c)
	var all messageList
	all.Add(a.in.Pending())
	a.in.SetPending(nil)
	if stub, _ := a.box.Drain(&a.in); stub != nil && stub != all.Last { // else it is still to run
		c.recycle(stub)
	}
	all.Add(a.in.Pending())
	a.in.SetPending(a.filterChain(c, all.All(), refuse))
}

// filterChain is sift for a chain of messages, and returns those that are kept. The mailbox's top
// node may be among them: it stays in place, whatever becomes of its message.
func (a *cell) filterChain(c *Context, m *message,
	refuse func(a *cell, m *message) error) *message {
	e := c
	var kept messageList
	for m != nil {
		next := m.Next
		m.Next = nil
		if err := refuse(a, m); err == nil {
			kept.Add(m)
		} else if endLetter(e, a, m, err); !a.in.IsTop(m) {
			c.recycle(m)
		}
		m = next
	}
	return kept.All()
}

// dropMail makes dead letters of all mail that waits at the end of a life, also of urgent messages.
// Signals and ticks of timers stay.
func (a *cell) dropMail(c *Context, x *coldState) {
	why := because(ErrRestarted, x.downFor())
	drop := func(_ *cell, m *message) error {
		if !isMail(m.ID) {
			return nil
		}
		return why
	}
	a.filterMail(c, drop)
	x.held.Add(a.filterChain(c, x.held.All(), drop))
	a.filterUrgent(c, x, drop)
}

// dropAbandoned makes dead letters of requests whose callers have given up, before a life begins.
func (a *cell) dropAbandoned(c *Context, x *coldState, reason error) {
	why := because(ErrRestarted, reason)
	gone := func(a *cell, m *message) error {
		if d := a.typ().decls[m.ID]; d.caller != nil && d.caller(m).state() == callerGone {
			return why
		}
		return nil
	}
	a.filterMail(c, gone)
	x.held.Add(a.filterChain(c, x.held.All(), gone))
	a.filterUrgent(c, x, gone)
}

// filterUrgent is sift for what has come by the system queue and was not served yet.
func (a *cell) filterUrgent(c *Context, x *coldState, refuse func(a *cell, m *message) error) {
	if !a.system.IsEmpty() {
		x.todo.Add(a.system.Take())
		x.inTodo, x.inQueue, x.stopSeen = notAsked, 0, nil
	}
	x.todo.Add(a.filterChain(c, x.todo.All(), refuse))
}

// verifySuspend checks the way from LEAVING to SUSPENDED, or up again.
func verifySuspend(a *cell, x *coldState, g nextState) {
	invariant.Check(x.state == leaving && x.after == g,
		"%v comes to goal %d in phase %d, and left for %d", a, g, x.state, x.after)
	invariant.Check(a.supervised && x.sup != nil, "%v comes to goal %d, and has no supervisor", a, g)
	invariant.Check(!a.box.PeekClosed(), "%v comes to goal %d, and its mailbox is closed", a, g)
	verifyBottom(a, x)
}

// verifyBeginLife checks an actor that begins another life: nothing of the last is left.
func verifyBeginLife(a *cell, x *coldState) {
	invariant.Check(x.state == leaving || x.state == suspended, "%v begins another life in phase %d",
		a, x.state)
	invariant.Check(a.arena == nil && !a.isCollecting(), "%v begins another life with its arena", a)
	invariant.Check(x.trap == nil && x.table == nil,
		"%v begins another life with its trap or variant", a)
	invariant.Check(x.watching.Len() == 0, "%v begins another life, and watches %d", a,
		x.watching.Len())
	invariant.Check(!x.drained && !x.gone, "%v begins another life after a drain", a)
	invariant.Check(x.stash.list.First == nil, "%v begins another life with a stash", a)
}

// verifyFilter checks an actor that goes through its mail.
func verifyFilter(a *cell) {
	invariant.Check(!a.box.PeekClosed() && (a.cold == nil || !a.cold.drained),
		"%v goes through its mail behind the end of its mailbox", a)
}
