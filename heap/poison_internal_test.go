package heap

import (
	"testing"

	"github.com/gallop-go/gallop/internal/invariant"
)

// "A pointer kept longer than allowed reads nonsense at once" where invariants
// are checked, and the memory is zero again for its next user.
func TestDeadMemoryIsPoisoned(t *testing.T) {
	if !invariant.On {
		t.Skip("invariants are off") // dead memory is only filled where they are on
	}
	var a Arena
	a.Bind(new(Recycler))
	kept := MakeSlice[byte](&a, 100).Deref(&a)
	a.Release()
	for i, b := range kept {
		if b != poison {
			t.Fatalf("byte %d of dead memory reads %#x", i, b)
		}
	}
	for i := range 128 {
		if v := *New[uint64](&a).Deref(&a); v != 0 {
			t.Fatalf("word %d of a recycled chunk reads %#x", i, v)
		}
	}
}
