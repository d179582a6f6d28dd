package inspect

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestTopK_Twin: no count is too low, nor too high by more than tooMany. A key with more than 1/256
// of the stream is counted. The keys are sorted by count.
func TestTopK_Twin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var top topK[int]
		came, n := map[int]uint64{}, 0
		chance := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		keys := rapid.IntRange(1, 2000).Draw(t, "keys")
		for range rapid.IntRange(1, 5000).Draw(t, "length") {
			k := min(chance.IntN(keys), chance.IntN(keys), chance.IntN(keys))
			top.add(k)
			came[k]++
			n++
		}
		for i, e := range top.counted {
			if e.n < came[e.of] || e.n-e.tooMany > came[e.of] {
				t.Fatalf("%d was counted %d times, %d too many; it came %d times", e.of, e.n, e.tooMany,
					came[e.of])
			}
			if i > 0 && top.counted[i-1].n < e.n || top.at[e.of] != i {
				t.Fatalf("%d is in the wrong place, %d", e.of, i)
			}
		}
		for k, m := range came {
			if _, counted := top.at[k]; !counted && m > uint64(n/topKeys) {
				t.Fatalf("%d came %d times of %d, and is not counted", k, m, n)
			}
		}
	})
}

// TestTopK_Zipf (O2c): of 10,000 actors whose work is a Zipf distribution, the true ten busiest are
// among the twenty that are shown after ten seconds of two workers, in 95 % of the runs.
func TestTopK_Zipf(t *testing.T) {
	const actors, looks, runs = 10_000, 2_000, 200
	var sums [actors]float64 // of the shares: 1, 1/2, 1/3, …
	sum := 0.0
	for i := range sums {
		sum += 1 / float64(i+1)
		sums[i] = sum
	}
	chance := rand.New(rand.NewPCG(1, 2))
	good := 0
	for range runs {
		var top topK[int]
		for range looks {
			k, _ := slices.BinarySearch(sums[:], chance.Float64()*sum)
			top.add(k)
		}
		found := 0
		for _, e := range top.counted[:20] {
			if e.of < 10 {
				found++
			}
		}
		if found == 10 {
			good++
		}
	}
	if t.Logf("%d of %d runs", good, runs); good < runs*95/100 {
		t.Errorf("only in %d of %d runs all ten are shown", good, runs)
	}
}

// TestPoissonInterval: the interval has the mean in 99 % of all samples, for small and large means.
// The probabilities are added up, and not tried.
func TestPoissonInterval(t *testing.T) {
	for _, mean := range []float64{0.5, 1, 3, 10, 30, 100, 500} {
		covered, p := 0.0, 0.0
		logP := -mean // of 0
		for n := range 2000 {
			if n > 0 {
				logP += math.Log(mean / float64(n))
			}
			p = math.Exp(logP)
			if low, high := poissonInterval(n); low <= mean && mean <= high {
				covered += p
			}
		}
		if t.Logf("mean %v: %.4f", mean, covered); covered < 0.9895 {
			t.Errorf("the interval has a mean of %v in %.4f of all samples", mean, covered)
		}
	}
}
