package sched

import "context"

// What the workers and the outside have to do with the driver. In production there is
// none, and all of this is a test for nil on paths that are slow anyway.

// launch starts a goroutine of the worker.
func (w *Worker) launch(f func()) {
	if d := w.sched.driver; d != nil {
		w.thread = d.launch(f)
		return
	}
	go f()
}

// park waits for a token and takes it. Owner only.
func (w *Worker) park() {
	if w.thread != nil {
		w.sched.driver.park(w.thread)
		return
	}
	w.parker.Park()
}

// unpark grants a token. Whoever owes it.
func (w *Worker) unpark() {
	if w.thread != nil {
		w.sched.driver.grant(w.thread)
		return
	}
	w.parker.Unpark()
}

// Point lets other threads of a deterministic run go first, if they are chosen. For
// moments at which Go might do the same: no lock may be held. Otherwise it does nothing.
func (w *Worker) Point() {
	if w.thread != nil {
		w.sched.driver.point(w.thread)
	}
}

// refillOne grants credit for one unit of work: every message ends with a point.
func (w *Worker) refillOne() {
	p := &w.pace
	p.units += uint64(p.granted - w.credit)
	w.spent.StoreRelease(p.units)
	p.granted, w.credit = 1, 1
	w.publish()
	w.Point()
}

// Deterministic tells whether Config.Choose was given.
func (s *Scheduler) Deterministic() bool { return s.driver != nil }

// Point is Worker.Point for callers that may or may not be workers. Any goroutine.
func (s *Scheduler) Point() {
	d := s.driver
	if d == nil {
		return
	}
	if t := d.self(); t != nil {
		d.point(t)
		return
	}
	if d.outer.TryLock() { // if not, somebody else drives
		defer d.outer.Unlock()
		d.pointOutside()
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

// Await lets a deterministic run go on until done reports true, ctx ends, or nothing
// can happen any more, and returns what done says. In any other run it does nothing and
// returns false: the caller waits as ever. done must not block; it is asked in any
// goroutine. Any goroutine.
func (s *Scheduler) Await(ctx context.Context, done func() bool) bool {
	d := s.driver
	if d == nil {
		return false
	}
	if done() {
		return true
	}
	if t := d.self(); t != nil {
		d.wait(t, func() bool { return done() || ctx.Err() != nil || d.forsaken.Load() })
		return done()
	}
	return d.drive(ctx, done)
}

// Go runs f in a goroutine. In a deterministic run it takes its turns like a worker.
func (s *Scheduler) Go(f func()) {
	if s.driver != nil {
		s.driver.launch(f)
		return
	}
	go f()
}

// Hook runs f, which has a goroutine of its own make calls while the caller waits for
// it: they count as the caller's.
func (s *Scheduler) Hook(f func()) {
	d := s.driver
	if d == nil {
		f()
		return
	}
	d.countHook(1)
	defer d.countHook(-1)
	f()
}

func (d *driver) countHook(n int) {
	d.mu.Lock()
	d.hooks += n
	d.mu.Unlock()
}

// Strangers returns how many calls came from goroutines that take no part in a
// deterministic run: neither its own nor the one that made the scheduler.
func (s *Scheduler) Strangers() int {
	d := s.driver
	if d == nil {
		return 0
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.strangers
}

// finishInTurn lets all threads come to their end after halt, and buries what is left.
func (s *Scheduler) finishInTurn() {
	s.driver.ending.Store(true)
	s.Await(context.Background(), func() bool { return s.driver.others.Load() == 0 })
	s.finish()
}
