//go:build gallop_figures

package backpressure

import (
	"testing"
)

// TestAllocations: a gate and a blocked-on count allocate nothing but the waiter.
func TestAllocations(t *testing.T) {
	var mark Marks[int]
	var w Waiter[int]
	var g Gate[int]
	var d BlockedOn
	if n := testing.AllocsPerRun(1000, func() {
		g.Shut(&mark)
		d.Block()
		g.Enter(&w)
		d.Park()
		for o := g.Open(&mark); o != nil; o = o.Next() {
			d.Unblock()
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
