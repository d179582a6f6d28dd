//go:build gallop_explore

package sched

import (
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
)

// share makes the worker one whose messages are long, and whose turns go on or end soon.
func (w *Worker) share(goesOn bool) {
	w.sharing.message, w.sharing.after = 16*shareFrom, 0
	if goesOn {
		w.sharing.after = wakeTime
	}
	w.setAsks()
}

// goingOn is a turn that makes so many tasks runnable and does not end before all have run.
func goingOn(workers, tasks int) func(*explore.Program) {
	return func(p *explore.Program) {
		h := newHouse(p, workers, p.Daemon)
		root := h.job("root", func(w *Worker) {
			w.share(true)
			for _, j := range h.jobs[1:] {
				w.Schedule(&j.Task)
			}
			p.Await(func() bool {
				for _, j := range h.jobs[1:] {
					if j.ran == 0 {
						return false
					}
				}
				return true
			})
		})
		for i := range tasks {
			h.job(string(rune('A'+i)), nil)
		}
		p.Go(func() { h.s.Inject(&root.Task) })
		p.After(h.allRan)
	}
}

// TestSharing_BesideItsTurn: a task that a long turn makes runnable runs during that turn, on
// another worker, in any state of that worker. The monitor, which would free the task, does not
// look.
//
// Mutants: internal/mutants/queues.json.
func TestSharing_BesideItsTurn(t *testing.T) {
	t.Run("2 workers, 1 task", func(t *testing.T) { roam(t, goingOn(2, 1)) })
	t.Run("2 workers, 2 tasks", func(t *testing.T) { roam(t, goingOn(2, 2)) })
	t.Run("3 workers, 2 tasks", func(t *testing.T) { roam(t, goingOn(3, 2)) })
	t.Run("4 workers, 3 tasks", func(t *testing.T) { roam(t, goingOn(4, 3)) }) // two may search
}

// TestSharing_Overtaken: a task was kept, since the turn that made it runnable ended soon. A task
// from outside overtakes it, and its turn goes on until the other has run.
//
// Mutants: internal/mutants/queues.json.
func TestSharing_Overtaken(t *testing.T) {
	roam(t, func(p *explore.Program) {
		h := newHouse(p, 2, p.Daemon)
		running, came := 0, false
		untilItComes := func() {
			running++
			p.Await(func() bool { return came })
		}
		kept := h.job("kept", nil)
		root := h.job("root", func(w *Worker) {
			w.share(false)
			w.Schedule(&kept.Task)
			untilItComes()
			w.pollTurn = 0
		})
		beside := h.job("beside", func(*Worker) { untilItComes() })
		outside := h.job("outside", func(*Worker) { p.Await(func() bool { return kept.ran == 1 }) })
		p.Go(func() {
			h.s.Inject(&root.Task)
			h.s.Inject(&beside.Task)
			p.Await(func() bool { return running == 2 }) // no worker sleeps
			h.s.Inject(&outside.Task)
			came = true
		})
		p.After(h.allRan)
	})
}
