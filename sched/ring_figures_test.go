//go:build gallop_figures

package sched

import (
	"testing"

	"github.com/gallop-go/gallop/internal/invariant"
)

// TestRingAllocates: nothing.
func TestRingAllocates(t *testing.T) {
	if invariant.On {
		return // checks allocate their messages
	}
	var r ring
	var task Task
	r.init(ringSize, 0)
	if n := testing.AllocsPerRun(1000, func() {
		r.owner().push(&task)
		r.owner().push(&task)
		r.owner().pop()
		r.thief().steal()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
