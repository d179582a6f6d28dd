//go:build !gallop_invariants && !gallop_explore && !race

// Package invariant checks conditions that always hold in a correct runtime. The
// checks are compiled in under the build tags gallop_invariants and gallop_explore
// and under the race detector, and cost nothing elsewhere.
package invariant

// On reports whether invariants are checked in this build.
const On = false

// Check panics with the actual values when ok is false; here it does nothing.
func Check(bool, string, ...any) {}
