//go:build gallop_explore

package sched

import (
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
	"github.com/gallop-go/gallop/internal/seam"
)

// house is a real scheduler whose workers are virtual threads and whose monitor
// looks only when the scenario says so. It records the ends of its tasks.
type house struct {
	p *explore.Program
	s *Scheduler

	jobs []*job
}

// newHouse makes a scheduler of a number of workers. thread registers a worker's
// thread: Program.Daemon if the workers may sleep at the end, Program.Go if they
// must have left.
func newHouse(p *explore.Program, workers int, thread func(func())) *house {
	s := &Scheduler{cfg: Config{Workers: workers, Clock: seam.SystemClock{}}}
	s.inject.init(2)
	if inLeaves {
		s.idle.initLeaves(workers, 1) // with three workers, in two leaves
	} else {
		s.idle.init(workers)
	}
	s.stop.init(workers)
	s.monitor.init(s)
	s.monitor.armed.Store(true) // so its timer is not started
	// Never crowded, nor idle, and independent of the test process.
	s.monitor.slots.procs = processors{n: 1 << 62, running: 1 << 61, fixed: true}
	s.monitor.ended = true
	s.slots = make([]workerSlot, workers)
	s.idleWorkers.init(s)
	h := &house{p: p, s: s}
	for i := range workers {
		w := h.worker(i, thread)
		w.occupy(i)
		s.workers = append(s.workers, w)
	}
	return h
}

// worker makes a worker whose thread begins when it is first woken.
func (h *house) worker(id int, thread func(func())) *Worker {
	w := &Worker{sched: h.s, id: id, slot: noSlot, parker: seam.NewParker(), started: true}
	w.state.word.StoreRelease(stateIdle)
	w.queue.init(2, 2)
	w.timeslice.init(w)
	thread(func() {
		w.parker.Park()
		w.begin()
	})
	return w
}

// addIdleWorkers makes so many idle workers, which wait to be taken; no more turns than that may
// lose their slots.
func (h *house) addIdleWorkers(n int, thread func(func())) {
	h.s.cfg.MaxDetached = n
	for range n {
		w := h.worker(h.s.idleWorkers.nextID(), thread)
		h.s.idleWorkers.made = append(h.s.idleWorkers.made, w)
		h.s.idleWorkers.cold = append(h.s.idleWorkers.cold, w)
	}
}

// job is a task that runs once: do, if any, and then it gives itself up.
type job struct {
	Task
	h               *house
	name            string
	do              func(*Worker)
	givenUp         seam.Uint32
	ran, terminated int
}

func (h *house) job(name string, do func(*Worker)) *job {
	j := &job{h: h, name: name, do: do}
	j.Init(j, nil)
	if len(h.jobs)%2 == 1 { // every other one is new, and waits where those do
		j.Class().DepthFirst(func(*Task) bool { return true })
	}
	h.jobs = append(h.jobs, j)
	return j
}

// RunTask implements Runner.
func (j *job) RunTask(w *Worker) bool {
	j.ran++
	j.once()
	if j.do != nil {
		j.do(w)
	}
	w.PrepareNext()
	j.givenUp.Add(1)
	return false
}

// TaskTerminated implements Runner.
func (j *job) TaskTerminated(*Worker, error) {
	j.terminated++
	j.once()
}

func (j *job) once() {
	if j.ran+j.terminated > 1 {
		j.h.p.Errorf("job %s ran %d times and died %d times", j.name, j.ran, j.terminated)
	}
}

// allRan fails unless every job ran, and all workers sleep by the idle word.
func (h *house) allRan() error {
	if err := h.jobsRan(); err != nil {
		return err
	}
	return h.asleep()
}

func (h *house) jobsRan() error {
	for _, j := range h.jobs {
		if j.ran != 1 {
			return fmt.Errorf("job %s was overlooked", j.name)
		}
	}
	return nil
}

func (h *house) asleep() error {
	if v := h.s.idle.v.Load() &^ closedBit; v != h.s.idle.all {
		return fmt.Errorf("not everybody sleeps: idle word %x", v)
	}
	for i := range h.s.idle.leaves {
		if b := h.s.idle.leaves[i].bits.Load(); b != 1<<min(2, h.s.idle.workers-2*i)-1 {
			return fmt.Errorf("not everybody sleeps: leaf %d is %x", i, b)
		}
	}
	if n := h.s.holds.Load(); n != 0 {
		return fmt.Errorf("%d holds left", n)
	}
	return nil
}

// allEnded fails unless every job ran or died.
func (h *house) allEnded() error {
	for _, j := range h.jobs {
		if j.ran+j.terminated != 1 {
			return fmt.Errorf("job %s ran %d times and died %d times", j.name, j.ran, j.terminated)
		}
	}
	return nil
}

// waitQuiet is WaitQuiet without its channel.
func (h *house) waitQuiet(last bool) error {
	return h.wait(&quietWaiter{last: last, done: make(chan struct{})})
}

// waitParked is WaitParked without its channel.
func (h *house) waitParked() error {
	return h.wait(&quietWaiter{parked: true, done: make(chan struct{})})
}

func (h *house) wait(q *quietWaiter) error {
	if !h.s.quiet.add(q) {
		return ErrStopped
	}
	h.s.quiet.check(h.s)
	h.p.Await(func() bool { return isClosed(q.done) })
	return q.err
}

// stop is Stop, and returns when it is done.
func (h *house) stop() {
	h.s.halt()
	h.p.Await(func() bool { return isClosed(h.s.stop.workers) })
	h.s.finish()
}

// roam is explore.Portfolio for whole schedulers, whose schedules are longer:
// fewer of them at random, and the exhaustive part as far as it gets.
func roam(t *testing.T, scenario func(*explore.Program)) {
	t.Helper()
	explore.PortfolioOf(t, 20_000, 5000, scenario)
}
