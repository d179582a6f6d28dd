package actor

import (
	"unsafe"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// A bias lets a worker send to an actor without a locked instruction. The worker that wakes an
// actor leaves its mark as the head of the mailbox, instead of the message, which it puts into the
// consumer's hand. As long as the mark is the head, nobody else has sent anything, so the worker
// may append what it sends to a list of its own in the actor's inbox, more. Any other sender pushes
// onto the mark, as onto any other message, and so ends the bias: from then on the worker pushes
// as everybody does.
//
//	         wake             push by another           grab, by whoever runs it
//	nil ───────────▶ mark ───────────────────▶ m → mark ──────────────────▶ m …
//	 ▲                 │ ▲ append: more, more, …            more first, then m
//	 └──── rest ───────┘ │
//	                     └─ another worker's mark, by revokeBias
//
// Order is kept: what is in more was sent before the worker saw anybody's push, and runs before
// what was pushed. A sender that learns of an append and then pushes comes behind it. If a sender
// pushes and then lets the worker know, the worker's next look at the head sees the push.
//
// The actor nearly always runs on the worker that woke it. If another worker has taken it, by a
// theft or from the inject queue, the one that woke it may be about to append. So before an actor
// with another's mark is run or terminated, it is taken over:
//
//	worker (append)                            another (revokeBias)
//	L1 window ← open        (plain)            T1 head: mark → own mark   (RMW)
//	L2 head = mark? no: shut it, and push      T2 fence on every processor
//	L3 more ← m                                T3 wait until the window is shut
//	L4 window ← shut        (release)          T4 more is ours
//
// seam.Window has the proof that either L2 sees T1, or an earlier push, or T3 waits for L4. An
// older append is over by then as well, and a newer one has its L2 behind T1. If own takes no
// biases, revokeBias leaves noBias's mark.
//
// A fence disturbs every processor, so biases that others have to take over must be few: see
// Context.send and review.
//
// Why it pays: docs/decisions/0033-biases.md.
type bias struct {
	mark    message // first: see biasOf
	window  seam.Window
	revoked seam.Uint32 // how often others have taken an actor over, or have begun to

	// Owner only, as of the last review.
	allowed bool // who is woken is biased
	seen    uint32
	spills  uint64
	budget  int // reviews without too many thefts
	pause   int // reviews before it may again
	next    int // the next pause
}

// biasMarkTag is the origin of marks. No message has it.
var biasMarkTag = ownerTagOf(noSizeClass, 0)

// noBias is the bias that nobody holds.
var noBias = bias{mark: message{ownerTag: biasMarkTag}}

// isBiasMark reports whether a message is the mark of a bias.
func isBiasMark(m *message) bool { return m.ownerTag == biasMarkTag }

// biasOf returns the bias that a mark belongs to.
func biasOf(mark *message) *bias { return (*bias)(unsafe.Pointer(mark)) }

// append delivers a message to an actor whose bias the worker was seen to hold. If somebody has
// ended the bias, it does nothing and reports false.
func (l *bias) append(to *cell, m *message) (done bool) {
	l.window.Open()                    // L1
	if to.box.head.Load() == &l.mark { // L2
		seam.Point() // L3 is a step of its own
		to.in.add(m) // L3
		done = true
	}
	l.window.Shut() // L4
	return done
}

const (
	// A busy worker reviews every 50 µs. Each review earns it a credit, and each actor that was
	// taken over from it costs one for every worker, since a fence costs every processor about a
	// microsecond. A worker that has spent more than it has takes no biases for a while: at least
	// until that is paid, and twice as long each time. The next pause is halved whenever the worker
	// has as much credit as it may have.
	maxBudget  = 64
	newBudget  = 8 // his credit behind a pause
	firstPause = 8 // reviews
	maxPause   = 512
	// turnsToAsk is how many turns a worker runs before it asks the kernel for fences: a system
	// that does next to nothing need not wait at its end for the answer.
	turnsToAsk = 1000
)

// review decides whether the worker takes biases from now on. Owner only, with each publication
// of its figures.
func (l *bias) review(c *Context) {
	taken := l.revoked.Load()
	l.pauseAfter(min(int(taken-l.seen), maxBudget)*c.sys.opts.workers, c.w.Alone())
	keeps := c.w.KeepsWork()
	if l.pause == 0 && keeps && c.w.Turn() > turnsToAsk && !c.dry && !c.w.Stopping() {
		if ask := seam.PrepareFence(); ask != nil {
			c.w.Beside(ask)
		}
	}
	l.allowed = l.pause == 0 && keeps && seam.CanFence()
	l.seen, l.spills = taken, c.w.Overflows()
}

// pauseAfter sets the pause after a review in which thefts have cost that much. There is no pause
// if there were no thefts and nobody else is awake.
func (l *bias) pauseAfter(cost int, alone bool) {
	switch l.budget = min(l.budget+1, maxBudget) - cost; {
	case alone && cost == 0:
		l.budget, l.pause = max(l.budget, newBudget), 0
	case l.pause > 0:
		l.budget = newBudget // those of now are of what was biased before
		l.pause--
	case l.budget < 0:
		l.pause = max(l.next, firstPause, -l.budget)
		l.next = min(2*l.pause, maxPause)
	case l.budget == maxBudget:
		l.budget, l.next = maxBudget/2, l.next/2
	}
}

// add appends m to more, a ring. The inbox has the last message of it.
func (in *inbox) add(m *message) {
	if last := in.appended; last == nil {
		m.next = m
	} else {
		m.next, last.next = last.next, m
	}
	in.appended = m
}

// takeAppended empties more, and returns the first and the last of it.
func (in *inbox) takeAppended() (first, last *message) {
	last = in.appended
	first, last.next, in.appended = last.next, nil, nil
	return first, last
}

// unroll puts more behind what is in hand.
func (in *inbox) unroll() {
	if in.appended != nil {
		first, _ := in.takeAppended()
		in.pending = concat(in.pending, first)
	}
}

// mustRevoke reports whether there may be a bias other than own, whose worker is about to touch
// more.
func (in *inbox) mustRevoke(own *bias) bool {
	return in.tail != nil && in.tail != &own.mark && in.tail != &noBias.mark && isBiasMark(in.tail)
}

// revokeBias ends the bias of another worker, which may be about to append, if there is one. The
// bias is own's then, if own takes biases. The caller owns the actor, and calls revokeBias before
// it touches in.more.
func (a *cell) revokeBias(own *bias) {
	if !a.in.mustRevoke(own) {
		return
	}
	mark, base := a.in.tail, &noBias.mark
	if own.allowed {
		base = &own.mark
	}
	theirs := biasOf(mark)
	theirs.revoked.Add(1)
	ended := !a.box.head.CompareAndSwap(mark, base) // T1
	seam.Fence()                                    // T2
	for theirs.window.IsOpen() {                    // T3
		seam.Spin()
	}
	a.in.tail = base
	if ended {
		a.box.rebase(mark, base)
	}
	if invariant.On {
		verifyRevoked(a, theirs)
	}
}

// rebase puts another mark under what was pushed. Consumer only.
func (q *mailbox) rebase(old, base *message) {
	m := q.head.Load() // pairs with push
	for m.next != old {
		m = m.next
	}
	m.next = base
}
