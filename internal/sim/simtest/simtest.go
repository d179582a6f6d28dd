// Package simtest checks that programs repeat themselves in deterministic runs.
package simtest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gallop-go/gallop/internal/sim"
)

// seeds is how many seeds a program is run under, each twice.
const seeds = 8

// Repeats runs a program under a few seeds, each twice, and fails the test if one seed
// gives two orders, or all seeds give one. h tells what happened; run makes a system
// with it, and returns what else must be the same, once the system has ended.
func Repeats(t testing.TB, run func(h *sim.Hooks, seed uint64) string) {
	t.Helper()
	orders := map[string]bool{}
	for seed := range uint64(seeds) {
		first, second := signature(run, seed), signature(run, seed)
		if first != second {
			t.Fatalf("seed %d is not the same run twice: %s", seed, difference(first, second))
		}
		orders[first] = true
	}
	if len(orders) == 1 {
		t.Errorf("%d seeds gave one order", seeds)
	}
}

// signature is all that happens under a seed, in order.
func signature(run func(h *sim.Hooks, seed uint64) string, seed uint64) string {
	var trace strings.Builder
	said := run(&sim.Hooks{Event: func(e sim.Event) {
		fmt.Fprintf(&trace, "%d w%d %s#%d.%s from %d\n", e.Kind, e.Worker, e.Type, e.Actor, e.Behaviour, e.From)
	}}, seed)
	return trace.String() + said
}

// difference is the first line that is not the same.
func difference(a, b string) string {
	as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(as), len(bs)) {
		if as[i] != bs[i] {
			return fmt.Sprintf("line %d was %q, and then %q", i+1, as[i], bs[i])
		}
	}
	return fmt.Sprintf("%d lines, and then %d", len(as), len(bs))
}
