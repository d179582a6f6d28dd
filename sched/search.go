package sched

import "github.com/gallop-go/gallop/internal/seam"

const (
	// searchRounds is how often a worker looks everywhere before it sleeps, while
	// others work.
	searchRounds = 8
	// lingerRounds is the same for the last worker awake. Work can then only come
	// from outside; whoever it has just answered may have the next question.
	lingerRounds = 3
	// maxFetch bounds the tasks that one look at the inject queue takes.
	maxFetch = 32
)

// find looks for work elsewhere, and sleeps when there is none. It returns nil
// when the scheduler stops.
func (w *Worker) find() *Task {
	for w.sched.stop.flag.Load() == 0 {
		if t := w.search(); t != nil {
			return t
		}
		if t := w.sleep(); t != nil {
			return t
		}
	}
	return nil
}

// search looks everywhere, a few times, and returns nil if there was nothing. Being
// counted as a searcher keeps others from being woken, so whoever stops searching must
// look once more.
func (w *Worker) search() *Task {
	if !w.searching {
		if t := w.look(); t != nil {
			return t
		}
		if !w.sched.idle.startSearch() {
			return nil
		}
		w.searching = true
	}
	for range w.rounds() {
		if t := w.look(); t != nil {
			w.found()
			return t
		}
		if w.sched.stop.flag.Load() != 0 {
			return nil
		}
		w.count.Yields++
		seam.Spin()
	}
	return nil
}

// rounds returns how often to look.
func (w *Worker) rounds() int {
	if w.sched.idle.sleepers() >= len(w.sched.workers)-1 {
		return lingerRounds
	}
	return searchRounds
}

// found ends a search that was successful. The last searcher to find work wakes
// another if there is more: whoever pushed it may have relied on us.
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

// poll takes this worker's fair share of the inject queue: the first task to run
// now, the others for its ring.
func (w *Worker) poll() *Task {
	q := &w.sched.inject
	t := q.pop()
	if t == nil {
		return nil
	}
	w.count.Injected++
	share := min(q.len()/len(w.sched.workers), maxFetch)
	for range share {
		more := q.pop()
		if more == nil {
			break
		}
		w.count.Injected++
		w.enqueue(more)
	}
	return t
}

// steal takes one task from another worker, round-robin, beginning behind the
// victim of last time. A failed try costs two loads of the victim's lines.
func (w *Worker) steal() *Task {
	n := len(w.sched.workers)
	for range n {
		w.victim++
		if w.victim >= n {
			w.victim = 0
		}
		if w.victim == w.id {
			continue
		}
		if t := w.sched.workers[w.victim].ring.thief().steal(); t != nil {
			w.count.Steals++
			return t
		}
		w.count.StealMisses++
	}
	return nil
}

// workLeft tells whether any queue holds a task. Any goroutine. A worker's own ring
// is among them, but it only asks when that is empty or when waking another is right.
func (s *Scheduler) workLeft() bool {
	if !s.inject.empty() {
		return true
	}
	for _, v := range s.workers {
		if !v.ring.thief().empty() {
			return true
		}
	}
	return false
}
