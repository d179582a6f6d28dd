package sched

import "github.com/gallop-go/gallop/internal/invariant"

// ClassRunner runs and terminates the tasks of a [Class].
type ClassRunner interface {
	// RunTask runs one turn of t and reports whether the task has more to do. If it returns true,
	// the worker queues the task again. If it returns false, the task may already be queued or
	// running elsewhere, so neither RunTask nor the worker may touch it any more.
	//
	// Before RunTask returns false, it gives the task up by an atomic read-modify-write. It calls
	// [Worker.PrepareNext] before that step and returns soon after it. A turn that may go on for
	// long calls [Worker.GiveUp] instead.
	RunTask(w *Worker, t *Task) (again bool)

	// TaskTerminated takes over a task, and everything in it, that no worker will run again. If the
	// task's own turn panicked, cause is a [*Crash] and w is the worker of that turn. If the
	// scheduler has stopped, cause is [ErrStopped] and w is nil.
	TaskTerminated(w *Worker, t *Task, cause error)
}

// Class is the common part of many tasks: how they run, and where. Each task is then a single
// pointer to its class. The zero value is not ready: use Init. A Class must not be copied after
// Init.
type Class struct {
	runner ClassRunner
	pin    *Pin
	isNew  func(*Task) bool          // nil: its tasks are never new
	goesOn func(*Worker, *Task) bool // nil: a turn has one unit of work
}

// Init prepares the class, before any of its tasks is prepared. pin is nil for tasks that any
// worker may run. All workers read a class, so it must not be changed afterwards.
func (c *Class) Init(r ClassRunner, pin *Pin) { c.runner, c.pin = r, pin }

// DepthFirst sets the order for tasks that make tasks. It is called along with Init. isNew reports
// whether a task has never run; the caller is a turn that owns the task and is about to make it
// runnable.
//
// New tasks run before resumed ones, the newest first. A tree of tasks is then walked depth first,
// and only one path and its branches exist at a time. Every task still gets its turn:
//
//   - After 256 new tasks another task has a turn: a resumed task or, now and then, the
//     oldest new task.
//   - A resumed task that has waited for 50 to 100 µs of work, as counted by
//     [Worker.Spend], runs before that.
//
// DepthFirst costs a call of isNew for each task that does not go to the next-slot, and no
// allocation.
func (c *Class) DepthFirst(isNew func(t *Task) bool) { c.isNew = isNew }

// GoesOn is for tasks whose turns do several units of work. It is called along with Init. has
// reports whether the running turn of t on w has another unit to do after the present one. It is
// called only where a message takes half a microsecond or more, on the worker's goroutine.
//
// A task that such a turn makes runnable does not wait for the turn's end: it goes to the worker's
// queue, and another worker is woken for it.
func (c *Class) GoesOn(has func(w *Worker, t *Task) bool) { c.goesOn = has }

// Runner returns the runner that Init was given.
func (c *Class) Runner() ClassRunner { return c.runner }

// Task is the part of an object that workers queue and run. Embed it in the object, so that
// scheduling allocates nothing. Between two turns a task is in at most one queue; the caller that
// makes it runnable schedules it exactly once. The zero value is not ready: use InitClass or Init.
// A Task must not be copied after that.
type Task struct {
	check taskCheck // empty in a plain build
	class *Class
}

// InitClass prepares a task of a class, and allocates nothing. The runner of the class finds the
// object from the task's address.
func (t *Task) InitClass(c *Class) { t.class = c }

// Init prepares a task with a class of its own, which it allocates. pin is nil for a task that any
// worker may run.
func (t *Task) Init(r Runner, pin *Pin) {
	s := &single{runner: r}
	s.Class.Init(s, pin)
	t.class = &s.Class
}

// Class returns the task's class.
func (t *Task) Class() *Class { return t.class }

// runTurn runs one turn on w.
func (t *Task) runTurn(w *Worker) (again bool) { return t.class.runner.RunTask(w, t) }

// isNew reports whether the task has never run and runs first. Its owner only.
func (t *Task) isNew() bool { return t.class.isNew != nil && t.class.isNew(t) }

// terminate hands the task back to its runner. Its owner only.
func (t *Task) terminate(w *Worker, cause error) {
	if invariant.On {
		verifyTerminate(t, w)
	}
	t.class.runner.TaskTerminated(w, t, cause)
}

// Runner runs and terminates one task, which has a [Class] of its own.
type Runner interface {
	// RunTask is [ClassRunner.RunTask] for the runner's task.
	RunTask(w *Worker) (again bool)

	// TaskTerminated is [ClassRunner.TaskTerminated] for the runner's task.
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
