//go:build gallop_explore

package seam

// HookArrived tells an explorer that the thread which has the turn goes on in the calling
// goroutine.
var HookArrived = func() {}

// Arrived is called by a coroutine after another goroutine has switched to it: the code of the
// other goroutine goes on in the coroutine.
func Arrived() { HookArrived() }
