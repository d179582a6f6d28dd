//go:build (amd64 || arm64) && !race && !gallop_explore

package seam

import "unsafe"

// PublishHeld stores n in x, which has one writer, and then loads f: Dekker's owner,
// without the fence in between. It returns f's word. The other side stores in f with a
// read-modify-write, calls [Barrier], and then loads x: either it sees n or the caller
// sees what it stored. Only where [Asymmetric] says so.
//
// It is assembly, so that no compiler moves the two or keeps n in a register. On amd64
// the processor may still load f before others see n; Barrier makes this one execute a
// full fence in the meantime: n was stored before that, and is seen, or else f is loaded
// after it. On arm64 a release store and a later acquiring load stay in order.
//
// To Go's collector n must be shown by the caller's plain stores, as for [SwapHeld]; the
// old value of x, if there is one, must be in n.
func PublishHeld[T any](x *Pointer[T], n *T, f *Uint32) uint32 {
	return storeThenLoad(unsafe.Pointer(x), unsafe.Pointer(n), unsafe.Pointer(f))
}

//go:noescape
func storeThenLoad(x, n, f unsafe.Pointer) uint32
