package permits

import (
	"fmt"

	"github.com/gallop-go/gallop/internal/invariant"
)

// Waiter is a waiting goroutine. It belongs to that goroutine, except for the fields that mu
// guards.
type Waiter struct {
	next, prev *Waiter       // guarded by mu
	in         *line         // guarded by mu; nil: it was woken
	token      chan struct{} // gets one value, with the permit or at the end of the actor
}

// Token returns the channel on which the goroutine waits. A value says that it has a permit, or
// that the actor has ended. Then it calls WakeNext.
func (w *Waiter) Token() <-chan struct{} { return w.token }

// Woken reports whether the token has come and was not received yet.
func (w *Waiter) Woken() bool { return len(w.token) > 0 }

// line is a line of waiting goroutines. The semaphore's mu guards it.
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

// Count returns the number of permits that no message and no goroutine has. It is negative if more
// permits were taken than there are: see Exceed. Any goroutine.
func (s *Semaphore) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.left + int(s.free.Load())
}

// Lacking reports whether Count is negative. It takes no lock, so the answer may be stale. Any
// goroutine.
func (s *Semaphore) Lacking() bool { return s.free.Load() < 0 }

// Waiting returns the number of goroutines in line without a permit. Any goroutine.
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
