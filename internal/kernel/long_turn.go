package kernel

import (
	"bytes"
	"time"

	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// defaultLongTurn is how long a behaviour may run before it is reported, without
// actor.WithLongTurn.
const defaultLongTurn = 100 * time.Millisecond

// LongTurnReport is actor.LongTurnReport, which documents it.
type LongTurnReport struct {
	Type      string
	Behaviour string
	ActorID   uint64
	Name      string
	Path      string
	Worker    int
	Blocking  bool
	AtLeast   time.Duration
	Stack     []byte
}

// reportGap is the time between two reports.
const reportGap = time.Second

// longTurns limits the rate of reports.
type longTurns struct {
	// The time of the last report, in the machine's Nanos; 0: there was none.
	last   seam.Int64
	Missed seam.Uint64
	found  seam.Uint64 // the long turns, reported or not
}

// mayReport counts a long turn, and reports whether it is time for another report. It goes by the
// machine's clock, since the system's may stand still, or jump.
func (l *longTurns) mayReport() bool {
	l.found.Add(1)
	last, now := l.last.Load(), seam.SystemClock{}.Nanos()
	if last != 0 && now-last < int64(reportGap) || !l.last.CompareAndSwap(last, now) {
		l.Missed.Add(1)
		return false
	}
	return true
}

// longTurn is sched.Config.OnLongTurn.
func (s *System) longTurn(w *sched.Worker, atLeast time.Duration) {
	task := w.LongTurn()
	if task == nil {
		return // it is over
	}
	c := w.Local().(*Turn)
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
func (s *System) report(w *sched.Worker, d doing, atLeast time.Duration, blocking bool,
	goesOn func() bool) {
	if d.who == nil || !d.typ.Sealed.Load() || !goesOn() || !s.LongTurns.mayReport() {
		return
	}
	who := d.who.ActorName()
	s.tellLongTurn(LongTurnReport{
		Type: who.Type, Behaviour: d.name(), ActorID: who.ID, Name: who.Name, Path: who.Path,
		Worker: w.ID(), Blocking: blocking, AtLeast: atLeast,
	}, w.Stack, goesOn)
}

// tellLongTurn tells the hook, or the log, of a turn that still goes on. Any goroutine.
func (s *System) tellLongTurn(r LongTurnReport, stack func() []byte, goesOn func() bool) {
	who := ActorName{ID: r.ActorID, Type: r.Type, Name: r.Name, Path: r.Path}
	if stack := stack(); goesOn() {
		if r.Behaviour == "" && letsOthersRun(stack) {
			return
		}
		r.Stack = UserFrames(stack)
	}
	if i := s.inspected.Load(); i != nil {
		(*i).LongTurn(r)
	}
	if s.Opts.OnLongTurn != nil {
		s.Guard("Hooks.LongTurn", func() { s.Opts.OnLongTurn(r) })
		return
	}
	s.warn("gallop: long turn", who.attrs("behaviour", r.Behaviour, "blocking", r.Blocking,
		"worker", r.Worker, "at_least", r.AtLeast, "missed", s.LongTurns.Missed.Swap(0),
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
	who   *Cell     // nil: the worker runs no actor
	typ   *TypeInfo // its type
	where callback
	aside bool
	msg   *Message // the message whose behaviour runs; nil: none
	id    uint16   // its id, if msg is not nil
}

// peek looks at the work of the worker in the turn of a task. It reads fields that belong to the
// worker and to the turn's actor, which other goroutines may not read: to publish them would cost
// every message. So it is hidden from the race detector, which is sound for a hint. Each field is a
// word or less and is loaded whole. Pointers lead to cells, cold state and messages even if these
// are no longer in use, because the garbage collector keeps them, and a node is never reused for
// another kind. Before the caller believes the hint, it checks that the turn still runs.
//
// c.Self tells whether an actor's turn has begun. c.Msg may be a message that has run: it is
// recycled then, and not in hand. An urgent message is in c.Msg while it runs, and is for an urgent
// behaviour.
//
//go:norace
//go:noinline
func (c *Turn) peek(task *sched.Task) (d doing) {
	// The cell is not derived from the task, which may belong to no actor.
	a := c.Self
	if a == nil || &a.Task != task {
		return doing{}
	}
	d.who, d.typ = a, a.Shared().Typ
	if x := a.Cold; x != nil {
		if d.where = x.where; d.where != inNone {
			return d
		}
	}
	at := c.Msg
	if at == nil {
		return d // the turn is over
	}
	if d.aside = c.Aside; d.aside {
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
	if d.msg == nil || isOwn(d.id) || int(d.id) >= len(d.typ.Decls) {
		return d.where.name()
	}
	o := d.typ.Decls[d.id]
	if d.aside && !o.Urgent {
		return ""
	}
	return o.Name
}
