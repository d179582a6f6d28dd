//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package main

import "runtime"

// peakRSS is an upper bound, since the system is not asked: all memory that Go has reserved, in KB.
func peakRSS() uint64 {
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	return mem.Sys / 1024
}
