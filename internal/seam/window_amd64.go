//go:build linux && !race && !gallop_explore

package seam

// On amd64 every plain store is a release store. The compiler moves no plain store past an atomic
// access or another store, and drops none that an atomic access follows.

// Open lets others see that the owner is within. Owner only.
func (w *Window) Open() { w.open = 1 }

// Shut publishes the owner's writes within, and that it has left. Owner only.
func (w *Window) Shut() { w.open = 0 }
