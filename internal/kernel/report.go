package kernel

import (
	"cmp"

	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/kernel/msg"
	"github.com/gallop-go/gallop/internal/kernel/sim"
	"github.com/gallop-go/gallop/internal/kernel/stack"
	"github.com/gallop-go/gallop/sched"
)

// PanicReport is actor.PanicReport, which documents it.
type PanicReport struct {
	ActorID   uint64
	Type      string
	Name      string
	Path      string
	Behaviour string
	MessageID uint16
	From      uint64
	Value     any
	Goexit    bool
	Frame     string
	Stack     []byte
}

// fault describes why a behaviour or a callback did not return.
type fault struct {
	why    error
	killed bool // a Kill cut it
	broken bool // a collection of the arena panicked: the arena is unusable
	// then is MayPark if the actor had met a gate: Decide may have it go on.
	then outcome
}

// crashed handles an actor whose behaviour or callback did not return, or whose heap could not be
// collected (heap.Arena.Collect panics because of an invalid handle). It answers the caller of an
// ask and reports the panic. The actor ends, or goes on, in a turn of its own, since OnStop may
// crash as well.
func (a *Cell) crashed(c *Turn, crash *sched.Crash) {
	between := !c.Aside && !inHand(c, a, c.Msg) // two behaviours
	if between {
		c.Msg, c.Aside, c.rooting = &noMessage, true, nil
	}
	if invariant.On {
		verifyCrash(a)
	}
	m, d := c.Msg, a.Typ().Decls[c.Msg.ID]
	if m.From&msg.WasStashed != 0 {
		m.From &^= msg.WasStashed // it is to be reported
	}
	if !c.Aside {
		c.Count.messages += uint64(AccountCrash(a, c))
		forgetCount(a) // the next turn may take out the mail that has come in
	}
	a.keepYielded(c)
	c.outcomeCrashed(a, m)
	then := c.Then & MayPark
	c.reset()
	e := c
	if !a.Supervised {
		a.Cold.closeParts(a, e) // before others learn of the end
	}
	f := faultOf(a, c, m, d, crash)
	f.broken, f.then = between, then
	if d.Reject != nil {
		d.Reject(e, m, f.toCaller())
	}
	if a.plain() {
		c.countStopped(a)
		a.terminate(e, newTerminated(f.why))
		return
	}
	a.MakeCold().fault = f
	a.System.Push(NewSignal(c, nil)) // for the turn to look at it first
	c.W.Schedule(&a.Task)
}

// faultOf returns the fault of a crash. It reports the panic, unless a Kill was the cause.
func faultOf(a *Cell, c *Turn, m *Message, d *Descriptor, crash *sched.Crash) *fault {
	if _, ok := crash.Value.(cut); ok {
		return &fault{why: ErrKilled, killed: true}
	}
	c.Count.panics.Add(1)
	e := faultError{crash.Value, crash.Goexit, UserFrames(crash.Stack)}
	a.Sys().Sim.tell(sim.Panicked, c, a, m)
	a.Sys().reportPanic(c, a, m, d, e)
	return &fault{why: Face.PanicError(e.value, e.goexit, e.stack)}
}

// toCaller is the error for the caller whose request ran.
func (f *fault) toCaller() error {
	if f.killed {
		return stoppedBecause(f.why)
	}
	return f.why
}

// goOn ends or restarts an actor that crashed, or leaves it to Decide. Owner only.
func (f *fault) goOn(a *Cell, c *Turn) {
	x := a.Cold
	where := x.where
	x.where = inNone
	switch {
	case f.killed:
		a.applyStop(c, StopRequest{Mode: ModeKill, Why: ErrKilled})
	case where == inDecide: // which has not decided
		a.leave(c, nextSuspended, ModeStop, x.takeExit())
	case x.State == leaving: // its OnStop
		if x.Reason == nil {
			x.Reason = f.why
		}
		a.left(c)
	default:
		a.fall(c, f.why, !f.broken)
	}
}

// faultError has the fields of a PanicError.
type faultError struct {
	value  any
	goexit bool
	stack  []byte
}

func (s *System) reportPanic(c *Turn, a *Cell, m *Message, d *Descriptor, e faultError) {
	who := a.ownName()
	p := PanicReport{
		ActorID: who.ID, Type: who.Type, Name: who.Name, Path: who.Path, Behaviour: d.Name,
		MessageID: placeOf(m.ID), From: m.From,
		Value: e.value, Goexit: e.goexit, Frame: stack.UserFrame(e.stack), Stack: e.stack,
	}
	if x := a.Cold; x != nil && m.ID == SystemID {
		p.Behaviour = x.where.name()
	}
	s.tellPanic(c, who, p, "gallop: behaviour panicked")
}

// tellPanic reports a panic that has been counted. The line of the log begins with what.
func (s *System) tellPanic(e Env, who ActorName, p PanicReport, what string) {
	if i := s.inspected.Load(); i != nil {
		(*i).Panicked(e, p)
	}
	if s.Opts.OnPanic != nil {
		s.Guard("Hooks.Panic", func() { s.Opts.OnPanic(p) })
		return
	}
	s.logPanic(who, p, what)
}

// logPanic writes a panic to the log. Panics in one line of code are counted together, with any
// value; a Goexit is counted by its behaviour.
func (s *System) logPanic(who ActorName, p PanicReport, line string) {
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

// UserFrames returns the part of a stack that concerns a behaviour that has panicked: see
// stack.FromPanic.
func UserFrames(text []byte) []byte {
	return stack.FromPanic(text,
		stack.OurModule+"actor.Behaviour[...].Handle.func",
		stack.OurModule+"actor.AskBehaviour[...].Handle.func",
		stack.OurModule+"process.(*coroutine).one",
		stack.OurModule+"internal/kernel.(*Cell).runSegment",
		stack.OurModule+"internal/kernel.(*TypeInSystem).RunTask")
}

// verifyCrash checks an actor whose behaviour did not return.
func verifyCrash(a *Cell) {
	invariant.Check(a.Cold == nil || a.Cold.State != ended, "%v crashes after its end", a)
	backpressure.MustRun(&a.BlockedOn)
}

// inHand reports whether m, which is or was c.Msg, is a message from the mailbox whose segment is
// not accounted for. After that m is recycled, and may be anywhere. Owner only, in a turn that is
// about mail. For peek the result is a hint; peek has read whose turn it is, and may not read it
// again.
func inHand(c *Turn, a *Cell, m *Message) bool {
	return c.Ran != nil || m != nil && m == a.In.Pending()
}

// AccountCrash accounts for a segment that has ended in the middle of c.Msg's behaviour. It returns
// the number of its messages, and leaves them to the GC.
func AccountCrash(a *Cell, c *Turn) (n int) {
	n = 1 + msg.Distance(c.Ran, nil)
	if invariant.On {
		verifySegment(a, c, n)
	}
	m := c.Msg
	a.In.SetPending(m.Next)
	m.Next = c.Ran
	c.Ran = nil
	msg.Unlink(m, n)
	return n
}
