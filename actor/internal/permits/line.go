package permits

import (
	"fmt"

	"github.com/gallop-go/gallop/internal/invariant"
)

// Waiter is a waiting goroutine. It belongs to that goroutine, except for the fields that mu guards.
type Waiter struct {
	next, prev *Waiter       // guarded by mu
	in         *line         // guarded by mu; nil: it was woken
	token      chan struct{} // one, when it has a permit or the actor has ended
}

// Token returns the channel on which the goroutine waits. A value says that it has a permit, or
// that the actor has ended. Then it calls WakeNext.
func (w *Waiter) Token() <-chan struct{} { return w.token }

// Woken reports whether the token has come and was not received yet.
func (w *Waiter) Woken() bool { return len(w.token) > 0 }

// line is a line of waiting goroutines. All is guarded by the semaphore's mu.
type line struct {
	first, last *Waiter
}

// add puts w at the end.
func (q *line) add(w *Waiter) {
	if invariant.On {
		q.verifyAdd(w)
	}
	w.in, w.prev, w.next = q, q.last, nil
	if q.last == nil {
		q.first = w
	} else {
		q.last.next = w
	}
	q.last = w
}

// remove takes w out of the line.
func (q *line) remove(w *Waiter) {
	if invariant.On {
		q.verifyRemove(w)
	}
	if w.prev == nil {
		q.first = w.next
	} else {
		w.prev.next = w.next
	}
	if w.next == nil {
		q.last = w.prev
	} else {
		w.next.prev = w.prev
	}
	w.next, w.prev, w.in = nil, nil, nil
}

// Count returns how many permits no message and no goroutine has, free ones and others. It is below
// 0 if more messages have one than there are. Any goroutine.
func (s *Semaphore) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.left + int(s.free.Load())
}

// Lacking reports whether Count is below 0: then no permit is left, and free is below 0 as well. It
// takes no lock, so the answer may be stale. Any goroutine.
func (s *Semaphore) Lacking() bool { return s.free.Load() < 0 }

// Waiting returns how many goroutines are in line without a permit. Any goroutine.
func (s *Semaphore) Waiting() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := s.wait.first; w != nil; w = w.next {
		n++
	}
	return n
}

// Dump describes the permits and the line, for the report of a test that hangs. Any goroutine.
func (s *Semaphore) Dump() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	count := func(q *line) (n int) {
		for w := q.first; w != nil; w = w.next {
			n++
		}
		return n
	}
	return fmt.Sprintf("%d free, %d left, %d in line, %d called, woken %v, closed %v", s.free.Load(), s.left,
		count(&s.wait), count(&s.called), s.woken, s.closed)
}
