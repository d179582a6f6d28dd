//go:build gallop_explore

package access

// Manual is sched.Scheduler.Manual for the scheduler of an *actor.System, and returns a
// []*sched.Worker. The actors take no nodes from Go's pools, and the watch over actors under
// pressure sets no alarm. Package actor sets it.
var Manual func(sys any) (workers any)
