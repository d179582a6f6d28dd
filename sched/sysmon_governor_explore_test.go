//go:build gallop_explore

package sched

import (
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
)

// restrained is a task with children on workers that the governor restrains to one
// and lets go again, at any moment.
func restrained(workers, children int) func(*explore.Program) {
	return func(p *explore.Program) {
		h := newHouse(p, workers, p.Daemon)
		for _, w := range h.s.workers {
			w.timeslice.pollInterval = 1 // look whether to retire before every turn
		}
		root := h.job("root", func(w *Worker) {
			for _, j := range h.jobs[1:] {
				w.Schedule(&j.Task)
			}
		})
		for i := range children {
			h.job(string(rune('A'+i)), nil)
		}
		p.Go(func() { h.s.Inject(&root.Task) })
		p.Go(func() {
			h.s.limitAwake(1)
			h.s.limitAwake(workers)
		})
		p.After(h.allRan)
	}
}

// TestGovernorOverlooksNothing: a worker that retires leaves its tasks to an awake worker, owes
// no search, and is woken when all workers may run again.
//
// Mutants tried by hand: a worker that begins as a searcher takes a task without
// searching (a real hang of the first version), retire without looking at how many
// are awake.
func TestGovernorOverlooksNothing(t *testing.T) {
	t.Run("2 workers", func(t *testing.T) { roam(t, restrained(2, 3)) })
	t.Run("3 workers", func(t *testing.T) { roam(t, restrained(3, 3)) })
}

// TestGovernorKeepsOneAwake: those in excess do not all retire.
func TestGovernorKeepsOneAwake(t *testing.T) {
	roam(t, func(p *explore.Program) {
		h := newHouse(p, 2, p.Daemon)
		for _, w := range h.s.workers {
			w.timeslice.pollInterval = 1
		}
		for _, name := range []string{"A", "B", "C"} {
			j := h.job(name, nil)
			p.Go(func() { h.s.Inject(&j.Task) })
		}
		p.Go(func() { h.s.limitAwake(1) })
		p.After(h.allRan)
	})
}

// TestGovernorLiftWakes: a task waits for a later task while one worker is
// allowed, and goes on when two are allowed.
func TestGovernorLiftWakes(t *testing.T) {
	roam(t, func(p *explore.Program) {
		h := newHouse(p, 2, p.Daemon)
		h.s.limitAwake(1)
		var a, b *job
		root := h.job("root", func(w *Worker) {
			w.Schedule(&a.Task) // next-slot
			w.Schedule(&b.Task) // ring
			p.Await(func() bool { return b.ran == 1 })
		})
		a, b = h.job("A", nil), h.job("B", nil)
		p.Go(func() {
			h.s.Inject(&root.Task)
			h.s.limitAwake(2)
		})
		p.After(h.allRan)
	})
}

// TestGovernorAndStop: a worker that retires while the scheduler stops leaves, and
// its tasks are discarded.
func TestGovernorAndStop(t *testing.T) {
	roam(t, func(p *explore.Program) {
		h := newHouse(p, 2, p.Go)
		for _, w := range h.s.workers {
			w.timeslice.pollInterval = 1
		}
		a, b := h.job("A", nil), h.job("B", nil)
		p.Go(func() { h.s.Inject(&a.Task) })
		p.Go(func() { h.s.Inject(&b.Task) })
		p.Go(func() {
			h.s.limitAwake(1)
			h.stop()
		})
		p.After(h.allEnded)
	})
}
