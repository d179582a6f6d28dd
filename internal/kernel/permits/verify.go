package permits

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// Invariants of permits and of waiting goroutines, for builds that check them.

// verify checks the count of permits. Caller holds mu.
func (s *Semaphore) verify(r Receiver) {
	free := int(seam.Peek(&s.free))
	most := Max
	if s.bound > 0 {
		most = s.bound
	}
	invariant.Check(s.bound > 0 || free >= 0, "%v has no bound, and lacks %d permits", r, -free)
	invariant.Check(s.left >= 0 && (s.closed || s.left+free <= most),
		"%v has %d permits and %d free ones, of %d", r, s.left, free, most)
	invariant.Check(!s.closed || s.wait.first == nil && s.called.first == nil,
		"%v has ended, and a goroutine waits for a permit", r)
	invariant.Check(s.wait.first == nil || free <= 0,
		"a goroutine waits for a permit of %v, and %d are free", r, free)
}

// verifyRemove checks the place of a goroutine in the line. Caller holds mu.
func (q *line) verifyRemove(w *Waiter) {
	invariant.Check(w.in == q, "a waiter leaves a line and is in another")
	invariant.Check((w.prev == nil) == (q.first == w), "the first in line has one before it")
	invariant.Check((w.next == nil) == (q.last == w), "the last in line has one behind it")
	invariant.Check(w.prev == nil || w.prev.next == w, "the one before a waiter has another behind it")
	invariant.Check(w.next == nil || w.next.prev == w, "the one behind a waiter has another before it")
}

// verifyAdd checks a goroutine that joins the line. Caller holds mu.
func (q *line) verifyAdd(w *Waiter) {
	invariant.Check(w.in == nil && w.next == nil && w.prev == nil, "a waiter joins a second line")
	invariant.Check((q.first == nil) == (q.last == nil), "a line with one end")
}
