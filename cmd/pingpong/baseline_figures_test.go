//go:build gallop_figures

package main

import (
	"testing"
)

// The remains of the channels are not gallop's: its memory is the same as without them, turn after
// turn. The channels of a scenario have all their turns in one process.
func TestRival_LeavesNothingBehind(t *testing.T) {
	_, alone, _ := tryBeside(t.Context(), retainer, nil, "-baseline=false")
	code, stdout, stderr := tryBeside(t.Context(), retainer, nil, "-rounds", "3")
	all := append(lines(t, alone), lines(t, stdout)...)
	if code != exitOK || stderr != "" || len(all) != 2 {
		t.Fatalf("exit %d, stderr %q: %s", code, stderr, stdout)
	}
	f := all[1]
	if f.BaselineRounds != 3 || f.BaselineNsPerOp == nil || *f.BaselineAllocsPerOp <= 0 {
		t.Errorf("%s", stdout)
	}
	if f.PeakRSSKB > all[0].PeakRSSKB+16<<10 {
		t.Errorf("%d KB alone, %d KB beside the channels", all[0].PeakRSSKB, f.PeakRSSKB)
	}
}
