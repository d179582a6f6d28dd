package process

import (
	"fmt"

	"github.com/gallop-go/gallop/sched"
)

// Process is a reference to a process. It may be copied, compared with == and used by any
// goroutine. The zero value refers to none.
type Process struct{ p *Proc }

// mustBe panics for the zero value.
func (r Process) mustBe(op string) {
	if r.p == nil {
		misuse(op + " of a zero Process")
	}
}

// Ref is a reference to a process that receives messages of type M.
type Ref[M any] struct {
	// Process is the process.
	Process
	box *mailbox[M]
}

// Self is a process with a mailbox, as its own code sees it: see [Proc].
type Self[M any] struct {
	// Proc is the process without its mailbox.
	Proc
	mailbox[M]
	f func(*Self[M])
}

// Spawn starts a process that runs f, and receives messages of type M. If the system has stopped,
// the process ends at once, for [ErrStopped]. A spawn costs about as much as a goroutine. Options
// are [WithBound], [WithWatermarks], [WithType] and [WithBestEffort]. Without a bound or watermarks
// the mailbox takes all messages.
func Spawn[M any](from Env, f func(self *Self[M]), options ...Option) Ref[M] {
	s := newSelf("Spawn", f, options)
	r := s.ref()
	start(from, &s.Proc, s)
	return r
}

// SpawnLinked is [Spawn], and links the new process to the calling process before it runs.
func SpawnLinked[M any](from *Proc, f func(self *Self[M]), options ...Option) Ref[M] {
	s := newSelf("SpawnLinked", f, options)
	from.mustRun("SpawnLinked")
	link(from, &s.Proc)
	r := s.ref()
	start(from, &s.Proc, s)
	return r
}

// newSelf makes a process that was not started.
func newSelf[M any](call string, f func(self *Self[M]), options []Option) *Self[M] {
	if f == nil {
		misuse(call + ": f is nil")
	}
	s := &Self[M]{f: f}
	s.mailbox.p = &s.Proc
	if len(options) > 0 {
		s.limit(call, options)
	}
	return s
}

// Ref returns the process's own reference.
func (s *Self[M]) Ref() Ref[M] {
	if s == nil || s.sys == nil {
		misuse("Self.Ref of a nil or zero Self")
	}
	return s.ref()
}

// ref is Ref. Owner only, or before the process was started.
func (s *Self[M]) ref() Ref[M] {
	if s.Proc.bounded {
		return Ref[M]{Process{&s.Proc}, &s.mailbox.rare.bound.front}
	}
	return Ref[M]{Process{&s.Proc}, &s.mailbox}
}

func (s *Self[M]) hasMail() bool { return s.first != nil || s.mailbox.in.Load() != nil }

// peekMail implements runner. The owner changes the chains meanwhile, so each node may be counted
// never or twice.
//
//go:norace
//go:noinline
func (s *Self[M]) peekMail(most int) (n int) {
	for m := s.mailbox.in.Load(); m != nil && n < most; m = m.next {
		n++
	}
	for m := s.first; m != nil && n < most; m = m.next {
		n++
	}
	return n
}

func (s *Self[M]) main() {
	if s.sys.joined.told != nil && s.mailbox.rare == nil {
		s.mailbox.rare = &rareMail[M]{}
	}
	s.f(s)
}

// Go starts a process without a mailbox that runs f. The option is [WithType]; Go panics if one is
// about a mailbox.
func Go(from Env, f func(p *Proc), options ...Option) Process {
	must(f != nil, "Go: f is nil")
	s := &plain{f: f}
	if len(options) > 0 {
		l := apply("Go", options)
		must(l.high == 0 && !l.kind.bestEffort, "Go: an option for a mailbox")
		s.Proc.is(l.kind)
	}
	start(from, &s.Proc, s)
	return Process{&s.Proc}
}

// plain is a process without a mailbox.
type plain struct {
	Proc
	f func(*Proc)
}

func (s *plain) main()    { s.f(&s.Proc) }
func (s *plain) discard() {}

func (s *plain) hasMail() bool { return false }

func (s *plain) peekMail(int) int { return 0 }

// start makes a new process runnable.
func start(from Env, p *Proc, run runner) {
	sys, w := envOf(from)
	if sys.stepwise {
		sys.point(from, w)
	}
	p.sys, p.proc, p.run = sys, p, run
	p.task.InitClass(&sys.class)
	if !sys.registry.add(p, w) {
		p.endEarly()
		return
	}
	p.seed(sys.seed, p.id)
	if sys.stepwise {
		p.began(from, w)
	}
	sys.makeRunnable(p, w)
}

func (s *System) makeRunnable(p *Proc, w *sched.Worker) {
	if w != nil {
		w.Schedule(&p.task)
	} else if a, ok := s.sched.Admit(); ok {
		a.Inject(&p.task)
	} // else the registry has it, and it is unwound from there
}

// endEarly ends a process that never runs.
func (p *Proc) endEarly() {
	p.reason = ErrStopped
	p.state.Store(ended)
	p.run.discard()
	p.announceEnd(nil)
}

// Status says how far a process is.
type Status int

// The values of [Status].
const (
	Runnable Status = iota // it runs, or will when a worker has time
	Waiting                // it waits for another
	Ended                  // it has ended
)

// String implements fmt.Stringer.
func (s Status) String() string {
	names := [...]string{"runnable", "waiting", "ended"}
	if s < 0 || int(s) >= len(names) {
		return fmt.Sprintf("Status(%d)", int(s))
	}
	return names[s]
}

// Status returns how far the process is. The answer may be stale.
func (r Process) Status() Status {
	r.mustBe("Status")
	choiceHere("Status")
	switch s := r.p.state.Load(); {
	case s == ended:
		return Ended
	case s&parked != 0:
		return Waiting
	}
	return Runnable
}

// Result returns why the process has ended, nil for a normal end, and false if it has not ended.
func (r Process) Result() (reason error, ok bool) {
	r.mustBe("Result")
	choiceHere("Result")
	l := r.p.life.Load()
	if l == nil || !l.isEnded() {
		return nil, false
	}
	return r.p.reason, true
}

// Cancel tells the process to end for reason, or for [ErrStopped] if that is nil. It ends while it
// waits, or at its next operation that waits. It is unwound through its deferred functions, which
// may wait unless it is told again. A process cannot recover from a cancel, but with
// [Self.TrapExit] it receives the cancel as a message. If another process has committed an
// operation before the cancel, the operation completes first. Cancelling a process that has ended
// does nothing.
func (r Process) Cancel(from Env, reason error) {
	r.mustBe("Cancel")
	if reason == nil {
		reason = ErrStopped
	}
	r.p.exitSignal(from, Exit{From: Process{}, Reason: reason})
}

// Kill ends the process for [ErrKilled], even if it traps exits. Its deferred functions run, but
// end at their first wait.
func (r Process) Kill(from Env) {
	r.mustBe("Kill")
	sys, w := act(from)
	r.p.tellToEnd(&cancel{reason: ErrKilled, hard: true}, w, sys)
}

// tellToEnd asks a process to end. A request that is not hard does not replace another.
func (p *Proc) tellToEnd(c *cancel, w *sched.Worker, sys *System) {
	for {
		was := p.cause.Load()
		if c.after = 0; was == linkFailed && !c.hard {
			c.after = p.linksFailed()
		}
		if was != nil && was != linkFailed && (was.hard || !c.hard) {
			return
		}
		if p.cause.CompareAndSwap(was, c) {
			p.wake(w, sys)
			return
		}
	}
}

// ID returns the number of the process in its system; 0 for the zero value.
func (r Process) ID() uint64 {
	if r.p == nil {
		return 0
	}
	return r.p.id
}

// String names the process by its type and its number.
func (r Process) String() string {
	if r.p == nil {
		return "process 0"
	}
	return fmt.Sprintf("%s %d", r.p.typeName(), r.p.id)
}
