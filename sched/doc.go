// Package sched runs tasks on a fixed set of workers: work stealing, parking,
// quiescence. It knows nothing of actors.
//
// # What
//
// A [Task] is embedded in whatever it belongs to, and its [Runner] runs it: one turn at a
// time, on one worker at a time. Each [Worker] is a goroutine with a queue of its own; a
// worker without work steals one task at a time from the other workers. A [Scheduler] is a
// set of workers; a process may have several.
//
// A worker runs turns only in a slot. There are as many slots as Config.Workers says; a
// worker whose turn blocks loses its slot to another one, so that blocking turns do not
// keep runnable tasks waiting ([Worker.Blocking]).
//
// # Using
//
// From within a turn, make a task runnable with [Worker.Schedule]. From outside, use
// [Scheduler.Inject], after [Scheduler.Admit] if the caller takes the task from elsewhere. A turn
// calls [Worker.Spend] for the work it does, and [Worker.PrepareNext] before it ends.
// Whatever lives outside the queues holds the scheduler ([Scheduler.Hold]), and so does a
// task that is parked until another makes it go on ([Scheduler.HoldParked]).
//
// # Guarantees
//
// A task that is scheduled runs, or is terminated once ([Runner]). What the caller did before it
// scheduled the task synchronizes before its turn. No wake-up is lost, and none waits for a
// time-out. A worker that is stuck in a turn keeps no other task: its queue can be stolen
// from, and the monitor empties its next-slot, within some 4 ms. [Scheduler.WaitQuiet]
// returns when nothing is queued or running and nothing holds the scheduler, not earlier and
// not later. An idle scheduler uses no processor time.
//
// # Costs
//
// A task that goes through a worker's queue costs two locked instructions, or three if it
// is new and alone there; one that goes through the next-slot costs none. A wake-up costs
// one more and a channel operation. The idle word, a task's way in from outside and the
// counters are priced where they are defined.
//
// README.md, beside this file, states the protocols as steps and proves them.
//
// This package has no compatibility promise: each version may change it.
package sched
