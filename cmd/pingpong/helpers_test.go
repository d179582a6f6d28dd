package main

import (
	"testing"
	"time"
	"unicode/utf8"

	"github.com/gallop-go/gallop/actor"
)

// sampleReport is a report of made-up figures.
func sampleReport() report {
	r := newReport(pingpong, options{seed: 1})
	stats := actor.Stats{Messages: 2_000_005, Spawned: 3, Mutes: 1, Workers: []actor.WorkerStats{
		{Turns: 20_001, Messages: 2_000_003, Steals: 1, StealMisses: 7, Parks: 2, Wakes: 2},
		{Turns: 2, Messages: 2, StealMisses: 12, Parks: 6, Wakes: 6},
	}}
	for _, ms := range []int{61, 58, 60} {
		r.addGallop(turn{wall: time.Duration(ms) * time.Millisecond, got: 2_000_000, allocs: 50_000,
			stats: stats, workers: len(stats.Workers)})
		r.addChannels(turn{wall: time.Duration(5*ms) * time.Millisecond, got: 2_000_000,
			allocs: 30})
	}
	r.peakKB, r.gogc = 12_345, new(uint64(usualGOGC))
	return r
}

// The median of an even number of turns is the mean of the two in the middle.
func TestMedian_IsTheTurnInTheMiddle(t *testing.T) {
	for _, c := range []struct {
		walls []time.Duration
		want  time.Duration
	}{
		{[]time.Duration{5}, 5}, {[]time.Duration{9, 1}, 5}, {[]time.Duration{3, 9, 1}, 3},
		{[]time.Duration{1 << 40, 1, 2}, 2}, {[]time.Duration{20, 4, 1, 10}, 7},
	} {
		var turns []turn
		for _, w := range c.walls {
			turns = append(turns, turn{wall: w})
		}
		if got := median(turns).wall; got != c.want {
			t.Errorf("median of %v is %v, want %v", c.walls, got, c.want)
		}
	}
}

func TestCommas(t *testing.T) {
	for n, want := range map[uint64]string{
		0: "0", 999: "999", 1000: "1,000", 123456: "123,456",
		1<<64 - 1: "18,446,744,073,709,551,615",
	} {
		if got := commas(n); got != want {
			t.Errorf("commas(%d) = %s, want %s", n, got, want)
		}
	}
}

func TestBar_IsAlwaysAsWide(t *testing.T) {
	for _, part := range []float64{-1e300, -1, 0, 0.01, 1, 3.3, 9.99, 10, 11, 1e300} {
		if got := bar(part, 10, 12); utf8.RuneCountInString(got) != 12 {
			t.Errorf("bar(%v) is %q", part, got)
		}
	}
	if got, want := bar(1, 2, 4), "██  "; got != want {
		t.Errorf("half a bar is %q, want %q", got, want)
	}
	if got, want := bar(1, 0, 2), "  "; got != want {
		t.Errorf("a bar of nothing is %q, want %q", got, want)
	}
}

func TestPeakRSS_IsPlausible(t *testing.T) {
	if kb := peakRSS(); kb < 500 || kb > 1<<30 {
		t.Errorf("%d KB", kb)
	}
}
