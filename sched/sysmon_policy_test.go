package sched

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// modelled is a program as traces of benchmarks/savina show it: the rates of one and of two
// workers, the part of the units that cross, the noise of the rates from one look to the next, and
// the length of a phase. In the next phase the two rates change places. (0: there is one phase.)
type modelled struct {
	name     string
	one, two float64 // units per µs
	crossed  float64 // part of the units, while two are awake
	noise    float64 // of the logarithm of a rate
	phase    int64   // ns
}

var modelledPrograms = []modelled{
	{"banking", 6.0, 4.9, 0.5, 0.10, 0},
	{"sorted list", 5.0, 4.8, 0.5, 0.15, 0},
	{"dictionary", 22, 19, 0.3, 0.10, 0},
	{"philosophers", 24, 17, 0.3, 0.10, 0},
	{"relaxation", 20, 19, 0.2, 0.25, 0},
	{"bitonic", 62, 75, 0.13, 0.30, 0},
	{"tree", 3.8, 3.2, 0.2, 0.50, 0},
	{"pairs", 45, 88, 0.001, 0.05, 0},
	{"dealt out", 100, 170, 0.03, 0.10, 0},
	{"two phases", 20, 36, 0.1, 0.10, 20 * ms},
}

// disturbances come to a program from outside: halts of some milliseconds,
// at a number of looks in a hundred, and another program that takes half a processor.
type disturbances struct {
	name      string
	halts     int
	neighbour bool
}

var allDisturbances = []disturbances{
	{"quiet", 0, false}, {"halts", 8, false}, {"neighbour", 4, true},
}

// rate is the program's rate with so many workers, in units per ns.
func (p modelled) rate(limit int, now int64, d disturbances) float64 {
	one, two := p.one, p.two
	if p.phase != 0 && now/p.phase%2 == 1 {
		one, two = two, one
	}
	if d.neighbour {
		two = max(two*0.75, min(two, one*0.75))
	}
	if limit == 1 {
		return one / 1000
	}
	return two / 1000
}

// lostTo runs the program under a governor for so long, and returns how much longer it took than
// with the better number of workers all the time.
func (p modelled) lostTo(length int64, d disturbances, seed uint64) float64 {
	var g governor
	g.init(2)
	r := rand.New(rand.NewPCG(seed, 1))
	var now, active int64
	var done progress
	var units, best float64
	for active < length {
		dt := int64(3 * ms)
		if g.hasty() {
			dt = ms/2 + int64(r.IntN(ms/8))
		}
		rate := p.rate(g.limit, now, d) * math.Exp(p.noise*r.NormFloat64())
		units += float64(dt) * p.rate(g.limit, now, d)
		best += float64(dt) * max(p.rate(1, now, d), p.rate(2, now, d))
		done.units += uint64(float64(dt) * rate)
		if g.limit == 2 {
			done.crossed += uint64(float64(dt) * rate * p.crossed)
		}
		active += dt
		now += dt
		if r.IntN(100) < d.halts {
			now += int64(2*ms + r.IntN(12*ms))
		}
		g.look(now, done, g.limit)
	}
	return best / units
}

// The policy is chosen by this table: how much longer programs take than with the better number of
// workers at any moment, on average over so many runs. That of two phases is another program every
// 20 ms, sooner than can be found out.
func TestGovernorByTable(t *testing.T) {
	const runs = 100
	for _, length := range []int64{100 * ms, 1000 * ms} {
		for _, d := range allDisturbances {
			row := ""
			for _, p := range modelledPrograms {
				sum := 0.0
				for seed := range uint64(runs) {
					sum += p.lostTo(length, d, seed)
				}
				row += fmt.Sprintf(" %s %.2f", p.name, sum/runs)
				atMost := 1.08
				if p.phase != 0 {
					atMost = 1.4
				}
				if sum/runs > atMost {
					t.Errorf("%s, %s, %d ms: %.2f", p.name, d.name, length/ms, sum/runs)
				}
			}
			t.Logf("%4d ms, %-9s%s", length/ms, d.name, row)
		}
	}
}
