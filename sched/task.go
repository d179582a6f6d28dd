package sched

import "github.com/gallop-go/gallop/internal/invariant"

// ClassRunner says what the tasks of a [Class] do when a worker takes them.
type ClassRunner interface {
	// RunTask runs one turn of t and reports whether the task has more to do. If it returns
	// true, the worker queues the task again. If it returns false, the task may already be
	// queued or running elsewhere: neither side may touch it any more.
	//
	// Before RunTask returns false it must call [Worker.PrepareNext] and then execute an
	// atomic read-modify-write, the one that gives the task up, and return soon; or else it
	// must call [Worker.GiveUp] before that read-modify-write.
	RunTask(w *Worker, t *Task) (again bool)

	// TaskTerminated takes over a task that no worker will run again, and everything in it. cause
	// says why. It is a [*Crash] if the task's own turn panicked, and then w is the worker
	// that it ran on; it is [ErrStopped] if the scheduler has stopped, and then w is nil.
	TaskTerminated(w *Worker, t *Task, cause error)
}

// Class is what many tasks have in common: how they run, and where. So each of them is one word
// that leads to it. The zero value is not ready: use Init. A Class must not be copied after Init.
type Class struct {
	runner ClassRunner
	pin    *Pin
	isNew  func(*Task) bool          // nil: its tasks are never new
	goesOn func(*Worker, *Task) bool // nil: a turn has one unit of work
}

// Init prepares the class, before any task of it is prepared. pin is nil for tasks that any worker
// may run. A class is read by all workers and must not be changed again.
func (c *Class) Init(r ClassRunner, pin *Pin) { c.runner, c.pin = r, pin }

// DepthFirst is for tasks that make tasks. Call it along with Init. isNew reports whether a task
// has never run; it is asked about a task that a turn is about to make runnable and owns.
//
// New tasks go before resumed ones, the newest first. So what they make is walked depth first, and
// no more of it is there at a time than that takes. But no task is forgotten:
//
//   - After 256 new tasks another task has a turn: a resumed one or, now and then, the
//     new task that was there first.
//   - A resumed task that has waited for 50 to 100 µs of work, as counted by
//     [Worker.Spend], need not wait for that.
//
// DepthFirst costs a call of isNew for each task that does not go to the next-slot, and no
// allocation.
func (c *Class) DepthFirst(isNew func(t *Task) bool) { c.isNew = isNew }

// GoesOn is for tasks whose turns do several units of work. Call it along with Init. has reports
// whether the turn of t that runs on w has another unit in hand after the one that runs. It is
// asked only where a message takes half a microsecond or more, on the worker's own goroutine.
//
// What such a turn makes runnable need not wait for its end: it goes to the worker's queue, and
// another worker is woken for it.
func (c *Class) GoesOn(has func(w *Worker, t *Task) bool) { c.goesOn = has }

// Runner returns what the class was initialised with.
func (c *Class) Runner() ClassRunner { return c.runner }

// Task is something that a worker can run. Embed it in what it belongs to, so that
// scheduling allocates nothing. Between two turns a task is in at most one queue;
// the caller that makes it runnable schedules it exactly once. The zero value is not ready: use
// InitClass, or Init. A Task must not be copied after that.
type Task struct {
	check taskCheck // of nothing in a plain build
	class *Class
}

// InitClass prepares a task of a class, and allocates nothing. From the task's address, the runner
// of the class finds what the task is embedded in.
func (t *Task) InitClass(c *Class) { t.class = c }

// Init prepares a task that is the only one of its kind, and allocates that kind. pin
// is nil for a task that any worker may run.
func (t *Task) Init(r Runner, pin *Pin) {
	s := &single{runner: r}
	s.Class.Init(s, pin)
	t.class = &s.Class
}

// Class returns the task's class.
func (t *Task) Class() *Class { return t.class }

// runTurn runs one turn on w.
func (t *Task) runTurn(w *Worker) (again bool) { return t.class.runner.RunTask(w, t) }

// isNew reports whether the task has never run and goes first. Its owner only.
func (t *Task) isNew() bool { return t.class.isNew != nil && t.class.isNew(t) }

// terminate hands the task back to its runner. Its owner only.
func (t *Task) terminate(w *Worker, cause error) {
	if invariant.On {
		verifyTerminate(t, w)
	}
	t.class.runner.TaskTerminated(w, t, cause)
}

// Runner says what a task does that has a [Class] of its own.
type Runner interface {
	// RunTask is [ClassRunner.RunTask] for the task that the runner is for.
	RunTask(w *Worker) (again bool)

	// TaskTerminated is [ClassRunner.TaskTerminated] for the task that the runner is for.
	TaskTerminated(w *Worker, cause error)
}

// single is the class of one task.
type single struct {
	Class
	runner Runner
}

// RunTask implements ClassRunner.
func (s *single) RunTask(w *Worker, _ *Task) (again bool) { return s.runner.RunTask(w) }

// TaskTerminated implements ClassRunner.
func (s *single) TaskTerminated(w *Worker, _ *Task,
	cause error) {
	s.runner.TaskTerminated(w, cause)
}
