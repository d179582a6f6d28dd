//go:build !gallop_explore

package seam

// Arrived says that the calling goroutine, a coroutine, has been switched to: what runs, and has
// run in another goroutine so far, goes on here. It compiles to nothing.
func Arrived() {}
