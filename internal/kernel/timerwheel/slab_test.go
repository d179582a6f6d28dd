package timerwheel

import (
	"math"
	"testing"
	"unsafe"

	"github.com/gallop-go/gallop/internal/seam"
)

// TestTimer_Layout: "It fills one cache line on a 64-bit machine".
func TestTimer_Layout(t *testing.T) {
	// A seam.Uint32 has eight bytes in explorations.
	if unsafe.Sizeof(uintptr(0)) == 8 && unsafe.Sizeof(seam.Uint32{}) == 4 {
		if size := unsafe.Sizeof(Timer{}); size != 64 {
			t.Errorf("%d bytes, want 64", size)
		}
	}
}

// TestSlab_Places: "Each chunk is as large as all before it together".
func TestSlab_Places(t *testing.T) {
	for _, n := range []uint32{0, 1, 63, 64, 127, 128, 255, 256, 1 << 31, math.MaxUint32} {
		chunk, i := slabPlace(n)
		begin := slabBegin(chunk)
		if begin+i != n {
			t.Errorf("number %d is in chunk %d, which begins with %d, in place %d", n, chunk, begin, i)
		}
		if size := max(begin, 64); i >= size || chunk > 26 {
			t.Errorf("number %d is number %d of chunk %d, which has %d", n, i, chunk, size)
		}
	}
}
