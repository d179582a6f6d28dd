//go:build linux && !race && !gallop_explore

package seam

// On amd64 every plain store is a release store. The compiler moves no plain store past an atomic
// access or another store, and drops no store that an atomic access follows.

// Open marks the window as open. Owner only.
func (w *Window) Open() { w.open = 1 }

// Shut marks the window as shut, and publishes the owner's earlier writes. Owner only.
func (w *Window) Shut() { w.open = 0 }
