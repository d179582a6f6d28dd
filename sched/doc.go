// Package sched runs tasks on a fixed set of workers: work stealing, parking,
// quiescence. It knows nothing of actors.
//
// # Concepts
//
// A [Task] is embedded in the object that it belongs to. Its [Runner] runs it: one turn at a time,
// on one worker at a time. Each [Worker] is a goroutine with a queue of its own; a worker without
// work steals one task at a time from the other workers. A [Scheduler] is a set of workers; a
// process may have several schedulers.
//
// A worker runs turns only in a slot. There are as many slots as Config.Workers says; a
// worker whose turn blocks loses its slot to another one, so that blocking turns do not
// keep runnable tasks waiting ([Worker.Blocking]).
//
// # Using
//
// A turn makes a task runnable with [Worker.Schedule]. Other goroutines use [Scheduler.Inject],
// after [Scheduler.Admit] if they take the task from elsewhere. A turn calls [Worker.Spend] for the
// work it does, and [Worker.PrepareNext] before it ends. Work outside the queues, such as a timer,
// holds the scheduler ([Scheduler.Hold]). A task that is parked until another task resumes it holds
// it as well ([Scheduler.HoldParked]).
//
// # Guarantees
//
// A scheduled task runs, or is terminated once ([Runner]). The caller's writes before it schedules
// a task synchronize before the task's turn. No wake-up is lost, and none waits for a time-out. A
// worker that is stuck in a turn keeps no other task: other workers steal from its queue, and
// within about 4 ms the monitor empties its next-slot. [Scheduler.WaitQuiet] returns as soon as
// nothing is queued or running and nothing holds the scheduler. An idle scheduler uses no processor
// time.
//
// # Costs
//
// A task that goes through a worker's queue costs two locked instructions, or three if it is new
// and alone there. A task that goes through the next-slot costs none. A wake-up costs one locked
// instruction more, and a channel operation. The costs of the idle word, the inject queue and the
// counters are stated at their definitions.
//
// README.md, beside this file, states the protocols as steps and proves them.
//
// This package has no compatibility promise: each version may change it.
package sched
