//go:build gallop_explore

package seam

import "runtime"

// The hooks through which an explorer takes control. It sets them before its virtual threads start,
// and sets them back when they have ended. Accesses of other goroutines meanwhile are not steps of
// the exploration. With the hooks as they are set here the seam behaves as in a plain build.
var (
	// Hook runs before every shared access.
	Hook = func() {}
	// HookSpin runs in every turn of a waiting loop.
	HookSpin = runtime.Gosched
	// HookAwait runs before something that blocks until cond holds; an explorer returns from it
	// when cond holds.
	HookAwait = func(cond func() bool) {}
)

// Point is an interleaving point.
func Point() { Hook() }

// Await comes before something that blocks until cond holds.
func Await(cond func() bool) { HookAwait(cond) }

// Spin is one turn of a loop that waits for another thread's next write.
func Spin() { HookSpin() }
