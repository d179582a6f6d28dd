//go:build gallop_figures

package main

import (
	"testing"
)

// Each scenario starts without the remains of the previous one: the memory of pingpong is the same
// before and after a scenario whose channels leave much behind.
func TestApart_MemoryIsTheScenariosOwn(t *testing.T) {
	code, stdout, stderr := tryApart(t.Context(), []scenario{pingpong, retainer, pingpong}, nil,
		"-json")
	all := lines(t, stdout)
	if code != exitOK || len(all) != 3 {
		t.Fatalf("exit %d, stderr %q: %s", code, stderr, stdout)
	}
	if before, after := all[0].PeakRSSKB, all[2].PeakRSSKB; before == 0 || after > before+16<<10 {
		t.Errorf("%d KB alone, %d KB after another scenario", before, after)
	}
}
