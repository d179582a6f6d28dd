package sched

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// surface is a program of benchmarks/surface as the governor sees it: two workers on a machine that
// does other work as well.
type surface struct {
	unit     int64   // ns of a message within a worker
	parallel float64 // how much of the time two workers find work
	crossed  float64 // messages from the other worker, in parts of all
	cost     float64 // extra ns of such a message, at most as the governor assumes
}

// gain is the rate of two workers divided by the rate of one.
func (c surface) gain() float64 {
	return (1 + c.parallel) * float64(c.unit) / (float64(c.unit) + c.cost*c.crossed)
}

// awake is how many workers are awake, on average, if both may be: one looks for work for a while
// before it falls asleep.
func (c surface) awake() float64 { return min(2, 1.3+c.parallel) }

// TestGovernor_Surface: the rule that wakes a second worker (sharing.go) and the governor that puts
// it to sleep do not work against each other. Where messages take a microsecond or more, the second
// worker stays awake. Where they are shorter it stays awake if it raises the rate, and sleeps if it
// lowers the rate, except for the time of trials.
func TestGovernor_Surface(t *testing.T) {
	for _, unit := range []int64{45, 150, 400, 700, 1100, 2300, 10_100, 100_100} {
		for _, parallel := range []float64{0, 0.3, 0.6, 0.95} {
			for _, crossed := range []float64{0.02, 0.2, 0.5, 1} {
				for _, cost := range []float64{60, crossing} {
					c := surface{unit, parallel, crossed, cost}
					t.Run(fmt.Sprintf("%+v", c), c.test)
				}
			}
		}
	}
}

func (c surface) test(t *testing.T) {
	const ticks, runs = 2000, 5
	done, best, two := 0.0, 0.0, 0.0
	for seed := range uint64(runs) {
		d, b, share := c.live(ticks, seed)
		done, best, two = done+d, best+b, two+share/runs
	}
	lost := 1 - done/best
	// The time of a message, summed over the awake workers, as the governor sees it.
	seen := float64(c.unit) / c.gain() * c.awake()
	switch {
	case c.unit >= fineUnit && two < 0.99:
		t.Errorf("messages take long, and two workers run for %.2f of the time", two)
	case c.gain() >= 1.25 && two < 0.9:
		t.Errorf("two do %.2f as much as one, and run for %.2f of the time", c.gain(), two)
	case seen < fineUnit && lost > 0.13:
		t.Errorf("two do %.2f as much as one and run for %.2f of the time: %.2f is lost", c.gain(), two, lost)
	}
}

// live runs the program for a number of looks. It returns the work done, the work that the better
// number of workers would have done with the same disturbances, and the part of the time in which
// two workers were allowed.
func (c surface) live(ticks int, seed uint64) (done, best, two float64) {
	chance := rand.New(rand.NewPCG(seed, uint64(c.unit)))
	var g governor
	g.init(2)
	var p progress
	now, units, crossed := int64(0), 0.0, 0.0
	one := float64(ms) / float64(c.unit) // units a look
	taken := 0                           // looks for which another program has a processor
	for range ticks {
		look := int64(ms)
		if chance.IntN(50) == 0 { // the monitor waits for a processor itself
			look += int64(chance.IntN(8 * ms))
		}
		now += look
		if taken--; taken <= 0 && chance.IntN(100) == 0 {
			taken = 4 + chance.IntN(12)
		}
		noise := max(0.1, 1+0.15*chance.NormFloat64()) * float64(look) / ms
		by := [...]float64{1: one * noise, 2: one * noise * c.gain()}
		if taken > 0 { // one worker stands still, and the other may wait for it
			by = [...]float64{1: one * noise / 2, 2: min(by[2], one*noise) * 0.9}
		}
		awake := g.limit
		if awake == 2 && 1+chance.Float64() > c.awake() {
			awake = 1
		}
		units += by[g.limit]
		done += by[g.limit]
		best += max(by[1], by[2])
		if g.limit == 2 {
			two += 1 / float64(ticks)
			crossed += by[2] * c.crossed
		}
		p.units, p.crossed = uint64(units), uint64(crossed)
		g.look(now, p, awake)
	}
	return done, best, two
}
