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

// idleWord says who sleeps and how many search, in one word, so that every
// decision about waking is one compare-and-swap and the books cannot disagree.
//
//	bits 0–55   worker i sleeps: it has nothing in hand, nothing in its slot and
//	            its queue, and waits for a token. Set by i alone; cleared by i
//	            (retract) or by the one who thereby owes it a token.
//	bits 56–61  how many workers search for work. At most half, or one; in the end,
//	            when rouse counts them in, all.
//	bit  62     frozen: a quiescence check is on; nobody may be woken before it
//	            ends. Set only while all workers sleep.
//	bit  63     closed: quiescent for good. Never cleared, nobody wakes again.
//
// README.md proves that no wake-up is lost.
type idleWord struct {
	_       nocmp.Field
	v       seam.Uint64
	all     uint64 // mask of the workers; read-only
	workers int
	limit   seam.Uint32 // how many workers may be awake, at least 1; the governor's
}

const (
	searchOne  = 1 << 56
	searchMask = 63 << 56
	frozenBit  = 1 << 62
	closedBit  = 1 << 63
)

func searching(v uint64) int { return int(v & searchMask >> 56) }

// init makes all workers sleep.
func (w *idleWord) init(workers int) {
	w.workers = workers
	w.all = 1<<workers - 1
	w.limit.Store(uint32(workers))
	w.v.Store(w.all)
}

// wakeResult is what became of an attempt to wake a sleeper.
type wakeResult int

const (
	wokeNone   wakeResult = iota // a searcher, or whoever is awake, will see the work
	wokeOne                      // the caller owes the worker a token
	wokeClosed                   // the scheduler is quiescent for good
)

// wake picks a sleeper, unless somebody searches already. The work must have been
// published by a read-modify-write before. With asSearcher the worker is counted
// as searching, otherwise the caller hands it a task. Any goroutine.
func (w *idleWord) wake(asSearcher bool) (worker int, r wakeResult) {
	for {
		v := w.v.Load() // W2
		if v&closedBit != 0 {
			return 0, wokeClosed
		}
		if searching(v) > 0 || v&w.all == 0 || w.awake(v) >= int(w.limit.Load()) { // W2'
			return 0, wokeNone
		}
		if v&frozenBit != 0 {
			seam.Spin() // a check takes well under a microsecond
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
		if w.v.CompareAndSwap(v, n) { // W3
			return i, wokeOne
		}
	}
}

// announce puts worker i to sleep on paper and reports whether now all sleep. The
// worker must look at all queues once more before it parks.
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

// retire puts worker i to sleep if more than the limit are awake, and reports
// whether it did. Somebody else is awake then, so that i need not look again.
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

// excess tells whether more than the limit are awake. Any goroutine; advisory.
func (w *idleWord) excess() bool { return w.awake(w.v.Load()) > int(w.limit.Load()) }

// awake returns how many workers do not sleep in v.
func (w *idleWord) awake(v uint64) int { return w.workers - bits.OnesCount64(v&w.all) }

// retract takes the announcement of worker i back and reports whether it could. If
// not, a token is on its way, and the worker must take it.
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

// rouse wakes worker i, and no other, for the end, even if the scheduler is quiescent for good. It
// reports whether i slept. Only for the goroutine that stops the scheduler, and for i itself.
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

// startSearch counts the caller as a searcher unless half of the workers are.
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

// stopSearch takes the caller off the searchers and reports whether it was the last. If it was, it
// must look whether more work is about, and wake another.
func (w *idleWord) stopSearch() (last bool) {
	if invariant.On {
		invariant.Check(searching(seam.Peek(&w.v)) > 0, "a searcher stops, and nobody searches")
	}
	return w.v.Add(^uint64(searchOne-1))&searchMask == 0
}

// freeze begins a quiescence check if all workers sleep and nobody searches.
func (w *idleWord) freeze() bool {
	v := w.v.Load()
	return v == w.all && w.v.CompareAndSwap(v, v|frozenBit)
}

// thaw ends a quiescence check: work goes on.
func (w *idleWord) thaw() {
	if invariant.On {
		verifyFrozen(w)
	}
	w.v.Store(w.all)
}

// close ends a quiescence check: nobody wakes again.
func (w *idleWord) close() { w.v.Store(w.all | closedBit) }

// closed tells whether close was called. Any goroutine.
func (w *idleWord) closed() bool { return w.v.Load()&closedBit != 0 }

// settled waits for a check under way to end and tells whether it closed the
// scheduler.
func (w *idleWord) checkEnded() (closed bool) {
	for {
		v := w.v.Load()
		if v&frozenBit == 0 {
			return v&closedBit != 0
		}
		seam.Spin()
	}
}

// quiet tells whether all workers sleep. Any goroutine; advisory.
func (w *idleWord) quiet() bool { return w.v.Load()&w.all == w.all }

// sleepers returns how many workers sleep. Any goroutine; advisory.
func (w *idleWord) sleepers() int { return bits.OnesCount64(w.v.Load() & w.all) }
