package sched

import (
	"math/bits"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/nocmp"
	"github.com/gallop-go/gallop/internal/seam"
)

// MaxWorkers is the largest number of workers of one scheduler: that is what fits into
// the idle word beside its counters.
const MaxWorkers = 56

// idleWord says which workers sleep and how many search, in one word, so that every decision about
// waking is one compare-and-swap and the two figures cannot disagree.
//
//	bits 0–55   worker i sleeps: it has nothing in hand, nothing in its next-slot and its run queue,
//	            and waits for a token. Set by worker i alone. Cleared by worker i (retract), or by
//	            another goroutine, which thereby owes worker i a token.
//	bits 56–61  how many workers search for work. At most half, or one; in the end, when
//	            wakeForStop counts them in, all.
//	bit  62     frozen: a quiescence check is on, and no bit may be cleared before it ends. Set only
//	            while all workers sleep.
//	bit  63     closed: quiescent for good. Never cleared, and no worker is woken again.
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
	_       nocmp.Field
	v       seam.Uint64
	all     uint64 // mask of the workers; read-only
	workers int

	// limit is how many workers may be awake, at least 1. Written by the governor. A stale value
	// costs a worker more or less for a moment, never a wake-up.
	limit seam.Uint32
}

// The parts of the word. Every change of the word goes through one of the methods below, each of
// which is one compare-and-swap or one addition.
const (
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
	w.workers = workers
	w.all = 1<<workers - 1
	w.limit.Store(uint32(workers))
	w.v.Store(w.all)
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
	for {
		v := w.v.Load() // W2
		if v&closedBit != 0 {
			return 0, wokeClosed
		}
		// A searcher looks again before it sleeps, and so does one of the workers that are awake.
		if searching(v) > 0 || v&w.all == 0 || w.awake(v) >= int(w.limit.Load()) { // W2'
			return 0, wokeNone
		}
		if v&frozenBit != 0 {
			// A check takes well under a microsecond. If it closes the word, the caller learns
			// that in the next round.
			seam.Spin()
			continue
		}
		i := bits.TrailingZeros64(v & w.all)
		n := v &^ (1 << i)
		if asSearcher {
			n += searchOne
		}
		if invariant.On {
			verifyIdleWord(w, v, n)
		}
		// Clearing the bit makes the caller the only one to owe worker i a token.
		if w.v.CompareAndSwap(v, n) { // W3
			return i, wokeOne
		}
	}
}

// announce sets the bit of worker i and reports whether now all sleep. The worker must look at all
// queues once more before it parks: a sender that published before this step may have seen it
// awake. Pairs with the load in wake. Worker i only.
func (w *idleWord) announce(i int, wasSearching bool) (allAsleep bool) {
	for {
		v := w.v.Load()
		n := v | 1<<i
		if wasSearching {
			n -= searchOne
		}
		if invariant.On {
			verifyAwakeBit(w, v, i, wasSearching)
			verifyIdleWord(w, v, n)
		}
		if w.v.CompareAndSwap(v, n) {
			return n&w.all == w.all
		}
	}
}

// retire sets the bit of worker i if more workers than the limit are awake, and reports whether it
// did. Another worker is awake in the word that was replaced, so worker i need not look again:
// what it has pushed to the inject queue, that other one will see. Worker i only.
func (w *idleWord) retire(i int) bool {
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
func (w *idleWord) awake(v uint64) int { return w.workers - bits.OnesCount64(v&w.all) }

// retract takes the announcement of worker i back and reports whether it could. If not, another
// goroutine has cleared the bit: a token is on its way, and the worker must take it, or the token
// would be taken for a later one. Worker i only.
func (w *idleWord) retract(i int) bool {
	for {
		v := w.v.Load()
		if v&(1<<i) == 0 {
			return false
		}
		if v&(frozenBit|closedBit) != 0 {
			if v&closedBit != 0 {
				return false
			}
			seam.Spin()
			continue
		}
		if invariant.On {
			verifyIdleWord(w, v, v&^(1<<i))
		}
		if w.v.CompareAndSwap(v, v&^(1<<i)) {
			return true
		}
	}
}

// wakeForStop wakes worker i, and no other, for the end, even if the scheduler is quiescent for
// good. It reports whether worker i slept. Only for the goroutine that stops the scheduler, and for
// worker i itself.
func (w *idleWord) wakeForStop(i int) bool {
	for {
		v := w.v.Load()
		if v&(1<<i) == 0 {
			return false
		}
		if v&frozenBit != 0 {
			seam.Spin()
			continue
		}
		if invariant.On {
			verifyIdleWord(w, v, v&^(1<<i)+searchOne)
		}
		if w.v.CompareAndSwap(v, v&^(1<<i)+searchOne) {
			return true
		}
	}
}

// startSearch counts the caller as a searcher, unless half of the workers search: more would only
// be in each other's way. Workers only.
func (w *idleWord) startSearch() bool {
	for {
		v := w.v.Load()
		if n := searching(v); n > 0 && 2*(n+1) > w.workers {
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
func (w *idleWord) quiet() bool { return w.v.Load()&w.all == w.all }

// sleepers returns how many workers sleep. A stale figure costs one look of a searcher at empty
// queues, or one that it leaves out. Any goroutine; advisory.
func (w *idleWord) sleepers() int { return bits.OnesCount64(w.v.Load() & w.all) }
