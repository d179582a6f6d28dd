//go:build gallop_figures && !gallop_explore

package seam_test

import (
	"testing"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// TestPlainAllocatesNothing: Point, Spin and Goroutine allocate nothing in a plain build.
func TestPlainAllocatesNothing(t *testing.T) {
	for name, f := range map[string]func(){
		"Point and Spin": func() { seam.Point(); seam.Spin() },
		"Goroutine":      func() { seam.Goroutine() },
	} {
		if n := testing.AllocsPerRun(1000, f); n != 0 && !invariant.On {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
