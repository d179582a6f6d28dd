//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package main

import (
	"runtime"
	"syscall"
)

// peakRSS is the most memory in KB that the process has had resident at once so far.
func peakRSS() uint64 {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		return 0
	}
	peak := uint64(use.Maxrss)
	if runtime.GOOS == "darwin" {
		return peak / 1024 // only this system counts in bytes
	}
	return peak
}
