package process

import (
	"unsafe"

	"github.com/gallop-go/gallop/sched"
)

// procOf returns the process that a task is embedded in.
func procOf(t *sched.Task) *Proc { return (*Proc)(unsafe.Pointer(t)) }

var _ = [1]struct{}{}[unsafe.Offsetof(Proc{}.task)] // the task comes first

// turns runs the turns of all processes of one system.
type turns struct{ sys *System }

// RunTask implements [sched.ClassRunner].
func (r *turns) RunTask(w *sched.Worker, t *sched.Task) (again bool) {
	p := procOf(t)
	w.Spend(1)
	p.w = w
	if p.co == nil {
		p.begin(r.sys.poolOf(w))
	}
	kept := p.resume()
	switch p.left {
	case leftYield:
		return true
	case leftEnd:
		p.end(w, kept)
		w.PrepareNext()
		p.state.Swap(ended)
		return false
	}
	w.PrepareNext()
	// The task is given up here, unless a notice has come since the process looked.
	if p.state.CompareAndSwap(running, p.left) {
		return false
	}
	p.state.Store(running)
	return true
}

// TaskTerminated implements [sched.ClassRunner]. A process that was runnable when its scheduler
// stopped is unwound with those that were parked: see unwindAll.
func (r *turns) TaskTerminated(*sched.Worker, *sched.Task, error) {}

// begin gives the process a coroutine.
func (p *Proc) begin(from *pool) {
	p.co = from.take()
	p.co.proc = p
	p.budget = batch
}

// end sees to what a process leaves behind. w is nil when its system has stopped.
func (p *Proc) end(w *sched.Worker, kept bool) {
	co := p.co
	p.co = nil
	if kept {
		p.sys.poolOf(w).put(co)
	}
	p.finish(w)
}

// finish tells those who want to know that the process has ended.
func (p *Proc) finish(w *sched.Worker) {
	p.sys.registry.remove(p)
	p.state.Store(ended) // before discard: a sender looks for it after its push
	p.run.discard()
	p.run = nil
	p.announceEnd(w)
	p.waiter, p.node, p.picks = nil, nil, nil
}
