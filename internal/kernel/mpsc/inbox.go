package mpsc

import "github.com/gallop-go/gallop/internal/kernel/msg"

// Inbox is the consumer's half of a mailbox: the messages that the turn has taken out. Only the
// worker that owns the actor uses it, except for the appends that a [Bias] allows.
type Inbox struct {
	pending *Message // taken and not yet run, oldest first
	// The head at the last drain, or a bias mark; nil after idle.
	tail *Message
	// The last of the messages that were appended under a bias and not yet taken: a ring.
	appended *Message
}

// Pending returns the first pending message, which was taken out and has not run, or nil.
func (in *Inbox) Pending() *Message { return in.pending }

// SetPending makes m, and the messages to which it links, the pending messages.
func (in *Inbox) SetPending(m *Message) { in.pending = m }

// Prepend moves a list before the pending messages, in constant time.
func (in *Inbox) Prepend(l *msg.List) { in.pending = l.Before(in.pending) }

// Tail returns the mailbox's head at the last drain, or a bias mark.
func (in *Inbox) Tail() *Message { return in.tail }

// IsTop reports whether m was the mailbox's top node at the last drain. That node stays in place
// after it has run.
func (in *Inbox) IsTop(m *Message) bool { return m == in.tail }

// HasAppended reports whether there are appended messages.
func (in *Inbox) HasAppended() bool { return in.appended != nil }

// Wake makes the consumer begin with m. The sender that wakes the actor has not pushed m: its mark
// is the head instead. The sender owns the actor until it schedules it.
func (in *Inbox) Wake(m, mark *Message) { in.pending, in.tail = m, mark }

// IsZero reports whether the inbox is in the state of a new actor's inbox.
func (in *Inbox) IsZero() bool { return *in == Inbox{} }

// Waits reports whether there is mail that the turn has not taken out. Consumer only.
func (q *Mailbox) Waits(in *Inbox) bool { return in.appended != nil || q.head.Load() != in.tail }

// Arrived returns the chain of the pushed messages that the consumer has not taken out, newest
// first. end is the message after the last one of the chain. The messages stay in the mailbox.
// Appended messages are not among them. Consumer only.
func (q *Mailbox) Arrived(in *Inbox) (newest, end *Message) {
	if h := q.head.Load(); h != &closedMark { // the load pairs with Push
		return h, in.tail
	}
	return nil, nil
}

// Each calls visit for all messages, pending ones first, until visit returns false. It is for the
// consumer, or for a goroutine that keeps it from running.
func (q *Mailbox) Each(in *Inbox, visit func(m *Message) bool) {
	for m := in.pending; m != nil; m = m.Next {
		if !visit(m) {
			return
		}
	}
	if end := in.appended; end != nil {
		for m := end.Next; ; m = m.Next {
			if !visit(m) {
				return
			}
			if m == end {
				break
			}
		}
	}
	newest, end := q.Arrived(in)
	for m := newest; m != nil && m != end && visit(m); m = m.Next {
	}
}

// Peek is Each for a goroutine that cannot keep the consumer from running: the nodes may be used
// again meanwhile. So the visited messages are hints, and the race detector ignores the function.
// Pointers lead to messages in any case. The walk ends at the end of the list, or when visit
// returns false. most bounds the visits of appended messages, whose ring may change meanwhile.
//
//go:norace
//go:noinline
func (q *Mailbox) Peek(in *Inbox, most int, visit func(m *Message) bool) {
	for m := in.pending; m != nil; m = m.Next {
		if !visit(m) {
			return
		}
	}
	if end := in.appended; end != nil {
		for m, left := end.Next, most; m != nil && left > 0; m, left = m.Next, left-1 {
			if !visit(m) {
				return
			}
			if m == end {
				break
			}
		}
	}
	tail := in.tail
	for m := q.head.Load(); m != nil && m != tail && m != &closedMark; m = m.Next {
		if !visit(m) {
			return
		}
	}
}

// add appends m to the ring of appended messages.
func (in *Inbox) add(m *Message) {
	if last := in.appended; last == nil {
		m.Next = m
	} else {
		m.Next, last.Next = last.Next, m
	}
	in.appended = m
}

// TakeAppended removes the appended messages, and returns the first and the last of them, or nil
// and nil.
func (in *Inbox) TakeAppended() (first, last *Message) {
	if last = in.appended; last == nil {
		return nil, nil
	}
	first, last.Next, in.appended = last.Next, nil, nil
	return first, last
}

// PutAppended restores the appended messages that TakeAppended has returned.
func (in *Inbox) PutAppended(first, last *Message) {
	if last != nil {
		last.Next, in.appended = first, last
	}
}

// unroll puts the appended messages after the pending ones.
func (in *Inbox) unroll() {
	if in.appended != nil {
		first, _ := in.TakeAppended()
		in.pending = msg.Concat(in.pending, first)
	}
}
