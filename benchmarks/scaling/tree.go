package main

// worker is one worker of a tree. Its queue has the heights of tasks: 0 is a leaf.
type worker struct {
	now    float64
	queue  []int
	asleep bool
	since  float64 // when it fell asleep
	victim int
}

// forest is a run of a tree of tasks: each has fan children, to a depth, and a leaf takes so long.
type forest struct {
	costs
	workers   []worker
	root      sharedLine // the idle word
	sleepers  []int
	searching int // woken, and nothing found yet
	fan       int
	leaf      float64
	left      int // tasks
	result
}

// tree has one worker begin with the root of a tree; the others sleep.
func tree(c costs, workers, fan, depth int, leaf float64) result {
	f := &forest{costs: c, workers: make([]worker, workers), fan: fan, leaf: leaf}
	for i := 1; i < workers; i++ {
		f.workers[i].asleep = true
		f.sleepers = append(f.sleepers, i)
	}
	for n, height := 1, 0; height <= depth; height++ {
		f.left += n
		n *= fan
	}
	f.workers[0].queue = []int{depth}
	for f.left > 0 {
		i := f.earliest()
		f.step(i, &f.workers[i])
	}
	for i := range f.workers {
		f.time = max(f.time, f.workers[i].now)
	}
	for i := range f.workers {
		w := &f.workers[i]
		if !w.asleep {
			w.since = w.now
		}
		f.asleep += f.time - w.since
	}
	return f.result
}

// earliest returns the worker whose next step comes first.
func (f *forest) earliest() (first int) {
	first = -1
	for i := range f.workers {
		if w := &f.workers[i]; !w.asleep && (first < 0 || w.now < f.workers[first].now) {
			first = i
		}
	}
	return first
}

// step runs the newest task of a worker, or steals one, or lets it sleep.
func (f *forest) step(i int, w *worker) {
	last := len(w.queue) - 1
	if last < 0 {
		f.find(i, w)
		return
	}
	height := w.queue[last]
	w.queue = w.queue[:last]
	f.runTask(w, height)
}

// runTask runs a task, which leaves its children in the worker's queue.
func (f *forest) runTask(w *worker, height int) {
	f.left--
	if height == 0 {
		w.now += f.leaf
		f.work += f.leaf
		return
	}
	for range f.fan {
		w.queue = append(w.queue, height-1)
		w.now += f.spawn
		f.work += f.spawn
	}
	f.notify(w)
}

// notify wakes a sleeper, unless one that was woken searches.
func (f *forest) notify(w *worker) {
	if f.searching > 0 || len(f.sleepers) == 0 {
		return
	}
	f.writeRoot(w)
	s := f.sleepers[0]
	f.sleepers = f.sleepers[1:]
	f.searching++
	woken := &f.workers[s]
	f.asleep += w.now + f.wake - woken.since
	woken.asleep, woken.now = false, w.now+f.wake
}

func (f *forest) writeRoot(w *worker) {
	end, waited := f.root.write(w.now, f.line)
	f.waited += waited
	f.search += f.line
	w.now = end
}

// find steals the oldest task of the next victim that has one. A worker that was woken, and finds a
// task, wakes the next one.
func (f *forest) find(i int, w *worker) {
	for range f.workers {
		w.victim = (w.victim + 1) % len(f.workers)
		if w.victim == i {
			continue
		}
		v := &f.workers[w.victim]
		if len(v.queue) == 0 {
			w.now += f.probe
			f.search += f.probe
			continue
		}
		stolen := v.queue[0]
		v.queue = v.queue[1:]
		w.now += f.steal
		f.search += f.steal
		f.searching = max(0, f.searching-1)
		f.notify(w)
		f.runTask(w, stolen) // in hand, where no other worker steals it
		return
	}
	f.searching = max(0, f.searching-1)
	f.writeRoot(w)
	w.asleep, w.since = true, w.now
	f.sleepers = append(f.sleepers, i)
}
