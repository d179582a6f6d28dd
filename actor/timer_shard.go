package actor

import (
	"math"

	"github.com/gallop-go/gallop/internal/cacheline"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/internal/wheel"
	"github.com/gallop-go/gallop/sched"
)

// The timers of a system are in shards, one per worker, each a wheel behind a lock of
// its own. An actor's timers are all in the shard of the worker on which it armed its
// first one, so that one wheel decides their order; mostly the actor still runs there
// when it arms the next one, and the lock is nobody else's.
//
// Firing is work for workers: a shard is a task of the scheduler. It takes what is
// due from its wheel and sends it, as an actor would. So messages are made and sent
// where they are cheapest, no goroutine of its own is needed, and quiescence needs
// no other proof: a shard with something due is a runnable task, like any actor that
// has mail.
//
// Nobody asks the wheels what time it is. Each shard tells when its next timer is
// due, and the system's alarm rings for the earliest of them:
//
//	who arms                                  who fires
//	A1  adds to the wheel, and lowers         F1  the alarm rings: it is set to never
//	    earliest if that was later            F2  looks at every shard's earliest:
//	A2  if that is due already: F4            F3    later: remembers it, F5
//	A3  compares with what the alarm is       F4    due: makes the task runnable,
//	    set to, and sets it if it is later          unless it is (state: queued)
//	                                          F5  sets the alarm to the earliest left
//	                                          F6  the task takes what is due, and
//	                                              raises earliest
//	                                          F7  gives itself up: state idle
//	                                          F8  as A2 and A3
//
// Nothing due is overlooked. A timer that is due has its time in earliest, or an
// earlier one, from A1 on (both under the lock, as F6). Say the alarm was not set for
// it at A3 because it was set to an earlier time: then it rings, and F2 comes after
// A1, because F1, which A3 did not see, does. If F4 finds the task queued already,
// then F7 comes after that, and F8 looks again.
type timerShard struct {
	task sched.Task
	all  *timers

	// Contended.
	earliest seam.Int64  // no timer is due before it; never if there is none
	queued   seam.Uint32 // 1: the task is runnable or runs
	_        cacheline.Pad

	mu    seam.Mutex
	wheel wheel.Wheel[*message] // guarded by mu
	held  bool                  // guarded by mu: it holds the system
	due   []*message            // owned by the turn
}

const (
	maxTime   = math.MaxInt64
	never     = maxTime
	fireBatch = 128 // timers that a shard takes from its wheel at a time
)

// add puts a timer into the wheel. now is what the clock has just shown. The caller
// owns the timer's actor and runs on a worker.
func (s *timerShard) add(c *Context, k *timer, at, now int64) {
	s.mu.Lock()
	if s.wheel.Len() == 0 {
		s.wheel.Pop(uint64(now)) // nothing is due; the wheel's time comes near
	}
	s.wheel.Add(&k.Entry, uint64(at))
	if !s.held && s.all.hold {
		s.held = s.all.sys.sched.Hold() // a behaviour runs, so it cannot be too late
	}
	first := at < s.earliest.Load()
	if first {
		s.earliest.Store(at)
	}
	s.mu.Unlock()
	if first {
		s.see(c, now)
	}
}

// remove takes a timer out of the wheel, and reports whether it was there.
func (s *timerShard) remove(k *timer) bool {
	s.mu.Lock()
	in := k.In()
	if in {
		s.wheel.Remove(&k.Entry)
	}
	s.letGo()
	return in
}

// removeAll takes timers of one actor out of the wheel, those that are there.
func (s *timerShard) removeAll(list []Timer) {
	s.mu.Lock()
	for _, t := range list {
		if k := payloadOf[timer](t.m); k.In() {
			s.wheel.Remove(&k.Entry)
		}
	}
	s.letGo()
}

// letGo unlocks, and lets go of the system if no timer is left. The alarm stays as it
// is: it rings once for nothing, which is cheaper than to set it for every timer that
// is canceled in time, as most are. Caller holds mu.
func (s *timerShard) letGo() {
	over := s.held && s.wheel.Len() == 0
	if over {
		s.held = false
	}
	s.mu.Unlock()
	if over {
		s.all.sys.sched.Release()
	}
}

// see makes the shard runnable if a timer is due, or sees to it that the alarm rings
// when one is.
func (s *timerShard) see(c *Context, now int64) {
	switch at := s.earliest.Load(); {
	case at > now:
		s.all.ringAt(at)
	case s.queued.CompareAndSwap(0, 1):
		s.all.start(c, s)
	}
}

// RunTask fires what is due. It implements sched.Runner.
func (s *timerShard) RunTask(w *sched.Worker) (again bool) {
	c := w.Local().(*Context)
	if w.Stopping() {
		return true // to where tasks are buried
	}
	s.take(s.all.clock.Nanos())
	for i, m := range s.due {
		s.due[i] = nil
		c.fire(m)
	}
	w.Spend(max(len(s.due), 1))
	if len(s.due) == fireBatch {
		return true
	}
	w.PrepareNext()
	s.rest(c)
	return false
}

// rest gives the shard up until something is due.
func (s *timerShard) rest(c *Context) {
	s.queued.Swap(0)
	if s.earliest.Load() != never {
		s.see(c, s.all.clock.Nanos())
	}
}

// take moves what is due from the wheel to s.due, a batch at most, and says when the
// next one is.
func (s *timerShard) take(now int64) {
	s.due = s.due[:0]
	s.mu.Lock()
	for len(s.due) < fireBatch {
		e := s.wheel.Pop(uint64(now))
		if e == nil {
			break
		}
		s.due = append(s.due, e.Item)
	}
	next := int64(never)
	if at, ok := s.wheel.Next(); ok {
		next = int64(at)
	}
	s.earliest.Store(next)
	s.letGo() // this turn keeps the system from being quiescent
}

// TaskDied has nothing to do when the system has stopped: timers end with it. It
// implements sched.Runner.
func (s *timerShard) TaskDied(*sched.Worker, error) {}

// fire sends the message of a timer that was taken from its wheel. If its actor has
// ended, nobody else has the timer any more.
func (c *Context) fire(m *message) {
	k := payloadOf[timer](m)
	to := k.body
	m.id = firedID
	if k.period != 0 {
		m = c.alloc(tickPool.id)
		m.id = tickID
		payloadOf[tick](m).of = k
	}
	if to.box.push(m) == pushWoke {
		c.w.Schedule(&to.task)
	}
}
