package process

import (
	"context"
	"runtime"
	"time"

	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// Proc is a process as its own code sees it. It must not leave the process: its methods and all
// operations that take it panic in any other goroutine. The zero value is not ready: use [Go] or
// [Spawn].
type Proc struct {
	task sched.Task // first: see procOf
	party
	w  *sched.Worker // whose turn runs it. Owner only
	co *coroutine    // nil: not begun, or ended
	// The number of the goroutine that it runs on; 0: it does not run yet, or has ended. Stored by the
	// process and its worker; a goroutine that misuses the process loads it.
	goroutine seam.Gauge
	run       runner

	// Written by the process before it switches out, read by its turn.
	left   uint32 // the state to park in, or one of leftYield and leftEnd
	budget int32  // operations until it yields

	// 1 while its coroutine is parked. Set by the goroutine that runs after it, reset by its
	// resumer.
	out seam.Flag

	// Owner only, until it has ended; then read only.
	exiting bool // it unwinds for reason
	crash   bool // reason is its own panic or Goexit
	// It was killed or its system stops: it never waits again.
	neverWaits bool
	bounded    bool   // its mailbox has a bound
	in         within // the function in which the process must not be used

	kind       *kind // nil: none. Read-only
	id         uint64
	from       uint64 // the goroutine whose turn runs it, in a deterministic run
	prev, next *Proc  // guarded by the registry

	cause seam.Pointer[cancel] // why it is to end, once that was asked for
	life  seam.Pointer[life]   // nil: it has no links, monitors or names

	travels seam.Pointer[travels] // nil: no context has come, and none was set

	on seam.Pointer[waitsFor] // for reports; nil: its state says it
	of seam.Uint64            // for reports: the process that it waits for, if its state says so

	reason error // read only once it has ended; until then owner only
}

// runner runs the function of a process.
type runner interface {
	main()
	discard()
	// hasMail reports whether a message is in the mailbox.
	hasMail() bool
	// peekMail counts up to most messages in the mailbox, as a hint. Any goroutine.
	peekMail(most int) int
}

func (p *Proc) hard() bool { return p.neverWaits }

// cancel is a request to end.
type cancel struct {
	reason error
	hard   bool
	after  int // how many links had failed by then, as links counts them: see linkFailed
}

const (
	leftYield = 0
	leftEnd   = 1

	batch = 100 // operations of one turn
)

func (p *Proc) env() (*System, *sched.Worker) {
	if p.goroutine.Load() != seam.Goroutine() {
		return p.envElsewhere()
	}
	return p.sys, p.w
}

// enter begins an operation of the process.
func (p *Proc) enter(op string) *party {
	if p == nil || p.goroutine.Load() != seam.Goroutine() {
		p.misused(op)
	}
	if p.budget--; p.budget <= 0 || p.cause.Load() != nil || p.sys.stepwise ||
		seam.ThreadLocked(p.goroutine.Load()) {
		p.enterSlowly(op)
	}
	return &p.party
}

func (p *Proc) enterSlowly(op string) {
	p.mustBeUnlocked(op)
	if p.budget <= 0 {
		p.Yield()
	}
	if p.cause.Load() != nil {
		p.obey()
	}
	if p.sys.stepwise {
		p.choice(op)
	}
}

// mustRun panics unless the caller is the process.
func (p *Proc) mustRun(op string) {
	if p == nil || p.goroutine.Load() != seam.Goroutine() {
		p.misused(op)
	}
}

// Yield lets other processes and actors run. About 100 ns.
func (p *Proc) Yield() {
	p.mustRun("Yield")
	p.mustBeUnlocked("Yield")
	if p.sys.stepwise {
		p.choice("Yield")
	}
	if p.budget = batch; p.w != nil {
		p.w.Spend(1)
		p.left = leftYield
		p.co.switchToWorker()
	}
	if p.cause.Load() != nil {
		p.obey()
	}
}

// Gas reduces by n the number of operations that the process may do before it yields, which is 100.
// A loop without waiting operations must call Gas, so that others have their turn.
func (p *Proc) Gas(n int) {
	p.mustRun("Gas")
	if p.sys.stepwise {
		p.choice("Gas")
	}
	if p.budget -= int32(min(max(n, 0), batch)); p.budget <= 0 || p.w != nil && p.w.MustYield() {
		p.Yield()
	}
}

// Blocking calls f, which may block its thread, without keeping other processes from running. f
// must not use the process, which panics; only Blocking may be called again. It may lock its thread ([runtime.LockOSThread]), and must
// unlock it again. In a system that is joined to one of actors, a call that lasts for
// longer than actor.WithLongTurn says is reported, once, while it lasts.
func (p *Proc) Blocking(f func()) {
	must(f != nil, "Blocking: f is nil")
	if p != nil && p.goroutine.Load() == 0 && p.isHere() && p.in == inBlocking {
		f()
		return
	}
	p.enter("Blocking")
	defer p.takeBack(p.lend(inBlocking))
	if p.w == nil {
		f()
		return
	}
	if actors := p.sys.joined.actors; actors != nil {
		actors.BlockProcess(p.w, f)
		return
	}
	p.w.Blocking(f)
}

// Sleep suspends the process for d, by the clock of its system.
func (p *Proc) Sleep(d time.Duration) {
	pt := p.enter("Sleep")
	if d <= 0 {
		p.Yield()
		return
	}
	t := p.sys.timers.arm(pt, d)
	for !t.fired.Load() {
		if !pt.suspend(parked | uint32(opSleep)<<opShift) {
			p.sys.timers.disarm(t)
			p.leave()
		}
	}
}

// Wait suspends the process until ctx ends, and returns ctx's error, or context.Canceled if it has none.
func (p *Proc) Wait(ctx context.Context) error {
	must(guard.IsContext(ctx), "Proc.Wait: the context is nil")
	Select(p, Done(ctx))
	if err := ctx.Err(); err != nil {
		return err
	}
	return context.Canceled
}

// Exit ends the process for reason, through its deferred functions; nil is a normal end. Like
// [runtime.Goexit] it cannot be recovered from.
func (p *Proc) Exit(reason error) {
	p.mustRun("Exit")
	p.reason = reason
	p.unwind()
}

// unwind runs the deferred functions and ends the process.
func (p *Proc) unwind() {
	p.exiting = true
	runtime.Goexit()
}

// cancelled reports whether the process is to end instead of waiting.
func (p *Proc) cancelled() bool { return p.hard() || p.cause.Load() != nil }

// obey ends the process if it was told to. A process that unwinds already and is told again never
// waits from then on.
func (p *Proc) obey() {
	c := p.cause.Swap(nil)
	if c == nil {
		return
	}
	reason := p.reasonOf(c)
	if c == linkFailed && reason == nil {
		return // Unlink takes it back
	}
	if c.hard || p.exiting {
		p.neverWaits = true
	}
	if !p.exiting || c.hard {
		p.reason = reason
	}
	p.unwind()
}

// reasonOf returns the reason of a request to end: that of a link which had failed before it comes
// first.
func (p *Proc) reasonOf(c *cancel) error {
	if c.after > 0 {
		if failed := p.failedLink(c.after); failed != nil {
			return failed
		}
	}
	return c.reason
}

// leave ends a process that is to end instead of waiting. It does not return.
func (p *Proc) leave() {
	p.obey()
	p.unwind()
}

// Process returns the process's own reference.
func (p *Proc) Process() Process {
	must(p != nil && p.sys != nil, "Process of a nil or zero Proc")
	return Process{p}
}

// String names the process.
func (p *Proc) String() string { return Process{p}.String() }
