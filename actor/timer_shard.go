package actor

import (
	"math"

	"github.com/gallop-go/gallop/actor/internal/mpsc"

	"github.com/gallop-go/gallop/internal/cacheline"
	"github.com/gallop-go/gallop/internal/invariant"
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
// Nothing due is overlooked. A timer that is due has its time in earliest, or an earlier one, from
// A1 on (both under the lock, as F6). Say the alarm was not set for it at A3 because it was set to
// an earlier time. Then it rings, and F2 comes after A1, because F1 does: A3 did not see F1. If F4
// finds the task queued already, then F7 comes after that, and F8 looks again.
type timerShard struct {
	task sched.Task
	all  *timers

	// Contended.
	earliest seam.Int64  // no timer is due before it; never if there is none
	queued   seam.Uint32 // 1: the task is runnable or runs
	_        cacheline.Pad

	mu    seam.QuickMutex
	wheel wheel.Wheel // guarded by mu
	held  bool        // guarded by mu: it holds the system
	slab  slab
	due   []dueTimer // owned by the turn
}

// dueTimer is a timer that has been taken from its wheel, and where its message goes.
type dueTimer struct {
	to     *cell
	number uint32
}

const (
	maxTime   = math.MaxInt64
	never     = maxTime
	fireBatch = 128 // timers that a shard takes from its wheel at a time
	fireTurn  = 32  // how often it does in a turn
)

// add puts a timer into the wheel. now is what the clock has just shown. The caller
// owns the timer's actor and runs on a worker.
func (s *timerShard) add(c *Context, number uint32, k *timer, at, now int64) {
	s.mu.Lock()
	first := s.enter(number, k, at, now)
	s.mu.Unlock()
	if first {
		s.see(c, now)
	}
}

// enter is the part of add under the lock. It reports whether the timer is the first, so
// that the caller has to see to it.
func (s *timerShard) enter(number uint32, k *timer, at, now int64) (first bool) {
	if s.wheel.Len() == 0 {
		s.wheel.Pop(uint64(now)) // nothing is due; the wheel's time comes near
	}
	if invariant.On {
		verifyEnter(k, number)
	}
	k.at = s.wheel.Add(number, uint64(at))
	k.in = true
	if !s.held && s.all.hold {
		s.held = s.all.sys.sched.Hold() // a behaviour runs, so it cannot be too late
	}
	if first = at < s.earliest.Load(); first {
		s.earliest.Store(at)
	}
	return first
}

// cancel ends a timer of the running actor, if it has neither run nor was canceled. Its
// payload is the caller's then.
func (s *timerShard) cancel(t armedTimer) (held *message, ok bool) {
	s.mu.Lock()
	k := s.slab.find(t)
	if k == nil {
		s.mu.Unlock()
		return nil, false
	}
	held = k.takeHeld()
	k.markDone()
	if k.in {
		s.remove(t.number, k)
	}
	s.tidyAndUnlock()
	return held, true
}

// markDone says that a timer does not run any more. The caller may write to it.
func (k *timer) markDone() {
	k.live = false
	k.gen.Add(1)
}

// remove takes a timer out of the wheel. It is free when the wheel has dropped it. Caller
// holds mu.
func (s *timerShard) remove(number uint32, k *timer) {
	k.in, k.body = false, nil
	s.wheel.Remove(number, k.at)
}

// removeAll ends timers of one actor that are in the wheel. Their payloads are the caller's
// then, as a chain.
func (s *timerShard) removeAll(list []armedTimer) (payloads *message) {
	s.mu.Lock()
	for _, t := range list {
		if k := s.slab.find(t); k != nil && k.in {
			if held := k.takeHeld(); held != nil {
				held.Next, payloads = payloads, held
			}
			k.markDone()
			s.remove(t.number, k)
		}
	}
	s.tidyAndUnlock()
	return payloads
}

// lost ends a timer that was on its way to an actor that has ended. Its payload is the
// caller's then.
func (s *timerShard) lost(number uint32) (held *message) {
	s.mu.Lock()
	k := s.slab.at(number)
	k.body = nil
	k.markDone()
	held = k.takeHeld()
	s.slab.drop(number)
	s.tidyAndUnlock()
	return held
}

// release frees a timer that has run or will not. The caller has it.
func (s *timerShard) giveBack(number uint32, k *timer) {
	if s.slab.giveBack(number, k) {
		s.mu.Lock()
		s.tidyAndUnlock()
	}
}

// takeHeld takes the payload out of the timer, if it is a message. The caller may write to it.
func (k *timer) takeHeld() *message {
	held := k.held
	if held != nil {
		k.held, held.ID, held.Next = nil, k.id, nil
	}
	return held
}

// tidyAndUnlock frees what the wheel has dropped, unlocks, and lets go of the system if no timer is
// left. The alarm stays as it is: it rings once for nothing, which is cheaper than setting it for
// every timer that is canceled in time, as most are. Caller holds mu.
func (s *timerShard) tidyAndUnlock() {
	for _, n := range s.wheel.Dropped() {
		s.slab.drop(n)
	}
	over := false
	if s.wheel.Len() == 0 {
		over, s.held = s.held, false
		s.slab.shrink()
	}
	if invariant.On {
		verifyShard(s)
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

// RunTask fires what is due, several batches a turn: between two turns all others that wait have
// one each, so of thousands of timers that are due at once the last would wait for as many rounds
// as there are batches. It implements sched.Runner.
func (s *timerShard) RunTask(w *sched.Worker) (again bool) {
	c := w.Local().(*Context)
	if w.Stopping() {
		return true // to where tasks are terminated
	}
	for n := 1; s.fireSome(c); n++ {
		if n == fireTurn || w.MustYield() {
			return true
		}
	}
	w.PrepareNext()
	s.rest(c)
	return false
}

// fireSome fires a batch of what is due, and reports whether more may be.
func (s *timerShard) fireSome(c *Context) (more bool) {
	s.take(s.all.clock.Nanos())
	for i, d := range s.due {
		s.due[i].to = nil
		s.fire(c, d)
	}
	c.w.Spend(max(len(s.due), 1))
	return len(s.due) == fireBatch
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
		n, ok := s.wheel.Pop(uint64(now))
		if !ok {
			break
		}
		s.due = append(s.due, dueTimer{number: n})
	}
	for i := range s.due { // apart: no fetch waits for another one
		k := s.slab.at(s.due[i].number)
		if invariant.On {
			verifyDue(k, s.due[i].number, now)
		}
		s.due[i].to, k.in = k.body, false
	}
	next := int64(never)
	if at, ok := s.wheel.Next(); ok {
		next = int64(at)
	}
	s.earliest.Store(next)
	s.tidyAndUnlock() // this turn keeps the system from being quiescent
}

// TaskTerminated has nothing to do when the system has stopped: timers end with it. It
// implements sched.Runner.
func (s *timerShard) TaskTerminated(*sched.Worker, error) {}

// fire sends the message of a timer that was taken from its wheel.
func (s *timerShard) fire(c *Context, d dueTimer) {
	m := c.alloc(firedSize.ID)
	c.sys.sim.count(-1) // what the timer has for its actor is booked when it runs
	m.ID, m.From = firedID, 0
	payloadOf[fired](m).number = d.number
	switch d.to.box.Push(m) {
	case mpsc.PushWoke:
		c.w.Schedule(&d.to.task)
	case mpsc.PushClosed:
		c.recycle(m)
		env{c: c, sys: c.sys}.discardAll(d.to, s.lost(d.number))
	}
}
