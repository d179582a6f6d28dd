package sched

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// Goroutines from outside in a deterministic run: one at a time stands in as a thread of
// its own, while it waits for the scheduler or sends.

// pointAnywhere is a point of the caller. Any goroutine.
func (d *driver) pointAnywhere() {
	if t := d.self(); t != nil {
		d.point(t)
		return
	}
	select {
	case d.outer <- struct{}{}:
		d.pointOutside()
		<-d.outer
	default: // another goroutine drives
	}
}

// pointOutside is a point of the goroutine from outside. Caller holds outer.
func (d *driver) pointOutside() {
	d.setOut(false)
	d.point(d.out)
	d.setOut(true)
}

func (d *driver) setOut(waiting bool) {
	d.mu.Lock()
	d.out.goOn().waiting = waiting
	d.mu.Unlock()
}

// waitAnywhere is Scheduler.Await.
func (d *driver) waitAnywhere(ctx context.Context, done func() bool) bool {
	done = sticky(done)
	if done() {
		return true
	}
	ctx = guard.Guarded(ctx)
	ended := endOf(ctx)
	if t := d.self(); t != nil {
		d.wait(t, func() bool { return done() || ended() || d.abandoned.Load() })
		return done()
	}
	return !ended() && d.drive(ctx, done, func() bool { return d.waitOutside(ctx, done) })
}

// endOf returns a function that reports whether ctx has ended. The context is asked here and once,
// since any thread may call the function, and a method of the user's may do anything to it.
func endOf(ctx context.Context) func() bool {
	over := ctx.Done()
	return func() bool { return isClosed(over) }
}

// runDry lets the others run until no other thread can go on, neither with queued tasks, nor
// because the event for which a turn waits has come. It returns ctx's error if ctx ended before. It
// heeds ctx only if the caller is from outside the run.
func (d *driver) runDry(ctx context.Context) error {
	if t := d.self(); t != nil {
		d.lag(t)
		return nil
	}
	dry := false
	d.drive(ctx, func() bool { return false }, func() bool {
		select {
		case <-d.nudged:
			return true
		default:
			dry = true
			return false
		}
	})
	if dry {
		return nil
	}
	return ctx.Err()
}

// sticky calls done only until it has returned true: done may have consumed the result.
func sticky(done func() bool) func() bool {
	over := false
	return func() bool {
		over = over || done()
		return over
	}
}

// lend is Scheduler.Lend.
func (d *driver) lend(n int) {
	d.mu.Lock()
	d.lent += n
	d.mu.Unlock()
}

func (d *driver) callsOfStrangers() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.strangers
}

// end starts a thread that runs finish as soon as over holds. Once, after halt.
func (d *driver) end(over func() bool, finish func()) {
	d.ending.Store(true)
	d.start(&thread{waiting: true, until: over}, finish)
}

// finish, after end, lets all threads come to their end. If the caller is one of them, it leaves
// that to the goroutine that drives.
func (d *driver) finish() {
	if d.self() == nil {
		ctx, over := context.Background(), func() bool { return d.others.Load() == 0 }
		d.drive(ctx, over, func() bool { return d.waitOutside(ctx, over) })
	}
}

// untilClosed waits for c, however long: a wait that must see its end does not give up when
// abandoned.
func (d *driver) untilClosed(c <-chan struct{}) {
	if t := d.self(); t != nil {
		d.wait(t, func() bool { return isClosed(c) })
	}
	<-c
}

// self returns the caller's thread, or nil if it is a goroutine from outside.
func (d *driver) self() *thread {
	id := seam.Goroutine()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, t := range d.threads {
		if t.goroutine == id {
			return t
		}
	}
	if id != d.creator && d.lent == 0 {
		d.strangers++
	}
	return nil
}

// follow is Scheduler.Follow.
func (d *driver) follow(from uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, t := range d.threads {
		if t.goroutine == from {
			t.goroutine = seam.Goroutine()
			parts.Delete(from)
			parts.Store(t.goroutine, part{d, t})
			return
		}
	}
}

// part is the role of a goroutine in a run.
type part struct {
	d *driver
	t *thread
}

// parts has the part of each goroutine that is a thread of a driver.
var parts sync.Map

// enter makes the caller the goroutine from outside that takes part. If another one takes part, the
// caller waits until that one has gone, and looks now and then whether it has brought done about.
// enter reports false if it has, or if ctx ends.
func (d *driver) enter(ctx context.Context, done func() bool) bool {
	if d.tryEnter() {
		return true
	}
	if p, ok := parts.Load(seam.Goroutine()); ok {
		return d.enterFrom(p.(part), ctx, done)
	}
	look := time.NewTicker(lookOutside)
	defer look.Stop()
	for {
		select {
		case d.outer <- struct{}{}:
			return true
		case <-ctx.Done():
			return false
		case <-look.C:
			if d.holds(done) {
				return false
			}
		}
	}
}

func (d *driver) tryEnter() bool {
	select {
	case d.outer <- struct{}{}:
		return true
	default:
		return false
	}
}

// enterFrom is enter for a thread of another run. That run goes on meanwhile: the goroutine that
// takes part in this run may wait for it.
func (d *driver) enterFrom(p part, ctx context.Context, done func() bool) bool {
	if invariant.On {
		verifyPart(d, p)
	}
	ended := endOf(ctx)
	for !d.tryEnter() {
		over := false
		p.d.wait(p.t, func() bool {
			over = done() || ended() || p.d.abandoned.Load()
			return over || len(d.outer) == 0
		})
		if over {
			return false
		}
	}
	return true
}

// holds asks a condition that others may ask too.
func (d *driver) holds(done func() bool) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return done()
}

// drive lets the others run until done, on the caller's goroutine, which is from outside. When no
// thread can go on, lull says whether to look again. drive reports false if lull says no, or if ctx
// has ended, which is seen every few thousand steps. If another goroutine drives already, it leaves
// that to it.
func (d *driver) drive(ctx context.Context, done, lull func() bool) bool {
	if !d.enter(ctx, done) {
		return d.holds(done)
	}
	defer func() { <-d.outer }()
	interrupted, ended := false, endOf(ctx)
	until := func() bool {
		if d.steps.Load()%mindCaller == 0 && ended() {
			interrupted = true
			d.out.passed = fair // it is its turn
		}
		return interrupted || done()
	}
	for {
		d.wait(d.out, until)
		d.mu.Lock()
		d.out.goOn()
		d.out.waiting = true
		d.mu.Unlock()
		switch {
		case done():
			return true
		case interrupted || !lull():
			return false
		}
	}
}

// waitOutside waits, when no thread can go on, for an event from outside: work comes, or a context
// or channel for which the caller or a turn waits is closed.
func (d *driver) waitOutside(ctx context.Context, done func() bool) bool {
	select {
	case <-d.nudged:
		return true
	default:
	}
	if d.ending.Load() && !d.abandoned.Swap(true) {
		return true
	}
	// The end may reach ctx only through a goroutine of package context. If ctx has no channel, as
	// after context.WithoutCancel, the end never reaches it, and ctx counts as not ended.
	ended := d.cfg.Ends != nil && d.cfg.Ends(ctx) && ctx.Done() != nil
	if ended && !goesOn(ctx) {
		return false
	}
	if d.cfg.Stuck != nil && !ended && !d.ending.Load() && seam.Goroutine() == d.creator && goesOn(ctx) {
		d.cfg.Stuck()
	}
	alarm, look := time.NewTimer(d.stuck), time.NewTicker(lookOutside)
	defer alarm.Stop()
	defer look.Stop()
	for {
		select {
		case <-d.nudged:
			return true
		case <-look.C:
			if d.anyCanGo() || d.holds(done) {
				return true
			}
		case <-ctx.Done():
			return false
		case <-alarm.C:
			panic("gallop: deterministic: nothing can run for 10 s, and yet somebody waits: a Hold that " +
				"is not released, or actors that wait for each other")
		}
	}
}

// goesOn reports whether ctx has not ended and will not end because time passes.
func goesOn(ctx context.Context) bool {
	if _, limited := ctx.Deadline(); limited {
		return false
	}
	select {
	case <-ctx.Done():
		return false
	default:
		return true
	}
}

// RunOf returns [Turns.Of] of the deterministic run in which the calling goroutine takes
// its turns, as the run's workers and the goroutines of [Scheduler.Go] do; nil for any
// other goroutine. About 100 ns.
func RunOf() any {
	if p, ok := parts.Load(seam.Goroutine()); ok {
		return p.(part).d.cfg.Of
	}
	return nil
}

func (d *driver) anyCanGo() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.ContainsFunc(d.threads, (*thread).canGo)
}
