package actor

import (
	"time"

	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// defaultLongTurn is how long a behaviour may run before it is reported, without [WithLongTurn].
const defaultLongTurn = 100 * time.Millisecond

// LongTurnReport describes a behaviour that runs or blocks for long, while it still does
// so.
type LongTurnReport struct {
	// Type and Behaviour say which behaviour it is. Of a process the type is its own
	// (process.WithType) or "process", and Behaviour is empty; ActorID is its number, and Name one
	// of its names. Instead of a behaviour it may be a callback: init, OnStart, OnStop, Stop. Behaviour is empty while the runtime does
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
	// Replies of its own, and so does not keep its worker from other actors; or the process is in
	// Proc.Blocking, or in such a call.
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
// millisecond, and 100 ms by default. The neighbours of such a behaviour do not
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
	if s.processes.report(s, w, task, atLeast, false, func() bool { return w.LongTurn() == task }) {
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
	s.tellLongTurn(LongTurnReport{
		Type: who.Type, Behaviour: d.name(), ActorID: who.ID, Name: who.Name, Path: who.Path,
		Worker: w.ID(), Blocking: blocking, AtLeast: atLeast,
	}, w.Stack, goesOn)
}

// tellLongTurn tells the hook, or the log, of a turn that still goes on. Any goroutine.
func (s *System) tellLongTurn(r LongTurnReport, stack func() []byte, goesOn func() bool) {
	who := ActorName{ID: r.ActorID, Type: r.Type, Name: r.Name, Path: r.Path}
	if stack := stack(); goesOn() {
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
	// Not by way of the task, which may be no actor's.
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
