//go:build race || gallop_explore || !linux || !(amd64 || arm64)

package seam

// Window tells others whether its only owner runs a piece of code in which they must not disturb
// it. Here Open and Shut are fences themselves, which the race detector and the explorer
// understand. Such a window costs more than it saves: see CanFence.
type Window struct{ open Uint32 }

// Open marks the window as open. Owner only.
func (w *Window) Open() { w.open.Store(1) }

// Shut marks the window as shut, and publishes the owner's earlier writes. Owner only.
func (w *Window) Shut() { w.open.Store(0) }

// IsOpen reports whether the window is open. It acquires. Any goroutine.
func (w *Window) IsOpen() bool { return w.open.Load() != 0 }

// PrepareFence returns nil: Fence needs no preparation here.
func PrepareFence() (ask func()) { return nil }

// CanFence reports whether windows are used: here only with the race detector, and in explorations.
func CanFence() bool { return windowsAreChecked }

// Fence does nothing here, and returns 0.
func Fence() (took int64) { return 0 }
