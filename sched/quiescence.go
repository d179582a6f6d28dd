package sched

import (
	"context"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/nocmp"
	"github.com/gallop-go/gallop/internal/seam"
)

// Quiescence: nothing is queued or running anywhere, and nothing holds the
// scheduler.
//
// The Pony runtime counts BLOCK and UNBLOCK messages on scheduler 0 and confirms with a round of
// CNF and ACK, whose token any change invalidates. Acknowledging with an actor in hand, or counting
// a stale ACK, ended programs early (ponyc#4583, #4556). Here BLOCK is a worker's bit in the idle
// word and UNBLOCK its clearing, so the count of the blocked is one load. CNF is the step that
// freezes the word: it succeeds only while every bit is set, and from then on no UNBLOCK can pass.
// ACK is reading, in that frozen state, that the inject queue is empty and nothing holds the
// scheduler. A token is not needed, because nothing can change between CNF and ACK. README.md has
// the proof, and the case of an outside sender between the two.
type quiescence struct {
	// The number of waiters. A worker that goes to sleep reads it, and need not lock if it is 0.
	asked seam.Int32
	mu    seam.Mutex
	wait  []*quietWaiter // guarded by mu
	end   bool           // guarded by mu: Stop was completed
}

// quietWaiter waits for quiescence. With last, the scheduler ends at quiescence. With parked, holds
// of parked tasks are ignored.
type quietWaiter struct {
	_            nocmp.Field
	last, parked bool
	err          error
	done         chan struct{}
}

// WaitQuiet blocks until the scheduler is quiescent. It returns ctx's error if ctx ends first, and
// ErrStopped if the scheduler has stopped. If last is true, the scheduler refuses all work from the
// moment of quiescence on. Earlier turns synchronize before WaitQuiet returns.
func (s *Scheduler) WaitQuiet(ctx context.Context, last bool) error {
	q, err := s.newQuietWaiter(&quietWaiter{last: last})
	if err != nil {
		return err
	}
	if s.Await(ctx, q.isDone) {
		return q.err
	}
	return s.quiet.await(ctx, q)
}

// WaitParked is [Scheduler.WaitQuiet] without regard to holds by HoldParked: it returns when
// nothing can go on by itself. In a deterministic run it returns when no thread can go on, turns
// that wait included, or when the run has stopped.
func (s *Scheduler) WaitParked(ctx context.Context) error {
	if s.driver != nil {
		return s.driver.runDry(ctx)
	}
	q, err := s.newQuietWaiter(&quietWaiter{parked: true})
	if err != nil {
		return err
	}
	return s.quiet.await(ctx, q)
}

// await waits for the outcome, or until ctx ends.
func (q *quiescence) await(ctx context.Context, w *quietWaiter) error {
	select {
	case <-w.done:
		return w.err
	case <-ctx.Done():
	}
	if q.remove(w) {
		return ctx.Err()
	}
	<-w.done // quiescence came first
	return w.err
}

func (q *quietWaiter) isDone() bool { return isClosed(q.done) }

// isClosed reports whether c is closed. No value is ever sent on c. Any goroutine.
func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// WaitLast is [Scheduler.WaitQuiet] with last and without a context. It needs no
// select, so a program that only runs to its end links none.
func (s *Scheduler) WaitLast() error {
	q, err := s.newQuietWaiter(&quietWaiter{last: true})
	if err != nil {
		return err
	}
	if !s.Await(context.Background(), q.isDone) {
		<-q.done
	}
	return q.err
}

func (s *Scheduler) newQuietWaiter(q *quietWaiter) (*quietWaiter, error) {
	q.done = make(chan struct{})
	if !s.quiet.add(q) {
		return nil, ErrStopped
	}
	s.quiet.check(s)
	return q, nil
}

func (q *quiescence) add(w *quietWaiter) bool {
	q.mu.Lock()
	ended := q.end
	if !ended {
		if invariant.On {
			verifyWaiters(q)
		}
		q.wait = append(q.wait, w)
		// Pairs with the load in check: either the last sleeper sees this waiter, or the
		// waiter's own check sees it asleep.
		q.asked.Add(1)
	}
	q.mu.Unlock()
	return !ended
}

func (q *quiescence) remove(w *quietWaiter) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, o := range q.wait {
		if o == w {
			q.wait = append(q.wait[:i], q.wait[i+1:]...)
			q.asked.Add(-1)
			if invariant.On {
				verifyWaiters(q)
			}
			return true
		}
	}
	return false
}

// check releases the waiters if the scheduler is quiescent. It is called where the last reason
// against quiescence may have gone: by the last worker to fall asleep, at the release of the last
// hold, and by every new waiter.
func (q *quiescence) check(s *Scheduler) {
	if q.asked.Load() == 0 {
		return
	}
	q.mu.Lock()
	workLeft := q.decide(s)
	q.mu.Unlock() // without defer, as in idleWorkers.nextID
	if workLeft {
		s.notify() // not under the lock: after a Stop it discards
	}
}

// decide releases the waiters if the scheduler is quiescent. Otherwise it reports whether the
// inject queue has work, which may be unknown to all workers. Caller holds mu.
func (q *quiescence) decide(s *Scheduler) (workLeft bool) {
	if invariant.On {
		verifyWaiters(q)
	}
	if s.idle.closed() {
		q.release(s.verdict())
		return false
	}
	if len(q.wait) == 0 || !s.idle.freeze() { // Q1, CNF
		return false
	}
	holds := s.holds.Load()
	if invariant.On {
		verifyHolds(holds)
	}
	if unparkedHolds(holds) != 0 || !s.inject.empty() { // Q2, Q3, ACK
		s.idle.thaw() // Q4, as below
		return !s.inject.empty()
	}
	if invariant.On {
		verifyQuiet(s)
	}
	switch {
	case holds != 0 && (s.cfg.Parked == nil || !s.cfg.Parked(int(holds/oneParkedHold))):
		s.idle.thaw()
		q.releaseParked()
		return false
	case q.wantsEnd():
		s.idle.close()
	default:
		s.idle.thaw()
	}
	q.release(nil)
	return false
}

// verdict is the outcome for a waiter that comes after the end. Called only after the idle word was
// closed.
func (s *Scheduler) verdict() error {
	if s.Stopping() {
		return ErrStopped
	}
	return nil // quiescent for good
}

func (q *quiescence) wantsEnd() bool {
	for _, w := range q.wait {
		if w.last {
			return true
		}
	}
	return false
}

// release lets all waiters go. It is not inlined, which keeps small programs small. Caller holds
// mu.
//
//go:noinline
func (q *quiescence) release(err error) {
	for _, w := range q.wait {
		w.err = err
		close(w.done)
	}
	q.asked.Add(-int32(len(q.wait)))
	q.wait = nil
	if invariant.On {
		verifyWaiters(q)
	}
}

// releaseParked lets the waiters of WaitParked go. Caller holds mu.
func (q *quiescence) releaseParked() {
	keep := q.wait[:0]
	for _, w := range q.wait {
		if w.parked {
			close(w.done)
			q.asked.Add(-1)
		} else {
			keep = append(keep, w)
		}
	}
	clear(q.wait[len(keep):])
	q.wait = keep
	if invariant.On {
		verifyWaiters(q)
	}
}

// abort lets all waiters go because the scheduler has stopped.
func (q *quiescence) abort() {
	q.mu.Lock()
	q.end = true
	q.release(ErrStopped)
	q.mu.Unlock()
}

// The holds are one word. The lower half counts holds that may end by themselves. The upper half
// counts tasks that are parked until another task or goroutine resumes them.
const (
	oneHold       = 1
	oneParkedHold = 1 << 32
)

// unparkedHolds returns the lower half.
func unparkedHolds(holds int64) int32 { return int32(holds) }

// Hold keeps the scheduler from being quiescent until Release, for work outside its queues: a
// timer, a socket, a service. If the scheduler has ended, Hold reports false and holds nothing. Any
// goroutine.
func (s *Scheduler) Hold() bool { return s.hold(oneHold) }

// HoldParked is [Scheduler.Hold] for a parked task, such as a muted actor, which waits until a
// turn, a timer or an outside caller makes it runnable. After that, ReleaseParked takes the hold
// back. Each costs one locked instruction. See [Scheduler.WaitParked]. Any goroutine.
func (s *Scheduler) HoldParked() bool { return s.hold(oneParkedHold) }

func (s *Scheduler) hold(one int64) bool {
	s.holds.Add(one)         // pairs with the load in check
	if s.idle.checkEnded() { // either the check saw the hold, or it ended before
		s.holds.Add(-one)
		return false
	}
	return true
}

// Release takes one Hold back. Any goroutine.
func (s *Scheduler) Release() {
	n := unparkedHolds(s.holds.Add(-oneHold))
	if s.driver != nil {
		s.driver.nudge() // a thread may wait for this release
	}
	switch {
	case n == 0:
		s.quiet.check(s) // of WaitParked; WaitQuiet may have to wait on
	case n < 0:
		panic("gallop: sched: Release without Hold")
	}
}

// ReleaseParked takes one HoldParked back. Any goroutine.
func (s *Scheduler) ReleaseParked() {
	switch n := s.holds.Add(-oneParkedHold); {
	case n == 0:
		s.quiet.check(s)
	case n < 0:
		panic("gallop: sched: ReleaseParked without HoldParked")
	}
}

// OnlyHolds returns the number of holds, and reports whether they alone keep the scheduler from
// being quiescent: nothing is queued or runs. Any goroutine. The answer may be stale.
func (s *Scheduler) OnlyHolds() (n int64, ok bool) {
	holds := s.holds.Load()
	return int64(unparkedHolds(holds)) + holds/oneParkedHold, s.idle.quiet() && s.inject.empty()
}
