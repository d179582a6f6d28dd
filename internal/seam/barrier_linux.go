//go:build linux && amd64 && !race && !gallop_explore

package seam

import (
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// The fence that others are made to execute: membarrier(2), of Linux 4.14 and later.

const (
	registerPrivateExpedited = 1 << 4
	privateExpedited         = 1 << 3
)

var barrier struct {
	once  sync.Once
	ready atomic.Bool
}

// PrepareBarrier asks for Barrier to work, once per process; later calls cost a load. The
// first may take some milliseconds. Sandboxes may refuse: then Asymmetric stays false.
func PrepareBarrier() {
	barrier.once.Do(func() { barrier.ready.Store(membarrier(registerPrivateExpedited)) })
}

// Asymmetric tells whether PublishHeld and Barrier may be used.
func Asymmetric() bool { return barrier.ready.Load() }

// Barrier makes every thread of the process that runs execute a full fence; the others
// have, when they were switched. Some microseconds. Only where Asymmetric says so.
func Barrier() {
	if !membarrier(privateExpedited) {
		panic("gallop: membarrier has worked before and fails now")
	}
}

func membarrier(command uintptr) bool {
	_, _, e := unix.RawSyscall(unix.SYS_MEMBARRIER, command, 0, 0)
	return e == 0
}
