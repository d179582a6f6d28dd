package sched

import (
	"context"

	"github.com/gallop-go/gallop/internal/guard"
)

// The calls of the workers and of outside goroutines to the driver. In production there is no
// driver, and all of this is a test for nil on paths that are slow anyway.

// launch starts a goroutine of the worker.
func (w *Worker) launch(f func()) {
	if d := w.sched.driver; d != nil {
		// Set before the thread runs, which it may at once if another goroutine drives.
		w.thread = &thread{}
		d.start(w.thread, func() {
			guard.Unlabel()
			f()
		})
		return
	}
	guard.Go(f)
}

// park waits for a token and takes it. Owner only.
func (w *Worker) park() {
	l := w.listener
	if w.thread == nil && w.parker.Granted() {
		l = nil // it does not fall asleep
	} else {
		w.unlabel()
	}
	if l != nil {
		l.Parks()
	}
	if w.thread != nil {
		w.sched.driver.park(w.thread)
	} else {
		w.parker.Park()
	}
	if l != nil {
		l.Woke()
	}
}

// unpark grants a token. For the goroutine that owes it.
func (w *Worker) unpark() {
	if w.thread != nil {
		w.sched.driver.grant(w.thread)
		return
	}
	w.parker.Unpark()
}

// Point lets other threads of a deterministic run go first, if they are chosen. It is
// for moments at which Go might do the same: no lock may be held. In any other run it
// does nothing.
func (w *Worker) Point() {
	if w.thread != nil {
		w.sched.driver.point(w.thread)
	}
}

// Lag keeps the worker, in the middle of its turn, until no other thread in a deterministic
// run can go on. In any other run it does nothing.
func (w *Worker) Lag() {
	if w.thread != nil {
		w.sched.driver.lag(w.thread)
	}
}

// refillOneUnit grants budget for one unit of work: every message ends with a point.
func (w *Worker) refillOneUnit() {
	p := &w.timeslice
	p.units += uint64(p.granted - w.budget)
	w.spent.StoreRelease(p.units)
	if clock := w.sched.cfg.Clock; !clock.Flows() { // the machine's would differ from run to run
		now := clock.Nanos()
		if !p.stale {
			w.learnToShare(now, now-p.last, p.granted-w.budget)
		}
		p.last, p.stale = now, false
		w.sharing.made = 0
		w.setAsks()
	}
	p.granted, w.budget = 1, 1
	w.publish()
	w.Point()
}

// Point is [Worker.Point] for callers that may or may not be workers. Any goroutine.
func (s *Scheduler) Point() {
	if s.driver != nil {
		s.driver.pointAnywhere()
	}
}

// Await lets a deterministic run go on until done reports true, ctx ends, or nothing
// can happen any more, and returns the result of done. In any other run it does nothing and
// returns false: the caller waits as usual. done must not block. It is called in any
// goroutine, and not again once it has reported true. Any goroutine.
func (s *Scheduler) Await(ctx context.Context, done func() bool) bool {
	return s.driver != nil && s.driver.waitAnywhere(ctx, done)
}

// Go runs f in a goroutine. In a deterministic run the goroutine takes its turns like a
// worker.
func (s *Scheduler) Go(f func()) {
	if s.driver != nil {
		s.driver.start(&thread{}, f)
		return
	}
	go f()
}

// Follow is called when a turn of a deterministic run has run in the goroutine from, a number of
// package seam, and goes on in the calling goroutine. One of the two is a coroutine. In any other
// run Follow does nothing.
func (s *Scheduler) Follow(from uint64) {
	if s.driver != nil {
		s.driver.follow(from)
	}
}

// Lend lends the caller's part in a deterministic run to n goroutines that the caller
// starts and waits for: their calls do not count as those of strangers. A negative n
// takes the part back. In any other run Lend does nothing. Any goroutine.
func (s *Scheduler) Lend(n int) {
	if s.driver != nil {
		s.driver.lend(n)
	}
}

// Strangers returns how many calls came from goroutines that take no part in a
// deterministic run, that is, from goroutines that are not the run's own and did not
// make the scheduler.
func (s *Scheduler) Strangers() int {
	if s.driver == nil {
		return 0
	}
	return s.driver.callsOfStrangers()
}
