package process

import (
	"unsafe"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// procOf returns the process that a task is embedded in.
func procOf(t *sched.Task) *Proc { return (*Proc)(unsafe.Pointer(t)) }

var _ = [1]struct{}{}[unsafe.Offsetof(Proc{}.task)] // the task comes first

// isNil reports whether e is nil, or a nil pointer: all that is an Env is a pointer.
func isNil(e Env) bool { return (*[2]unsafe.Pointer)(unsafe.Pointer(&e))[1] == nil }

// turns runs the turns of all processes of one system.
type turns struct{ sys *System }

// RunTask implements [sched.ClassRunner]. It returns when a process has given the worker back: that
// of t, or one which came after it without a return to the worker.
func (r *turns) RunTask(w *sched.Worker, t *sched.Task) (again bool) {
	co := r.sys.resume(procOf(t), w)
	p := co.proc
	switch {
	case p == nil: // it has ended, and has given its task up
		r.sys.put(co, w)
		return false
	case p.left == leftEnd:
		r.sys.endHere(co, w)
		return false
	}
	again = p.left == leftYield
	co.parked(p)
	return again
}

// goesOn reports whether the process that runs has another message or value to receive, which it
// will probably do in this turn. Its own worker only, in a turn of t.
func goesOn(_ *sched.Worker, t *sched.Task) bool {
	p := procOf(t)
	return p.budget > 1 && (p.more || p.run != nil && p.run.hasMail())
}

// resume runs p and its successors, until a coroutine gives the worker back, which it returns. w is
// nil when the system has stopped.
func (s *System) resume(p *Proc, w *sched.Worker) *coroutine {
	if w != nil && seam.ThreadLocked(seam.Goroutine()) {
		seam.UnlockThread() // a behaviour has left it locked; no worker of such a system is bound
	}
	for {
		p.ready(w)
		at := p.co.at
		p.departs()
		at.swap()
		co := at.from
		s.returned(co)
		at.from = nil
		if p = at.then; p == nil {
			return co
		}
		at.then = nil
		co.parked(p)
	}
}

// ready makes p the process that w runs. The worker's goroutine only.
func (p *Proc) ready(w *sched.Worker) {
	for !p.tryReady(w) {
		if p.co == nil {
			p.begin(newCoroutine(), w)
			return
		}
		// It has given its task up, and is on its way out of its coroutine: that is a few steps.
		seam.Spin()
	}
}

// tryReady is ready, but reports false if there is no coroutine for p, or if p is not out of its
// own yet. A process that has given its task up does not wait for that: were a worker's queue ever
// filled by others than its owner, two could wait for each other (MUST_WAIT in
// docs/models/places.pml). Nor does it make a coroutine, for which its stack would grow.
func (p *Proc) tryReady(w *sched.Worker) bool {
	if p.co == nil {
		c := p.sys.poolOf(w).take()
		if c == nil {
			return false
		}
		p.begin(c, w)
	} else if p.out.Load() == 0 {
		return false
	} else {
		p.out.StoreRelease(0)
		p.w, p.budget = w, batch
	}
	return true
}

// begin gives the process a coroutine.
func (p *Proc) begin(c *coroutine, w *sched.Worker) {
	c.proc = p
	p.co, p.w, p.budget = c, w, batch
}

// nextProc takes the process that w would run next, if it is one of the system. In a deterministic
// run the driver chooses that.
func (s *System) nextProc(w *sched.Worker) *Proc {
	if s.stepwise {
		return nil
	}
	if t := w.NextOf(&s.class); t != nil {
		return procOf(t)
	}
	return nil
}

// suspend waits for a notice, and reports false if the process is to end instead. Owner only.
func (p *Proc) suspend(as uint32) bool {
	w := p.w
	switch {
	case p.state.Load() == notified:
		p.state.Store(running)
	case w == nil || p.neverWaits:
		p.suspendRarely(as)
	default:
		p.more = false
		w.Spend(1)
		w.PrepareNext()
		if p.state.CompareAndSwap(running, as) {
			// From here on another worker may have the task. It waits until p is out.
			seam.Point()
			p.left = as
			p.handOver(w)
		} else {
			p.state.Store(running)
			p.left = leftYield
			p.co.switchToWorker()
		}
	}
	return !p.cancelled()
}

// suspendRarely is suspend for a process that has had no notice, and whose system has stopped, or
// that never waits again.
func (p *Proc) suspendRarely(as uint32) {
	if !p.hard() {
		p.left = as
		p.co.switchToWorker()
	}
}

// handOver runs the next process instead of p, whose task was given up.
func (p *Proc) handOver(w *sched.Worker) {
	q := p.sys.nextProc(w)
	if q == nil {
		p.co.switchToWorker()
		return
	}
	// Fast path, inlined by hand from switchTo, tryReady, swap and arrive: nearly all hand-overs
	// go through here.
	co, next := p.co, q.co
	if next == nil || q.out.Load() == 0 {
		co.switchTo(q, w)
		return
	}
	q.out.StoreRelease(0)
	q.w, q.budget = w, batch
	at := next.at
	next.behind, next.at, co.at = co, co.at, at
	if at.turned = !at.turned; at.turned {
		at.resume()
	} else {
		at.yield(struct{}{})
	}
	seam.Arrived()
	b := co.behind
	if co.move != nil || b == nil || b.proc == nil {
		co.arrive()
		return
	}
	co.behind = nil
	if invariant.On {
		verifyOut(b.proc)
	}
	b.proc.out.StoreRelease(1) // pairs with the load in tryReady
}

// TaskTerminated implements [sched.ClassRunner]. A process that was runnable when its scheduler
// stopped is unwound with the parked processes: see unwindAll.
func (r *turns) TaskTerminated(*sched.Worker, *sched.Task, error) {}

// endHere ends the process of a coroutine, which is parked. w is nil when its system has stopped.
func (s *System) endHere(co *coroutine, w *sched.Worker) {
	p := co.proc
	co.proc = nil
	if co.quit { // it has left by Goexit
		s.retire(co)
	} else {
		s.put(co, w)
	}
	p.end(w)
}

// end completes a process after its function, and gives its task up.
func (p *Proc) end(w *sched.Worker) {
	p.co = nil
	p.goroutine.StoreRelease(0)
	if w != nil && p.sys.stepwise {
		w.Point()
		p.tellEnd()
	}
	p.finish(w)
	if w != nil {
		w.Spend(1)
		w.PrepareNext()
	}
	p.state.Swap(ended)
}

// finish removes the process and announces its end.
func (p *Proc) finish(w *sched.Worker) {
	p.sys.registry.remove(p)
	p.state.Store(ended) // before discard: a sender looks for it after its push
	p.run.discard()
	p.run = nil
	p.announceEnd(w)
	p.waiter, p.picks = nil, nil
}
