package actor

import (
	"github.com/gallop-go/gallop/actor/internal/msg"
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
)

// The turn of an actor that has signals: it serves them, runs its urgent mail, and then decides how
// the turn goes on.
//
// A signal is a message of the runtime to an actor: stop, link, watch, an end, a restart. Signals
// and urgent mail wait in the system queue, beside the mailbox, and a turn looks there before it
// takes mail. They reach a parked actor too, whose mail waits. So the end of such a turn has to put
// the actor back into its state from before: parked, waiting, in a back-off, or runnable.
//
//	a signal finds the actor      so its turn ends
//	idle or with mail             with another turn, for the mail
//	muted                         parked again, unless it was let go meanwhile
//	waiting for its children,
//	  or for its supervisor       parked again, unless that is over
//	in a back-off                 idle, its mail put by
//	drained, without outcomes     with its end
//	about to end                  with its end: ended() is true, and no worker has it any more
//
// While c.aside is set the turn is beside the mail: no segment is under way, c.msg is the message
// that is being served, and a crash does not touch the mail in hand.

// serveSignals serves the messages in the system queue, a batch of them at most. It is the turn of
// RunTask for an actor with such messages, and reports whether another turn is to follow.
func (a *cell) serveSignals(c *kernelTurn) (again bool) {
	x := a.makeCold()
	c.aside, c.msg = true, &noMessage // for the report, if a supervisor's function panics
	if invariant.On {
		verifyServeSignals(a, x)
	}
	a.dropWakeups(c)
	// After a crash of a behaviour the supervisor decides before anything runs on a broken state.
	if f := x.fault; f != nil {
		x.fault, c.then = nil, f.then
		f.goOn(a, c)
	}
	// A batch at most, as with mail: other actors wait for the worker.
	for left := a.batch(); x.state != ended; left-- {
		// An actor that is to be muted is muted before it runs more that sends.
		if left == 0 || c.then&mayPark != 0 {
			x.rewake(a, c)
			return a.endSignalTurn(c)
		}
		m := x.next(&a.system)
		if m == nil {
			return a.endSignalTurn(c)
		}
		a.serve(c, x, m)
	}
	c.aside = false // the actor has ended: there is no turn to end
	return false
}

// dropWakeups removes the wake-ups at the head of the mail: messages that only make the actor look
// at its system queue, which this turn does. Each message in the system queue brings one wake-up.
// Without dropWakeups the mailbox of an actor that gets only signals would grow, since a turn that
// finds signals runs no mail. Owner only.
func (a *cell) dropWakeups(c *kernelTurn) {
	n := 0
	for m := a.in.Pending(); m != nil && m.ID == systemID &&
		*payloadOf[signal](m) == nil; m = a.in.Pending() {
		a.in.SetPending(m.Next)
		if n++; !a.in.IsTop(m) { // as in settle
			c.recycleChain(m, m, 1)
		}
	}
	if n > 0 {
		a.passed(n)
	}
}

// rewake makes the next turn serve signals too. It adds no second wake-up: with a batch of 1 the
// actor would requeue itself for ever.
func (x *coldState) rewake(a *cell, c *kernelTurn) {
	if x.todo.First != nil && a.system.IsEmpty() {
		a.system.Push(newSignal(c, nil))
	}
}

// next returns the message to be served next, or nil. Messages taken out of the queue stay in todo
// until they are served, if need be in a later turn. Taking them out voids the facts about the
// queue that pendingStop keeps.
func (x *coldState) next(l *systemQueue) *message {
	// One swap takes out the whole queue, in order.
	if x.todo.First == nil && !l.IsEmpty() {
		x.todo.Add(l.Take())
		x.orders = pendingOrders{inTodo: notAsked}
	}
	return x.todo.Pop()
}

// serve acts on one message from the system queue: a signal, an urgent message, or an outcome. A
// signal may end the actor, park it, or start another life; the caller finds out by x.state.
func (a *cell) serve(c *kernelTurn, x *coldState, m *message) {
	// Mail of the user's: urgent, or an outcome for an actor whose mailbox is closed.
	if m.ID != systemID {
		if d := a.typ().decls[m.ID]; d.urgent && m.ID != carriedID {
			a.runUrgent(c, x, m)
		} else {
			serveMail(a, c, x, m, a.typ().decls[contents(m).ID])
		}
		return
	}
	// The node goes back first: the signal's serve may not return.
	s := takeSignal(m)
	c.recycle(m)
	if s != nil {
		s.serve(a, c)
	}
}

// runUrgent runs an urgent message, or keeps it until the actor is up again, or may send again.
func (a *cell) runUrgent(c *kernelTurn, x *coldState, m *message) {
	if x.state == alive && x.unstarted {
		x.todo.PutBack(m) // OnStart may not return
		a.start(c)
		a.applyExit(c, x)
		return
	}
	// It runs now, or waits until the actor is up again or may send again, or never.
	switch {
	case x.state == alive && a.load&backpressure.Withheld == 0:
	case x.state == alive:
		x.held.Add(m)
		return
	case x.after == nextEnded: // it will not be up again
		deadLetter(c, a, m, stoppedBecause(x.reason))
		return
	default:
		a.holdUrgent(c, x, m)
		return
	}
	// As RunTask does for mail; but no segment is under way, so each message is accounted for at
	// once.
	c.msg = m
	c.invoke(a, m)
	c.msg = &noMessage // or doing would take the next message for this one
	if c.then&usesContext != 0 {
		c.leaveContext()
	}
	c.recycle(m)
	c.w.Spend(1)
	a.keepYielded(c)
	a.applyExit(c, x)
}

// holdUrgent keeps an urgent message, in order, until the actor is up again, unless it is in a
// back-off and keeps no more.
func (a *cell) holdUrgent(c *kernelTurn, x *coldState, m *message) {
	if f := x.backoff; f != nil {
		if err := f.refuse(c, a, m); err != nil {
			deadLetter(c, a, m, err)
			return
		}
	}
	x.held.Add(m)
}

// applyExit ends an actor if the behaviour that has just run asked for it. It does so at once, and
// not at the end of the turn: the rest of the system queue then finds an actor that leaves.
func (a *cell) applyExit(c *kernelTurn, x *coldState) {
	if c.then&mustEnd != 0 {
		c.then &^= mustEnd
		a.exit(c, x.takeExit())
	}
}

// endSignalTurn ends a turn that was not about mail. The mail waits for the next turn.
func (a *cell) endSignalTurn(c *kernelTurn) (again bool) {
	a.keepYielded(c)
	// The mail of a drain has run. The mail that is left decides whether the actor has drained.
	if x := a.cold; x.gone && x.state == alive {
		endDrainTurn(a, c, x)
	}
	// c.then may say that the actor met a gate, unstashed, or used its heap. These flags are for
	// this turn alone.
	then := c.then
	c.then, c.aside = goOn, false
	if then&(lookAgain|unstashed) != 0 {
		requeueUnstashed(a)
	}
	if then&mustCollect != 0 {
		collectArena(a, c)
	}
	// Back to where the actor was when the signal came. The cases exclude each other, but for the
	// first: an actor that has ended may have anything left in its cold state.
	switch x := a.cold; {
	case x.state == ended:
		return false // it belongs to no worker any more
	case x.backoff != nil:
		return x.backoff.postpone(a, c) // its mail goes into the back-off's queue
	case x.waiting:
		return !a.parkAgain(c)
	case a.load&backpressure.Muted != 0:
		if a.parkAgain(c) {
			return false
		}
		a.unmuted(c)
	case then&mayPark != 0 && a.park(c):
		return false
	}
	return true
}

// parkAgain parks an actor that waited, or was muted, before it served its system queue. It does
// nothing if the actor was unblocked meanwhile, and reports whether the actor is parked. The actor
// has held the system all the time.
func (a *cell) parkAgain(c *kernelTurn) (parked bool) {
	// As in park. After Park the actor is not this worker's, unless recheckSystem takes it back.
	c.waiters.forget() // the gates that the last behaviour met
	c.w.PrepareNext()
	if !a.blockedOn.Park() {
		return false
	}
	a.recheckSystem(c)
	return true
}

// unmuted ends the muting of an actor that runs. Its wait lists have let it go while it served its
// signals, so no other worker has undone its muting. For a parked actor unmute does the same.
func (a *cell) unmuted(c *kernelTurn) {
	if invariant.On {
		verifyUnmuted(a)
	}
	a.endWithholding(c)
	a.setLoad(c, a.notMuted())
	c.count.unmutes.Add(1)
	a.sys().sched.ReleaseParked()
}

// signal is a notice of the runtime to an actor. It travels in a message of its own: through the
// system queue if it is to overtake the mail, else through the mailbox.
//
// Each signal is handled once: by serve, or, if the actor has ended, by refused, which runs in the
// sender's turn.
type signal interface {
	// serve acts on a, whose turn runs, between two messages.
	serve(a *cell, c *kernelTurn)
	// refused is called instead if a has ended: e answers for it if need be.
	refused(a *cell, e env)
}

// unanswered is embedded in signals that need no answer if the actor has ended: the sender learns
// of the end in another way, or does not need to know.
type unanswered struct{}

func (unanswered) refused(*cell, env) {}

// signalSize has the nodes of signals.
var signalSize, _ = msg.Of[signal]()

// systemDesc is the row of signals in every table. A signal in the mailbox wakes an actor for its
// system queue, starts it, or marks the end of a drain. A drain and a first message need a signal
// that keeps its place among the mail. It does not count as a message of the user's.
var systemDesc = &descriptor{
	size:  signalSize,
	clear: func(m *message) { takeSignal(m) },
	run: func(c *kernelTurn, a *cell, m *message) {
		c.count.notRun++
		if s := takeSignal(m); s != nil {
			s.serve(a, c)
		}
	},
}

// newSignal puts s into a message. A nil signal is a wake-up: it is pushed to the mailbox of an
// actor whose system queue is not empty, and dropWakeups removes it.
func newSignal(e env, s signal) *message {
	m := e.node(signalSize)
	m.ID, m.From, m.Next = systemID, 0, nil
	*payloadOf[signal](m) = s
	return m
}

// takeSignal is the counterpart of newSignal. It takes the signal out of a message, which may then
// be recycled, since it keeps nothing alive.
func takeSignal(m *message) signal {
	p := payloadOf[signal](m)
	s := *p
	*p = nil
	return s
}

// tell brings s to an actor, ahead of its mail. If the actor has ended, s is refused. Any
// goroutine.
func (a *cell) tell(e env, s signal) {
	// The context of the life is read before the push: the order may end the life at once.
	e = e.in(a)
	m, before := newSignal(e, s), a.flow.Load().contextOfLife()
	if e.pushSystem(a, m) != nil {
		takeSignal(m)
		e.recycle(m)
		s.refused(a, e)
	} else if ordersEnd(s) {
		cutContext(a, s, before)
	}
}

// closeSystem is called by a sender that has pushed a signal and then finds the mailbox closed. An
// actor that ended plainly has not looked at its system queue: the first such sender closes the
// queue and refuses its signals. Any other actor closes its system queue itself, later. Any
// goroutine.
func (a *cell) closeSystem(e env) {
	// Several senders may come here: the queue is closed once, and each signal is refused once.
	if a.endedPlainly() {
		a.refuseAll(e, a.system.Close())
	}
}

// recheckSystem is A2: an actor that has just parked looks at its system queue once more. A signal
// may have come between the last look and Park, while its sender saw the actor not yet parked. If
// this look takes the actor out again, it schedules the actor.
func (a *cell) recheckSystem(c *kernelTurn) {
	if !a.system.IsEmpty() && a.wakeParked(c) {
		c.w.Schedule(&a.task)
	}
}

// wakeParked wakes a parked actor, and reports whether it did. If so, the caller owns the actor and
// schedules it. The system queue may be empty by now: an earlier turn may have served the signal
// and parked the actor again. Then wakeParked adds an empty signal, since a turn with an empty
// system queue would run mail that has to wait, and would go idle where it should park.
func (a *cell) wakeParked(e env) bool {
	// Wake is a compare-and-swap, so one caller wins. A signal, the last gate that opens, and the
	// actor itself, in recheckSystem, may all try at once.
	if !a.blockedOn.Wake() {
		return false
	}
	if a.system.IsEmpty() {
		a.system.Push(newSignal(e, nil))
	}
	return true
}
