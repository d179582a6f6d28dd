package explore

// fairness keeps spinning threads from starving the thread that they wait for.
//
// Problem: two threads that spin in turn are enabled for ever, each by the step
// of the other, and a strategy that never preempts would never run a third thread.
// Rejected: spinning threads run only when no other can. That hides every state
// in which a spinner looks between two steps of another thread.
//
// Protocol (Musuvathi and Qadeer, "Fair stateless model checking", 2008): a window of a thread lies
// between two of its spins. At the end of a window its thread gives way to each thread that did not
// run in it, and that was enabled all through it or was disabled by a step of the spinner, until
// that thread has run once. The relation has no cycles, since a thread that runs gives no thread a
// reason to wait for it: some enabled thread is always eligible. Nothing here costs a program that
// does not spin.
type fairness struct {
	spinners set             // threads with an open window
	before   set             // threads that were enabled before the last step
	awaits   [maxThreads]set // threads to which the thread gives way
	enabled  [maxThreads]set // threads enabled all through the window
	disabled [maxThreads]set // threads disabled by a step of this thread
	ran      [maxThreads]set // threads that ran in the window
}

func (f *fairness) reset() {
	if f.spinners != 0 {
		*f = fairness{}
	}
}

// stepped records a step of last, after which the ready threads are enabled.
func (f *fairness) stepped(ready set, last *thread, spun bool) {
	if f.spinners == 0 && !spun {
		return
	}
	for s := f.spinners; s != 0; s &= s - 1 {
		id := s.first()
		f.enabled[id] &= ready
		f.ran[id] |= one(last.id)
		f.awaits[id] = f.awaits[id].without(last.id)
	}
	f.disabled[last.id] |= f.before &^ ready
	if spun {
		f.open(last.id, ready)
	}
	f.before = ready
}

// open closes the thread's window, if it has one, and opens the next.
func (f *fairness) open(id int, ready set) {
	if f.spinners.has(id) {
		f.awaits[id] |= (f.enabled[id] | f.disabled[id]) &^ f.ran[id]
	}
	f.spinners |= one(id)
	f.enabled[id], f.disabled[id], f.ran[id] = ready, 0, 0
}

// choice returns the threads of which a strategy may pick one. Threads that give way are left out,
// and so is a thread that has just spun, if there is another.
func (f *fairness) choice(ready set, last *thread, spun bool) choice {
	c := choice{enabled: f.eligible(ready), current: -1}
	if last == nil {
		return c
	}
	if others := c.enabled.without(last.id); spun && others != 0 {
		c.enabled = others
	} else if c.enabled.has(last.id) {
		c.current = last.id
	}
	return c
}

func (f *fairness) eligible(ready set) set {
	eligible := ready
	for s := f.spinners & ready; s != 0; s &= s - 1 {
		if id := s.first(); f.awaits[id]&ready != 0 {
			eligible = eligible.without(id)
		}
	}
	return eligible
}
