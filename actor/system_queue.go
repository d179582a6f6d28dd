package actor

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// The system queue: what overtakes ordinary mail. It carries the runtime's own signals (stop,
// link, monitor, restart and their like) and the messages of urgent behaviours, in one
// queue of its own beside the mailbox.
//
// Rejected: one queue with two ends, which would cost ordinary mail an instruction; a
// flag that says "look for signals in your mail", which finds them only by a walk
// through all of it.
//
// Chosen: a stack that producers push to and the owner empties with a swap. Its head
// is the word that a turn looks at before every message, where a stop flag was before:
// the system queue costs ordinary mail nothing.
//
// A turn that runs finds a signal by itself. To everybody else it is brought:
//
//	sender                                     the actor
//	S1 push to the system queue                        A1 rest, or Park   (RMW, gives it up)
//	S2 recall it if it is parked   (RMW)       A2 after a Park: system queue not empty? then
//	S3 else push a wake message to the box        recall itself
//
// No signal is overlooked. Suppose the actor goes idle with it in the system queue. Then its
// rest succeeded, so no push to the box came between its last grab and A1. So S3 came
// after A1, found the box idle, and made the actor runnable; or before the grab, and then
// a turn has begun since S1 and has seen the system queue. Suppose it parks. If S2 came after A1,
// S2 recalled it. If S2 came before, so did S1, and A2 sees the system queue. Both may happen, but
// only one Recall succeeds. A box that is closed refuses S3, and needs none: such an
// actor never rests, it runs, or parks, or ends.
//
// And nobody is recalled to run mail. A turn may serve the signal between S1 and S2, and park; then
// S2 recalls an actor whose system queue is empty. So the sender that recalls leaves a message
// there that says nothing, unless there is one already: the turn looks, and parks again.
//
// At the end the owner closes the box, and then the system queue with a swap: a signal is either
// among what the swap took, or its sender is told, and answers for the dead. An actor that has
// nothing to see to at its end saves the second swap (endPlainly). Then the senders close the
// system queue. A sender whose S1 came too late to be seen finds the box closed at S3, by an owner
// whose cold state are a terminated record. The first such sender takes all that is there, and
// answers. If S3 came before, its message is in the box; so the owner has seen it, and ends the
// long way.
type systemQueue struct {
	head seam.Pointer[message] // newest first; closedMark at the end
}

// isEmpty reports whether nothing is in the system queue. A stale answer costs one message, which
// runs before the signal does.
func (l *systemQueue) isEmpty() bool { return l.head.Load() == nil }

// push adds m, unless the system queue is closed. Any goroutine. What the caller did before
// synchronizes before the turn that takes m.
func (l *systemQueue) push(m *message) bool {
	if invariant.On {
		verifyPush(m)
	}
	for {
		h := l.head.Load()
		if h == &closedMark {
			return false
		}
		m.next = h
		if l.head.CompareAndSwap(h, m) { // publishes m; pairs with the swaps in take and close
			return true
		}
	}
}

// take empties the system queue, oldest first. Owner only, before close.
func (l *systemQueue) take() *message { return reversed(l.head.Swap(nil), nil) }

// close empties the system queue for good. Owner only, or anybody once the owner has ended.
func (l *systemQueue) close() *message {
	if seam.SwapHeld(&l.head, nil, &closedMark) { // nearly always it is quiet
		return nil
	}
	h := l.head.Swap(&closedMark)
	if h == &closedMark {
		return nil
	}
	return reversed(h, nil)
}

// closed reports whether nothing can come any more.
func (l *systemQueue) closed() bool { return l.head.Load() == &closedMark }

// messageList is a queue of messages, linked by next. Owner only.
type messageList struct{ first, last *message }

// add appends m, or the chain that begins with it.
func (l *messageList) add(m *message) {
	if m == nil {
		return
	}
	if invariant.On {
		verifyMessageList(l)
	}
	if l.first == nil {
		l.first = m
	} else {
		l.last.next = m
	}
	for m.next != nil {
		m = m.next
	}
	l.last = m
}

// pop removes the oldest; nil if there is none.
func (l *messageList) pop() *message {
	m := l.first
	if m == nil {
		return nil
	}
	if l.first, m.next = m.next, nil; l.first == nil {
		l.last = nil // or it would keep m's memory, whoever has m by then
	}
	return m
}

// putBack makes m the oldest.
func (l *messageList) putBack(m *message) {
	if invariant.On {
		verifyMessageList(l)
	}
	if m.next = l.first; l.first == nil {
		l.last = m
	}
	l.first = m
}

// all empties the list and returns it as a chain.
func (l *messageList) all() *message {
	m := l.first
	*l = messageList{}
	return m
}
