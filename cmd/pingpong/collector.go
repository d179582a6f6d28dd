package main

import (
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
)

// usualGOGC is for both sides, unless the environment has a GOGC. A program that makes actors, or
// goroutines, by the million and keeps none has a heap of next to nothing. There the GC by its own
// choice runs every two milliseconds: with fjcreate it took as long as the work. Services with
// small heaps set GOGC higher, as this program does; the figures say so.
const usualGOGC = 400

// relaxCollector sets the GC percentage of this process.
func relaxCollector() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(usualGOGC)
	}
}

// gogc is the collector's setting, in percent, or nil if it is off.
func gogc() *uint64 {
	sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(sample)
	if percent := sample[0].Value.Uint64(); percent != math.MaxUint64 {
		return &percent
	}
	return nil
}
