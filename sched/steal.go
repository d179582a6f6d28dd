package sched

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

const (
	// searchRounds is how often a worker looks everywhere before it sleeps, while
	// others work.
	searchRounds = 8
	// maxFetch bounds the tasks that one look at the inject queue takes.
	maxInjectShare = 32
	// A worker levels where levelFrom more than twice its own tasks wait; maxLevel bounds what it
	// takes.
	rebalanceFrom = 4
	maxRebalance  = 32
)

// find looks for work elsewhere, and sleeps when there is none. It returns nil when the worker has
// to leave. aside tells that nobody can take its seat.
//
// After a goroutine has let others run, the processor mispredicts its returns, since it remembers
// the calls of the other goroutine: each costs some 5 ns. So there are few calls between serve and
// the place where the last worker lingers.
func (w *Worker) find(idle bool) *Task {
	for w.sched.stop.flag.Load() == 0 {
		if !idle && !w.state.becomeIdle() { // E1
			return w.waitIdle()
		}
		idle = true
		t := w.search() // E2
		if t == nil {
			asleep, last := w.announceSleep()
			for n := 0; last && n < spinBudget && w.maySpin(); n++ {
				seam.Spin()
			}
			if asleep {
				t = w.parkUntilWoken()
			}
		}
		if t != nil {
			return w.takeUp(t)
		}
	}
	return nil
}

// takeUp goes back on duty with t, and returns it.
func (w *Worker) takeUp(t *Task) *Task {
	w.state.resume() // E3
	return t
}

// search looks everywhere, a few times, and returns nil if there was nothing. Being counted as a
// searcher keeps others from being woken, so a worker that stops searching must look once more.
func (w *Worker) search() *Task {
	if !w.searching {
		// While all others sleep, their queues are empty, and work can only come from
		// outside, which wakes whom it needs.
		alone := w.sched.idle.sleepers() >= len(w.sched.slots)-1
		if t := w.lookOnce(alone); t != nil || alone {
			return t
		}
		if !w.sched.idle.startSearch() {
			return nil
		}
		w.searching = true
	}
	for range searchRounds {
		if t := w.look(); t != nil {
			w.found()
			return t
		}
		if w.sched.stop.flag.Load() != 0 {
			return nil
		}
		w.count.yields.Add(1)
		seam.Spin()
	}
	return nil
}

// glance is a look that is not counted as a search. alone means that there is nobody to steal from.
func (w *Worker) lookOnce(alone bool) (t *Task) {
	if alone {
		t = w.poll()
	} else {
		t = w.look()
	}
	t = w.passOn(t)
	w.sawWork = false
	return t
}

// passOn returns t, which the worker is about to run. Before it fell asleep it may have been
// counted as a searcher, for several wake-ups. So if it has seen work since then, it wakes another
// for what it leaves, whether it took t from there or was handed it.
func (w *Worker) passOn(t *Task) *Task {
	if w.sawWork && t != nil && w.sched.workLeft() {
		w.sched.notify()
	}
	return t
}

// found ends a search that was successful. The last searcher to find work wakes another if there is
// more: the one that pushed it may have relied on us.
func (w *Worker) found() {
	w.searching = false
	if w.sched.idle.stopSearch() && w.sched.workLeft() {
		w.sched.notify()
	}
}

// look tries the inject queue and then every other worker once.
func (w *Worker) look() *Task {
	if t := w.poll(); t != nil {
		return t
	}
	return w.steal()
}

// poll takes this worker's fair share of the inject queue: the first task to run now, the others
// for its own queue, if there is room. A task that had to go back would lose its place, again and
// again.
func (w *Worker) poll() *Task {
	q, own := &w.sched.inject, w.queue.resumed.owner()
	t := q.pop()
	if t == nil {
		w.backlog = false
		return nil
	}
	w.count.injected.Add(1)
	share := min(q.len()/len(w.sched.slots), w.injectShare)
	if w.queue.newTasks.owner().len() != 0 {
		share = 0 // they would wait behind those
	}
	w.injectShare = min(2*w.injectShare+1, maxInjectShare)
	for ; share > 0 && own.hasRoom(); share-- {
		more := q.pop()
		if more == nil {
			break
		}
		w.count.injected.Add(1)
		own.push(more) // has room: nobody else fills it
		w.sched.notify()
	}
	w.backlog = !q.empty()
	return t
}

// steal takes one task from another worker, round-robin, beginning behind the
// victim of last time. A failed try costs four loads of the victim's lines.
func (w *Worker) steal() *Task {
	slots := w.sched.slots
	for range slots {
		w.victim++
		if w.victim >= len(slots) {
			w.victim = 0
		}
		victim := slots[w.victim].holder.Load() // stale: one missed steal, or one from a worker that has lost its seat
		if victim == w || victim == nil {
			continue
		}
		if t := victim.queue.steal(); t != nil {
			w.count.steals.Add(1)
			return t
		}
		w.count.stealMisses.Add(1)
	}
	return nil
}

// level takes tasks from the next worker if more than twice as many wait there. Otherwise only a
// worker that has nothing steals: one with a single task that never ends would leave all the others
// to the other workers, for ever. It takes no fresh tasks: they are to be few. It is done once in
// some milliseconds, so that work of few turns stays where it is; at every reading of the clock it
// took a fifth of the throughput. Owner only, between two turns.
func (w *Worker) rebalance() {
	slots := w.sched.slots
	w.victim = (w.victim + 1) % len(slots)
	victim := slots[w.victim].holder.Load()
	if victim == w || victim == nil {
		return
	}
	if invariant.On {
		verifyRebalance(w, victim)
	}
	q := &victim.queue.resumed
	here, there := w.queue.len(), q.thief().len()
	if there < 2*here+rebalanceFrom {
		return
	}
	for range min((there-here)/2, maxRebalance) {
		if t := q.thief().steal(); t != nil {
			w.count.steals.Add(1)
			w.enqueue(t)
		}
	}
}

// workLeft tells whether any queue holds a task. Any goroutine. A worker that asks has its own
// queue among them; it asks only when that is empty or when waking another is right.
func (s *Scheduler) workLeft() bool {
	if !s.inject.empty() {
		return true
	}
	for i := range s.slots {
		if v := s.slots[i].holder.Load(); v != nil && !v.queue.empty() {
			return true
		}
	}
	return false
}
