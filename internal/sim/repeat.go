package sim

import (
	"fmt"
	"strings"
)

// seeds is how many seeds Repeats runs a program under, each twice.
const seeds = 8

// Repeats runs a program under a few seeds, each twice, and says if one seed gives two
// orders, or all seeds give one. h tells what happens; run makes a system with it, and
// returns what else must be the same, once the system has ended. For tests.
func Repeats(run func(h *Hooks, seed uint64) string) error {
	orders := map[string]bool{}
	for seed := range uint64(seeds) {
		first, second := signature(run, seed), signature(run, seed)
		if first != second {
			return fmt.Errorf("seed %d is not the same run twice: %s", seed, difference(first, second))
		}
		orders[first] = true
	}
	if len(orders) == 1 {
		return fmt.Errorf("%d seeds gave one order", seeds)
	}
	return nil
}

// signature is all that happens under a seed, in order.
func signature(run func(h *Hooks, seed uint64) string, seed uint64) string {
	var trace strings.Builder
	said := run(&Hooks{Event: func(e Event) {
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
