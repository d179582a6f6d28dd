package actor

import (
	"context"
	"strings"

	"github.com/gallop-go/gallop/actor/internal/msg"

	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// postpone puts a suspended actor into a back-off: it will be restarted later, by a timer,
// or after other actors that wait for a timer. Until then
//
//   - the actor no longer holds the system, so that a [VirtualClock] may move on; on the
//     machine's clock the timer holds the system;
//   - requests fail at once with [ErrSuspended], also requests that are in the mailbox
//     already, unless the caller waits for the restart: see supervise.WaitForRestart;
//   - ordinary and urgent messages are kept up to a bound (ChildOptions.Backlog) and run
//     after the restart; beyond the bound they become dead letters with the reason
//     ErrSuspended, and TrySend returns that error;
//   - SendWait waits for the restart, or until its context ends;
//   - no sender is muted for the actor; muted senders are released.
//
// For an actor with a bound ([WithBound]) the smaller of the two bounds counts.
//
// If the actor is not suspended when the signal arrives, postpone does nothing. It panics
// if t was not spawned with [SpawnSupervised].
func postpone(from Sender, t Target) {
	mustBeSupervised("Postpone", t)
	sendSignal("Postpone", from, t, postponed{})
}

// putOnStandby tells a suspended actor that it will be restarted as soon as other actors are
// up. It is used while none of these is known to be in a back-off. The actor no longer holds
// the system, as with postpone, but its mail waits as with an immediate restart. postpone may
// follow. If the actor is not suspended when the signal arrives, putOnStandby does nothing.
// It panics if t was not spawned with [SpawnSupervised].
func putOnStandby(from Sender, t Target) {
	mustBeSupervised("Standby", t)
	sendSignal("Standby", from, t, standby{})
}

// standby is the signal of putOnStandby.
type standby struct{ unanswered }

func (standby) serve(a *cell, _ *kernelTurn) {
	if x := a.makeCold(); x.state == suspended {
		a.releaseHold(x)
	}
}

// postponed is the signal of postpone.
type postponed struct{ unanswered }

func (postponed) serve(a *cell, c *kernelTurn) {
	if x := a.makeCold(); x.state == suspended && x.backoff == nil {
		a.releaseHold(x)
		beginBackoff(a, c, x)
	}
}

// releaseHold lets the system be quiescent although the actor waits.
func (a *cell) releaseHold(x *coldState) {
	if !x.unheld {
		x.unheld = true
		a.sys().sched.ReleaseParked()
	}
}

// An actor in a back-off is idle, not parked, and its gate is open as long as it keeps mail. So a
// send to it costs as much as to any idle actor, and wakes it for a turn. The turn does not run the
// message. It moves it to the list of kept messages, or makes a dead letter of it, which answers
// the caller. So no sender has to look whether the actor is down, and no request that is pushed at
// the last moment is overlooked.
//
// Rejected: senders that look. A sender may have looked before the fall and push after the actor
// has sorted its mail. Then a request would stay in the mailbox until the restart.
//
// The path of every message has no test for such a turn. Instead the actor leaves an empty signal
// in its own system queue before it goes idle. A turn that finds a signal there calls serveSignals,
// and so postpone, before it runs any mail.
//
// When the bound is reached the gate is shut. Then the sender itself makes the dead letter, so that
// a flood is bounded: see plainMail.meet. No message is lost on the way. A sender that passes the
// gate at the last moment reaches a turn of the actor. A sender that enters the wait list at the
// last moment sees the suspension afterwards, and tells the actor, which releases it.
//
//	sender                                  the actor
//	P1 enter the wait list        (RMW)        Q1 publish the suspension  (store)
//	P2 suspended? then tell the actor       Q2 open the gate, or drain the wait list  (RMW)
//
// Either P2 sees Q1, or P1 came before Q2, which lets the sender go.
type backoff struct {
	// Kept for the next life, oldest first. Does not contain the mailbox's top node.
	mail   messageList
	before int   // messages in hand that waited when the back-off began
	room   int   // ordinary messages that may still be kept
	why    error // ErrSuspended with the reason
}

// suspension describes a back-off for senders. Read-only.
type suspension struct {
	why     error
	refuses bool // the backlog is 0: an actor with a bound keeps no message
}

// defaultBacklog is ChildOptions.Backlog if that is 0.
const defaultBacklog = 1000

// backlog returns the number of messages that are kept.
func (s *supervision) backlog() int {
	if s.keeps == 0 {
		return defaultBacklog
	}
	return max(s.keeps, 0)
}

// beginBackoff sorts the mail that waits, and releases the senders that wait at the gate. From then
// on the actor is not parked. Owner only.
func beginBackoff(a *cell, c *kernelTurn, x *coldState) {
	if invariant.On {
		verifyBackoff(a, x)
	}
	f := &backoff{room: x.sup.backlog(), why: because(ErrSuspended, x.downFor())}
	x.backoff = f
	a.blockedOn.Unblock()
	a.flowOf().suspended.Store(&suspension{why: f.why, refuses: f.room == 0}) // Q1
	a.setPressed(c, false)                                                    // Q2
	a.flow.Load().endFall()
	if f.room == 0 {
		a.setPressed(c, true)
	}
	unasked := sieve{a, c, f.unasked}
	unasked.mailbox()
	f.before = msg.Distance(a.in.Pending(), nil)
	x.held.Add(unasked.chain(x.held.All()))
}

// end ends the back-off and puts the kept mail ahead of the mailbox. Owner only.
func (f *backoff) end(a *cell) {
	a.cold.backoff = nil
	l := a.flow.Load()
	l.beginFall() // the gate may be shut
	l.suspended.Store(nil)
	a.in.Prepend(&f.mail)
}

// unasked returns an error for requests that do not wait for a restart, and for empty signals,
// which were pushed to wake the actor.
func (f *backoff) unasked(a *cell, m *message) error {
	if m.ID == systemID && *payloadOf[signal](m) == nil {
		return f.why
	}
	if d := a.typ().decls[m.ID]; d.caller != nil && d.caller(m).state() != callerWaits {
		return f.why
	}
	return nil
}

// refuse is unasked for mail that comes during the back-off. It also counts the messages that are
// kept, and shuts the gate when the backlog is full.
func (f *backoff) refuse(c *kernelTurn, a *cell, m *message) error {
	if !isMail(m.ID) || a.typ().decls[m.ID].caller != nil {
		return f.unasked(a, m)
	}
	if bringsOutcome(a, m) { // no outcome is refused
		return nil
	}
	if f.room == 0 {
		return f.why
	}
	if f.room--; f.room == 0 {
		a.setPressed(c, true)
	}
	return nil
}

// postpone ends a turn of an actor in a back-off. It puts the new mail aside, at most a batch, and
// goes idle if there is no more. It reports whether another turn must follow. The message in the
// mailbox's top node is put aside last. Owner only.
func (f *backoff) postpone(a *cell, c *kernelTurn) (again bool) {
	x := a.cold
	if invariant.On {
		verifyPostpone(a, x)
	}
	forgetCount(a)
	c.waiters.forget() // as in park
	left := a.batch()
	for ; left > 0 && a.in.Pending() != nil && !a.in.IsTop(a.in.Pending()); left-- {
		m := a.in.Pending()
		a.in.SetPending(m.Next)
		m.Next = nil
		if !f.postponeOne(a, c, m) {
			c.recycle(m)
		}
	}
	if a.system.IsEmpty() {
		a.system.Push(newSignal(c, nil)) // the next turn is to come here
	}
	if left == 0 || x.todo.First != nil {
		return true
	}
	top := a.in.Pending()
	a.in.SetPending(nil)
	kept := top != nil && f.postponeOne(a, c, top)
	if !a.in.HasAppended() {
		c.w.PrepareNext()
		if stub, ok := a.box.TryIdle(&a.in); ok { // the actor has no owner now
			if stub != nil && !kept {
				c.recycle(stub)
			}
			return false
		}
	}
	if stub, _ := a.box.Drain(&a.in); stub != nil && !kept {
		c.recycle(stub)
	}
	return true
}

// postponeOne keeps m, or makes a dead letter of it. It reports whether m is kept; if not, the
// caller recycles m.
func (f *backoff) postponeOne(a *cell, c *kernelTurn, m *message) (kept bool) {
	if f.before > 0 {
		f.before--
		f.mail.Add(m)
		return true
	}
	if err := f.refuse(c, a, m); err != nil {
		endLetter(c, a, m, err)
		return false
	}
	f.mail.Add(m)
	return true
}

// suspension returns the suspension of an actor in a back-off, and nil otherwise. f may be nil. Any
// goroutine.
func (f *flow) suspension() *suspension {
	if f == nil {
		return nil
	}
	return f.suspended.Load()
}

// downtime tells by its equality whether a fall or a back-off has begun or ended between two looks.
type downtime struct {
	fall fall
	down *suspension // nil: the actor is in no back-off
}

// downtime returns the fall and the suspension of an actor. f may be nil. The loads pair with the
// stores of the owner: see fall and suspension. Any goroutine.
func (f *flow) downtime() downtime { return downtime{f.fallNow(), f.suspension()} }

// rejectSuspended makes a dead letter of a message that meets the shut gate of an actor in a
// back-off, and reports whether it did. It does not reject requests whose callers wait, nor
// messages of the runtime.
func (c *kernelTurn) rejectSuspended(to *cell, s *suspension, m *message, d *descriptor) bool {
	if d == systemDesc || d.caller != nil && d.caller(m).state() == callerWaits {
		return false
	}
	m.ID, m.From, m.Next = d.id, c.self.id, nil
	deadLetter(c, to, m, s.why)
	return true
}

// wakeSuspended is P2: the actor of c has just entered the wait list of a.
func wakeSuspended(a *cell, c *kernelTurn) {
	if a.flow.Load().suspension() != nil {
		a.tell(c, released{})
	}
}

// released tells an actor in a back-off that a sender waits at its gate.
type released struct{ unanswered }

func (released) serve(a *cell, c *kernelTurn) {
	if x := a.makeCold(); x.backoff != nil && !a.gate.IsOpen() {
		release(c, a.gate.Drain(&gateMark))
	}
}

// setPressed shuts the gate of a suspended actor, or opens it. Owner only.
func (a *cell) setPressed(c *kernelTurn, on bool) {
	l := a.load &^ backpressure.Pressed
	if on {
		l |= backpressure.Pressed
	}
	a.setLoad(c, l)
}

// waitKey is the key of the mark that supervise.WaitForRestart leaves in a context.
type waitKey struct{}

// waitForRestart is supervise.WaitForRestart.
func waitForRestart(ctx context.Context) context.Context {
	mustHave(ctx, "WaitForRestart")
	return context.WithValue(ctx, waitKey{}, true)
}

// roomKey is the key of the mark that WaitForRoom leaves in a context.
type roomKey struct{}

// WaitForRoom returns a context with which an Ask waits for an actor whose mailbox is at its
// bound ([WithBound]), or which does not keep up with a behaviour that is [DropOnOverload],
// instead of failing with [ErrOverloaded]. It waits in line as [Behaviour.SendWait] does,
// until there is room or the context ends; in the latter case the request is a dead letter.
// Give the context a deadline. The mark is inherited by contexts that are made from the one
// returned. It is for [AskBehaviour.Ask] alone, which waits anyhow.
//
// An urgent request needs no room: see [Urgent].
func WaitForRoom(ctx context.Context) context.Context {
	mustHave(ctx, "WaitForRoom")
	return context.WithValue(ctx, roomKey{}, true)
}

// waitsForRoom reports whether ctx has the mark of WaitForRoom.
func waitsForRoom(ctx context.Context) bool { return ctx.Value(roomKey{}) != nil }

// waitsForRestart reports whether ctx has the mark of supervise.WaitForRestart. ctx may be nil. It
// is called before the request is made, because ctx is foreign code, which may block or call the
// runtime.
func waitsForRestart(ctx context.Context) bool { return ctx != nil && ctx.Value(waitKey{}) != nil }

// downError is ErrSuspended or ErrRestarted with the reason for which the receiver fell.
type downError struct{ is, why error }

// takenDown is the reason of an actor that was suspended or restarted by order, most often since a
// sibling has failed. It wraps ErrShutdown and has a text of its own.
type takenDown struct{}

func (takenDown) Error() string { return "taken down to be restarted" }
func (takenDown) Unwrap() error { return ErrShutdown }

// downFor returns the reason for senders why an actor is down.
func (x *coldState) downFor() error {
	if x.takenDown && x.reason == ErrShutdown {
		return takenDown{}
	}
	return x.reason
}

// because returns the error is with the reason why, or is alone if why is nil.
func because(is, why error) error {
	if why == nil {
		return is
	}
	return &downError{is, why}
}

// Error implements error.
func (e *downError) Error() string {
	return e.is.Error() + ": " + strings.TrimPrefix(guard.Text(e.why), "gallop: ")
}

// Unwrap returns both.
func (e *downError) Unwrap() []error { return []error{e.is, e.why} }

// verifyBackoff checks an actor whose back-off begins: it waits, and is blocked on itself.
func verifyBackoff(a *cell, x *coldState) {
	invariant.Check(x.waiting && x.unheld, "%v is in a back-off, and does not wait", a)
	invariant.Check(a.load&backpressure.Muted == 0, "%v is in a back-off, and muted", a)
	backpressure.MustRun(&a.blockedOn)
	backpressure.MustBeBlocked(&a.blockedOn)
}

// verifyPostpone checks an actor in a back-off at the end of its turn.
func verifyPostpone(a *cell, x *coldState) {
	f := x.backoff
	invariant.Check(x.state == suspended && x.waiting && x.unheld, "%v keeps its mail in phase %d", a,
		x.state)
	invariant.Check(f.room >= 0, "%v keeps %d messages too many", a, -f.room)
	invariant.Check(f.mail.Last == nil || f.mail.Last != a.in.Tail(),
		"%v has put the top node of its mailbox aside", a)
	invariant.Check(seam.Peek(&seam.Peek(&a.flow).suspended) != nil,
		"%v is in a back-off, and senders do not know", a)
}
