package mpsc

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/kernel/msg"
	"github.com/gallop-go/gallop/internal/seam"
)

// Invariants of the queues of an actor, for builds that check them.

// verifyDrained checks the consumer's half of a mailbox after a drain: the last pending message is
// the new tail.
func verifyDrained(in *Inbox, before *Message) {
	m := in.pending
	invariant.Check(m != nil, "a drain without mail")
	for ; m.Next != nil; m = m.Next {
		invariant.Check(m != before, "a drain has taken what the last one had")
	}
	invariant.Check(m == in.tail, "a drain ends in another message than the head")
	invariant.Check(m != &closedMark, "a drain has taken the mark of a closed mailbox")
}

// verifyEmpty checks that no message is pending.
func verifyEmpty(in *Inbox) {
	invariant.Check(in.pending == nil, "a mailbox is looked into while mail is pending")
}

// verifyPush checks a message that its owner pushes.
func verifyPush(m *Message) {
	invariant.Check(m != nil && !m.IsMark(), "a mark is pushed")
	invariant.Check(m.From&msg.WasStashed == 0,
		"a message is pushed that says it was put aside, by actor %d", m.From)
}

// verifyClosed checks a mailbox that was closed.
func verifyClosed(q *Mailbox) {
	invariant.Check(seam.Peek(&q.head) == &closedMark, "a mailbox was closed, and is open")
}

// VerifyTurn checks the queues of an actor that begins a turn under own.
func (q *Mailbox) VerifyTurn(in *Inbox, own *Bias) {
	head := seam.Peek(&q.head)
	invariant.Check(!isBiasMark(head) || head == &own.mark || head == &NoBias.mark,
		"an actor runs, and is biased to another worker")
	invariant.Check(in.appended == nil || in.tail == &own.mark || in.tail == &NoBias.mark,
		"an actor has mail that was appended without a bias")
	if in.appended != nil {
		verifyRing(in.appended)
	}
}

// verifyRing checks that the appended messages are a ring.
func verifyRing(last *Message) {
	for m := last.Next; m != last; m = m.Next {
		invariant.Check(m != nil && !isBiasMark(m), "what was appended is no ring")
	}
}

// verifyRevoked checks the queues of an actor whose bias another worker had.
func verifyRevoked(q *Mailbox, in *Inbox, theirs *Bias) {
	invariant.Check(seam.Peek(&q.head) != &theirs.mark, "a bias was revoked, and its mark is there")
	invariant.Check(theirs != &NoBias, "the bias is revoked that no worker holds")
	for m := seam.Peek(&q.head); m != in.tail; m = m.Next {
		invariant.Check(m != nil, "a bias was revoked, and the mail has another end")
	}
}

// PeekIdle, PeekClosed and PeekWaits are for checks, which must not be steps of an exploration.

// PeekIdle reports whether the actor is not scheduled.
func (q *Mailbox) PeekIdle() bool { return seam.Peek(&q.head) == nil }

// PeekClosed reports whether the mailbox is closed.
func (q *Mailbox) PeekClosed() bool { return seam.Peek(&q.head) == &closedMark }

// PeekPushed reports whether anything was pushed since the last drain.
func (q *Mailbox) PeekPushed(in *Inbox) bool { return seam.Peek(&q.head) != in.tail }

// PeekClosed reports whether the queue is closed.
func (q *SystemQueue) PeekClosed() bool { return seam.Peek(&q.head) == &closedMark }
