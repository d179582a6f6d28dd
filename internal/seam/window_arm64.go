//go:build linux && !race && !gallop_explore

package seam

// Open marks the window as open. Owner only.
func (w *Window) Open() { storeRelease32(&w.open, 1) }

// Shut marks the window as shut, and publishes the owner's earlier writes. Owner only.
func (w *Window) Shut() { storeRelease32(&w.open, 0) }
