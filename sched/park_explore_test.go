//go:build gallop_explore

package sched

import (
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
)

// injectingInto is so many senders, each with one task, and so many workers.
func injectingInto(workers, senders int) func(*explore.Program) {
	return func(p *explore.Program) {
		h := newHouse(p, workers, p.Daemon)
		for i := range senders {
			j := h.job(string(rune('A'+i)), nil)
			p.Go(func() { h.s.Inject(&j.Task) })
		}
		p.After(h.allRan)
	}
}

// TestSleepNoInjectionOverlooked: work that comes from outside finds a worker, and no worker is
// woken twice: a second token panics.
//
// Mutants tried by hand: no second look after the announcement, waking before
// publishing, a searcher that finds work without looking for more, retract by a
// store, a worker that parks although its own bit was cleared.
func TestSleepNoInjectionOverlooked(t *testing.T) {
	t.Run("1×2", func(t *testing.T) { roam(t, injectingInto(1, 2)) })
	t.Run("1×3", func(t *testing.T) { roam(t, injectingInto(1, 3)) })
	t.Run("2×2", func(t *testing.T) { roam(t, injectingInto(2, 2)) })
	t.Run("2×3", func(t *testing.T) { roam(t, injectingInto(2, 3)) })
	t.Run("3×2", func(t *testing.T) { roam(t, injectingInto(3, 2)) })
}

// fanningOut is one task that makes so many others runnable on its own worker,
// while others sleep, search and steal.
func fanningOut(workers, children int) func(*explore.Program) {
	return func(p *explore.Program) {
		h := newHouse(p, workers, p.Daemon)
		root := h.job("root", func(w *Worker) {
			for _, j := range h.jobs[1:] {
				w.Schedule(&j.Task)
			}
		})
		for i := range children {
			h.job(string(rune('A'+i)), nil)
		}
		p.Go(func() { h.s.Inject(&root.Task) })
		p.After(h.allRan)
	}
}

// TestSleepNoLocalWorkOverlooked: next-slot, ring and (since the ring holds two)
// the overflow into the inject queue.
func TestSleepNoLocalWorkOverlooked(t *testing.T) {
	t.Run("2 workers", func(t *testing.T) { roam(t, fanningOut(2, 4)) })
	t.Run("3 workers", func(t *testing.T) { roam(t, fanningOut(3, 3)) })
}

// TestBug_K8_NoWorkBesideASleeper: a task that waits for a later task of the same
// ring makes progress, since the push has woken a worker that takes the later task.
func TestBug_K8_NoWorkBesideASleeper(t *testing.T) {
	roam(t, func(p *explore.Program) {
		h := newHouse(p, 2, p.Daemon)
		var a, b *job
		root := h.job("root", func(w *Worker) {
			w.Schedule(&a.Task) // next-slot
			w.Schedule(&b.Task) // ring
			p.Await(func() bool { return b.ran == 1 })
		})
		a, b = h.job("A", nil), h.job("B", nil)
		p.Go(func() { h.s.Inject(&root.Task) })
		p.After(h.allRan)
	})
}

// TestSleepBesideNewTasks: the same where new tasks wait, one of them with the others since there
// is no room for it.
func TestSleepBesideNewTasks(t *testing.T) {
	roam(t, func(p *explore.Program) {
		h := newHouse(p, 2, p.Daemon)
		var below []*job
		root := h.job("root", func(w *Worker) {
			for _, j := range below {
				w.Schedule(&j.Task) // the next-slot, and then a ring of two
			}
			p.Await(func() bool { return below[1].ran+below[2].ran+below[3].ran == 3 })
		})
		for _, name := range []string{"A", "B", "C", "D"} {
			j := h.job(name, nil)
			j.Class().DepthFirst(func(*Task) bool { return true })
			below = append(below, j)
		}
		p.Go(func() { h.s.Inject(&root.Task) })
		p.After(h.allRan)
	})
}

// TestBug_K3_TokenReachesTheChosen: two senders wake two workers; each of the
// two tasks waits until the other runs, so one worker cannot serve both.
func TestBug_K3_TokenReachesTheChosen(t *testing.T) {
	roam(t, func(p *explore.Program) {
		h := newHouse(p, 2, p.Daemon)
		var a, b *job
		meet := func(*Worker) { p.Await(func() bool { return a.ran+b.ran == 2 }) }
		a, b = h.job("A", meet), h.job("B", meet)
		p.Go(func() { h.s.Inject(&a.Task) })
		p.Go(func() { h.s.Inject(&b.Task) })
		p.After(h.allRan)
	})
}

// TestBug_K9_LastSearcherLooksAgain: two tasks come in while a searcher stands in for
// the wake-ups; it takes one of them, which waits for the other, and has to see to
// it that a worker takes that one.
func TestBug_K9_LastSearcherLooksAgain(t *testing.T) { roam(t, standIn) }

func standIn(p *explore.Program) {
	h := newHouse(p, 3, p.Daemon)
	for _, w := range h.s.workers {
		// No task overtakes a handed task: there is no monitor to free it.
		w.pollTurn = 1000
	}
	meet := func(*Worker) {
		p.Await(func() bool { return h.jobs[0].ran+h.jobs[1].ran+h.jobs[2].ran == 3 })
	}
	for _, name := range []string{"A", "B", "C"} {
		h.job(name, meet)
	}
	short := h.job("short", nil)
	p.Go(func() { h.s.Inject(&short.Task) })
	p.Go(func() { h.s.Inject(&h.jobs[0].Task) })
	p.Go(func() {
		h.s.Inject(&h.jobs[1].Task)
		h.s.Inject(&h.jobs[2].Task)
	})
	p.After(h.allRan)
}

// TestBug_K9_HandedSomethingElse: a searcher that falls asleep sees a task that came in
// relying on it, and is handed another one at that moment, which waits for the first.
func TestBug_K9_HandedSomethingElse(t *testing.T) {
	roam(t, func(p *explore.Program) {
		h := newHouse(p, 3, p.Daemon)
		for _, w := range h.s.workers {
			w.pollTurn = 1000 // as above
		}
		first, second := h.job("first", nil), h.job("second", nil)
		second.do = func(*Worker) { p.Await(func() bool { return first.ran == 1 }) }
		// One worker is busy, or the next would be the only one awake.
		h.s.idle.wake(false)
		i, _ := h.s.idle.wake(true)
		h.s.workers[i].wake(nil, true)
		p.Go(func() {
			h.s.Inject(&first.Task)
			h.s.Inject(&second.Task)
		})
		p.After(h.jobsRan)
	})
}

// stoppingUnder is senders with tasks that make more tasks, against a goroutine that stops the
// scheduler.
func stoppingUnder(workers, senders int) func(*explore.Program) {
	return func(p *explore.Program) {
		h := newHouse(p, workers, p.Go)
		for i := range senders {
			name := string(rune('A' + i))
			child := h.job(name+"'", nil)
			j := h.job(name, func(w *Worker) { w.Schedule(&child.Task) })
			p.Go(func() {
				h.s.Inject(&j.Task)
				p.Await(func() bool { return j.ran+j.terminated == 1 })
				if j.terminated == 1 {
					child.terminated++ // it was never made
				}
			})
		}
		p.Go(h.stop)
		p.After(h.allEnded)
	}
}

// TestStopEndsEverythingOnce: with work coming in, at any moment.
func TestStopEndsEverythingOnce(t *testing.T) {
	t.Run("1×1", func(t *testing.T) { roam(t, stoppingUnder(1, 1)) })
	t.Run("2×1", func(t *testing.T) { roam(t, stoppingUnder(2, 1)) })
	t.Run("2×2", func(t *testing.T) { roam(t, stoppingUnder(2, 2)) })
}

// TestBug_K6_StopWhileFallingAsleep: with a worker that is about to sleep, and an
// admission that keeps one awake.
func TestBug_K6_StopWhileFallingAsleep(t *testing.T) {
	roam(t, func(p *explore.Program) {
		h := newHouse(p, 2, p.Go)
		j := h.job("A", nil)
		p.Go(func() {
			if a, ok := h.s.Admit(); ok {
				a.Leave()
			}
		})
		p.Go(func() { h.s.Inject(&j.Task) })
		p.Go(h.stop)
		p.After(h.allEnded)
	})
}
