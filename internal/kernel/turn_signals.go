package kernel

import (
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/kernel/msg"
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
// While c.Aside is set the turn is beside the mail: no segment is under way, c.Msg is the message
// that is being served, and a crash does not touch the mail in hand.

// serveSignals serves the messages in the system queue, a batch of them at most. It is the turn of
// RunTask for an actor with such messages, and reports whether another turn is to follow.
func (a *Cell) serveSignals(c *Turn) (again bool) {
	x := a.MakeCold()
	c.Aside, c.Msg = true, &noMessage // for the report, if a supervisor's function panics
	if invariant.On {
		verifyServeSignals(a, x)
	}
	a.dropWakeups(c)
	// After a crash of a behaviour the supervisor decides before anything runs on a broken state.
	if f := x.fault; f != nil {
		x.fault, c.Then = nil, f.then
		f.goOn(a, c)
	}
	// A batch at most, as with mail: other actors wait for the worker.
	for left := a.batch(); x.State != ended; left-- {
		// An actor that is to be muted is muted before it runs more that sends.
		if left == 0 || c.Then&MayPark != 0 {
			x.rewake(a, c)
			return a.endSignalTurn(c)
		}
		m := x.Next(&a.System)
		if m == nil {
			return a.endSignalTurn(c)
		}
		a.serve(c, x, m)
	}
	c.Aside = false // the actor has ended: there is no turn to end
	return false
}

// dropWakeups removes the wake-ups at the head of the mail: messages that only make the actor look
// at its system queue, which this turn does. Each message in the system queue brings one wake-up.
// Without dropWakeups the mailbox of an actor that gets only signals would grow, since a turn that
// finds signals runs no mail. Owner only.
func (a *Cell) dropWakeups(c *Turn) {
	n := 0
	for m := a.In.Pending(); m != nil && m.ID == SystemID &&
		*PayloadOf[Signal](m) == nil; m = a.In.Pending() {
		a.In.SetPending(m.Next)
		if n++; !a.In.IsTop(m) { // as in settle
			c.RecycleChain(m, m, 1)
		}
	}
	if n > 0 {
		a.passed(n)
	}
}

// rewake makes the next turn serve signals too. It adds no second wake-up: with a batch of 1 the
// actor would requeue itself for ever.
func (x *Cold) rewake(a *Cell, c *Turn) {
	if x.Todo.First != nil && a.System.IsEmpty() {
		a.System.Push(NewSignal(c, nil))
	}
}

// Next returns the message to be served next, or nil. Messages taken out of the queue stay in Todo
// until they are served, if need be in a later turn. Taking them out voids the facts about the
// queue that PendingStop keeps. Owner only.
func (x *Cold) Next(l *systemQueue) *Message {
	// One swap takes out the whole queue, in order.
	if x.Todo.First == nil && !l.IsEmpty() {
		x.Todo.Add(l.Take())
		x.Orders = pendingOrders{InTodo: NotAsked}
	}
	return x.Todo.Pop()
}

// serve acts on one message from the system queue: a signal, an urgent message, or an outcome. A
// signal may end the actor, park it, or start another life; the caller finds out by x.State.
func (a *Cell) serve(c *Turn, x *Cold, m *Message) {
	// Mail of the user's: urgent, or an outcome for an actor whose mailbox is closed.
	if m.ID != SystemID {
		if d := a.Typ().Decls[m.ID]; d.Urgent && m.ID != CarriedID {
			a.runUrgent(c, x, m)
		} else {
			ServeMail(a, c, x, m, a.Typ().Decls[Contents(m).ID])
		}
		return
	}
	// The node goes back first: the signal's serve may not return.
	s := takeSignal(m)
	c.Recycle(m)
	if s != nil {
		s.Serve(a, c)
	}
}

// runUrgent runs an urgent message, or keeps it until the actor is up again, or may send again.
func (a *Cell) runUrgent(c *Turn, x *Cold, m *Message) {
	if x.State == alive && x.unstarted {
		x.Todo.PutBack(m) // OnStart may not return
		a.start(c)
		a.applyExit(c, x)
		return
	}
	// It runs now, or waits until the actor is up again or may send again, or never.
	switch {
	case x.State == alive && a.Load&backpressure.Withheld == 0:
	case x.State == alive:
		x.held.Add(m)
		return
	case x.after == nextEnded: // it will not be up again
		MakeDeadLetter(c, a, m, stoppedBecause(x.Reason))
		return
	default:
		a.holdUrgent(c, x, m)
		return
	}
	// As RunTask does for mail; but no segment is under way, so each message is accounted for at
	// once.
	c.Msg = m
	c.Invoke(a, m)
	c.Msg = &noMessage // or doing would take the next message for this one
	if c.Then&usesContext != 0 {
		c.leaveContext()
	}
	c.Recycle(m)
	c.W.Spend(1)
	a.keepYielded(c)
	a.applyExit(c, x)
}

// holdUrgent keeps an urgent message, in order, until the actor is up again, unless it is in a
// back-off and keeps no more.
func (a *Cell) holdUrgent(c *Turn, x *Cold, m *Message) {
	if f := x.Backoff; f != nil {
		if err := f.refuse(c, a, m); err != nil {
			MakeDeadLetter(c, a, m, err)
			return
		}
	}
	x.held.Add(m)
}

// applyExit ends an actor if the behaviour that has just run asked for it. It does so at once, and
// not at the end of the turn: the rest of the system queue then finds an actor that leaves.
func (a *Cell) applyExit(c *Turn, x *Cold) {
	if c.Then&mustEnd != 0 {
		c.Then &^= mustEnd
		a.exit(c, x.takeExit())
	}
}

// endSignalTurn ends a turn that was not about mail. The mail waits for the next turn.
func (a *Cell) endSignalTurn(c *Turn) (again bool) {
	a.keepYielded(c)
	// The mail of a drain has run. The mail that is left decides whether the actor has drained.
	if x := a.Cold; x.gone && x.State == alive {
		endDrainTurn(a, c, x)
	}
	// c.Then may say that the actor met a gate, unstashed, or used its heap. These flags are for
	// this turn alone.
	then := c.Then
	c.Then, c.Aside = goOn, false
	if then&(lookAgain|unstashed) != 0 {
		requeueUnstashed(a)
	}
	if then&MustCollect != 0 {
		collectArena(a, c)
	}
	// Back to where the actor was when the signal came. The cases exclude each other, but for the
	// first: an actor that has ended may have anything left in its cold state.
	switch x := a.Cold; {
	case x.State == ended:
		return false // it belongs to no worker any more
	case x.Backoff != nil:
		return x.Backoff.postpone(a, c) // its mail goes into the back-off's queue
	case x.waiting:
		return !a.parkAgain(c)
	case a.Load&backpressure.Muted != 0:
		if a.parkAgain(c) {
			return false
		}
		a.unmuted(c)
	case then&MayPark != 0 && a.park(c):
		return false
	}
	return true
}

// parkAgain parks an actor that waited, or was muted, before it served its system queue. It does
// nothing if the actor was unblocked meanwhile, and reports whether the actor is parked. The actor
// has held the system all the time.
func (a *Cell) parkAgain(c *Turn) (parked bool) {
	// As in park. After Park the actor is not this worker's, unless recheckSystem takes it back.
	c.waiters.forget() // the gates that the last behaviour met
	c.W.PrepareNext()
	if !a.BlockedOn.Park() {
		return false
	}
	a.recheckSystem(c)
	return true
}

// unmuted ends the muting of an actor that runs. Its wait lists have let it go while it served its
// signals, so no other worker has undone its muting. For a parked actor unmute does the same.
func (a *Cell) unmuted(c *Turn) {
	if invariant.On {
		verifyUnmuted(a)
	}
	a.endWithholding(c)
	a.SetLoad(c, a.NotMuted())
	c.Count.unmutes.Add(1)
	a.Sys().Sched.ReleaseParked()
}

// Signal is a notice of the runtime to an actor. It travels in a message of its own: through the
// system queue if it is to overtake the mail, else through the mailbox.
//
// Each signal is handled once: by Serve or, if the actor has ended, by Refused.
type Signal interface {
	// Serve acts on a, whose turn runs, between two messages.
	Serve(a *Cell, c *Turn)
	// Refused is called instead if a has ended: e answers for it if need be.
	Refused(a *Cell, e Env)
}

// Unanswered is embedded in signals that need no answer if the actor has ended: the sender learns
// of the end in another way, or does not need to know.
type Unanswered struct{}

// Refused implements Signal.
func (Unanswered) Refused(*Cell, Env) {}

// signalSize has the nodes of signals.
var signalSize, _ = msg.Of[Signal]()

// SystemDesc is the row of signals in every table. A signal in the mailbox wakes an actor for its
// system queue, starts it, or marks the end of a drain. A drain and a first message need a signal
// that keeps its place among the mail. It does not count as a message of the user's.
var SystemDesc = &Descriptor{
	Size:  signalSize,
	Clear: func(m *Message) { takeSignal(m) },
	run: func(c *Turn, a *Cell, m *Message) {
		c.Count.NotRun++
		if s := takeSignal(m); s != nil {
			s.Serve(a, c)
		}
	},
}

// NewSignal puts s into a message. A nil signal is a wake-up: it is pushed to the mailbox of an
// actor whose system queue is not empty, and dropWakeups removes it.
func NewSignal(e Env, s Signal) *Message {
	m := e.Node(signalSize)
	m.ID, m.From, m.Next = SystemID, 0, nil
	*PayloadOf[Signal](m) = s
	return m
}

// takeSignal is the counterpart of NewSignal. It takes the signal out of a message, which may then
// be recycled, since it keeps nothing alive.
func takeSignal(m *Message) Signal {
	p := PayloadOf[Signal](m)
	s := *p
	*p = nil
	return s
}

// Tell brings s to an actor, ahead of its mail. If the actor has ended, s is refused. Any
// goroutine.
func (a *Cell) Tell(e Env, s Signal) {
	// The context of the life is read before the push: the order may end the life at once.
	e = e.In(a)
	m, before := NewSignal(e, s), a.Flow.Load().ContextOfLife()
	if e.pushSystem(a, m) != nil {
		takeSignal(m)
		recycle(e, m)
		s.Refused(a, e)
	} else if ordersEnd(s) {
		cutContext(a, s, before)
	}
}

// closeSystem is called by a sender that has pushed a signal and then finds the mailbox closed. An
// actor that ended plainly has not looked at its system queue: the first such sender closes the
// queue and refuses its signals. Any other actor closes its system queue itself, later. Any
// goroutine.
func (a *Cell) closeSystem(e Env) {
	// Several senders may come here: the queue is closed once, and each signal is refused once.
	if a.endedPlainly() {
		a.refuseAll(e, a.System.Close())
	}
}

// recheckSystem is A2: an actor that has just parked looks at its system queue once more. A signal
// may have come between the last look and Park, while its sender saw the actor not yet parked. If
// this look takes the actor out again, it schedules the actor.
func (a *Cell) recheckSystem(c *Turn) {
	if !a.System.IsEmpty() && a.WakeParked(c) {
		c.W.Schedule(&a.Task)
	}
}

// WakeParked wakes a parked actor, and reports whether it did. If so, the caller owns the actor and
// schedules it. The system queue may be empty by now: an earlier turn may have served the signal
// and parked the actor again. Then WakeParked adds an empty signal, since a turn with an empty
// system queue would run mail that has to wait, and would go idle where it should park.
func (a *Cell) WakeParked(e Env) bool {
	// Wake is a compare-and-swap, so one caller wins. A signal, the last gate that opens, and the
	// actor itself, in recheckSystem, may all try at once.
	if !a.BlockedOn.Wake() {
		return false
	}
	if a.System.IsEmpty() {
		a.System.Push(NewSignal(e, nil))
	}
	return true
}
