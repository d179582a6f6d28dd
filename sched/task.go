package sched

// Runner is what a task does when a worker takes it.
type Runner interface {
	// RunTask runs one turn and reports whether the task has more to do. When it
	// returns true the worker queues the task again. When it returns false the
	// task may already be queued or running elsewhere: neither side may touch it
	// any more. Before returning false RunTask must call [Worker.PrepareNext]
	// and then execute an atomic read-modify-write, the one that gives the task
	// up.
	RunTask(w *Worker) (again bool)

	// TaskDied takes over a task that no worker will run again, and everything
	// in it. cause tells why: a [*Crash] when its own turn panicked, in which
	// case w is the worker it ran on; [ErrStopped] when the scheduler has stopped,
	// in which case w is nil.
	TaskDied(w *Worker, cause error)
}

// Task is something a worker can run: embed it in what it belongs to, so that
// scheduling allocates nothing. Between two turns a task is in at most one queue;
// whoever makes it runnable schedules it exactly once. The zero value is not
// ready: use Init. A Task must not be copied after Init.
type Task struct {
	runner Runner
	pin    *Pin
}

// Init prepares the task. pin is nil for a task that any worker may run.
func (t *Task) Init(r Runner, pin *Pin) {
	t.runner = r
	t.pin = pin
}
