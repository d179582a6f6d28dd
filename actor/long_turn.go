package actor

import (
	"bytes"
	"time"

	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// defaultLongTurn is how long a behaviour may run before it is reported, without [WithLongTurn].
const defaultLongTurn = 100 * time.Millisecond

// LongTurnReport describes a behaviour that runs or blocks for long, while it still does
// so.
type LongTurnReport struct {
	// Type and Behaviour name the behaviour, or the callback: init, OnStart, OnStop, Stop.
	// Behaviour is empty while the runtime does work for the actor between two messages, such
	// as collecting its heap.
	//
	// For a process, Type is its type (process.WithType) or "process", Behaviour is empty,
	// ActorID is its number, and Name is one of its names.
	Type      string
	Behaviour string
	// ActorID, Name and Path name the actor, as in [ActorName].
	ActorID uint64
	Name    string
	Path    string
	// Worker is the number of the worker.
	Worker int
	// Blocking is true if the behaviour is in [Context.Blocking], or in an Ask, AskAll or
	// Replies of its own; or if the process is in Proc.Blocking, or in such a call. Then it does
	// not keep its worker from other actors.
	Blocking bool
	// AtLeast is how long the behaviour has run, or the call of Blocking has lasted; some
	// milliseconds may be missing.
	AtLeast time.Duration
	// Stack is the present stack of the behaviour's goroutine, down to the behaviour. It is
	// empty if the operating system process has more than 500 goroutines, or runs with
	// GODEBUG=asyncpreemptoff=1, or if the behaviour has just returned: see [WithLongTurn].
	Stack []byte
}

// WithLongTurn sets the time after which a behaviour that still runs, or is still in
// [Context.Blocking], is reported to the log or to [Hooks]. It is at least a millisecond,
// and 100 ms by default. Other actors do not wait for such a behaviour, since another
// goroutine stands in for its worker; but it uses a goroutine, and its own messages wait.
//
// Reports are made at most once a second. Further reports are counted, and the log has
// their number as missed. Behaviours of pinned types are reported only while they are in
// Blocking: they have a thread of their own and keep no other actor waiting.
//
// To get the stack, Go has to stop the process for two microseconds for each of its
// goroutines. So a report has a stack only if there are at most 500 goroutines, which
// takes about a millisecond. With GODEBUG=asyncpreemptoff=1 a report never has a stack,
// since the process would stand still until the behaviour's loop ends. With more
// goroutines use the names in the report, or a profile: package runtime/pprof.
func WithLongTurn(after time.Duration) Option {
	return systemOption(func(o *options) { o.longTurn = after })
}

// reportGap is the time between two reports.
const reportGap = time.Second

// longTurns limits the rate of reports.
type longTurns struct {
	// The time of the last report, in the machine's Nanos; 0: there was none.
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
func (s *kernelSystem) longTurn(w *sched.Worker, atLeast time.Duration) {
	task := w.LongTurn()
	if task == nil {
		return // it is over
	}
	c := w.Local().(*kernelTurn)
	if s.blocked.has(c) {
		// It blocks, and is in the list of blocked behaviours, which reports it.
		return
	}
	if s.processes.report(s, w, task, atLeast, false, func() bool { return w.LongTurn() == task }) {
		return
	}
	d := c.peek(task)
	s.report(w, d, atLeast, false, func() bool { return w.LongTurn() == task && c.peek(task) == d })
}

// report reports the behaviour d that a worker was seen running, if it still runs. Any goroutine.
func (s *kernelSystem) report(w *sched.Worker, d doing, atLeast time.Duration, blocking bool,
	goesOn func() bool) {
	if d.who == nil || !d.typ.sealed.Load() || !goesOn() || !s.longTurns.mayReport() {
		return
	}
	who := d.who.actorName()
	s.tellLongTurn(LongTurnReport{
		Type: who.Type, Behaviour: d.name(), ActorID: who.ID, Name: who.Name, Path: who.Path,
		Worker: w.ID(), Blocking: blocking, AtLeast: atLeast,
	}, w.Stack, goesOn)
}

// tellLongTurn tells the hook, or the log, of a turn that still goes on. Any goroutine.
func (s *kernelSystem) tellLongTurn(r LongTurnReport, stack func() []byte, goesOn func() bool) {
	who := ActorName{ID: r.ActorID, Type: r.Type, Name: r.Name, Path: r.Path}
	if stack := stack(); goesOn() {
		if r.Behaviour == "" && letsOthersRun(stack) {
			return
		}
		r.Stack = userFrames(stack)
	}
	if i := s.inspected.Load(); i != nil {
		i.longTurn(r)
	}
	if s.opts.onLongTurn != nil {
		s.guard("Hooks.LongTurn", func() { s.opts.onLongTurn(r) })
		return
	}
	s.warn("gallop: long turn", who.attrs("behaviour", r.Behaviour, "blocking", r.Blocking,
		"worker", r.Worker, "at_least", r.AtLeast, "missed", s.longTurns.missed.Swap(0),
		"stack", string(r.Stack))...)
}

// letsOthersRun reports whether a worker's goroutine has called Gosched between two messages. If that
// takes long, the machine lacks processors, and its actor has nothing to do with it.
func letsOthersRun(stack []byte) bool {
	return bytes.Contains(stack, []byte("\nruntime.Gosched(")) &&
		!bytes.Contains(stack, []byte("process.(*coroutine).one("))
}

// doing describes the work of a worker, as another goroutine has seen it.
type doing struct {
	who   *cell     // nil: the worker runs no actor
	typ   *typeInfo // its type
	where callback
	aside bool
	msg   *message // the message whose behaviour runs; nil: none
	id    uint16   // its id, if msg is not nil
}

// peek looks at the work of the worker in the turn of a task. It reads fields that belong to the
// worker and to the turn's actor, which other goroutines may not read: to publish them would cost
// every message. So it is hidden from the race detector, which is sound for a hint. Each field is a
// word or less and is loaded whole. Pointers lead to cells, cold state and messages even if these
// are no longer in use, because the garbage collector keeps them, and a node is never reused for
// another kind. Before the caller believes the hint, it checks that the turn still runs.
//
// c.self tells whether an actor's turn has begun. c.msg may be a message that has run: it is
// recycled then, and not in hand. An urgent message is in c.msg while it runs, and is for an urgent
// behaviour.
//
//go:norace
//go:noinline
func (c *kernelTurn) peek(task *sched.Task) (d doing) {
	// The cell is not derived from the task, which may belong to no actor.
	a := c.self
	if a == nil || &a.task != task {
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

// name returns the name of the behaviour or the callback. It is empty while the runtime works
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
