package sched

import (
	"testing"

	"github.com/gallop-go/gallop/internal/invariant"
)

// TestGoid: a number of its own for each goroutine, told without an allocation
// (every Ask of an actor that is not idle wants to know it).
func TestGoid(t *testing.T) {
	mine := goid()
	if mine == 0 || goid() != mine {
		t.Fatalf("goid: %d, then %d", mine, goid())
	}
	other := make(chan uint64)
	go func() { other <- goid() }()
	if o := <-other; o == mine || o == 0 {
		t.Fatalf("goid: %d in both goroutines", o)
	}
	if n := testing.AllocsPerRun(1000, func() { goid() }); n != 0 && !invariant.On {
		t.Errorf("goid: %v allocations, want none", n)
	}
}
