package actor

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/nocmp"
	"github.com/gallop-go/gallop/internal/seam"
)

// The mailbox: an intrusive, unbounded, lock-free queue with many producers and
// one consumer. "Empty and unscheduled" is a value of the queue word itself, so
// that the push says whether the receiver must be scheduled.
//
// Rejected: Vyukov's queue with a tagged head, which the Pony runtime uses, costs
// a swap and a linking store per message, two locked instructions in Go, and a
// pointer that is not a pointer. A stack that the consumer empties with a swap
// costs a locked instruction per grab on top of the one per message.
// docs/decisions/0003-mailbox.md has the figures.
//
// Chosen: producers push onto a stack. The consumer never takes its top node away:
// it walks from the head that it sees down to the last head it took, reverses what
// it passed, and remembers the new last. The top node stays in place, read but not
// recycled, until a later grab, so that head is never empty while the actor is
// scheduled. To go idle the consumer swings head from its last to nil; that
// succeeds only if nothing was pushed since the last grab.
//
//	head:  idleMark ──push──▶ m1 ──push──▶ m2→m1 ──push──▶ m3→m2 …
//	          ▲                                │ grab: last = m2, fifo = m1, m2
//	          └──── rest, if head = last ──────┘
//
// One locked instruction per message, one per transition to idle, none per grab; and none per
// message from the worker that has woken the actor: see bias.
//
// A producer that read head = h and was overtaken may find h again at its
// compare-and-swap although h was recycled in between (ABA). That is harmless: it
// links its message to h and never looks into it, and at that moment h is the head.
// last cannot be recycled while it is last, so the consumer's walk ends, and rest
// cannot succeed by mistake.

// closedMark is the head of a mailbox whose actor has ended. nil is the head of one whose actor is
// not scheduled, so that a new mailbox is ready as it is.
var closedMark message

// mailbox is the producers' half; the consumer's half is inbox, on another line.
type mailbox struct {
	_    nocmp.Field
	head seam.Pointer[message]
}

// inbox is the consumer's half of a mailbox. Owner only.
type inbox struct {
	pending  *message // taken and not yet run, oldest first
	tail     *message // the head at the last grab, or the mark below; nil after idle
	appended *message // appended under a bias, and not yet taken: see there
}

// pushed is what a push did.
type pushed int

const (
	// The receiver is scheduled already, or will be by whoever woke it.
	pushQueued pushed = iota
	pushWoke          // the caller must schedule the receiver
	pushClosed        // the receiver has ended; the caller keeps the message
	// pushBusy only: the receiver is idle; the caller keeps the message.
	pushIdle
)

// push appends m. Any goroutine. What the caller did before synchronizes before
// the behaviour that handles m.
func (q *mailbox) push(m *message) pushed {
	if invariant.On {
		verifyPush(m)
	}
	for {
		h := q.head.Load()
		if h == &closedMark {
			return pushClosed
		}
		m.next = h
		if !q.head.CompareAndSwap(h, m) { // publishes m; pairs with the loads in grab and rest
			continue
		}
		if h == nil {
			return pushWoke
		}
		return pushQueued
	}
}

// pushBusy is push for receivers that are scheduled: it leaves an idle one alone.
// Any goroutine.
func (q *mailbox) pushBusy(m *message) pushed {
	if invariant.On {
		verifyPush(m)
	}
	for {
		h := q.head.Load()
		if h == nil {
			return pushIdle
		}
		if h == &closedMark {
			return pushClosed
		}
		m.next = h
		if q.head.CompareAndSwap(h, m) { // as in push
			return pushQueued
		}
	}
}

// drain moves what has come in since the last grab to in.fifo, oldest first: what was appended
// under a bias, and then what was pushed. It reports whether there was any. spent is a message that
// may be recycled now, or a mark, or nil. Consumer only, with in.fifo empty.
func (q *mailbox) drain(in *inbox) (stub *message, ok bool) {
	if invariant.On {
		verifyEmpty(in)
	}
	h, last := q.head.Load(), in.tail // the load pairs with push
	in.pending = reversed(h, last)
	if in.appended != nil {
		first, end := in.takeAppended()
		end.next, in.pending = in.pending, first
	}
	if h == last {
		return nil, in.pending != nil
	}
	in.tail = h
	if invariant.On {
		verifyDrained(in, last)
	}
	return last, true
}

// drainBehind is grab with one message in hand, which stays the first. Consumer only.
func (q *mailbox) drainBehind(in *inbox) (stub *message) {
	one := in.pending
	in.pending = nil
	stub, _ = q.drain(in)
	one.next, in.pending = in.pending, one
	if stub == one {
		return nil // it has stayed in place, and is still to run
	}
	return stub
}

// reversed reverses the chain from h down to end, without end.
func reversed(h, end *message) (first *message) {
	for h != end {
		h.next, first, h = first, h, h.next
	}
	return first
}

// tryIdle marks the mailbox idle if nothing came in since the last grab, and reports whether it
// did. If it did, the consumer must not touch the actor any more: the next push schedules it. spent
// may be recycled. Consumer only, with in.fifo and in.more empty.
func (q *mailbox) tryIdle(in *inbox) (stub *message, ok bool) {
	if invariant.On {
		verifyEmpty(in)
	}
	last := in.tail
	in.tail = nil // before the swap: afterwards it may be somebody else's
	if seam.SwapHeld(&q.head, last, nil) {
		return last, true
	}
	in.tail = last
	return nil, false
}

// close ends the mailbox and returns everything that was in it and not yet run, oldest first. Later
// pushes are refused. spent may be recycled. Consumer only, or the actor's owner after its end.
func (q *mailbox) close(in *inbox) (left, stub *message) {
	in.unroll()
	first, last := in.pending, in.tail
	in.pending, in.tail = nil, nil
	h := last
	if !seam.SwapHeld(&q.head, last, &closedMark) { // nothing has come in, as in rest
		h = q.head.Swap(&closedMark) // takes over every message whose push succeeded
	}
	if invariant.On {
		verifyClosed(q)
	}
	if h == &closedMark {
		return first, nil
	}
	if first == nil {
		stub = last
	}
	return concat(first, reversed(h, last)), stub
}

// closed reports whether the actor refuses mail for good. Any goroutine.
func (q *mailbox) closed() bool { return q.head.Load() == &closedMark }

// concat appends list b to list a.
func concat(a, b *message) *message {
	if a == nil {
		return b
	}
	m := a
	for m.next != nil {
		m = m.next
	}
	m.next = b
	return a
}
