//go:build !gallop_explore

package seam_test

import (
	stdatomic "sync/atomic"
	"testing"

	"go.uber.org/atomic"

	"github.com/gallop-go/gallop/internal/seam"
)

// In a plain build the seam's types are the atomics themselves, not wrappers, so
// that there is nothing that could cost anything. This does not compile otherwise.
var (
	_ *atomic.Pointer[int] = (*seam.Pointer[int])(nil)
	_ *atomic.Uint32       = (*seam.Uint32)(nil)
	_ *atomic.Int32        = (*seam.Int32)(nil)
	_ *atomic.Bool         = (*seam.Bool)(nil)
	_ *stdatomic.Uint64    = (*seam.Uint64)(nil)
	_ *stdatomic.Int64     = (*seam.Int64)(nil)
)

// TestPlainIsPlain: the flag that tests rely on says which build this is, and
// what the plain build adds allocates nothing.
func TestPlainIsPlain(t *testing.T) {
	if seam.Explored {
		t.Error("Explored in a plain build")
	}
	if n := testing.AllocsPerRun(100, func() { seam.Point(); seam.Spin() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
