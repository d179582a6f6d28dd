//go:build linux && (amd64 || arm64) && !race && !gallop_explore

package seam

import (
	"runtime"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// Window tells others whether its only owner runs a short piece of code in which they must not
// disturb it. Opening it costs a store and no fence, so the owner's later loads may come before
// others see the window open. Another party has to call [Fence] between its change, which the owner
// must see, and its look at the window:
//
//	owner                                  other
//	W1 window ← open                       F1 x ← changed
//	W2 x as it was? then act               F2 Fence
//	W3 window ← shut                       F3 wait until the window is shut
//
// The fence comes somewhere between two of the owner's instructions. If it comes before W2, the
// owner sees the change there. If it comes after W2, and so after W1, the other sees the window
// open at F3, or has waited until W3, which publishes the owner's writes. This is an asymmetric
// Dekker, as in Dice, Huang and Yang, "Asymmetric Dekker Synchronization" (2001), with Linux's
// membarrier as the fence.
type Window struct{ open uint32 }

// IsOpen reports whether the window is open. It acquires. Any goroutine, after a Fence.
func (w *Window) IsOpen() bool { return atomic.LoadUint32(&w.open) != 0 }

// From linux/membarrier.h.
const (
	privateExpedited         = 1 << 3
	registerPrivateExpedited = 1 << 4
)

var fence struct{ asked, can atomic.Bool }

// PrepareFence returns a function that makes Fence ready, which takes the kernel 3 to 20 ms. Only
// the first call returns it, and later calls return nil.
func PrepareFence() (ask func()) {
	if !fence.asked.CompareAndSwap(false, true) {
		return nil
	}
	return askForFence
}

func askForFence() {
	_, _, err := syscall.Syscall(unix.SYS_MEMBARRIER, registerPrivateExpedited, 0, 0)
	fence.can.Store(err == 0)
}

// CanFence reports whether Fence may be called. Once true it stays true.
func CanFence() bool { return fence.can.Load() }

// Fence makes every processor that runs a thread of this process execute a full fence, and returns
// the time that it took, in microseconds, rounded down. While other threads run, that is one or two
// on a real machine, and ten to twenty on a virtual machine, whose host must interrupt the
// processors.
func Fence() (took int64) {
	begun := SystemClock{}.Nanos()
	if _, _, err := syscall.RawSyscall(unix.SYS_MEMBARRIER, privateExpedited, 0, 0); err != 0 {
		fenceSlowly()
	}
	return (SystemClock{}.Nanos() - begun) / 1000
}

// fenceSlowly is Fence for a kernel that has no memory for it, or no longer allows it. A trace of
// all goroutines stops the world, which is a fence as well.
func fenceSlowly() { runtime.Stack(nil, true) }
