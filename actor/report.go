package actor

import (
	"fmt"
	"time"

	"github.com/gallop-go/gallop/actor/internal/msg"
	"github.com/gallop-go/gallop/actor/internal/stack"
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/internal/sim"
	"github.com/gallop-go/gallop/sched"
)

// PanicReport describes a behaviour that panicked or called runtime.Goexit.
type PanicReport struct {
	// ActorID, Type and Behaviour say where it happened.
	ActorID uint64
	Type    string
	Name    string // as in ActorName; "" if the actor has none
	Path    string // the same
	// Or the callback: init, OnStart, OnStop, Stop; empty for a collection of the actor's
	// heap.
	Behaviour string
	// MessageID is the number, in the table of the type, of the behaviour that the message
	// was for; 0 in a callback or a collection.
	MessageID uint16
	// From is the number of the actor that sent the message; 0 if it came from
	// outside.
	From uint64
	// Value is the value of the panic; nil for a Goexit.
	Value any
	// Goexit says whether the behaviour called runtime.Goexit, as a failing test does.
	Goexit bool
	// Frame is the user's own frame: the first on the stack that belongs neither to Go's
	// library nor to gallop, which may have panicked because a call was wrong. If there is
	// no such frame, it is the first of gallop's. It has the form of a function, a space,
	// and file and line. It is empty for a Goexit.
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
	if e.Goexit {
		return "gallop: actor panicked: runtime.Goexit"
	}
	return fmt.Sprintf("gallop: actor panicked: %v", e.Value)
}

// Unwrap returns ErrPanicked and, if the panic's value is an error, that error.
func (e *PanicError) Unwrap() []error {
	if err, ok := e.Value.(error); ok {
		return []error{ErrPanicked, err}
	}
	return []error{ErrPanicked}
}

// fault is how a behaviour or a callback did not return.
type fault struct {
	why    error
	killed bool // a Kill cut it
	broken bool // the arena was being collected, and is of no use any more
	// then is mayPark if the actor had met a gate: Decide may have it go on.
	then outcome
}

// crashed takes over an actor whose behaviour, or callback, did not return, or whose heap could not
// be collected, since a handle in it is not one ([heap.Arena.Collect] panics). It tells the caller
// and reports the panic. What comes of it is a matter for a turn of its own, since OnStop may crash
// as well.
func (a *cell) crashed(c *Context, crash *sched.Crash) {
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
		c.count.messages += uint64(a.accountCrash(c))
		a.policy().forget(a) // the next turn may take out what comes in
	}
	a.keepYielded(c)
	c.outcomeCrashed(a, m)
	then := c.then & mayPark
	c.reset()
	e := c
	if !a.supervised {
		a.giveUpNamesAndTimers(e) // before others hear of it
	}
	f := a.faultOf(c, m, d, crash)
	f.broken, f.then = between, then
	if d.reject != nil {
		d.reject(e, m, f.toCaller())
	}
	if a.plain() {
		c.count.stopped.Add(1)
		a.terminate(e, newTerminated(f.why))
		return
	}
	a.makeCold().fault = f
	a.system.Push(newSignal(c, nil)) // for the turn to look at it first
	c.w.Schedule(&a.task)
}

// faultOf says what has happened, and reports it if it is a fault of the user's.
func (a *cell) faultOf(c *Context, m *message, d *descriptor, crash *sched.Crash) *fault {
	if _, ok := crash.Value.(cut); ok {
		return &fault{why: ErrKilled, killed: true}
	}
	c.count.panics.Add(1)
	e := &PanicError{Value: crash.Value, Goexit: crash.Goexit, Stack: userFrames(crash.Stack)}
	a.sys().sim.tell(sim.Panicked, c, a, m)
	a.sys().reportPanic(a, m, d, e)
	return &fault{why: e}
}

// toCaller is the error for the caller whose request ran.
func (f *fault) toCaller() error {
	if f.killed {
		return stoppedBecause(f.why)
	}
	return f.why
}

// failed goes on with an actor that crashed.
func (a *cell) failed(c *Context, f *fault) {
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

func (s *System) reportPanic(a *cell, m *message, d *descriptor, e *PanicError) {
	who := a.ownName()
	p := PanicReport{
		ActorID: who.ID, Type: who.Type, Name: who.Name, Path: who.Path, Behaviour: d.name,
		MessageID: placeOf(m.ID), From: m.From,
		Value: e.Value, Goexit: e.Goexit, Frame: stack.UserFrame(e.Stack), Stack: e.Stack,
	}
	if x := a.cold; x != nil && m.ID == systemID {
		p.Behaviour = x.where.name()
	}
	if i := s.inspected.Load(); i != nil {
		i.panicked(p)
	}
	if s.opts.onPanic != nil {
		s.guard("Hooks.Panic", func() { s.opts.onPanic(p) })
		return
	}
	s.log(func(l logSink) {
		l.fail("gallop: behaviour panicked", who.attrs("behaviour", p.Behaviour,
			"message", p.MessageID, "at", p.Frame, "value", fmt.Sprint(p.Value), "goexit", p.Goexit,
			"from", p.From, "stack", string(p.Stack))...)
	})
}

// userFrames returns what of a stack concerns a behaviour that has panicked: see stack.FromPanic.
func userFrames(text []byte) []byte {
	return stack.FromPanic(text,
		stack.OurModule+"actor.Behaviour[...].Do.func",
		stack.OurModule+"actor.AskBehaviour[...].Do.func",
		stack.OurModule+"actor.(*cell).runSegment",
		stack.OurModule+"actor.(*typeInSystem).RunTask")
}

// verifyCrash checks an actor whose behaviour did not return.
func verifyCrash(a *cell) {
	invariant.Check(a.cold == nil || a.cold.state != ended, "%v crashes after its end", a)
	backpressure.MustRun(&a.blockedOn)
}

// DefaultLongTurn is how long a behaviour may run before it is reported.
const DefaultLongTurn = 100 * time.Millisecond

// LongTurnReport describes a behaviour that runs or blocks for long, while it still does
// so.
type LongTurnReport struct {
	// Type and Behaviour say which behaviour it is. Instead of a behaviour it may be a
	// callback: init, OnStart, OnStop, Stop. Behaviour is empty while the runtime does
	// something for the actor between two messages, such as collecting its heap.
	Type      string
	Behaviour string
	// ActorID, Name and Path say which actor it is, as [ActorName] does.
	ActorID uint64
	Name    string
	Path    string
	// Worker is the number of the worker.
	Worker int
	// Blocking is true if the behaviour is in [Context.Blocking], or in an Ask, AskAll or
	// Replies of its own, and so does not keep its worker from other actors.
	Blocking bool
	// AtLeast is how long the behaviour has run, or the call of Blocking has lasted; some
	// milliseconds may be missing.
	AtLeast time.Duration
	// Stack is where the behaviour is now: the stack of its goroutine down to the
	// behaviour. It is empty if the process has more than 500 goroutines, or runs with
	// GODEBUG=asyncpreemptoff=1, or if the behaviour has just returned: see [WithLongTurn].
	Stack []byte
}

// WithLongTurn sets after which time a behaviour that still runs, or is still in
// [Context.Blocking], is reported, to the log or to [Hooks]: at least a
// millisecond, [DefaultLongTurn] by default. The neighbours of such a behaviour do not
// wait for it, since others stand in for its worker; but it uses a goroutine, and its
// own messages wait.
//
// Reports are made at most once a second; the others are counted, and the log has their
// number as missed. Behaviours of pinned types are reported only for what they do in
// Blocking: they have a thread of their own and keep no other actor waiting.
//
// To learn where the behaviour is, Go has to stop the process for two microseconds for
// each of its goroutines. So a report has a stack only if there are at most 500 of them:
// about a millisecond. With GODEBUG=asyncpreemptoff=1 it never has one, since the process
// would stand still until the behaviour's loop ends. With more goroutines the names in
// the report have to do, or a profile: package runtime/pprof.
func WithLongTurn(after time.Duration) Option {
	return systemOption(func(o *options) { o.longTurn = after })
}

// reportGap is the time between two reports.
const reportGap = time.Second

// longTurns limits the rate of reports.
type longTurns struct {
	// When the last one was made, by the machine's Nanos, which is not 0; 0: never.
	last   seam.Int64
	missed seam.Uint64
}

// mayReport reports whether it is time for another report, by the machine's clock: the system's
// may stand still, or jump.
func (l *longTurns) mayReport() bool {
	last, now := l.last.Load(), seam.SystemClock{}.Nanos()
	if last != 0 && now-last < int64(reportGap) || !l.last.CompareAndSwap(last, now) {
		l.missed.Add(1)
		return false
	}
	return true
}

// longTurn is sched.Config.Hooks.LongTurn.
func (s *System) longTurn(w *sched.Worker, atLeast time.Duration) {
	task := w.LongTurn()
	if task == nil {
		return // it is over
	}
	c := w.Local().(*Context)
	if s.blocked.has(c) {
		// It blocks, without an idle worker or since it was asked to come by: that list reports it.
		return
	}
	d := c.peek(task)
	s.report(w, d, atLeast, false, func() bool { return w.LongTurn() == task && c.peek(task) == d })
}

// report reports what a worker was seen doing, if it still does so. Any goroutine.
func (s *System) report(w *sched.Worker, d doing, atLeast time.Duration, blocking bool,
	goesOn func() bool) {
	if d.who == nil || !d.typ.sealed.Load() || !goesOn() || !s.longTurns.mayReport() {
		return
	}
	who := d.who.actorName()
	r := LongTurnReport{
		Type: who.Type, Behaviour: d.name(), ActorID: who.ID, Name: who.Name, Path: who.Path,
		Worker: w.ID(), Blocking: blocking, AtLeast: atLeast,
	}
	if stack := w.Stack(); goesOn() {
		r.Stack = userFrames(stack)
	}
	if i := s.inspected.Load(); i != nil {
		i.longTurn(r)
	}
	if s.opts.onLongTurn != nil {
		s.guard("Hooks.LongTurn", func() { s.opts.onLongTurn(r) })
		return
	}
	s.warn("gallop: long turn", who.attrs("behaviour", r.Behaviour, "blocking", r.Blocking, "worker",
		r.Worker,
		"at_least", r.AtLeast, "missed", s.longTurns.missed.Swap(0), "stack", string(r.Stack))...)
}

// doing is what a worker was seen doing from outside.
type doing struct {
	who   *cell     // nil: nothing for an actor
	typ   *typeInfo // its type
	where callback
	aside bool
	msg   *message // whose behaviour runs; nil: none
	id    uint16   // its id, if so
}

// peek looks at what the worker does in the turn of a task. It reads what belongs to the worker,
// and to the turn's actor: publishing that would cost every message. So the race detector is told
// to look away, which is sound for a hint. Each field is a word or less and is loaded whole.
// Pointers lead to bodies, cold state and messages, whatever has become of these: they are the
// collector's, and their nodes are never of another kind. And the caller asks afterwards whether
// the turn still runs, before it believes the hint.
//
// c.self tells a turn of an actor, which has begun, from others. c.msg may be a message
// that has run: it is recycled by then, and not in hand. An urgent one is there while it
// runs, and of an urgent behaviour.
//
//go:norace
//go:noinline
func (c *Context) peek(task *sched.Task) (d doing) {
	a := cellOfTask(task)
	if c.self != a {
		return doing{}
	}
	d.who, d.typ = a, a.shared().typ
	if x := a.cold; x != nil {
		if d.where = x.where; d.where != inNone {
			return d
		}
	}
	at := c.msg
	if at == nil {
		return d // the turn is over
	}
	if d.aside = c.aside; d.aside {
		d.msg, d.id = at, at.ID
		return d
	}
	if inHand(c, a, at) {
		d.msg, d.id = at, at.ID
	}
	return d
}

// name returns the name of the behaviour or the callback; it is empty for what the runtime does
// between them.
func (d doing) name() string {
	if d.msg == nil || isOwn(d.id) || int(d.id) >= len(d.typ.decls) {
		return d.where.name()
	}
	o := d.typ.decls[d.id]
	if d.aside && !o.urgent {
		return ""
	}
	return o.name
}

// inHand reports whether m, which is or was c.msg, is a message from the mailbox whose segment is
// not settled. If the segment is settled, m is recycled, and may be anywhere. Owner only, in a turn
// that is about mail; or as a hint: see peek, which has looked whose turn it is, and may not read
// that again.
func inHand(c *Context, a *cell, m *message) bool {
	return c.ran != nil || m != nil && m == a.in.Pending()
}

// accountCrash settles a segment that has ended in the middle of c.msg's behaviour. It returns how
// many messages there were, and leaves them to the GC.
func (a *cell) accountCrash(c *Context) (n int) {
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
