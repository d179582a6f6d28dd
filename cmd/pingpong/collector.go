package main

import (
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
)

// usualGOGC is the GOGC of both sides, unless the environment has one. A program that creates
// millions of actors, or goroutines, and keeps none has a tiny heap. By default the GC then runs
// every two milliseconds: with fjcreate it took as long as the work. Services with small heaps set
// GOGC higher, as this program does; the summary says so.
const usualGOGC = 400

// relaxCollector sets the GC percentage of this process.
func relaxCollector() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(usualGOGC)
	}
}

// gogc returns GOGC in percent, or nil if the GC is off.
func gogc() *uint64 {
	sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(sample)
	if percent := sample[0].Value.Uint64(); percent != math.MaxUint64 {
		return &percent
	}
	return nil
}
