//go:build !(amd64 || arm64) || race || gallop_explore

package seam

// PublishHeld stores n in x and then loads f; see the one in assembly. Here it is two
// ordinary atomics, which the race detector and the explorer understand.
func PublishHeld[T any](x *Pointer[T], n *T, f *Uint32) uint32 {
	x.Store(n)
	return f.Load()
}
