//go:build !gallop_explore

package seam

import (
	stdatomic "sync/atomic"
	"unsafe"
)

// swapsHeld makes SwapHeld skip the write barriers. Set it to false if a version of Go no longer
// allows that: then SwapHeld is a CompareAndSwap.
const swapsHeld = true

// SwapHeld is x.CompareAndSwap(o, n) for callers that have just stored n in some heap
// object of theirs, and o in n, with plain stores, and leave both there until the next
// SwapHeld. It compiles to one instruction, and CompareAndSwap to two calls.
//
// The two calls serve the GC: a pointer that appears in the heap, and a pointer that disappears
// from it, must be shown to a running collection. Here the plain stores show both, n and o:
//
//  1. If the collection began before the plain stores, their write barriers showed
//     n and o.
//  2. If it began after them, it found n in the heap, in the caller's object, and o
//     in n; or else a later plain store removed one of them, and its barrier showed
//     the pointer that it removed.
//
// In both cases n and o are marked, at any moment of the swap, although the
// collector may have looked at x before.
//
// If n is nil, only o is to be shown. Then the caller must have removed o from its own heap object
// with a plain store just before, and must put it back into a heap object with another plain store
// afterwards. A collection that began before the first store was shown o by that store's barrier.
// A collection that began later finds o on the caller's stack, or is shown it by the second store.
//
// The same holds for two other kinds of n: one that is no heap object, such as a variable of a
// package, and one that is reachable from elsewhere while x is, such as the mark of a worker's
// bias. An o that is nil, or of these kinds, need not be shown.
func SwapHeld[T any](x *Pointer[T], o, n *T) bool {
	if !swapsHeld {
		return x.CompareAndSwap(o, n)
	}
	return stdatomic.CompareAndSwapUintptr((*uintptr)(unsafe.Pointer(x)),
		uintptr(unsafe.Pointer(o)), uintptr(unsafe.Pointer(n)))
}
