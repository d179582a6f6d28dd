package sched

import (
	"math/bits"

	"github.com/gallop-go/gallop/internal/cacheline"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// The leaves of the idle word, for more workers than the word has bits. The idle word, here the
// root, has the number of sleepers that can still be claimed. A waking goroutine first claims a
// sleeper in the root, which is the decision (W2, W3). Afterwards it clears a bit in any leaf, and
// that bit determines the worker.
//
//	falling asleep  set own bit, then add 1 to the root (S1)
//	waking          take 1 off the root, then clear one bit, the first that is found (W3)
//	own bit         take 1 off the root, then clear own bit; if another goroutine has cleared it,
//	                clear any other bit, and wake that worker
//
// So at any moment
//
//	bits set = number in the root + claims whose bit is still to be cleared
//	         + workers that have set their bit and not added 1 yet
//
// It follows that a claim always finds a bit, and that every claim clears exactly one. While the
// root says that all sleep, there is no claim and all bits are set, so freezing the root freezes
// the leaves. A claim is never given back. Otherwise a worker that meets an empty root could not
// know that a token is on its way.
//
// Rejected: several words that are all read before a decision, and a number of searchers for each
// group of workers. See docs/decisions/0005-idle-word.md.
type idleLeaf struct {
	bits seam.Uint64
	_    cacheline.Pad
}

// leafShift: a leaf has the bits of 64 workers.
const leafShift = 6

// initLeaves is init with leaves, each for 1<<shift workers.
func (w *idleWord) initLeaves(workers int, shift uint8) {
	w.leafShift = shift
	size := 1 << shift
	w.leaves = make([]idleLeaf, (workers+size-1)/size)
	for i := range workers {
		leaf, bit := w.leaf(i)
		leaf.bits.Store(leaf.bits.Load() | bit)
	}
	w.all = uint64(workers)
	w.begin(workers)
}

// leaf returns the leaf and the bit of worker i.
func (w *idleWord) leaf(i int) (leaf *idleLeaf, bit uint64) {
	return &w.leaves[i>>w.leafShift], 1 << (i & (1<<w.leafShift - 1))
}

// setBit sets the bit of worker i, before the addition in the root. A goroutine that claims a
// sleeper may take this worker's bit for it, so it always finds a bit. Worker i only.
func (w *idleWord) setBit(i int) {
	leaf, bit := w.leaf(i)
	if invariant.On {
		verifyLeafBit(leaf, bit, i)
	}
	leaf.bits.Add(bit)
}

// clearBit clears the bit of worker i and reports whether it was set. The caller has claimed a
// sleeper, or is worker i before it has added 1 to the root.
func (w *idleWord) clearBit(i int) bool {
	leaf, bit := w.leaf(i)
	for {
		b := leaf.bits.Load()
		if b&bit == 0 {
			return false
		}
		if leaf.bits.CompareAndSwap(b, b&^bit) {
			return true
		}
	}
}

// takeAny clears the lowest bit that it finds and returns the worker. The caller has claimed a
// sleeper, so there is always a bit for it. If a round finds none, or a compare-and-swap fails,
// another goroutine has cleared or set one meanwhile.
func (w *idleWord) takeAny() (worker int) {
	for {
		for l := range w.leaves {
			leaf := &w.leaves[l].bits
			for b := leaf.Load(); b != 0; b = leaf.Load() {
				i := bits.TrailingZeros64(b)
				if leaf.CompareAndSwap(b, b&(b-1)) {
					return l<<w.leafShift + i
				}
			}
		}
		seam.Spin()
	}
}

// retireInLeaves is retire. The bit comes first, as in announce. If the limit has changed by then,
// the worker takes the bit back. If a goroutine with a claim has cleared the bit already, the
// worker adds 1 to the root nevertheless, in place of the claimed sleeper, and takes its token.
// Worker i only.
func (w *idleWord) retireInLeaves(i int) bool {
	if !w.excess() {
		return false
	}
	w.setBit(i)
	for {
		v := w.v.Load()
		if w.awake(v) <= int(w.limit.Load()) {
			if w.clearBit(i) {
				return false
			}
			w.v.Add(1)
			return true
		}
		if invariant.On {
			verifyIdleWord(w, v, v+1)
		}
		if w.v.CompareAndSwap(v, v+1) {
			return true
		}
	}
}

// clearInLeaves is retract, or, with stopping, wakeForStop. It claims a sleeper and clears the bit
// of worker i with that claim. If another goroutine was faster, it clears any other bit.
//
// While the root is 0 and the bit is set, it waits. Either a claim has yet to clear its bit,
// perhaps this one, or another worker has set its bit and has yet to add 1. Each takes another
// goroutine two steps.
func (w *idleWord) clearInLeaves(i int, stopping bool) (cleared int, ok bool) {
	leaf, bit := w.leaf(i)
	for {
		if leaf.bits.Load()&bit == 0 {
			return 0, false
		}
		v := w.v.Load()
		if v&closedBit != 0 && !stopping {
			return 0, false
		}
		if v&frozenBit != 0 || v&sleepMask == 0 {
			seam.Spin()
			continue
		}
		if invariant.On {
			verifyIdleWord(w, v, v-1)
		}
		if w.v.CompareAndSwap(v, v-1) {
			break
		}
	}
	if w.clearBit(i) {
		return i, true
	}
	return w.takeAny(), true
}
