//go:build !gallop_poison

package heap

// Poisoned reports whether this build exposes pointers that were kept too long. With the
// build tag gallop_poison, actors collect after every message that used their heap, so
// that objects move. The old memory is filled with 0xdb and never used again.
const Poisoned = false

// generationsAbove is the initial value of generationsFrom.
const generationsAbove = 256 << 10
