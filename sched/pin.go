package sched

import (
	"runtime"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// Pin runs tasks on an OS thread of its own, in the order in which they became runnable. No worker
// steals from it. A task that waits for its pin, or runs there, holds the scheduler, so the rest of
// the scheduler needs no other knowledge of pins.
//
// The Pony runtime runs all pinned actors on one polling thread, so a hand-over can wait for 10 to
// 500 ms. Here every pin has a thread of its own and is woken.
type Pin struct {
	s      *Scheduler
	w      *Worker
	queue  mpmcq
	asleep seam.Bool
	gone   chan struct{}
}

// pins is the list of a scheduler's pins.
type pins struct {
	mu   seam.Mutex
	list []*Pin // guarded by mu
	end  bool   // guarded by mu
}

// NewPin starts a thread for pinned tasks, which ends with the scheduler. The error is
// ErrStopped if the scheduler has been stopped.
func (s *Scheduler) NewPin() (*Pin, error) {
	p := &Pin{s: s, gone: make(chan struct{})}
	p.queue.init(segmentCells)
	p.w = newWorker(s, s.idleWorkers.nextID(), 1, 1)
	p.w.pin = p
	p.w.setDetached(true)
	// RUNNING for good: a pin has no slot that another worker could want.
	p.w.state.word.StoreRelease(stateRunning)
	// Without the lock, since Config.Attach may ask for all workers.
	p.w.attach()
	s.pins.mu.Lock()
	defer s.pins.mu.Unlock()
	if s.pins.end {
		return nil, ErrStopped
	}
	s.pins.list = append(s.pins.list, p)
	p.w.launch(p.begin)
	return p, nil
}

// schedule queues a task for the pin. Any goroutine.
func (p *Pin) schedule(s *Scheduler, t *Task) {
	if !s.Hold() {
		s.stop.beginDiscard()
		t.terminate(nil, ErrStopped)
		s.stop.endDiscard()
		return
	}
	p.queue.push(t)
	p.wakeUp()
	if s.idle.closed() { // stopped meanwhile: no worker will look again
		p.discard()
	}
}

func (p *Pin) wakeUp() {
	if p.asleep.Load() && p.asleep.CompareAndSwap(true, false) {
		p.w.unpark()
	}
}

func (p *Pin) begin() {
	runtime.LockOSThread()
	p.run()
}

// run serves the pin's queue until the scheduler stops.
func (p *Pin) run() {
	p.w.live(p.serve, p.begin) // a Goexit costs the thread too
}

func (p *Pin) serve() (more bool) {
	left := false
	defer func() {
		if !left {
			more = p.afterCrash(recover())
		}
	}()
	for !p.s.Stopping() {
		if t := p.queue.pop(); t != nil {
			if invariant.On {
				verifyTurn(p, t)
			}
			if p.w.oneTurn(t) {
				p.again(t)
			}
			p.turned()
		} else {
			p.sleep()
		}
	}
	left = true
	p.w.notHere()
	p.w.publish()
	close(p.gone)
	return false
}

func (p *Pin) afterCrash(value any) bool {
	more := p.w.afterCrash(value)
	p.turned()
	return more
}

// again queues a task that has more to do.
func (p *Pin) again(t *Task) {
	if invariant.On {
		checkEnter(t)
	}
	p.schedule(p.s, t)
}

// turned ends the hold of a turn. If it may be the last hold, the counters are published first:
// they are exact once the scheduler is quiescent.
func (p *Pin) turned() {
	p.w.current = nil // so that the task can be collected
	if p.queue.empty() {
		p.w.publish()
	}
	p.s.Release()
}

// sleep parks until a task is queued. Announce, look again, park: as for workers.
func (p *Pin) sleep() {
	p.asleep.Store(true) // pairs with the load in wakeUp
	if (!p.queue.empty() || p.s.Stopping()) && p.asleep.CompareAndSwap(true, false) {
		return
	}
	p.w.park()
}

// discard terminates the remaining tasks. Called only after the scheduler has ended.
func (p *Pin) discard() {
	p.s.stop.beginDiscard()
	for t := p.queue.pop(); t != nil; t = p.queue.pop() {
		t.terminate(nil, ErrStopped)
		p.s.holds.Add(-1)
	}
	p.s.stop.endDiscard()
}

func (ps *pins) stop() {
	ps.mu.Lock()
	ps.end = true
	for _, p := range ps.list {
		p.w.state.yieldSoon()
		p.wakeUp()
	}
	ps.mu.Unlock()
}

func (ps *pins) discard() {
	for _, p := range ps.all() {
		p.discard()
	}
}

func (ps *pins) all() []*Pin {
	ps.mu.Lock()
	list := ps.list[:len(ps.list):len(ps.list)]
	ps.mu.Unlock()
	return list
}
