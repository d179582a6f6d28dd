package sched

import (
	"math/bits"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/nocmp"
	"github.com/gallop-go/gallop/internal/seam"
)

// MaxWorkers is the largest number of workers of one scheduler. A look at all queues, at all
// sleepers or at all slots takes time that grows with the number of workers, so more of them would
// need queues that are grouped as well: see docs/decisions/0005-idle-word.md.
const MaxWorkers = 1024

// oneWordWorkers is the largest number of workers whose bits fit into the idle word beside its
// counters. With more, the word has the number of sleepers, and their bits are in leaves.
const oneWordWorkers = 56

// maxSearchers bounds how many workers search, so that their number fits into the idle word. More
// would only be in each other's way.
const maxSearchers = 32

// idleWord says which workers sleep and how many search, in one word, so that every decision about
// waking is one compare-and-swap and the two figures cannot disagree.
//
//	bits 0–55   worker i sleeps: it has nothing in hand, nothing in its next-slot and its run queue,
//	            and waits for a token. Set by worker i alone. Cleared by worker i (retract), or by
//	            another goroutine, which thereby owes worker i a token.
//	bits 56–61  how many workers search for work. At most half and at most maxSearchers, or one.
//	bit  62     frozen: a quiescence check is on, and no bit may be cleared before it ends. Set only
//	            while all workers sleep.
//	bit  63     closed: quiescent for good. Never cleared, and no worker is woken again.
//
// With more than oneWordWorkers workers, bits 0–55 are the number of sleepers that no goroutine has
// claimed yet, and the bit of worker i is in a leaf: see idle_leaves.go. Every decision is still
// one compare-and-swap of this word; which sleeper it concerns is settled in the leaves afterwards.
//
// "Worker i" is the holder of worker slot i. README.md proves that no wake-up is lost. The proof
// rests on this: a word is never changed in two steps, and every change is an RMW on the same word,
// so all changes have one order, and each party knows what it has replaced.
//
// Waiting: a method that meets a frozen word spins. The goroutine that froze it holds no lock that
// the spinning one could hold, and looks at three words before it thaws or closes.
//
// Rejected: a list of sleepers beside a count of searchers, as in Go's scheduler. The two are read
// one after the other, and each pair of reads needs a proof of its own.
type idleWord struct {
	_ nocmp.Field
	v seam.Uint64

	// Read-only after init.
	all       uint64 // bits 0–55 while all workers sleep
	workers   int
	searchers int // how many may search

	// leaves have the bits of the workers; nil: they are in v.
	leaves []idleLeaf

	// limit is how many workers may be awake, at least 1. Written by the governor. A stale value
	// costs a worker more or less for a moment, never a wake-up.
	limit seam.Uint32

	// leafShift: worker i has its bit in leaf i >> leafShift. Read-only after init.
	leafShift uint8
}

// The parts of the word. Every change of the word goes through one of the methods below, each of
// which is one compare-and-swap or one addition.
const (
	sleepMask  = 1<<56 - 1
	searchOne  = 1 << 56
	searchMask = 63 << 56
	frozenBit  = 1 << 62
	closedBit  = 1 << 63
)

// searching returns how many workers search in v. It may be stale when v is: then a worker too many
// searches, or a sender reads the word again.
func searching(v uint64) int { return int(v & searchMask >> 56) }

// init makes all workers sleep. Before any other goroutine sees the word.
func (w *idleWord) init(workers int) {
	if workers > oneWordWorkers {
		w.initLeaves(workers, leafShift)
		return
	}
	w.all = 1<<workers - 1
	w.begin(workers)
}

// begin sets what is alike with leaves and without.
func (w *idleWord) begin(workers int) {
	w.workers = workers
	w.searchers = max(1, min(workers/2, maxSearchers))
	w.limit.Store(uint32(workers))
	w.v.Store(w.all)
}

// sleeping returns how many workers sleep in v.
func (w *idleWord) sleeping(v uint64) int {
	if w.leaves != nil {
		return int(v & sleepMask)
	}
	return bits.OnesCount64(v & sleepMask)
}

// wakeResult is what became of an attempt to wake a sleeper.
type wakeResult int

const (
	wokeNone   wakeResult = iota // a worker that searches or is awake will see the work
	wokeOne                      // the caller owes the worker a token
	wokeClosed                   // the scheduler is quiescent for good
)

// wake picks a sleeper, unless a worker searches already. The caller must have published the work
// by a read-modify-write before (W1): the load here comes after it, so either this load sees a
// worker that has announced its sleep (S1), or that worker's look behind S1 sees the work.
//
// With asSearcher the worker is counted as searching; otherwise the caller hands it a task. Any
// goroutine.
func (w *idleWord) wake(asSearcher bool) (worker int, r wakeResult) {
	return w.wakeUnless(1, asSearcher)
}

// wakeUnless is wake, but picks no sleeper only if so many workers search already: at least one, and
// at most as many as ever may. Any goroutine.
func (w *idleWord) wakeUnless(searchers int, asSearcher bool) (worker int, r wakeResult) {
	for {
		v := w.v.Load() // W2
		if v&closedBit != 0 {
			return 0, wokeClosed
		}
		// A searcher looks again before it sleeps, and so does one of the workers that are awake.
		if searching(v) >= searchers || v&sleepMask == 0 || w.awake(v) >= int(w.limit.Load()) { // W2'
			return 0, wokeNone
		}
		if v&frozenBit != 0 {
			// A check takes well under a microsecond. If it closes the word, the caller learns
			// that in the next round.
			seam.Spin()
			continue
		}
		// The lowest one: so those that are awake are the same ones most of the time, and the caches
		// of the others' processors stay theirs. With leaves only the number counts here.
		i := bits.TrailingZeros64(v & sleepMask)
		n := v &^ (1 << i)
		if w.leaves != nil {
			n = v - 1
		}
		if asSearcher {
			n += searchOne
		}
		if invariant.On {
			verifyIdleWord(w, v, n)
		}
		// Clearing the bit makes the caller the only one to owe worker i a token.
		if w.v.CompareAndSwap(v, n) { // W3
			if w.leaves != nil {
				i = w.takeAny()
			}
			return i, wokeOne
		}
	}
}

// announce sets the bit of worker i and reports whether now all sleep. The worker must look at all
// queues once more before it parks: a sender that published before this step may have seen it
// awake. Pairs with the load in wake. Worker i only.
func (w *idleWord) announce(i int, wasSearching bool) (allAsleep bool) {
	if w.leaves != nil {
		w.setBit(i)
	}
	// The root is changed in one step, with leaves or without: this is S1, and the order of all S1
	// is that of these steps.
	for {
		v := w.v.Load()
		n := w.withSleeper(v, i)
		if wasSearching {
			n -= searchOne
		}
		if invariant.On {
			verifyAwakeBit(w, v, i, wasSearching)
			verifyIdleWord(w, v, n)
		}
		if w.v.CompareAndSwap(v, n) {
			return n&sleepMask == w.all
		}
	}
}

// withSleeper returns v with worker i asleep in it.
func (w *idleWord) withSleeper(v uint64, i int) uint64 {
	if w.leaves != nil {
		return v + 1
	}
	return v | 1<<i
}

// retire sets the bit of worker i if more workers than the limit are awake, and reports whether it
// did. Another worker is awake in the word that was replaced, so worker i need not look again:
// what it has pushed to the inject queue, that other one will see. With leaves the other one may be
// worker i itself, whose token is then on its way. Worker i only.
func (w *idleWord) retire(i int) bool {
	if w.leaves != nil {
		return w.retireInLeaves(i)
	}
	for {
		v := w.v.Load()
		if w.awake(v) <= int(w.limit.Load()) {
			return false
		}
		if invariant.On {
			verifyAwakeBit(w, v, i, false)
			verifyIdleWord(w, v, v|1<<i)
		}
		if w.v.CompareAndSwap(v, v|1<<i) {
			return true
		}
	}
}

// excess reports whether more workers than the limit are awake. A stale answer costs one look of a
// worker that then does not retire. Any goroutine; advisory.
func (w *idleWord) excess() bool { return w.awake(w.v.Load()) > int(w.limit.Load()) }

// awake returns how many workers do not sleep in v.
func (w *idleWord) awake(v uint64) int { return w.workers - w.sleeping(v) }

// retract takes the announcement of worker i back, which clears its bit, and returns i. If it
// reports false, another goroutine has cleared the bit: a token is on its way, and the worker must
// take it, or the token would be taken for a later one; the same is so if it returns another
// worker, which is then owed a token by the caller. Worker i only.
func (w *idleWord) retract(i int) (cleared int, ok bool) {
	if w.leaves != nil {
		return w.clearInLeaves(i, false)
	}
	for {
		v := w.v.Load()
		if v&(1<<i) == 0 {
			return 0, false
		}
		if v&(frozenBit|closedBit) != 0 {
			if v&closedBit != 0 {
				return 0, false
			}
			seam.Spin()
			continue
		}
		if invariant.On {
			verifyIdleWord(w, v, v&^(1<<i))
		}
		if w.v.CompareAndSwap(v, v&^(1<<i)) {
			return i, true
		}
	}
}

// wakeForStop wakes worker i for the end, even if the scheduler is quiescent for good, and returns
// i: the caller owes it a token, but it is not counted as a searcher. It reports false if worker i
// does not sleep. If it returns another worker, that one is owed the token, and worker i is about
// to get one from another goroutine. Only for the goroutine that stops the scheduler, and for
// worker i itself.
func (w *idleWord) wakeForStop(i int) (cleared int, ok bool) {
	if w.leaves != nil {
		return w.clearInLeaves(i, true)
	}
	for {
		v := w.v.Load()
		if v&(1<<i) == 0 {
			return 0, false
		}
		if v&frozenBit != 0 {
			seam.Spin()
			continue
		}
		if invariant.On {
			verifyIdleWord(w, v, v&^(1<<i))
		}
		if w.v.CompareAndSwap(v, v&^(1<<i)) {
			return i, true
		}
	}
}

// startSearch counts the caller as a searcher, unless half of the workers search, or maxSearchers:
// more would only be in each other's way. Workers only.
func (w *idleWord) startSearch() bool {
	for {
		v := w.v.Load()
		if searching(v) >= w.searchers {
			return false
		}
		if invariant.On {
			verifyIdleWord(w, v, v+searchOne)
		}
		if w.v.CompareAndSwap(v, v+searchOne) {
			return true
		}
	}
}

// stopSearch takes the caller off the searchers and reports whether it was the last. The last one
// must look whether any queue holds more work, and wake another worker: a sender that saw it
// counted has woken none (W2). Pairs with the load in wake. Searchers only.
func (w *idleWord) stopSearch() (last bool) {
	if invariant.On {
		invariant.Check(searching(seam.Peek(&w.v)) > 0, "a searcher stops, and none is counted")
	}
	return w.v.Add(^uint64(searchOne-1))&searchMask == 0
}

// freeze begins a quiescence check if all workers sleep and none searches. From this step to thaw
// or close no bit can be cleared, so no worker can wake. Caller holds the quiescence's mu.
func (w *idleWord) freeze() bool {
	v := w.v.Load()
	return v == w.all && w.v.CompareAndSwap(v, v|frozenBit)
}

// thaw ends a quiescence check: work goes on. A plain store does, since the word does not change
// while it is frozen. Caller has frozen the word.
func (w *idleWord) thaw() {
	if invariant.On {
		verifyFrozen(w)
	}
	w.v.Store(w.all)
}

// close ends a quiescence check, or a stop: no worker is woken again. Caller has frozen the word,
// or all workers have left.
func (w *idleWord) close() { w.v.Store(w.all | closedBit) }

// closed reports whether close was called; once true, it stays true. Any goroutine.
func (w *idleWord) closed() bool { return w.v.Load()&closedBit != 0 }

// checkEnded waits for a check under way to end and reports whether it closed the scheduler. A
// caller that has changed what the check reads learns so whether the check has seen it. Any
// goroutine.
func (w *idleWord) checkEnded() (closed bool) {
	for {
		v := w.v.Load()
		if v&frozenBit == 0 {
			return v&closedBit != 0
		}
		seam.Spin()
	}
}

// quiet reports whether all workers sleep. The answer is no proof of quiescence: a sender may be
// about to push. Any goroutine; advisory.
func (w *idleWord) quiet() bool { return w.v.Load()&sleepMask == w.all }

// sleepers returns how many workers sleep. A stale figure costs one look of a searcher at empty
// queues, or one that it leaves out. Any goroutine; advisory.
func (w *idleWord) sleepers() int { return w.sleeping(w.v.Load()) }
