package explore_test

import (
	"slices"
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
)

// TestBoundedCounts proves "Bounded runs every schedule with at most so many
// preemptions" on spaces whose size is known: multinomials without a bound, and
// numbers counted by hand with a bound.
func TestBoundedCounts(t *testing.T) {
	for _, c := range []struct {
		preemptions int
		accesses    []int
		want        int
	}{
		{-1, []int{2, 2}, 6},
		{-1, []int{3, 3}, 20},
		{-1, []int{5, 5}, 252},
		{-1, []int{2, 2, 2}, 90},
		{-1, []int{1, 1, 1, 1}, 24},
		{-1, []int{3, 3, 3}, 1680},
		{0, []int{2, 2}, 2},
		{0, []int{2, 2, 2}, 6},
		{1, []int{2, 2}, 4},
		{2, []int{2, 2}, 6},
		{9, []int{3, 3, 3}, 1680},
	} {
		orders := map[string]bool{}
		res := explore.Explore(config(explore.Bounded(c.preemptions, 0)),
			points(func(o string) { orders[o] = true }, c.accesses...))
		if res.Schedules != c.want || len(orders) != c.want || !res.Exhausted {
			t.Errorf("%v with %d preemptions: %v, %d orders, want %d", c.accesses, c.preemptions, res,
				len(orders), c.want)
		}
	}
}

// preemptions counts the preemptions of an order in which each thread makes n accesses.
func preemptions(order string, n int) (count int) {
	left := map[byte]int{}
	for i := range len(order) {
		left[order[i]]++
		if i > 0 && order[i-1] != order[i] && left[order[i-1]] < n {
			count++
		}
	}
	return count
}

// TestBoundedIsExact compares the bounded spaces with the full one, filtered.
func TestBoundedIsExact(t *testing.T) {
	want := make([]int, 4)
	explore.Explore(config(explore.Bounded(-1, 0)), points(func(o string) {
		for bound := range want {
			if preemptions(o, 3) <= bound {
				want[bound]++
			}
		}
	}, 3, 3, 3))
	for bound, n := range want {
		res := explore.Explore(config(explore.Bounded(bound, 0)), points(ignore, 3, 3, 3))
		if res.Schedules != n {
			t.Errorf("bound %d: %d schedules, want %d", bound, res.Schedules, n)
		}
	}
}

func TestBoundedCap(t *testing.T) {
	for limit, exhausted := range map[int]bool{5: false, 6: true, 7: true} {
		res := explore.Explore(config(explore.Bounded(-1, limit)), points(ignore, 2, 2))
		if res.Schedules != min(limit, 6) || res.Exhausted != exhausted {
			t.Errorf("cap %d: %v", limit, res)
		}
	}
}

func strategies() []explore.Strategy {
	return []explore.Strategy{
		explore.Bounded(2, 200), explore.Random(7, 200), explore.PCT(3, 7, 200), explore.PCT(8, 7, 200),
		explore.Fuzz([]byte{1, 2, 0, 5, 1, 1, 1, 0, 2}),
	}
}

// TestDeterminism proves "the same strategy value on the same scenario gives the
// same schedules, always", and that another seed gives others.
func TestDeterminism(t *testing.T) {
	orders := func(s explore.Strategy) (all []string) {
		explore.Explore(config(s), points(func(o string) { all = append(all, o) }, 3, 4, 5))
		return all
	}
	for _, s := range strategies() {
		if first := orders(s); !slices.Equal(first, orders(s)) || len(first) == 0 {
			t.Errorf("%v: two explorations differ", s)
		}
	}
	if slices.Equal(orders(explore.Random(1, 50)), orders(explore.Random(2, 50))) {
		t.Error("random: two seeds, one exploration")
	}
	if slices.Equal(orders(explore.PCT(3, 1, 50)), orders(explore.PCT(3, 2, 50))) {
		t.Error("pct: two seeds, one exploration")
	}
}

// TestSpread: Random and PCT reach all schedules of a small space.
func TestSpread(t *testing.T) {
	for _, s := range []explore.Strategy{explore.Random(1, 2000), explore.PCT(8, 1, 4000)} {
		orders := map[string]bool{}
		explore.Explore(config(s), points(func(o string) { orders[o] = true }, 2, 2, 2))
		if len(orders) != 90 {
			t.Errorf("%v: %d of 90 orders", s, len(orders))
		}
	}
}

// FuzzBytes shows how to let Go's fuzzer choose the schedules of a scenario.
func FuzzBytes(f *testing.F) {
	f.Add([]byte{0, 1, 0, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		if res := explore.Explore(config(explore.Fuzz(data)),
			points(ignore, 3, 3, 3)); res.Failure != nil {
			t.Fatal(res.Failure)
		}
	})
}

// TestFuzzReachesAll: four bytes reach every order of two threads. No bytes, and zeros,
// preempt no thread.
func TestFuzzReachesAll(t *testing.T) {
	orders := map[string]bool{}
	for i := range 16 {
		bits := []byte{byte(i & 1), byte(i >> 1 & 1), byte(i >> 2 & 1), byte(i >> 3 & 1)}
		explore.Explore(config(explore.Fuzz(bits)), points(func(o string) { orders[o] = true }, 2, 2))
	}
	explore.Explore(config(explore.Fuzz(nil)), points(func(o string) {
		if o != "aabb" {
			t.Errorf("no bytes: %s", o)
		}
	}, 2, 2))
	explore.Explore(config(explore.Fuzz([]byte{1, 0, 0, 0})), points(func(o string) {
		if o != "bbaa" {
			t.Errorf("zeros: %s", o)
		}
	}, 2, 2))
	if len(orders) != 6 {
		t.Errorf("orders %v", orders)
	}
}

// BenchmarkSchedules measures the speed of the explorer on a tiny program: two threads
// with three accesses each.
func BenchmarkSchedules(b *testing.B) {
	for _, s := range []explore.Strategy{
		explore.Bounded(2, 0), explore.Random(1, 1<<20), explore.PCT(3, 1, 1<<20),
	} {
		b.Run(s.String(), func(b *testing.B) { benchmark(b, s) })
	}
}

func benchmark(b *testing.B, s explore.Strategy) {
	schedules := 0
	for b.Loop() {
		schedules += explore.Explore(config(s), points(ignore, 3, 3)).Schedules
	}
	b.ReportMetric(float64(schedules)/b.Elapsed().Seconds(), "schedules/s")
}
