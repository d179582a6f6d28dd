package timerwheel

import (
	"math"

	"github.com/gallop-go/gallop/internal/cacheline"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/kernel/msg"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// Shard has the timers of one worker's actors. The package comment has its protocol.
type Shard struct {
	task sched.Task
	all  *Timers

	// Contended.
	earliest seam.Int64  // no timer is due before that time; never without timers
	queued   seam.Uint32 // 1: the task is runnable or runs
	_        cacheline.Pad

	mu    seam.QuickMutex
	wheel Wheel // guarded by mu
	held  bool  // guarded by mu: the shard holds the system
	slab  slab
	due   []Due // owned by the turn
}

// Due is a timer that has been taken from its wheel, with its actor.
type Due struct {
	Owner  *sched.Task
	Number uint32
}

const (
	never = math.MaxInt64

	// FireBatch is the number of timers that a shard takes from its wheel at a time.
	FireBatch = 128
	// FireTurn is the number of batches in a turn.
	FireTurn = 32
	// listBatch is the number of timers that are looked at under the lock.
	listBatch = 64
)

// Begin takes a free timer, which its caller fills. The shard stays locked until Arm, after which
// the timer may be due at once, and run on another worker. The caller runs on a worker.
func (s *Shard) Begin() (number uint32, k *Timer) {
	s.mu.Lock()
	if s.wheel.Len() == 0 {
		s.slab.shrink()
	}
	return s.slab.take()
}

// Arm arms the timer that Begin has returned. now is the latest reading of the clock.
func (s *Shard) Arm(w *sched.Worker, number uint32, k *Timer, at, now int64) Ref {
	k.live = true
	t := Ref{number, k.gen.Load()}
	s.enterAndUnlock(w, number, k, at, now)
	return t
}

// Rearm arms a running timer again. now is the latest reading of the clock. The caller owns the
// timer's actor and runs on a worker.
func (s *Shard) Rearm(w *sched.Worker, number uint32, k *Timer, at, now int64) {
	s.mu.Lock()
	s.enterAndUnlock(w, number, k, at, now)
}

// enterAndUnlock puts a timer into the wheel, unlocks, and ensures that the timer fires: A1 to
// A3. Caller holds mu.
func (s *Shard) enterAndUnlock(w *sched.Worker, number uint32, k *Timer, at, now int64) {
	first := s.enter(number, k, at, now)
	s.mu.Unlock()
	if first {
		s.see(w, now)
	}
}

// enter puts a timer into the wheel. It reports whether the timer is the earliest: then the caller
// calls see. Caller holds mu.
func (s *Shard) enter(number uint32, k *Timer, at, now int64) (first bool) {
	if s.wheel.Len() == 0 {
		s.wheel.Pop(uint64(now)) // moves the wheel's time on
	}
	if invariant.On {
		verifyEnter(k, number)
	}
	k.at = s.wheel.Add(number, uint64(at))
	k.in = true
	if !s.held && s.all.hold {
		s.held = s.all.sched.Hold() // a behaviour runs, so it cannot be too late
	}
	if first = at < s.earliest.Load(); first {
		s.earliest.Store(at)
	}
	return first
}

// Cancel ends a timer of the running actor, and reports whether it has neither run nor was canceled
// before. The caller then owns its payload.
func (s *Shard) Cancel(t Ref) (held *msg.Message, ok bool) {
	s.mu.Lock()
	k := s.slab.find(t)
	if k == nil {
		s.mu.Unlock()
		return nil, false
	}
	held = k.End()
	if k.in {
		s.remove(t.Number, k)
	}
	s.tidyAndUnlock()
	return held, true
}

// remove takes a timer out of the wheel. tidyAndUnlock frees it after the wheel has dropped it.
// Caller holds mu.
func (s *Shard) remove(number uint32, k *Timer) {
	k.in, k.Owner = false, nil
	s.wheel.Remove(number, k.at)
}

// RemoveAll ends those timers in list, all of one actor, that are in the wheel. It returns their
// payloads as a chain, which the caller owns.
func (s *Shard) RemoveAll(list []Ref) (payloads *msg.Message) {
	s.mu.Lock()
	for _, t := range list {
		if k := s.slab.find(t); k != nil && k.in {
			if held := k.End(); held != nil {
				held.Next, payloads = payloads, held
			}
			s.remove(t.Number, k)
		}
	}
	s.tidyAndUnlock()
	return payloads
}

// Lost ends a timer that was on its way to an actor that has ended. The caller owns its payload.
func (s *Shard) Lost(number uint32) (held *msg.Message) {
	s.mu.Lock()
	k := s.slab.at(number)
	k.Owner = nil
	held = k.End()
	s.slab.drop(number)
	s.tidyAndUnlock()
	return held
}

// Free frees a timer that has run or will not run. The caller owns it.
func (s *Shard) Free(number uint32, k *Timer) {
	if s.slab.giveBack(number, k) {
		s.mu.Lock()
		s.tidyAndUnlock()
	}
}

// Find returns a timer that has neither run nor was canceled, or nil. Owner of the timer only.
func (s *Shard) Find(t Ref) *Timer { return s.slab.find(t) }

// At returns the timer of a message that has arrived. Owner of the timer only.
func (s *Shard) At(number uint32) *Timer { return s.slab.at(number) }

// OnItsWay reports whether a timer is in no wheel: its message is in the mailbox, or will be in a
// moment. Owner of the timer only, before the timer has run.
func (s *Shard) OnItsWay(t Ref) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.slab.at(t.Number).in
}

// Len returns the number of timers in the wheel.
func (s *Shard) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wheel.Len()
}

// tidyAndUnlock frees the timers that the wheel has dropped, unlocks, and releases the system if no
// timer is left. It does not change the alarm: an alarm that rings once for nothing is cheaper than
// setting it for every timer that is canceled, as most timers are. Caller holds mu.
func (s *Shard) tidyAndUnlock() {
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
		s.all.sched.Release()
	}
}

// see makes the shard runnable if a timer is due, and otherwise ensures that the alarm rings for
// the earliest timer.
func (s *Shard) see(w *sched.Worker, now int64) {
	switch at := s.earliest.Load(); {
	case at > now:
		s.all.ringAt(at)
	case s.queued.CompareAndSwap(0, 1):
		s.all.Start(w, s)
	}
}

var _ sched.Runner = (*Shard)(nil)

// RunTask fires the due timers, several batches a turn: between two turns all other waiting tasks
// have a turn each, so with one batch a turn the last of thousands of timers would wait for many
// rounds. It implements sched.Runner.
func (s *Shard) RunTask(w *sched.Worker) (again bool) {
	if w.Stopping() {
		return true // the worker terminates the queued tasks
	}
	for n := 1; s.fireSome(w); n++ {
		if n == FireTurn || w.MustYield() {
			return true
		}
	}
	w.PrepareNext()
	s.rest(w)
	return false
}

// fireSome fires a batch of due timers, and reports whether more may be due.
func (s *Shard) fireSome(w *sched.Worker) (more bool) {
	s.take(s.all.clock.Nanos())
	s.all.fire(w, s, s.due)
	clear(s.due)
	w.Spend(max(len(s.due), 1))
	return len(s.due) == FireBatch
}

// rest gives the shard up until a timer is due.
func (s *Shard) rest(w *sched.Worker) {
	s.queued.Swap(0)
	if s.earliest.Load() != never {
		s.see(w, s.all.clock.Nanos())
	}
}

// take moves the due timers from the wheel to s.due, a batch at most, and publishes the time of the
// next timer in s.earliest.
func (s *Shard) take(now int64) {
	s.due = s.due[:0]
	s.mu.Lock()
	for len(s.due) < FireBatch {
		n, ok := s.wheel.Pop(uint64(now))
		if !ok {
			break
		}
		s.due = append(s.due, Due{Number: n})
	}
	for i := range s.due { // a loop of its own: the processor fetches several timers at a time
		k := s.slab.at(s.due[i].Number)
		if invariant.On {
			verifyDue(k, s.due[i].Number, now)
		}
		s.due[i].Owner, k.in = k.Owner, false
	}
	next := int64(never)
	if at, ok := s.wheel.Next(); ok {
		next = int64(at)
	}
	s.earliest.Store(next)
	s.tidyAndUnlock() // this turn keeps the system from being quiescent
}

// TaskTerminated implements sched.Runner. It does nothing: timers end with the system.
func (s *Shard) TaskTerminated(*sched.Worker, error) {}

// discardAll calls discard for each timer in the wheel, and clears its owner.
func (s *Shard) discardAll(discard func(owner *sched.Task, held *msg.Message)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n := range s.slab.used {
		if k := s.slab.at(n); k.in {
			discard(k.Owner, k.takeHeld())
			k.Owner = nil
		}
	}
}

// list calls f for the timers in the wheel among listBatch numbers, beginning with from. It returns
// the first number that was never used.
func (s *Shard) list(from uint32, f func(owner *sched.Task)) (used uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	used = s.slab.used
	for n := from; n < min(from+listBatch, used); n++ {
		if k := s.slab.at(n); k.in {
			f(k.Owner)
		}
	}
	return used
}
