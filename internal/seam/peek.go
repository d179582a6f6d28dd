//go:build !gallop_explore

package seam

// Peek reads x for a check of invariants. In an exploration it is no interleaving point, so
// that a check changes no schedule. For checks alone: see package invariant.
func Peek[T any](x interface{ Load() T }) T { return x.Load() }
