package actor

import (
	"cmp"

	"github.com/gallop-go/gallop/actor/internal/msg"
	"github.com/gallop-go/gallop/actor/internal/stack"
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/sim"
	"github.com/gallop-go/gallop/sched"
)

// PanicReport describes a behaviour, or a process, that panicked or called runtime.Goexit.
type PanicReport struct {
	// ActorID and Type are those of the actor. For a process, Type is its own (process.WithType)
	// or "process".
	ActorID uint64
	Type    string
	Name    string // as in ActorName; "" if the actor has none
	Path    string // the same
	// Behaviour is the name of the behaviour or of the callback: init, OnStart, OnStop, Stop. It is
	// empty for a process, and for a collection of the actor's heap.
	Behaviour string
	// MessageID is the number, in the table of the type, of the behaviour that the message
	// was for; 0 in a callback or a collection.
	MessageID uint16
	// From is the number of the actor that sent the message; 0 if it came from outside.
	From uint64
	// Value is the value of the panic; nil for a Goexit.
	Value any
	// Goexit reports whether the behaviour called runtime.Goexit, as a failing test does.
	Goexit bool
	// Frame is the user's own frame: the first on the stack that belongs neither to Go's
	// library nor to gallop, since gallop may have panicked because of a wrong call. If there is
	// no such frame, it is the first of gallop's. Its form is the function, a space, and file and
	// line. It is empty for a Goexit.
	Frame string
	// Stack is the goroutine's stack, beginning with the frame that panicked. If a deferred
	// function has panicked again, it begins with the frame that panicked first.
	Stack []byte
}

// PanicError is the error of an ask whose behaviour panicked, and the reason for which
// the actor ended. It wraps ErrPanicked, and the value if that is an error.
type PanicError struct {
	// Value is the value of the panic; nil for a Goexit.
	Value any
	// Goexit says whether the behaviour called runtime.Goexit.
	Goexit bool
	// Stack is the goroutine's stack, beginning with the frame that panicked; empty for
	// a Goexit.
	Stack []byte
}

// Error implements error.
func (e *PanicError) Error() string {
	switch {
	case e == nil:
		return "<nil>"
	case e.Goexit:
		return "gallop: actor panicked: runtime.Goexit"
	}
	return "gallop: actor panicked: " + guard.Text(e.Value)
}

// Unwrap returns ErrPanicked and, if the panic's value is an error, that error.
func (e *PanicError) Unwrap() []error {
	if e == nil {
		return nil
	}
	if err, ok := e.Value.(error); ok {
		return []error{ErrPanicked, err}
	}
	return []error{ErrPanicked}
}

// fault describes why a behaviour or a callback did not return.
type fault struct {
	why    error
	killed bool // a Kill cut it
	broken bool // a collection of the arena panicked: the arena is unusable
	// then is mayPark if the actor had met a gate: Decide may have it go on.
	then outcome
}

// crashed handles an actor whose behaviour or callback did not return, or whose heap could not be
// collected ([heap.Arena.Collect] panics because of an invalid handle). It answers the caller of an
// ask and reports the panic. The actor ends, or goes on, in a turn of its own, since OnStop may
// crash as well.
func (a *cell) crashed(c *kernelTurn, crash *sched.Crash) {
	between := !c.aside && !inHand(c, a, c.msg) // two behaviours
	if between {
		c.msg, c.aside, c.rooting = &noMessage, true, nil
	}
	if invariant.On {
		verifyCrash(a)
	}
	m, d := c.msg, a.typ().decls[c.msg.ID]
	if m.From&msg.WasStashed != 0 {
		m.From &^= msg.WasStashed // it is to be reported
	}
	if !c.aside {
		c.count.messages += uint64(accountCrash(a, c))
		forgetCount(a) // the next turn may take out the mail that has come in
	}
	a.keepYielded(c)
	c.outcomeCrashed(a, m)
	then := c.then & mayPark
	c.reset()
	e := c
	if !a.supervised {
		a.cold.closeParts(a, e) // before others learn of the end
	}
	f := faultOf(a, c, m, d, crash)
	f.broken, f.then = between, then
	if d.reject != nil {
		d.reject(e, m, f.toCaller())
	}
	if a.plain() {
		c.countStopped(a)
		a.terminate(e, newTerminated(f.why))
		return
	}
	a.makeCold().fault = f
	a.system.Push(newSignal(c, nil)) // for the turn to look at it first
	c.w.Schedule(&a.task)
}

// faultOf returns the fault of a crash. It reports the panic, unless a Kill was the cause.
func faultOf(a *cell, c *kernelTurn, m *message, d *descriptor, crash *sched.Crash) *fault {
	if _, ok := crash.Value.(cut); ok {
		return &fault{why: ErrKilled, killed: true}
	}
	c.count.panics.Add(1)
	e := &PanicError{Value: crash.Value, Goexit: crash.Goexit, Stack: userFrames(crash.Stack)}
	a.sys().sim.tell(sim.Panicked, c, a, m)
	a.sys().reportPanic(c, a, m, d, e)
	return &fault{why: e}
}

// toCaller is the error for the caller whose request ran.
func (f *fault) toCaller() error {
	if f.killed {
		return stoppedBecause(f.why)
	}
	return f.why
}

// goOn ends or restarts an actor that crashed, or leaves it to Decide. Owner only.
func (f *fault) goOn(a *cell, c *kernelTurn) {
	x := a.cold
	where := x.where
	x.where = inNone
	switch {
	case f.killed:
		a.applyStop(c, stopRequest{mode: modeKill, why: ErrKilled})
	case where == inDecide: // which has not decided
		a.leave(c, nextSuspended, modeStop, x.takeExit())
	case x.state == leaving: // its OnStop
		if x.reason == nil {
			x.reason = f.why
		}
		a.left(c)
	default:
		a.fall(c, f.why, !f.broken)
	}
}

func (s *kernelSystem) reportPanic(c *kernelTurn, a *cell, m *message, d *descriptor, e *PanicError) {
	who := a.ownName()
	p := PanicReport{
		ActorID: who.ID, Type: who.Type, Name: who.Name, Path: who.Path, Behaviour: d.name,
		MessageID: placeOf(m.ID), From: m.From,
		Value: e.Value, Goexit: e.Goexit, Frame: stack.UserFrame(e.Stack), Stack: e.Stack,
	}
	if x := a.cold; x != nil && m.ID == systemID {
		p.Behaviour = x.where.name()
	}
	s.tellPanic(c, who, p, "gallop: behaviour panicked")
}

// tellPanic reports a panic that has been counted. The line of the log begins with what.
func (s *kernelSystem) tellPanic(e env, who ActorName, p PanicReport, what string) {
	if i := s.inspected.Load(); i != nil {
		i.panicked(e, p)
	}
	if s.opts.onPanic != nil {
		s.guard("Hooks.Panic", func() { s.opts.onPanic(p) })
		return
	}
	s.logPanic(who, p, what)
}

// logPanic writes a panic to the log. Panics in one line of code are counted together, with any
// value; a Goexit is counted by its behaviour.
func (s *kernelSystem) logPanic(who ActorName, p PanicReport, line string) {
	n, write := s.mayLog(line, who.Type, cmp.Or(p.Frame, p.Behaviour))
	if !write {
		return
	}
	s.log(func(l logSink) {
		l.fail(line, who.attrs("behaviour", p.Behaviour,
			"message", p.MessageID, "at", p.Frame, "value", guard.Text(p.Value), "goexit", p.Goexit,
			"from", p.From, "so_far", n, "stack", string(p.Stack))...)
	})
}

// userFrames returns the part of a stack that concerns a behaviour that has panicked: see
// stack.FromPanic.
func userFrames(text []byte) []byte {
	return stack.FromPanic(text,
		stack.OurModule+"actor.Behaviour[...].Handle.func",
		stack.OurModule+"actor.AskBehaviour[...].Handle.func",
		stack.OurModule+"process.(*coroutine).one",
		stack.OurModule+"actor.(*cell).runSegment",
		stack.OurModule+"actor.(*typeInSystem).RunTask")
}

// verifyCrash checks an actor whose behaviour did not return.
func verifyCrash(a *cell) {
	invariant.Check(a.cold == nil || a.cold.state != ended, "%v crashes after its end", a)
	backpressure.MustRun(&a.blockedOn)
}

// inHand reports whether m, which is or was c.msg, is a message from the mailbox whose segment is
// not accounted for. After that m is recycled, and may be anywhere. Owner only, in a turn that is
// about mail. For peek the result is a hint; peek has read whose turn it is, and may not read it
// again.
func inHand(c *kernelTurn, a *cell, m *message) bool {
	return c.ran != nil || m != nil && m == a.in.Pending()
}

// accountCrash accounts for a segment that has ended in the middle of c.msg's behaviour. It returns
// the number of its messages, and leaves them to the GC.
func accountCrash(a *cell, c *kernelTurn) (n int) {
	n = 1 + msg.Distance(c.ran, nil)
	if invariant.On {
		verifySegment(a, c, n)
	}
	m := c.msg
	a.in.SetPending(m.Next)
	m.Next = c.ran
	c.ran = nil
	msg.Unlink(m, n)
	return n
}
