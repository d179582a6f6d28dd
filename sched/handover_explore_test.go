//go:build gallop_explore

package sched

import (
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
	"github.com/gallop-go/gallop/internal/seam"
)

// noneDetached fails unless every job ran, every worker sleeps on paper, every slot that is not
// vacant has one holder, and no worker is detached, nor listed as detached.
func (h *house) noneDetached() error {
	if err := h.allRan(); err != nil {
		return err
	}
	if n := h.s.idleWorkers.detachedNow.Load(); n != 0 {
		return fmt.Errorf("%d workers away", n)
	}
	for _, w := range h.s.idleWorkers.allDetached() {
		return fmt.Errorf("worker %d is home, on slot %d, and listed as a detached worker", w.id, w.slot)
	}
	for i := range h.s.slots {
		switch w := h.s.slots[i].holder.Load(); {
		case w == nil:
		case w == reserved:
			return fmt.Errorf("slot %d was reserved and nobody came", i)
		case w.slot != i:
			return fmt.Errorf("slot %d belongs to worker %d, who sits on %d", i, w.id, w.slot)
		}
	}
	return nil
}

// leaving is so many jobs that each wait, declared, for a job that comes in from
// outside, on so many workers.
func leaving(workers, jobs int) func(*explore.Program) {
	return func(p *explore.Program) {
		h := newHouse(p, workers, p.Daemon)
		h.addIdleWorkers(jobs, p.Daemon)
		for i := range jobs {
			child := h.job(fmt.Sprint("child ", i), nil)
			j := h.job(fmt.Sprint("job ", i), func(w *Worker) {
				w.Blocking(func() { p.Await(func() bool { return child.ran == 1 }) })
			})
			p.Go(func() {
				h.s.Inject(&j.Task)
				h.s.Inject(&child.Task)
			})
		}
		p.After(h.noneDetached)
	}
}

// TestHandover_SlotsNeverVacantBesideWork: a worker leaves its slot and comes back,
// while others wake its slot, take it, and leave it themselves.
//
// Mutants: internal/mutants/handover.json.
func TestHandover_SlotsNeverVacantBesideWork(t *testing.T) {
	t.Run("1×1", func(t *testing.T) { roam(t, leaving(1, 1)) })
	t.Run("1×2", func(t *testing.T) { roam(t, leaving(1, 2)) })
	t.Run("2×2", func(t *testing.T) { roam(t, leaving(2, 2)) })
}

// TestHandover_QuickReturn: Blocking that is over at once, again and again, while work
// comes in: the slot changes hands at every moment.
func TestHandover_QuickReturn(t *testing.T) {
	quick := func(workers int) func(*explore.Program) {
		return func(p *explore.Program) {
			h := newHouse(p, workers, p.Daemon)
			h.addIdleWorkers(2, p.Daemon)
			for i := range 2 {
				j := h.job(fmt.Sprint("job ", i), func(w *Worker) {
					w.Blocking(func() {})
					w.Blocking(func() {})
				})
				p.Go(func() { h.s.Inject(&j.Task) })
			}
			p.After(h.noneDetached)
		}
	}
	t.Run("1 worker", func(t *testing.T) { roam(t, quick(1)) })
	t.Run("2 workers", func(t *testing.T) { roam(t, quick(2)) })
}

// TestHandover_TryBlocking: a turn that would leave its slot, and finds all idle workers in use,
// does not wait, and runs on with its slot; a turn that waits all the same has its idle worker.
//
// Mutants: internal/mutants/handover.json.
func TestHandover_TryBlocking(t *testing.T) {
	trying := func(workers, jobs int) func(*explore.Program) {
		return func(p *explore.Program) {
			h := newHouse(p, workers, p.Daemon)
			h.addIdleWorkers(jobs, p.Daemon)
			h.s.cfg.MaxDetached = 1
			waiting := 0
			for i := range jobs {
				child := h.job(fmt.Sprint("child ", i), nil)
				j := h.job(fmt.Sprint("job ", i), func(w *Worker) {
					w.TryBlocking(func() {
						if waiting++; waiting > 1 {
							p.Errorf("%d turns wait, with one idle worker", waiting)
						}
						p.Await(func() bool { return child.ran == 1 })
						waiting--
					})
					if w.blocking {
						p.Errorf("job %d is in Blocking afterwards", i)
					}
				})
				p.Go(func() {
					h.s.Inject(&j.Task)
					h.s.Inject(&child.Task)
				})
			}
			p.After(h.noneDetached)
		}
	}
	t.Run("1×2", func(t *testing.T) { roam(t, trying(1, 2)) })
	t.Run("2×2", func(t *testing.T) { roam(t, trying(2, 2)) })
}

// TestHandover_SchedulesAside: a task that a worker makes runnable while it is detached runs before
// the worker is back, which may wait for the task.
func TestHandover_SchedulesAside(t *testing.T) {
	roam(t, func(p *explore.Program) {
		h := newHouse(p, 1, p.Daemon)
		h.addIdleWorkers(1, p.Daemon)
		child := h.job("child", nil)
		j := h.job("job", func(w *Worker) {
			w.Blocking(func() {
				w.Schedule(&child.Task)
				p.Await(func() bool { return child.ran == 1 })
			})
		})
		p.Go(func() { h.s.Inject(&j.Task) })
		p.After(h.noneDetached)
	})
}

// relieving is a turn that makes a task runnable and waits for it and for one from
// outside, without saying so, while the monitor looks.
func relieving(workers int) func(*explore.Program) {
	return func(p *explore.Program) {
		h := newHouse(p, workers, p.Daemon)
		h.addIdleWorkers(2, p.Daemon)
		outside := h.job("from outside", nil)
		child := h.job("child", nil)
		stuck := h.job("stuck", func(w *Worker) {
			w.Schedule(&child.Task)
			p.Await(func() bool { return child.ran == 1 && outside.ran == 1 })
		})
		short := h.job("short", nil)
		p.Go(func() {
			h.s.Inject(&stuck.Task)
			h.s.Inject(&outside.Task)
		})
		p.Go(func() { h.s.Inject(&short.Task) })
		// Until all is done: a look that comes too early does nothing.
		p.Go(func() {
			m := &h.s.monitor
			for now := int64(1); child.ran*outside.ran*stuck.ran*short.ran == 0; now += retakeAfterBusy {
				m.mu.Lock()
				m.freeDetached(now)
				m.lookAtTurns(now)
				m.mu.Unlock()
				seam.Spin()
			}
		})
		p.After(h.noneDetached)
	}
}

// TestHandover_Retake: the monitor takes slots from turns that are stuck and leaves
// those alone that are not, at any moment.
func TestHandover_Retake(t *testing.T) {
	t.Run("1 worker", func(t *testing.T) { roam(t, relieving(1)) })
	t.Run("2 workers", func(t *testing.T) { roam(t, relieving(2)) })
}

// TestHandover_StopExplored: Stop against a worker that leaves its slot, and comes back.
func TestHandover_StopExplored(t *testing.T) {
	for workers := 1; workers <= 2; workers++ {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			roam(t, func(p *explore.Program) {
				h := newHouse(p, workers, p.Go)
				h.addIdleWorkers(1, p.Daemon)
				a := h.job("A", func(w *Worker) { w.Blocking(func() {}) })
				b := h.job("B", nil)
				p.Go(func() { h.s.Inject(&a.Task) })
				p.Go(func() { h.s.Inject(&b.Task) })
				p.Go(h.stop)
				p.After(h.allEnded)
			})
		})
	}
}

// TestHandover_StopRetake: Stop against the monitor that takes the slot of a turn that is
// stuck.
func TestHandover_StopRetake(t *testing.T) {
	for workers := 1; workers <= 2; workers++ {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			roam(t, func(p *explore.Program) {
				h := newHouse(p, workers, p.Go)
				// A worker that leaves because of Stop is no idle worker, and the monitor may need
				// another.
				h.addIdleWorkers(3, p.Daemon)
				h.s.cfg.MaxDetached = 1
				stopping := false
				stuck := h.job("stuck", func(*Worker) { p.Await(func() bool { return stopping }) })
				behind := h.job("behind", nil)
				p.Go(func() {
					h.s.Inject(&stuck.Task)
					h.s.Inject(&behind.Task)
				})
				p.Go(func() {
					m := &h.s.monitor
					for now := int64(1); now < 4*retakeAfterBusy; now += retakeAfterBusy {
						m.mu.Lock()
						if m.stopped.Load() == 0 { // as in tick
							m.lookAtTurns(now)
						}
						m.mu.Unlock()
						seam.Spin()
					}
				})
				p.Go(func() {
					stopping = true
					h.stop()
				})
				p.After(h.allEnded)
			})
		})
	}
}

// TestHandover_Surplus: workers that are woken without a slot, for a task or for nothing, and
// are needed for a slot afterwards.
func TestHandover_Surplus(t *testing.T) {
	surplus := func(workers int) func(*explore.Program) {
		return func(p *explore.Program) {
			h := newHouse(p, workers, p.Daemon)
			h.addIdleWorkers(4, p.Daemon) // one for each that may be detached
			child := h.job("child", nil)
			j := h.job("job", func(w *Worker) {
				w.Blocking(func() { p.Await(func() bool { return child.ran == 1 }) })
			})
			p.Go(func() {
				h.s.Inject(&j.Task)
				h.s.Inject(&child.Task)
			})
			p.Go(func() {
				for range 3 {
					h.s.startSurplus()
					seam.Spin()
				}
			})
			p.After(h.noneDetached)
		}
	}
	t.Run("1 worker", func(t *testing.T) { roam(t, surplus(1)) })
	t.Run("2 workers", func(t *testing.T) { roam(t, surplus(2)) })
}

// TestBug_K3_TokenReachesTheHolder: a token goes to the holder of the slot, not to an earlier
// holder. A worker leaves and is on its way back, another worker takes the slot in between, and the
// goroutine that has cleared the bit meets them both. Found by docs/models/handover.pml
// (CLAIM_ONCE).
func TestBug_K3_TokenReachesTheHolder(t *testing.T) {
	t.Run("slot", func(t *testing.T) {
		explore.Run(t, explore.Config{Strategy: explore.Bounded(-1, 0)},
			claimed)
	})
	t.Run("house", func(t *testing.T) {
		for _, s := range []explore.Strategy{
			explore.PCT(3, 1, scaled(10_000)), explore.PCT(4, 1, scaled(10_000)), explore.PCT(8, 1,
				scaled(10_000)),
		} {
			explore.Run(t, explore.Config{Strategy: s}, heirs)
		}
	})
}

// claimed is the slot alone, whose every order can be tried: one leaves and wants it back, another
// wants it too, and a third has cleared the bit.
func claimed(p *explore.Program) {
	var c workerSlot
	var bit seam.Flag
	leaver, heir := new(Worker), new(Worker)
	leaver.id, heir.id = 1, 2
	c.holder.Store(leaver)
	heir.state.leaveSlot()
	retake := func(w *Worker) {
		w.state.word.StoreRelease(stateIdle)  // B1
		if !c.holder.CompareAndSwap(nil, w) { // B2
			w.state.word.StoreRelease(stateDetached)
		}
	}
	p.Go(func() {
		leaver.state.leaveSlot() // L2
		bit.StoreRelease(1)      // L4
		c.holder.Store(nil)      // L5
		retake(leaver)
	})
	p.Go(func() { retake(heir) })
	var claims *Worker
	p.Go(func() {
		p.Await(func() bool { return bit.Load() == 1 })
		if claims = c.claim(); claims == nil {
			claims = reserved
		}
	})
	p.After(func() error {
		if h := c.holder.Load(); h != claims {
			return fmt.Errorf("the slot is held by %d, and %d was claimed", h.id, claims.id)
		}
		return nil
	})
}

// heirs has three tasks. The first leaves its slot while the second runs. The second leaves it for
// a moment, while the third comes in from outside.
func heirs(p *explore.Program) {
	h := newHouse(p, 1, p.Daemon)
	h.addIdleWorkers(3, p.Daemon)
	left := false
	a := h.job("first", func(w *Worker) {
		w.Blocking(func() { p.Await(func() bool { return left }) })
	})
	b := h.job("second", func(w *Worker) { w.Blocking(func() { left = true }) })
	c := h.job("third", nil)
	p.Go(func() {
		h.s.Inject(&a.Task)
		h.s.Inject(&b.Task)
	})
	p.Go(func() { h.s.Inject(&c.Task) })
	p.After(h.noneDetached)
}
