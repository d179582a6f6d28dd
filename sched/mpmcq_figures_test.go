//go:build gallop_figures

package sched

import (
	"testing"
)

// TestInjectAllocates: a segment and its cells for every 64 pushes.
func TestInjectAllocates(t *testing.T) {
	var q mpmcq
	var task Task
	q.init(segmentCells)
	if n := testing.AllocsPerRun(100, func() {
		for range segmentCells {
			q.push(&task)
			q.pop()
		}
	}); n > segmentCells/32 {
		t.Errorf("%v allocations for %d pushes", n, segmentCells)
	}
}
