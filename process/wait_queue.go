package process

// waiter is a party's offer at a channel, or its place in the queue of a mutex or the like. It
// belongs to the party while it is in no queue, and to the queue's lock while it is in one.
type waiter[T any] struct {
	pt         *party
	ticket     uint32 // what a counterpart writes into the party's ticket
	queued     bool
	ok         bool // of a receiver: v was sent; of a sender: it was received
	next, prev *waiter[T]
	v          T
}

// takeWaiter returns a waiter of pt: the one that it used last, if that fits.
func takeWaiter[T any](pt *party) *waiter[T] {
	if w, ok := pt.waiter.(*waiter[T]); ok && w != nil {
		pt.waiter = (*waiter[T])(nil)
		return w
	}
	return &waiter[T]{pt: pt, ticket: 1}
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

// claimReceiver takes the first waiter out whose party has neither committed to another case nor
// withdrawn, and commits that party to receive v. It returns the party, which is to be woken, or
// nil if there is none. The value is written ahead of the commit, since the party may go on as soon
// as its ticket is decided.
func (q *waitQueue[T]) claimReceiver(v T, ok bool) *party {
	for w := q.first; w != nil; w = q.first {
		q.remove(w)
		pt := w.pt
		w.v, w.ok = v, ok
		if pt.won.CompareAndSwap(open, w.ticket) {
			return pt
		}
		var zero T
		w.v, w.ok = zero, false
	}
	return nil
}

// claimSender is claimReceiver for a party that sends, and returns its value. ok is what the sender
// learns: whether the value was received, and not the channel closed.
func (q *waitQueue[T]) claimSender(ok bool) (v T, pt *party) {
	for w := q.first; w != nil; w = q.first {
		q.remove(w)
		v, pt = w.v, w.pt
		w.ok = ok
		if pt.won.CompareAndSwap(open, w.ticket) {
			return v, pt
		}
		w.ok = false
	}
	var zero T
	return zero, nil
}
