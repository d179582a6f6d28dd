//go:build gallop_explore

package seam

// HookArrived tells an explorer that the thread which has the turn goes on in the calling
// goroutine.
var HookArrived = func() {}

// Arrived says that the calling goroutine, a coroutine, has been switched to: what runs, and has
// run in another goroutine so far, goes on here.
func Arrived() { HookArrived() }
