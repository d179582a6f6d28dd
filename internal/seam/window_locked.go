//go:build race || gallop_explore || !linux || !(amd64 || arm64)

package seam

// Window here has opening and shutting that are fences themselves, which the race detector and the
// explorer understand. It costs more than it saves, so it is only for these two.
type Window struct{ open Uint32 }

// Open lets others see that the owner is within. Owner only.
func (w *Window) Open() { w.open.Store(1) }

// Shut publishes the owner's writes within, and that it has left. Owner only.
func (w *Window) Shut() { w.open.Store(0) }

// IsOpen reports whether the owner is within. It acquires. Any goroutine.
func (w *Window) IsOpen() bool { return w.open.Load() != 0 }

// PrepareFence has nothing to do here.
func PrepareFence() (ask func()) { return nil }

// CanFence reports whether windows are to be used.
func CanFence() bool { return windowsAreChecked }

// Fence has nothing to do here, in no time.
func Fence() (took int64) { return 0 }
