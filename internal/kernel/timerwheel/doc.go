// Package timerwheel has the timers of a system: their memory, the order in which they are due, and
// the single alarm that rings for the earliest. It sees an actor only as a task, and a payload only
// as a message or a few words.
//
// Timers are in shards, one per worker, each a wheel with a lock of its own. An actor's timers
// are all in the shard of the worker on which it armed its first timer, so that one wheel decides
// their order. Mostly the actor still runs there when it arms the next timer, and no other worker
// waits for the lock.
//
// Workers fire timers: a shard is a task of the scheduler. It takes the due timers from its wheel
// and passes them to the function that sends their messages, as an actor would. So messages are
// made and sent on a worker, which is cheapest, and firing needs no goroutine of its own.
// Quiescence needs no other proof either: a shard with a due timer is a runnable task, like any
// actor that has mail.
//
// Wheels have no clock. Each shard publishes the time of its next timer, and the alarm
// rings for the earliest of them:
//
//	the arming worker                         the alarm, and the shard's task
//	A1  adds to the wheel, and lowers         F1  the alarm rings: it is set to never
//	    earliest if that was later            F2  looks at every shard's earliest:
//	A2  if that is due already: F4            F3    later: remembers it for F5
//	A3  sets the alarm to the timer's time,   F4    due: makes the task runnable,
//	    if it is set to a later time                unless it is (state: queued)
//	                                          F5  sets the alarm to the earliest time of F3
//	                                          F6  the task takes the due timers, and
//	                                              raises earliest
//	                                          F7  gives itself up: state idle
//	                                          F8  as A2 and A3
//
// Nothing due is overlooked. From A1 on, earliest is the time of a due timer, or an earlier time
// (A1 and F6 are under the lock). Say the alarm was not set for the timer at A3 because it was set
// to an earlier time. Then it rings, and F2 comes after A1, because F1 does: A3 did not see F1. If
// F4 finds the task queued already, then F7 comes after that, and F8 looks again.
package timerwheel
