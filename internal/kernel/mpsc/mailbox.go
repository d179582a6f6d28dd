// Package mpsc has the queues of an actor: its [Mailbox] with the consumer's half, [Inbox]; the
// [Bias] by which the worker that has woken the actor appends to the inbox without a locked
// instruction; and the [SystemQueue], whose messages overtake ordinary mail.
package mpsc

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/kernel/msg"
	"github.com/gallop-go/gallop/internal/nocmp"
	"github.com/gallop-go/gallop/internal/seam"
)

// Message is the message that the queues link.
type Message = msg.Message

// closedMark is the head of a queue whose actor has ended. nil is the head of a mailbox whose actor
// is not scheduled, so that the zero Mailbox is ready for use.
var closedMark = Message{OwnerTag: msg.MarkTag}

// Mailbox is an intrusive, unbounded, lock-free queue with many producers and one consumer. "Empty
// and unscheduled" is a value of the queue word itself, so that the push says whether the receiver
// must be scheduled. This is the producers' half; the consumer's half is [Inbox], on another cache
// line.
//
// Rejected: Vyukov's queue with a tagged head, which the Pony runtime uses. It costs a swap and a
// linking store per message, two locked instructions in Go, and needs a pointer that is not a
// pointer. Rejected as well: a stack that the consumer empties with a swap. It costs a locked
// instruction per drain besides the locked instruction per message. docs/decisions/0003-mailbox.md
// has the figures.
//
// Chosen: producers push onto a stack. The consumer never takes its top node away: it walks from
// the present head down to the last head it took, its tail, reverses the nodes in between, and
// remembers the new tail. The top node stays in place, read but not recycled, until a later drain,
// so that head is never empty while the actor is scheduled. To go idle the consumer swings head
// from its tail to nil; that succeeds only if nothing was pushed since the last drain.
//
//	head:  nil ──push──▶ m1 ──push──▶ m2→m1 ──push──▶ m3→m2 …
//	        ▲                            │ drain: tail = m2, pending = m1, m2
//	        └──── TryIdle, if head = tail ┘
//
// One locked instruction per message, one per transition to idle, none per drain; and none per
// message from the worker that has woken the actor: see [Bias].
//
// A producer that read head = h and was overtaken may find h again at its compare-and-swap although
// h was recycled in between (ABA). That is harmless: the producer links its message to h and does
// not read h, and at that moment h is the head. The tail cannot be recycled while it is the tail,
// so the consumer's walk ends, and TryIdle cannot succeed by mistake.
type Mailbox struct {
	_    nocmp.Field
	head seam.Pointer[Message]
}

// Pushed is the result of a push.
type Pushed int

const (
	// PushQueued: the receiver is scheduled already, or its waking sender is about to schedule it.
	PushQueued Pushed = iota
	// PushWoke: the caller must schedule the receiver.
	PushWoke
	// PushClosed: the receiver has ended; the caller keeps the message.
	PushClosed
	// PushIdle, by PushBusy only: the receiver is idle; the caller keeps the message.
	PushIdle
)

// Push appends m. Any goroutine. The caller's earlier writes synchronize before the behaviour that
// handles m.
func (q *Mailbox) Push(m *Message) Pushed {
	if invariant.On {
		verifyPush(m)
	}
	for {
		h := q.head.Load()
		if h == &closedMark {
			return PushClosed
		}
		m.Next = h
		// Publishes m; pairs with the loads in Drain and TryIdle.
		if !q.head.CompareAndSwap(h, m) {
			continue
		}
		if h == nil {
			return PushWoke
		}
		return PushQueued
	}
}

// PushBusy is Push for receivers that are scheduled. If the receiver is idle, it does nothing and
// returns PushIdle. Any goroutine.
func (q *Mailbox) PushBusy(m *Message) Pushed {
	if invariant.On {
		verifyPush(m)
	}
	for {
		h := q.head.Load()
		if h == nil {
			return PushIdle
		}
		if h == &closedMark {
			return PushClosed
		}
		m.Next = h
		if q.head.CompareAndSwap(h, m) { // as in Push
			return PushQueued
		}
	}
}

// Head returns the head of the mailbox: the newest pushed message, a mark, or nil if the actor is
// idle. It is the first half of a push that the caller inlines by hand; [Mailbox.Swing] is the
// second. Any goroutine.
func (q *Mailbox) Head() *Message { return q.head.Load() }

// IsClosed reports whether h, which Head has returned, is the mark of a closed mailbox.
func IsClosed(h *Message) bool { return h == &closedMark }

// Swing replaces h, which Head has returned, by n as the head of the mailbox. It reports whether it
// did; it does nothing if the head has changed meanwhile. h is not the mark of a closed mailbox.
// The caller has just stored n in an object of the heap: see seam.SwapHeld.
func (q *Mailbox) Swing(h, n *Message) bool { return seam.SwapHeld(&q.head, h, n) } // as in Push

// Idle reports whether the actor is not scheduled. Any goroutine; the answer may be stale.
func (q *Mailbox) Idle() bool { return q.head.Load() == nil }

// Closed reports whether the actor refuses mail for good. Any goroutine.
func (q *Mailbox) Closed() bool { return q.head.Load() == &closedMark }

// MakeClosed closes a mailbox that no other goroutine knows yet.
func (q *Mailbox) MakeClosed() { q.head.Store(&closedMark) }

// Drain moves the messages since the last drain to the pending messages, oldest first: appended
// messages (under a bias), and then pushed ones. It reports whether there were any. stub is a
// message that may be recycled now, or a mark, or nil. Consumer only, with nothing pending.
func (q *Mailbox) Drain(in *Inbox) (stub *Message, ok bool) {
	if invariant.On {
		verifyEmpty(in)
	}
	h, tail := q.head.Load(), in.tail // the load pairs with Push
	in.pending = msg.Reversed(h, tail)
	if in.appended != nil {
		first, end := in.TakeAppended()
		end.Next, in.pending = in.pending, first
	}
	if h == tail {
		return nil, in.pending != nil
	}
	in.tail = h
	if invariant.On {
		verifyDrained(in, tail)
	}
	return tail, true
}

// DrainTo is Drain of the messages up to h, a head that the consumer has seen. The mailbox has no
// bias.
func (q *Mailbox) DrainTo(in *Inbox, h *Message) (stub *Message) {
	stub = in.tail
	in.pending, in.tail = msg.Reversed(h, stub), h
	return stub
}

// DrainBehind is Drain with one message pending, which stays the first. Consumer only.
func (q *Mailbox) DrainBehind(in *Inbox) (stub *Message) {
	one := in.pending
	in.pending = nil
	stub, _ = q.Drain(in)
	one.Next, in.pending = in.pending, one
	if stub == one {
		return nil // one is the stub, and has not run yet
	}
	return stub
}

// TryIdle marks the mailbox idle if nothing came in since the last drain, and reports whether it
// did. If it did, the consumer must not touch the actor any more: the next push schedules it. Then
// stub may be recycled. Consumer only, with nothing pending and nothing appended.
func (q *Mailbox) TryIdle(in *Inbox) (stub *Message, ok bool) {
	if invariant.On {
		verifyEmpty(in)
	}
	tail := in.tail
	in.tail = nil // before the swap: afterwards the inbox may have another owner
	if seam.SwapHeld(&q.head, tail, nil) {
		return tail, true
	}
	in.tail = tail
	return nil, false
}

// Close closes the mailbox and returns the messages that have not run, oldest first. Later
// pushes are refused, and a later turn finds no messages. stub may be recycled. Consumer only, or
// the actor's owner after its end.
func (q *Mailbox) Close(in *Inbox) (left, stub *Message) {
	in.unroll()
	first, tail := in.pending, in.tail
	in.pending, in.tail = nil, &closedMark
	h := tail
	// Nearly always nothing has come in, as in TryIdle.
	if !seam.SwapHeld(&q.head, tail, &closedMark) {
		h = q.head.Swap(&closedMark) // takes over the pushed messages
	}
	if invariant.On {
		verifyClosed(q)
	}
	if h == &closedMark {
		return first, nil
	}
	if first == nil {
		stub = tail
	}
	return msg.Concat(first, msg.Reversed(h, tail)), stub
}

// CloseEmpty closes the mailbox if nothing has come in since the last drain, and reports whether it
// did. If it did, stub may be recycled; otherwise the inbox is unchanged. Consumer only, with
// nothing pending and nothing appended. The terminated record of the actor must be stored before:
// the swap publishes it.
func (q *Mailbox) CloseEmpty(in *Inbox) (stub *Message, ok bool) {
	tail := in.tail
	in.tail = &closedMark // before the swap: a later turn finds no messages
	if seam.SwapHeld(&q.head, tail, &closedMark) {
		return tail, true
	}
	in.tail = tail
	return nil, false
}
