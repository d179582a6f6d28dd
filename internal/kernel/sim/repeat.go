package sim

import (
	"fmt"
	"hash/maphash"
	"os"
	"strings"
)

// enough is the number of seeds that must give more than one order.
const enough = 8

// Seeds returns the number of seeds under which Repeats runs a program, each twice. It is larger if
// the environment asks for the long forms.
func Seeds() int {
	if os.Getenv("GALLOP_NIGHTLY") != "" {
		return 250
	}
	return 10
}

// Repeats runs a program under Seeds seeds, each twice, and returns the number of different orders.
// It returns an error if one seed gives two orders, or the first eight give one. run makes a system
// with the hooks h, and returns, once the system has ended, all else that must be the same. For
// tests.
func Repeats(run func(h *Hooks, seed uint64) string) (orders int, err error) {
	salt, seen := maphash.MakeSeed(), map[uint64]bool{}
	for seed := range uint64(Seeds()) {
		first, second := signature(run, seed), signature(run, seed)
		if first != second {
			return len(seen), fmt.Errorf("seed %d is not the same run twice: %s", seed,
				difference(first, second))
		}
		seen[maphash.String(salt, first)] = true
		if seed+1 == enough && len(seen) == 1 {
			return 1, fmt.Errorf("%d seeds gave one order", enough)
		}
	}
	return len(seen), nil
}

// signature returns all events under a seed, in order.
func signature(run func(h *Hooks, seed uint64) string, seed uint64) string {
	var trace strings.Builder
	said := run(&Hooks{Event: func(e Event) {
		fmt.Fprintf(&trace, "%d w%d %s#%d.%s from %d\n", e.Kind, e.Worker, e.Type, e.Actor, e.Behaviour,
			e.From)
	}}, seed)
	return trace.String() + said
}

// difference describes the first line that differs.
func difference(a, b string) string {
	as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(as), len(bs)) {
		if as[i] != bs[i] {
			return fmt.Sprintf("line %d was %q, and then %q", i+1, as[i], bs[i])
		}
	}
	return fmt.Sprintf("%d lines, and then %d", len(as), len(bs))
}
