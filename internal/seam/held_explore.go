//go:build gallop_explore

package seam

// SwapHeld is x.CompareAndSwap(o, n). See the SwapHeld of the plain build.
func SwapHeld[T any](x *Pointer[T], o, n *T) bool { return x.CompareAndSwap(o, n) }
