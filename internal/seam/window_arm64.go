//go:build linux && !race && !gallop_explore

package seam

// Open lets others see that the owner is within. Owner only.
func (w *Window) Open() { storeRelease32(&w.open, 1) }

// Shut publishes the owner's writes within, and that it has left. Owner only.
func (w *Window) Shut() { storeRelease32(&w.open, 0) }
