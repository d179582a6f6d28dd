package mpsc

import (
	"unsafe"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/kernel/msg"
	"github.com/gallop-go/gallop/internal/seam"
)

// Bias lets a worker send to an actor without a locked instruction, as a biased lock lets its
// thread enter. The worker that wakes an actor makes the message the consumer's pending message,
// and leaves its bias mark as the head of the mailbox. While the mark is the head, no other sender
// has pushed a message, so the worker may append its messages to a list in the actor's inbox. Any
// other sender pushes onto the mark, as onto any other message, and so ends the bias: from then on
// the worker pushes as all others do.
//
//	         wake             push by another           drain, by its worker
//	nil ───────────▶ mark ───────────────────▶ m → mark ──────────────────▶ m …
//	 ▲                 │ ▲ append, append, …          appended messages first, then m
//	 └─── TryIdle ─────┘ │
//	                     └─ another worker's mark, by Revoke
//
// Order is kept. Appended messages were sent before the worker saw any push of others, and run
// before pushed messages. A sender that learns of an append and then pushes comes after it. If a
// sender pushes and then lets the worker know, the worker's next look at the head sees the push.
//
// The actor nearly always runs on the worker that woke it. If another worker has taken it, by a
// theft or from the inject queue, the first worker may be about to append. So before an actor with
// another worker's mark is run or terminated, that bias is revoked:
//
//	worker (Append)                            another (Revoke)
//	L1 window ← open        (plain)            T1 head: mark → own mark   (RMW)
//	L2 head = mark? no: shut it, and push      T2 fence on every processor
//	L3 appended ← m                            T3 wait until the window is shut
//	L4 window ← shut        (release)          T4 the appended messages are ours
//
// The proof in seam.Window shows that L2 sees T1 or an earlier push, or that T3 waits for L4. An
// older append is over by then as well, and a newer append has its L2 after T1. If the revoking
// worker may hold no biases, it leaves the mark of [NoBias].
//
// A fence disturbs every processor, so others must rarely have to revoke biases: see Allowed and
// Review. A muted actor may be resumed by any worker, so its bias ends before: see Leave.
//
// docs/decisions/0003-mailbox.md has the figures that justify biases.
type Bias struct {
	mark   Message // first: see biasOf
	window seam.Window
	// The cost of revocations by other workers, finished or begun. A revocation costs one unit for
	// each microsecond of its fence, and at least one.
	revoked seam.Uint32

	// Owner only, as of the last review.
	allowed   bool   // actors that the worker wakes are biased to it
	seen      uint32 // revoked at the last review
	overflows uint64
	budget    int // see maxBudget
	pause     int // the number of reviews until biases are allowed again
	next      int // the length of the next pause
}

// NoBias is a bias that no worker holds.
var NoBias = Bias{mark: Message{OwnerTag: biasTag}}

// biasTag is the tag of bias marks. No other message has it.
var biasTag = msg.TagOf(msg.NoSizeClass, 1)

// Init prepares a new bias. allowed says whether its worker may hold any before the first review.
func (b *Bias) Init(allowed bool) { b.mark.OwnerTag, b.allowed = biasTag, allowed }

// isBiasMark reports whether a message is a bias mark.
func isBiasMark(m *Message) bool { return m.OwnerTag == biasTag }

// biasOf returns the bias that a mark belongs to.
func biasOf(mark *Message) *Bias { return (*Bias)(unsafe.Pointer(mark)) }

// Mark returns the bias's mark.
func (b *Bias) Mark() *Message { return &b.mark }

// Append delivers a message to an actor whose bias the worker was seen to hold. If another sender
// has ended the bias, it does nothing and reports false. Owner only.
func (b *Bias) Append(q *Mailbox, in *Inbox, m *Message) (done bool) {
	b.window.Open()               // L1
	if q.head.Load() == &b.mark { // L2
		seam.Point() // L3 is a step of its own
		in.add(m)    // L3
		done = true
	}
	b.window.Shut() // L4
	return done
}

// An actor that the worker wakes is biased to it if Allowed, Kept and Fits all return true. A
// theft, or a task that had no room in the worker's queue, ends this until the next review. So
// others have to revoke at most the biases of one queue of actors. These are three functions
// because the compiler stores the result of a single function with an && in it. Owner only.

// Allowed reports whether the last review, or Init, allows the worker to hold biases.
func (b *Bias) Allowed() bool { return b.allowed }

// Kept reports whether no other worker has revoked a bias since the last review.
func (b *Bias) Kept() bool { return b.revoked.Load() == b.seen }

// Fits reports whether all tasks have had room in the worker's queue since the last review.
func (b *Bias) Fits(overflows uint64) bool { return overflows == b.overflows }

// Forbid makes the worker hold no more biases until the next review: actors that it makes runnable
// run elsewhere. Owner only.
func (b *Bias) Forbid() { b.allowed = false }

const (
	// A busy worker reviews every 50 µs. Each review adds a unit to its budget. Each of its biases
	// that was revoked costs budget: for each worker, a unit for each microsecond of the fence, and
	// at least one, since a fence costs every processor about the same. A worker that has spent
	// more than its budget holds no biases for a while. The pause lasts at least until the debt,
	// with that of later revocations, is paid, and is twice as long each time. The next pause is
	// halved whenever the worker's budget is full.
	maxBudget  = 64
	newBudget  = 8 // after a pause
	firstPause = 8 // reviews
	maxPause   = 512
	// The largest pause that a debt can cause.
	longestPause = 8 * maxPause
	// The largest counted cost of a fence, and of all revocations since the last review. A measured
	// time may include time in which the thread had no processor.
	maxFence = maxBudget
	maxCost  = 16 * maxBudget
)

// Review accounts for the revocations since the last review, and reports whether their cost allows
// biases. The worker calls it whenever it publishes its figures. alone says that no other worker is
// awake. Allow must follow. Owner only.
func (b *Bias) Review(workers int, alone bool) (ok bool) {
	revoked := b.revoked.Load()
	b.pauseAfter(min(int(revoked-b.seen), maxCost)*workers, alone)
	b.seen = revoked
	return b.pause == 0
}

// Allow sets whether the worker may hold biases until the next review. overflows is the number of
// tasks that have had no room in its queue so far. Owner only.
func (b *Bias) Allow(ok bool, overflows uint64) {
	b.allowed = ok && seam.CanFence()
	b.overflows = overflows
}

// pauseAfter sets the pause after a review of thefts with a cost. There is no pause if
// there were no thefts and no other worker is awake.
func (b *Bias) pauseAfter(cost int, alone bool) {
	switch b.budget = min(b.budget+1, maxBudget) - cost; {
	case alone && cost == 0:
		b.budget, b.pause = max(b.budget, newBudget), 0
	case b.pause > 0:
		b.budget = newBudget
		b.pause = min(b.pause+cost, longestPause) - 1 // for earlier biases
	case b.budget < 0:
		b.pause = min(max(b.next, firstPause, -b.budget), longestPause)
		b.next = min(2*b.pause, maxPause)
	case b.budget == maxBudget:
		b.budget, b.next = maxBudget/2, b.next/2
	}
}

// MustRevoke reports whether another worker may hold the bias of the actor. That worker may be
// about to append.
func (in *Inbox) MustRevoke(own *Bias) bool {
	return in.tail != nil && in.tail != &own.mark && in.tail != &NoBias.mark && isBiasMark(in.tail)
}

// Revoke ends the bias of another worker, if there is one. Afterwards b holds the bias, if its
// worker may hold any. The caller owns the actor, and calls Revoke before it touches the appended
// messages.
func (b *Bias) Revoke(q *Mailbox, in *Inbox) {
	if !in.MustRevoke(b) {
		return
	}
	mark, base := in.tail, &NoBias.mark
	if b.allowed {
		base = &b.mark
	}
	theirs := biasOf(mark)
	theirs.revoked.Add(1)
	ended := !q.head.CompareAndSwap(mark, base) // T1
	took := seam.Fence()                        // T2
	for theirs.window.IsOpen() {                // T3
		seam.Spin()
	}
	if took > 1 {
		theirs.revoked.Add(uint32(min(took, maxFence)) - 1)
	}
	in.tail = base
	if ended {
		q.rebase(mark, base)
	}
	if invariant.On {
		verifyRevoked(q, in, theirs)
	}
}

// Leave ends the worker's own bias of an actor that may run on another worker next, so that no
// worker has to revoke it. It needs no fence, since the worker is not about to append. Owner only,
// in a turn.
func (b *Bias) Leave(q *Mailbox, in *Inbox) {
	if in.tail != &b.mark {
		return
	}
	in.tail = &NoBias.mark
	if !q.head.CompareAndSwap(&b.mark, &NoBias.mark) { // against Push: pushed messages stay on top
		q.rebase(&b.mark, &NoBias.mark)
	}
}

// rebase puts another mark under the pushed messages. Consumer only.
func (q *Mailbox) rebase(old, base *Message) {
	m := q.head.Load() // pairs with Push
	for m.Next != old {
		m = m.Next
	}
	m.Next = base
}
