package main

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// "Counts are checked": every scenario ends with the right count on both sides, for the least work
// and for more than one chunk of work, on one worker and on several.
func TestScenarios_CountRight(t *testing.T) {
	sizes, crews := []int{1, 2, 7, 1000, 2500}, []int{1, 2, 4}
	if testing.Short() {
		sizes, crews = []int{1, 1000}, []int{1, 4}
	}
	for _, s := range registry {
		for _, n := range sizes {
			for _, workers := range crews {
				t.Run(fmt.Sprintf("%s/n=%d/workers=%d", s.name, n, workers), func(t *testing.T) {
					opts := options{n: n, workers: workers, rounds: 2, seed: 7, baseline: true}
					rep, err := measure(t.Context(), s, opts, &progress{}, localBaseline{s})
					if err != nil || !rep.ok() {
						t.Fatalf("start: %v, report: %v", err, rep.err)
					}
					if len(rep.gallop) != 2 || len(rep.channels) != 2 {
						t.Errorf("%d and %d turns, want 2 each", len(rep.gallop), len(rep.channels))
					}
					if got := rep.shown().workers; got != workers {
						t.Errorf("%d workers, want %d", got, workers)
					}
				})
			}
		}
	}
}

// "Everything shown comes from System.Stats()": the stats have at least one message per operation.
func TestScenarios_StatsSeeTheWork(t *testing.T) {
	for _, s := range registry {
		if s.uncounted {
			continue
		}
		rep, err := measure(t.Context(), s, options{n: 1000, rounds: 1}, &progress{},
			localBaseline{s})
		if err != nil || !rep.ok() {
			t.Fatalf("%s: start: %v, report: %v", s.name, err, rep.err)
		}
		if got := rep.shown().stats.Messages; got < 1000 {
			t.Errorf("%s: %d messages for 1000 %s", s.name, got, s.ops)
		}
	}
}

// "Random choices only from -seed": both sides dial the same numbers, and never their own.
func TestDial_FollowsTheSeed(t *testing.T) {
	for self := range callers {
		a, b := newDial(3, self), newDial(3, self)
		seen := map[int]bool{}
		for range 20 * callers {
			to := a.next()
			if to != b.next() {
				t.Fatal("one seed, two different choices")
			}
			if to == self || to < 0 || to >= callers {
				t.Fatalf("caller %d dials %d", self, to)
			}
			seen[to] = true
		}
		if len(seen) != callers-1 {
			t.Errorf("caller %d reaches %d others, want %d", self, len(seen), callers-1)
		}
	}
	a, b := newDial(3, 0), newDial(4, 0)
	for range 50 {
		if a.next() != b.next() {
			return
		}
	}
	t.Error("two seeds, the same choices")
}

func TestShare_DealsEverything(t *testing.T) {
	for _, n := range []int{1, 2, 7, 8, 9, 1000, 1001} {
		for _, k := range []int{1, 2, 8, 60} {
			sum, some := 0, 0
			for i := range k {
				got := share(n, k, i)
				sum += got
				some += min(got, 1)
			}
			if sum != n || some != dealt(n, k) {
				t.Errorf("%d among %d: dealt %d to %d", n, k, sum, some)
			}
		}
	}
}

func TestPowerOfTen_IsTheNearest(t *testing.T) {
	for n, want := range map[int]int{
		1: 1, 3: 1, 4: 10, 7: 10, 10: 10, 31: 10, 32: 100, 1000: 1000, 1_000_001: 1_000_000,
		1_999_999_999: 1_000_000_000,
	} {
		if got := powerOfTen(n); got != want {
			t.Errorf("powerOfTen(%d) = %d, want %d", n, got, want)
		}
	}
}

func TestComplement_IsTheThirdColour(t *testing.T) {
	for a := range colour(3) {
		for b := range colour(3) {
			got := complement(a, b)
			if a == b && got != a || a != b && (got == a || got == b || got > 2) {
				t.Errorf("complement(%d, %d) = %d", a, b, got)
			}
		}
	}
}

// broken is pingpong with other actors in place of its own.
func broken(actors func(context.Context, *actor.System, job) <-chan uint64) scenario {
	s := pingpong
	s.name, s.actors = "broken", actors
	return s
}

// Any -n is a valid size or is made one: nothing is allocated that no machine has room for.
func TestScenario_NoSizeIsTooLarge(t *testing.T) {
	for s, most := range map[*scenario]int{&fjcreate: maxBoxes, &skynet: maxLeaves} {
		if n := s.size(math.MaxInt); n != most {
			t.Errorf("%s: %d instead of %d", s.name, n, most)
		}
	}
}
