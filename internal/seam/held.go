//go:build !gallop_explore

package seam

import (
	stdatomic "sync/atomic"
	"unsafe"
)

// swapsHeld lets SwapHeld go past the write barriers. With false it is a CompareAndSwap: that is
// all it takes to do without, should a version of Go no longer allow it.
const swapsHeld = true

// SwapHeld is x.CompareAndSwap(o, n) for callers that have just stored n in some heap
// object of theirs, and o in n, with plain stores, and leave both there until the next
// SwapHeld. It compiles to one instruction where CompareAndSwap makes two calls.
//
// The two calls serve the GC: a pointer that appears in the heap, and a pointer that disappears
// from it, must be shown to a running collection. Here the plain stores show both, n and o:
//
//  1. If the collection began before the plain stores, their write barriers showed
//     n and o.
//  2. If it began behind them, it found n in the heap, in the caller's object, and o
//     in n; or else a later plain store removed one of them, and its barrier showed
//     what it removed.
//
// In both cases n and o are marked, however the swap falls in between, although the
// collector may have looked at x before.
//
// If n is nil, only o is to be shown. Then the caller must have removed o from its own heap object
// with a plain store just before, and must put it back into a heap object with another plain store
// afterwards. A collection that began before the first store was shown o by that store's barrier,
// and one that began later finds o on the caller's stack or is shown it by the second store. The
// same goes for an n that is no heap object, such as a variable of a package, or that is reachable
// from elsewhere for as long as x is, such as the mark of a worker's bias. An o that is nil, or
// one of these, need not be shown.
func SwapHeld[T any](x *Pointer[T], o, n *T) bool {
	if !swapsHeld {
		return x.CompareAndSwap(o, n)
	}
	return stdatomic.CompareAndSwapUintptr((*uintptr)(unsafe.Pointer(x)),
		uintptr(unsafe.Pointer(o)), uintptr(unsafe.Pointer(n)))
}
