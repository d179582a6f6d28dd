package sched

// Listener receives events of a worker between two turns, on that worker. Its methods must be
// quick, must not block and must not make tasks runnable. Without a listener, each event costs a
// load and a branch.
type Listener interface {
	// Stole is called for a task that the worker has taken from another one, and owns.
	Stole(t *Task, from *Worker)
	// Parks is called when the worker is about to park: for other goroutines it sleeps already. It
	// is not called if the worker is to go on at once.
	Parks()
	// Woke is called when the worker was woken from such a sleep.
	Woke()
}

// Listen makes l the worker's listener; nil ends that. Owner only.
func (w *Worker) Listen(l Listener) { w.listener = l }
