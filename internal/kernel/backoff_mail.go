package kernel

import (
	"context"
	"strings"

	"github.com/gallop-go/gallop/internal/kernel/msg"

	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// Postpone puts a suspended actor into a back-off: it will be restarted later, by a timer,
// or after other actors that wait for a timer. Until then
//
//   - the actor no longer holds the system, so that a VirtualClock may move on; on the
//     machine's clock the timer holds the system;
//   - requests fail at once with ErrSuspended, also requests that are in the mailbox
//     already, unless the caller waits for the restart: see supervise.WaitForRestart;
//   - ordinary and urgent messages are kept up to a bound (ChildOptions.Backlog) and run
//     after the restart; beyond the bound they become dead letters with the reason
//     ErrSuspended, and TrySend returns that error;
//   - SendWait waits for the restart, or until its context ends;
//   - no sender is muted for the actor; muted senders are released.
//
// For an actor with a bound (actor.WithBound) the smaller of the two bounds counts.
//
// If the actor is not suspended when the signal arrives, Postpone does nothing. It panics
// if the actor was not spawned with SpawnUnder. Any goroutine.
func (r AnyRef) Postpone(e Env) {
	r.mustBeSupervised("Postpone").Tell(e, postponed{})
}

// PutOnStandby tells a suspended actor that it will be restarted as soon as other actors are
// up. It is used while none of these is known to be in a back-off. The actor no longer holds
// the system, as with Postpone, but its mail waits as with an immediate restart. Postpone may
// follow. If the actor is not suspended when the signal arrives, PutOnStandby does nothing.
// It panics if the actor was not spawned with SpawnUnder. Any goroutine.
func (r AnyRef) PutOnStandby(e Env) {
	r.mustBeSupervised("Standby").Tell(e, standby{})
}

// standby is the signal of PutOnStandby.
type standby struct{ Unanswered }

// Serve implements Signal.
func (standby) Serve(a *Cell, _ *Turn) {
	if x := a.MakeCold(); x.State == Suspended {
		a.releaseHold(x)
	}
}

// postponed is the signal of Postpone.
type postponed struct{ Unanswered }

// Serve implements Signal.
func (postponed) Serve(a *Cell, c *Turn) {
	if x := a.MakeCold(); x.State == Suspended && x.Backoff == nil {
		a.releaseHold(x)
		beginBackoff(a, c, x)
	}
}

// releaseHold lets the system be quiescent although the actor waits.
func (a *Cell) releaseHold(x *Cold) {
	if !x.unheld {
		x.unheld = true
		a.Sys().Sched.ReleaseParked()
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
// a flood is bounded: see PlainMail.meet. No message is lost on the way. A sender that passes the
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
func beginBackoff(a *Cell, c *Turn, x *Cold) {
	if invariant.On {
		verifyBackoff(a, x)
	}
	f := &backoff{room: x.Sup.backlog(), why: because(ErrSuspended, x.downFor())}
	x.Backoff = f
	a.BlockedOn.Unblock()
	a.FlowOf().Suspended.Store(&suspension{why: f.why, refuses: f.room == 0}) // Q1
	a.setPressed(c, false)                                                    // Q2
	a.Flow.Load().endFall()
	if f.room == 0 {
		a.setPressed(c, true)
	}
	unasked := sieve{a, c, f.unasked}
	unasked.mailbox()
	f.before = msg.Distance(a.In.Pending(), nil)
	x.held.Add(unasked.chain(x.held.All()))
}

// end ends the back-off and puts the kept mail ahead of the mailbox. Owner only.
func (f *backoff) end(a *Cell) {
	a.Cold.Backoff = nil
	l := a.Flow.Load()
	l.beginFall() // the gate may be shut
	l.Suspended.Store(nil)
	a.In.Prepend(&f.mail)
}

// unasked returns an error for requests that do not wait for a restart, and for empty signals,
// which were pushed to wake the actor.
func (f *backoff) unasked(a *Cell, m *Message) error {
	if m.ID == SystemID && *PayloadOf[Signal](m) == nil {
		return f.why
	}
	if d := a.Typ().Decls[m.ID]; d.Caller != nil && d.Caller(m).state() != callerWaits {
		return f.why
	}
	return nil
}

// refuse is unasked for mail that comes during the back-off. It also counts the messages that are
// kept, and shuts the gate when the backlog is full.
func (f *backoff) refuse(c *Turn, a *Cell, m *Message) error {
	if !isMail(m.ID) || a.Typ().Decls[m.ID].Caller != nil {
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
func (f *backoff) postpone(a *Cell, c *Turn) (again bool) {
	x := a.Cold
	if invariant.On {
		verifyPostpone(a, x)
	}
	forgetCount(a)
	c.waiters.forget() // as in park
	left := a.batch()
	for ; left > 0 && a.In.Pending() != nil && !a.In.IsTop(a.In.Pending()); left-- {
		m := a.In.Pending()
		a.In.SetPending(m.Next)
		m.Next = nil
		if !f.postponeOne(a, c, m) {
			c.Recycle(m)
		}
	}
	if a.System.IsEmpty() {
		a.System.Push(NewSignal(c, nil)) // the next turn is to come here
	}
	if left == 0 || x.Todo.First != nil {
		return true
	}
	top := a.In.Pending()
	a.In.SetPending(nil)
	kept := top != nil && f.postponeOne(a, c, top)
	if !a.In.HasAppended() {
		c.W.PrepareNext()
		if stub, ok := a.Box.TryIdle(&a.In); ok { // the actor has no owner now
			if stub != nil && !kept {
				c.Recycle(stub)
			}
			return false
		}
	}
	if stub, _ := a.Box.Drain(&a.In); stub != nil && !kept {
		c.Recycle(stub)
	}
	return true
}

// postponeOne keeps m, or makes a dead letter of it. It reports whether m is kept; if not, the
// caller recycles m.
func (f *backoff) postponeOne(a *Cell, c *Turn, m *Message) (kept bool) {
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

// Suspension returns the suspension of an actor in a back-off, and nil otherwise. f may be nil. Any
// goroutine.
func (f *flow) Suspension() *suspension {
	if f == nil {
		return nil
	}
	return f.Suspended.Load()
}

// downtime tells by its equality whether a fall or a back-off has begun or ended between two looks.
type downtime struct {
	fall fall
	down *suspension // nil: the actor is in no back-off
}

// downtime returns the fall and the suspension of an actor. f may be nil. The loads pair with the
// stores of the owner: see fall and suspension. Any goroutine.
func (f *flow) downtime() downtime { return downtime{f.fallNow(), f.Suspension()} }

// rejectSuspended makes a dead letter of a message that meets the shut gate of an actor in a
// back-off, and reports whether it did. It does not reject requests whose callers wait, nor
// messages of the runtime.
func (c *Turn) rejectSuspended(to *Cell, s *suspension, m *Message, d *Descriptor) bool {
	if d == SystemDesc || d.Caller != nil && d.Caller(m).state() == callerWaits {
		return false
	}
	m.ID, m.From, m.Next = d.ID, c.Self.ID, nil
	MakeDeadLetter(c, to, m, s.why)
	return true
}

// wakeSuspended is P2: the actor of c has just entered the wait list of a.
func wakeSuspended(a *Cell, c *Turn) {
	if a.Flow.Load().Suspension() != nil {
		a.Tell(c, released{})
	}
}

// released tells an actor in a back-off that a sender waits at its gate.
type released struct{ Unanswered }

// Serve implements Signal.
func (released) Serve(a *Cell, c *Turn) {
	if x := a.MakeCold(); x.Backoff != nil && !a.Gate.IsOpen() {
		release(c, a.Gate.Drain(&GateMark))
	}
}

// setPressed shuts the gate of a suspended actor, or opens it. Owner only.
func (a *Cell) setPressed(c *Turn, on bool) {
	l := a.Load &^ backpressure.Pressed
	if on {
		l |= backpressure.Pressed
	}
	a.SetLoad(c, l)
}

// waitKey is the key of the mark that supervise.WaitForRestart leaves in a context.
type waitKey struct{}

// WaitForRestart is supervise.WaitForRestart, which documents it.
func WaitForRestart(ctx context.Context) context.Context {
	MustHave(ctx, "WaitForRestart")
	return context.WithValue(ctx, waitKey{}, true)
}

// WaitsForRestart reports whether ctx has the mark of supervise.WaitForRestart. ctx may be nil. It
// is called before the request is made, because ctx is foreign code, which may block or call the
// runtime.
func WaitsForRestart(ctx context.Context) bool { return ctx != nil && ctx.Value(waitKey{}) != nil }

// downError is ErrSuspended or ErrRestarted with the reason for which the receiver fell.
type downError struct{ is, why error }

// takenDown is the reason of an actor that was suspended or restarted by order, most often since a
// sibling has failed. It wraps ErrShutdown and has a text of its own.
type takenDown struct{}

// Error implements error.
func (takenDown) Error() string { return "taken down to be restarted" }

// Unwrap returns ErrShutdown.
func (takenDown) Unwrap() error { return ErrShutdown }

// downFor returns the reason for senders why an actor is down.
func (x *Cold) downFor() error {
	if x.takenDown && x.Reason == ErrShutdown {
		return takenDown{}
	}
	return x.Reason
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
func verifyBackoff(a *Cell, x *Cold) {
	invariant.Check(x.waiting && x.unheld, "%v is in a back-off, and does not wait", a)
	invariant.Check(a.Load&backpressure.Muted == 0, "%v is in a back-off, and muted", a)
	backpressure.MustRun(&a.BlockedOn)
	backpressure.MustBeBlocked(&a.BlockedOn)
}

// verifyPostpone checks an actor in a back-off at the end of its turn.
func verifyPostpone(a *Cell, x *Cold) {
	f := x.Backoff
	invariant.Check(x.State == Suspended && x.waiting && x.unheld, "%v keeps its mail in phase %d", a,
		x.State)
	invariant.Check(f.room >= 0, "%v keeps %d messages too many", a, -f.room)
	invariant.Check(f.mail.Last == nil || f.mail.Last != a.In.Tail(),
		"%v has put the top node of its mailbox aside", a)
	invariant.Check(seam.Peek(&seam.Peek(&a.Flow).Suspended) != nil,
		"%v is in a back-off, and senders do not know", a)
}
