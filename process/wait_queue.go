package process

import (
	"time"

	"github.com/gallop-go/gallop/internal/seam"
)

// waiter is a party's offer at a channel, or its place in the queue of a mutex or the like. It
// belongs to the party while it is in no queue, and to the queue's lock while it is in one.
type waiter[T any] struct {
	pt         *party
	ticket     uint32 // written by a counterpart into the party's ticket
	queued     bool
	only       bool // the party is in no other queue
	ok         bool // of a receiver: v was sent; of a sender: it was received
	next, prev *waiter[T]
	v          T
}

// takeWaiter returns a waiter of pt: its last one, if the type fits, or a new one.
func takeWaiter[T any](pt *party) *waiter[T] {
	if w, ok := pt.waiter.(*waiter[T]); ok && w != nil {
		pt.waiter = (*waiter[T])(nil)
		return w
	}
	return &waiter[T]{pt: pt, ticket: 1, only: true}
}

// giveBack keeps w for the next time, and forgets its value.
func (w *waiter[T]) giveBack() {
	var zero T
	w.v = zero
	w.pt.waiter = w
}

// waitQueue has waiters in the order in which they came. Its owner's lock guards it.
type waitQueue[T any] struct{ first, last *waiter[T] }

func (q *waitQueue[T]) push(w *waiter[T]) {
	w.queued, w.ok = true, false
	w.prev, w.next = q.last, nil
	if q.last == nil {
		q.first = w
	} else {
		q.last.next = w
	}
	q.last = w
}

// dropFirst takes w out, which is the first.
func (q *waitQueue[T]) dropFirst(w *waiter[T]) {
	next := w.next
	w.queued, w.next, q.first = false, nil, next
	if next == nil {
		q.last = nil
	} else {
		next.prev = nil
	}
}

// remove takes w out, if it is in the queue.
func (q *waitQueue[T]) remove(w *waiter[T]) {
	if !w.queued {
		return
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
	w.queued, w.prev, w.next = false, nil, nil
}

// enter opens the party's ticket and enters w in the queue, as its only offer. Caller holds the
// queue's lock.
func (q *waitQueue[T]) enter(w *waiter[T]) {
	w.pt.won.StoreRelease(open) // no other has the ticket yet
	q.push(w)
}

// await waits until w was claimed, which is the party's only offer. mu is the queue's lock, which
// the caller does not hold. If the process is told to end first, await does not return.
func (q *waitQueue[T]) await(w *waiter[T], mu *seam.QuickMutex, op op) {
	pt, as := w.pt, parked|uint32(op)<<opShift
	for pt.won.Load() == open {
		if p := pt.proc; p != nil && p.suspend(as) || p == nil && pt.suspend(as) {
			continue
		}
		if q.withdraw(w, mu) {
			pt.proc.leave()
		}
	}
}

// awaitWithin is await, at most for d if that is positive. It reports false if w was not claimed,
// and has taken it back.
func (q *waitQueue[T]) awaitWithin(w *waiter[T], mu *seam.QuickMutex, op op, d time.Duration) bool {
	if d <= 0 {
		q.await(w, mu, op)
		return true
	}
	pt, as := w.pt, parked|uint32(op)<<opShift
	t := pt.sys.timers.arm(pt, d)
	for pt.won.Load() == open {
		live := t.fired.Load() || pt.suspend(as)
		if live && !t.fired.Load() || !q.withdraw(w, mu) {
			continue
		}
		pt.sys.timers.disarm(t)
		if !live {
			pt.proc.leave()
		}
		return false
	}
	pt.sys.timers.disarm(t)
	return true
}

// withdraw takes back w, which is the party's only offer, and reports whether it was not claimed.
func (q *waitQueue[T]) withdraw(w *waiter[T], mu *seam.QuickMutex) bool {
	mu.Lock()
	defer mu.Unlock()
	was := w.queued
	q.remove(w)
	return was
}

// commit decides the ticket of w's party for w, which was just taken out of its queue, and reports
// whether it was open. Caller holds the queue's lock.
func (w *waiter[T]) commit() bool {
	if w.only { // it was in the queue, so the party has not withdrawn
		w.pt.won.StoreRelease(w.ticket) // pairs with the load in await
		return true
	}
	return w.pt.won.CompareAndSwap(open, w.ticket)
}

// claimReceiver takes the first waiter out whose party has neither committed to another case nor
// withdrawn, and commits that party to receive v. It returns the party, which is to be woken, or
// nil if there is none. The value is written ahead of the commit, since the party may go on as soon
// as its ticket is decided.
func (q *waitQueue[T]) claimReceiver(v T, ok bool) *party {
	for w := q.first; w != nil; w = q.first {
		q.dropFirst(w)
		pt := w.pt
		w.v, w.ok = v, ok
		if w.commit() {
			return pt
		}
		var zero T
		w.v, w.ok = zero, false
	}
	return nil
}

// claimSender is claimReceiver for a sending party, and returns its value. ok is the result for the
// sender: true if the value was received, false if the channel is closed.
func (q *waitQueue[T]) claimSender(ok bool) (v T, pt *party) {
	for w := q.first; w != nil; w = q.first {
		q.dropFirst(w)
		v, pt = w.v, w.pt
		w.ok = ok
		if w.commit() {
			return v, pt
		}
		w.ok = false
	}
	var zero T
	return zero, nil
}
