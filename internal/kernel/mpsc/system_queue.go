package mpsc

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/kernel/msg"
	"github.com/gallop-go/gallop/internal/seam"
)

// SystemQueue is a queue, beside the mailbox, for messages that overtake ordinary mail: the
// runtime's own signals (stop, link, monitor, restart and the like) and the messages of urgent
// behaviours.
//
// Rejected: one queue with two ends, which would cost ordinary mail an instruction. Rejected as
// well: a flag that tells the actor to look for signals in its mail, which takes a walk through all
// of it.
//
// Chosen: a stack that producers push to and the owner empties with a swap. A turn looks at its
// head before every message, instead of at a stop flag, so the system queue costs ordinary mail
// nothing.
//
// A turn that runs finds a signal by itself. An actor that does not run must be given a turn:
//
//	sender                                     the actor
//	S1 push to the system queue                A1 TryIdle, or Park (RMW, gives it up)
//	S2 wake it if it is parked     (RMW)       A2 after a Park: system queue not empty?
//	S3 else push a wake-up to the mailbox         then wake itself
//
// No signal is overlooked. Suppose the actor goes idle with a signal in the system queue. Then its
// TryIdle succeeded, so no push to the mailbox came between its last drain and A1. If S3 came after
// A1, it found the mailbox idle, and made the actor runnable. If S3 came before the drain, a turn
// has begun since S1 and has seen the system queue. Suppose that the actor parks. If S2 came after
// A1, S2 woke it. If S2 came before, so did S1, and A2 sees the system queue. Both may happen, but
// only one wake-up succeeds. A closed mailbox refuses S3, and needs no S3: such an actor never goes
// idle; it runs, or parks, or ends.
//
// No parked actor is woken to run mail. A turn may serve the signal between S1 and S2, and park;
// then S2 wakes an actor whose system queue is empty. So the sender that wakes it leaves an empty
// message in the system queue, unless there is a message already: the turn serves it, and parks
// again.
//
// At the end the owner closes the mailbox, and then the system queue with a swap. Either the swap
// takes a signal, or the sender of the signal is told that it was refused, and answers in place of
// the actor. An actor that has nothing to do at its end saves the second swap (endPlainly). Then
// the senders close the system queue. A sender whose S1 came too late to be seen finds the mailbox
// closed at S3, by an owner whose cold state is a terminated record. The first such sender takes
// all signals in the queue, and answers. If S3 came before, its message is in the mailbox; so the
// owner has seen it, and does not end by endPlainly.
type SystemQueue struct {
	head seam.Pointer[Message] // newest first; closedMark at the end
}

// IsEmpty reports whether the queue is empty. If the answer is stale, one more message runs before
// the signal.
func (q *SystemQueue) IsEmpty() bool { return q.head.Load() == nil }

// Push adds m, unless the queue is closed. Any goroutine. The caller's earlier writes synchronize
// before the turn that takes m.
func (q *SystemQueue) Push(m *Message) bool {
	if invariant.On {
		verifyPush(m)
	}
	for {
		h := q.head.Load()
		if h == &closedMark {
			return false
		}
		m.Next = h
		// Publishes m; pairs with the swaps in Take and Close.
		if q.head.CompareAndSwap(h, m) {
			return true
		}
	}
}

// Take empties the queue, oldest first. Owner only, before Close.
func (q *SystemQueue) Take() *Message { return msg.Reversed(q.head.Swap(nil), nil) }

// Newest returns the newest message, which links to the earlier messages. It returns nil if the
// queue is empty or closed. Owner only.
func (q *SystemQueue) Newest() *Message {
	if h := q.head.Load(); h != &closedMark { // the load pairs with Push
		return h
	}
	return nil
}

// Close closes the queue and returns its messages, oldest first. Owner only, or any goroutine after
// the actor has ended.
func (q *SystemQueue) Close() *Message {
	if seam.SwapHeld(&q.head, nil, &closedMark) { // nearly always it is empty
		return nil
	}
	h := q.head.Swap(&closedMark)
	if h == &closedMark {
		return nil
	}
	return msg.Reversed(h, nil)
}

// Closed reports whether the queue refuses messages for good.
func (q *SystemQueue) Closed() bool { return q.head.Load() == &closedMark }

// MakeClosed closes a queue that no other goroutine knows yet.
func (q *SystemQueue) MakeClosed() { q.head.Store(&closedMark) }
