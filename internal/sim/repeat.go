package sim

import (
	"fmt"
	"hash/maphash"
	"os"
	"strings"
)

// enough is how many seeds must give more than one order.
const enough = 8

// Seeds is how many seeds Repeats runs a program under, each twice: more if the
// environment asks for the long forms.
func Seeds() int {
	if os.Getenv("GALLOP_NIGHTLY") != "" {
		return 250
	}
	return 10
}

// Repeats runs a program under Seeds seeds, each twice, and returns how many orders they
// gave. It says if one seed gives two orders, or the first eight give one. h tells what
// happens; run makes a system with it, and returns what else must be the same, once the
// system has ended. For tests.
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

// signature is all that happens under a seed, in order.
func signature(run func(h *Hooks, seed uint64) string, seed uint64) string {
	var trace strings.Builder
	said := run(&Hooks{Event: func(e Event) {
		fmt.Fprintf(&trace, "%d w%d %s#%d.%s from %d\n", e.Kind, e.Worker, e.Type, e.Actor, e.Behaviour,
			e.From)
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
