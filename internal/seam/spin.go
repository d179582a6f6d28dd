//go:build !gallop_explore

package seam

import "runtime"

// Spin yields the processor to other goroutines. It is for a loop that waits until another
// goroutine has taken a few steps.
func Spin() { runtime.Gosched() }

// Await is called before an operation that blocks until cond holds. It compiles to nothing.
func Await(func() bool) {}
