package sched

// Listener is told what a worker does between two turns, on that worker. Its methods must be quick,
// must not block and must not make tasks runnable. Where there is none, each of these places costs
// a load and a branch.
type Listener interface {
	// Stole is told of a task that the worker has taken from another one, and owns.
	Stole(t *Task, from *Worker)
	// Parks is told that the worker is about to park: from the view of others it sleeps already. It is
	// not told if the worker is to go on at once.
	Parks()
	// Woke is told that it was woken from such a sleep.
	Woke()
}

// Listen has l told of what the worker does; nil ends that. Owner only.
func (w *Worker) Listen(l Listener) { w.listener = l }
