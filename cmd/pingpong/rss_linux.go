package main

import (
	"bytes"
	"os"
	"strconv"
)

// peakRSS is the largest resident memory of the process so far, in KB. Getrusage would do for the
// rest of Unix. On Linux it includes the memory of the parent at the fork, and under "go run" the
// parent is the go command.
func peakRSS() uint64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(status, []byte("VmHWM:"))
	fields := bytes.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kb, _ := strconv.ParseUint(string(fields[0]), 10, 64)
	return kb
}
