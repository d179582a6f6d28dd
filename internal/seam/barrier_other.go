//go:build !(linux && amd64) || race || gallop_explore

package seam

import "runtime"

// PrepareBarrier asks for Barrier to work; here there is nothing to be done.
func PrepareBarrier() {}

// Asymmetric tells whether PublishHeld and Barrier may be used: with the race detector,
// under the explorer, and on arm64, where PublishHeld needs no fence.
func Asymmetric() bool { return ordered || runtime.GOARCH == "arm64" }

// Barrier is nothing here, where what it is for is in order without.
func Barrier() {}
