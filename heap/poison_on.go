//go:build gallop_poison

package heap

// Poisoned says whether this build exposes pointers that were kept too long. With the
// build tag gallop_poison, actors collect after every message that used their heap, so
// that everything moves, and what it leaves is filled with 0xdb and never used again.
const Poisoned = true

// generationsAbove is where generationsFrom begins: every arena has two, so that both
// kinds of collection happen all the time.
const generationsAbove = 0
