package sched

import "github.com/gallop-go/gallop/internal/invariant"

// Admission lets an outside caller make one task runnable while the scheduler stays non-quiescent.
// It is either a hold, or a worker that was taken out of its sleep and waits for the task. The
// worker costs nothing beyond the wake-up.
//
// Without an admission there is a gap. Sender 1 pushes to an idle actor, so it has to schedule the
// actor, and is delayed. Sender 2 pushes to the same actor, which is no longer idle, and returns;
// then sender 2 waits for quiescence. Nothing is queued and nothing runs, yet the message of sender
// 2 has not run.
type Admission struct {
	s      *Scheduler
	worker int // -1: a hold
}

// Admit begins an admission. It reports false if the scheduler has ended. Call Inject
// or Leave soon: while a worker waits for the task, it runs nothing else. Any
// goroutine.
func (s *Scheduler) Admit() (a Admission, ok bool) {
	switch i, r := s.idle.wake(false); r { // A1
	case wokeOne:
		return Admission{s, i}, true
	case wokeClosed:
		return Admission{}, false
	}
	return Admission{s, -1}, s.Hold() // A1
}

// Inject makes t runnable (A3, A4) and ends the admission.
func (a Admission) Inject(t *Task) { a.InjectTimed(t, true) }

// InjectTimed is [Admission.Inject]. With timed false the monitor is not armed for the turn of t;
// the caller must call [Scheduler.TimeTurns] soon if the turn has not ended. This saves a timer:
// while a timer runs, each goroutine that waits or yields pays for one more reading of the clock.
func (a Admission) InjectTimed(t *Task, timed bool) {
	if invariant.On {
		verifyAdmission(a)
		checkEnter(t)
	}
	if t.class.pin != nil {
		t.class.pin.schedule(a.s, t)
		a.Leave()
		return
	}
	if a.worker >= 0 {
		a.s.holder(a.worker).wake(t, timed) // A3
		return
	}
	a.s.inject.push(t) // A3
	a.s.notify()       // A4
	a.s.Release()
}

// Leave ends the admission without a task, after A2 has found the task in another hand. It wakes
// the worker nevertheless, since other senders may have relied on this worker for their work.
func (a Admission) Leave() {
	if invariant.On {
		verifyAdmission(a)
	}
	if a.worker < 0 {
		a.s.Release()
		return
	}
	a.s.holder(a.worker).wakeUncounted()
}
