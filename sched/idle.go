package sched

import (
	"math/bits"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/nocmp"
	"github.com/gallop-go/gallop/internal/seam"
)

// MaxWorkers is the largest number of workers of one scheduler. The time for a look at all queues,
// sleepers or slots grows with the number of workers, so a larger number would need grouped queues
// as well: see docs/decisions/0005-idle-word.md.
const MaxWorkers = 1024

// oneWordWorkers is the largest number of workers whose bits fit into the idle word beside its
// counters. For more workers, the word has the number of sleepers, and their bits are in leaves.
const oneWordWorkers = 56

// maxSearchers bounds the number of searching workers, so that it fits into the idle word. More
// searchers would only be in each other's way.
const maxSearchers = 32

// idleWord has the sleeping workers and the number of searching ones in one word. So every decision
// about waking is one compare-and-swap, and the two figures always agree.
//
//	bits 0–55   worker i sleeps: it has nothing in hand, nothing in its next-slot and its run queue,
//	            and waits for a token. Set by worker i alone. Cleared by worker i (retract), or by
//	            another goroutine, which thereby owes worker i a token.
//	bits 56–61  how many workers search for work. At most half and at most maxSearchers, or one.
//	bit  62     frozen: a quiescence check is on, and no bit may be cleared before it ends. Set only
//	            while all workers sleep.
//	bit  63     closed: quiescent for good. Never cleared, and no worker is woken again.
//
// With more than oneWordWorkers workers, bits 0–55 are the number of unclaimed sleepers, and the
// bit of worker i is in a leaf: see idle_leaves.go. Every decision is still one compare-and-swap of
// this word; the leaves determine the sleeper afterwards.
//
// "Worker i" is the holder of worker slot i. README.md proves that no wake-up is lost. The proof
// rests on this: every change of the word is a single RMW on the word, so all changes have one
// order, and each party knows the value that it has replaced.
//
// Waiting: a method that meets a frozen word spins. The goroutine that froze the word holds no lock
// that the spinning goroutine could hold, and reads three words before it thaws or closes.
//
// Rejected: a list of sleepers beside a count of searchers, as in Go's scheduler. The two are read
// one after the other, and each pair of reads needs a proof of its own.
type idleWord struct {
	_ nocmp.Field
	v seam.Uint64

	// Read-only after init.
	all       uint64 // bits 0–55 while all workers sleep
	workers   int
	searchers int // the limit for searching workers

	// leaves have the bits of the workers; nil: they are in v.
	leaves []idleLeaf

	// limit is the number of workers that may be awake, at least 1. Written by the governor. A
	// stale value costs a worker more or less for a moment, never a wake-up.
	limit seam.Uint32

	// leafShift: worker i has its bit in leaf i >> leafShift. Read-only after init.
	leafShift uint8
}

// The parts of the word. Every change goes through one of the methods below, which is one
// compare-and-swap or one addition.
const (
	sleepMask  = 1<<56 - 1
	searchOne  = 1 << 56
	searchMask = 63 << 56
	frozenBit  = 1 << 62
	closedBit  = 1 << 63
)

// searching returns the number of searching workers in v. If v is stale, one worker too many
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

// begin is the part of init that is the same with leaves and without.
func (w *idleWord) begin(workers int) {
	w.workers = workers
	w.searchers = max(1, min(workers/2, maxSearchers))
	w.limit.Store(uint32(workers))
	w.v.Store(w.all)
}

// sleeping returns the number of sleeping workers in v.
func (w *idleWord) sleeping(v uint64) int {
	if w.leaves != nil {
		return int(v & sleepMask)
	}
	return bits.OnesCount64(v & sleepMask)
}

// wakeResult is the outcome of an attempt to wake a sleeper.
type wakeResult int

const (
	wokeNone   wakeResult = iota // a worker that searches or is awake will see the work
	wokeOne                      // the caller owes the worker a token
	wokeClosed                   // the scheduler is quiescent for good
)

// wake picks a sleeper, unless a worker searches already. The caller has published the work by a
// read-modify-write before (W1), and the load here comes after it. So either this load sees a
// worker that has announced its sleep (S1), or that worker's look after S1 sees the work.
//
// With asSearcher the worker is counted as searching; otherwise the caller hands it a task. Any
// goroutine.
func (w *idleWord) wake(asSearcher bool) (worker int, r wakeResult) {
	return w.wakeUnless(1, asSearcher)
}

// wakeUnless is wake, except that it picks a sleeper unless the given number of workers search:
// from 1 to the limit for searchers. Any goroutine.
func (w *idleWord) wakeUnless(searchers int, asSearcher bool) (worker int, r wakeResult) {
	for {
		v := w.v.Load() // W2
		if v&closedBit != 0 {
			return 0, wokeClosed
		}
		// A searcher looks again before it sleeps. So does one of the awake workers.
		if searching(v) >= searchers || v&sleepMask == 0 || w.awake(v) >= int(w.limit.Load()) { // W2'
			return 0, wokeNone
		}
		if v&frozenBit != 0 {
			// A check takes well under a microsecond. If it closes the word, the caller learns
			// that in the next round.
			seam.Spin()
			continue
		}
		// The lowest one, so that mostly the same workers are awake, and the caches of the other
		// processors are left alone. With leaves only the number counts here.
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

// announce sets the bit of worker i and reports whether all workers sleep now. The worker must look
// at all queues once more before it parks: a sender that published before this step may have seen
// it awake. Pairs with the load in wake. Worker i only.
func (w *idleWord) announce(i int, wasSearching bool) (allAsleep bool) {
	if w.leaves != nil {
		w.setBit(i)
	}
	// The root is changed in one step, with leaves or without: this is S1. All S1 steps have one
	// order.
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
// did. The replaced word has another awake worker, so worker i need not look again: the other
// worker sees the tasks that worker i has pushed to the inject queue. With leaves the other worker
// may be worker i itself, whose token is then on its way. Worker i only.
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

// excess reports whether more workers than the limit are awake. A stale answer costs a needless
// call of retire. Any goroutine; advisory.
func (w *idleWord) excess() bool { return w.awake(w.v.Load()) > int(w.limit.Load()) }

// awake returns the number of awake workers in v.
func (w *idleWord) awake(v uint64) int { return w.workers - w.sleeping(v) }

// retract takes back the announcement of worker i by clearing its bit, and returns i. If it reports
// false, another goroutine has cleared the bit, and the worker must take the token that is on its
// way; otherwise it would later be taken for another one. If retract returns another worker, the
// caller owes that worker a token, and worker i must take its own as well. Worker i only.
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

// wakeForStop wakes worker i for the end, even after quiescence for good, and returns i: the caller
// owes it a token, and it is not counted as a searcher. It reports false if worker i does not
// sleep. If it returns another worker, the caller owes that one the token, and worker i is about to
// get a token from another goroutine. Only for the goroutine that stops the scheduler, and for
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

// startSearch counts the caller as a searcher and reports whether it did. It refuses when half of
// the workers, or maxSearchers, search already. Workers only.
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

// stopSearch takes the caller off the searchers and reports whether it was the last. The last
// searcher must look whether any queue holds more work, and wake another worker: a sender that saw
// it counted has woken none (W2). Pairs with the load in wake. Searchers only.
func (w *idleWord) stopSearch() (last bool) {
	if invariant.On {
		invariant.Check(searching(seam.Peek(&w.v)) > 0, "a searcher stops, and none is counted")
	}
	return w.v.Add(^uint64(searchOne-1))&searchMask == 0
}

// freeze begins a quiescence check if all workers sleep and none searches. From this step until
// thaw or close no bit can be cleared, so no worker can wake. Caller holds the quiescence's mu.
func (w *idleWord) freeze() bool {
	v := w.v.Load()
	return v == w.all && w.v.CompareAndSwap(v, v|frozenBit)
}

// thaw ends a quiescence check without closing. A plain store is enough, since the word does not
// change while it is frozen. Caller has frozen the word.
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

// checkEnded waits for a running check to end and reports whether it closed the scheduler. A caller
// that has changed a word that the check reads learns so whether the check has seen the change. Any
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

// quiet reports whether all workers sleep. This does not prove quiescence: a sender may be about to
// push. Any goroutine; advisory.
func (w *idleWord) quiet() bool { return w.v.Load()&sleepMask == w.all }

// sleepers returns the number of sleeping workers. A stale figure costs a searcher one look at
// empty queues too many, or one too few. Any goroutine; advisory.
func (w *idleWord) sleepers() int { return w.sleeping(w.v.Load()) }
