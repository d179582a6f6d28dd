//go:build gallop_explore

package seam

import "runtime"

// The hooks through which an explorer takes control. It sets them before its virtual threads start,
// and restores them after they have ended. Accesses of other goroutines meanwhile are not steps of
// the exploration. With these initial hooks the seam behaves as in a plain build.
var (
	// Hook runs before every shared access.
	Hook = func() {}
	// HookSpin runs in every iteration of a waiting loop.
	HookSpin = runtime.Gosched
	// HookAwait runs before an operation that blocks until cond holds. An explorer returns from it
	// when cond holds.
	HookAwait = func(cond func() bool) {}
)

// Point is an interleaving point.
func Point() { Hook() }

// Await is called before an operation that blocks until cond holds.
func Await(cond func() bool) { HookAwait(cond) }

// Spin is called in each iteration of a loop that waits for another thread's next write.
func Spin() { HookSpin() }
