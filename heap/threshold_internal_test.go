package heap

import (
	"math"
	"testing"
)

// TestThreshold_OfMuch: an arena that keeps a good part of the address space, as is possible with
// 32 bits, is due when it has grown. It is not due at once and for ever because a product has
// overflowed.
func TestThreshold_OfMuch(t *testing.T) {
	a := new(Arena)
	for _, keep := range []int{0, 1 << 20, math.MaxInt / 2, math.MaxInt/2 + 1, math.MaxInt} {
		if a.setThreshold(keep); a.threshold < keep/2*2-1 || a.threshold < firstThreshold {
			t.Errorf("%d bytes are kept: due at %d", keep, a.threshold)
		}
	}
}
