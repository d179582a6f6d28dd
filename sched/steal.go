package sched

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

const (
	// searchRounds is the number of looks at all queues before a worker sleeps, while others work.
	searchRounds = 8

	// maxInjectShare bounds the extra tasks that one look at the inject queue takes.
	maxInjectShare = 32

	// A worker rebalances if another worker has rebalanceFrom tasks more than twice its own.
	// maxRebalance bounds the tasks that it takes.
	rebalanceFrom = 4
	maxRebalance  = 32
)

// find looks for work in other queues, and sleeps when there is none. It returns nil when the
// worker has to leave. idle says that the state is IDLE already, so that the slot cannot be taken.
// Owner only, between two turns.
//
// After a goroutine has let others run, the processor mispredicts its returns, since it remembers
// the calls of the other goroutine. Each misprediction costs some 5 ns, so there are few calls
// between serve and the place where the last worker spins.
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

// takeUp goes back to RUNNING with t, and returns it. Owner only.
func (w *Worker) takeUp(t *Task) *Task {
	w.state.resume() // E3
	return t
}

// search looks at all queues a few times, and returns nil if they were empty. While a worker counts
// as a searcher, no other worker is woken, so a worker that stops searching must look once more.
// Owner only.
func (w *Worker) search() *Task {
	if !w.searching {
		// While all other workers sleep, their queues are empty. Work can then only come from
		// outside, and an outside caller wakes the workers that it needs.
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

// lookOnce is a look that is not counted as a search. alone says that there is no other worker to
// steal from. Owner only.
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

// passOn returns t, which the worker is about to run. Before the worker fell asleep, senders may
// have counted on it as a searcher. So if it has seen work since then, and work is still left, it
// wakes another worker. Owner only.
func (w *Worker) passOn(t *Task) *Task {
	if w.sawWork && t != nil && w.sched.workLeft() {
		w.sched.notify()
	}
	return t
}

// found ends a successful search. The last searcher to find work wakes another worker if there is
// more: the sender may have relied on this one (W2). Where messages are long every searcher does.
// Owner only.
func (w *Worker) found() {
	w.searching = false
	if last := w.sched.idle.stopSearch(); (last || w.asks) && w.sched.workLeft() {
		if w.asks {
			w.sched.notifyFor(w.sched.waiting())
		} else {
			w.sched.notify()
		}
	}
}

// look tries the inject queue and then every other worker once. Owner only.
func (w *Worker) look() *Task {
	if t := w.poll(); t != nil {
		return t
	}
	return w.steal()
}

// poll takes this worker's fair share of the inject queue: the first task to run now, the others
// for its own queue, as far as there is room. A task that had to go back would lose its place each
// time. Owner only.
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
		share = 0 // they would wait for the new tasks
	}
	w.injectShare = min(2*w.injectShare+1, maxInjectShare)
	for ; share > 0 && own.hasRoom(); share-- {
		more := q.pop()
		if more == nil {
			break
		}
		w.count.injected.Add(1)
		own.push(more) // has room: only the owner fills it
		w.sched.notify()
	}
	w.backlog = !q.empty()
	return t
}

// steal takes one task from another worker, round-robin, beginning after the last victim. A failed
// attempt costs four loads of the victim's lines. A stale holder costs one missed theft, or a theft
// from a worker that has lost its slot. Owner only.
func (w *Worker) steal() *Task {
	slots := w.sched.slots
	for range slots {
		w.victim++
		if w.victim >= len(slots) {
			w.victim = 0
		}
		victim := slots[w.victim].holder.Load()
		if victim == w || victim == nil {
			continue
		}
		if t := victim.queue.steal(); t != nil {
			w.stole(t, victim)
			return t
		}
		w.count.stealMisses.Add(1)
	}
	return nil
}

// rebalance takes tasks from the next slot's holder if more than twice as many wait there. Without
// it only a worker without tasks steals: a worker with a single endless task would leave all other
// tasks to the other workers, forever.
//
// It takes no new tasks, so that their number stays small. It runs once in some milliseconds, so
// that short work stays on its worker; at every reading of the clock it cost a fifth of the
// throughput. Owner only, between two turns.
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
			w.stole(t, victim)
			w.enqueue(t)
		}
	}
}

// stole counts a task that was taken from another worker. Owner only.
func (w *Worker) stole(t *Task, from *Worker) {
	w.count.steals.Add(1)
	if w.listener != nil {
		w.listener.Stole(t, from)
	}
}

// workLeft reports whether any queue holds a task, that of the calling worker included. A worker
// calls it when its own queue is empty, or when waking another worker is right. Any goroutine.
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
