package sched

import (
	"math"
	"testing"
	"time"
)

// world is a program as the governor sees it: so many units a millisecond with so
// many workers awake.
type world struct {
	g     governor
	now   int64
	done  progress
	touch uint64      // units of a thousand that come from another worker, if more than one is awake
	at    map[int]int // ticks at each limit
}

func newWorld(workers int) *world {
	w := &world{at: make(map[int]int), touch: 500}
	w.g.init(workers)
	return w
}

// live runs the program for so many ticks of a millisecond.
func (w *world) live(ticks int, rate func(limit int) uint64) {
	for range ticks {
		w.now += ms
		n := rate(w.g.limit)
		w.done.units += n
		if w.g.limit > 1 {
			w.done.crossed += n * w.touch / 1000
		}
		w.at[w.g.limit]++
		w.g.look(w.now, w.done, w.g.limit)
	}
}

func (w *world) share(limit, ticks int) float64 { return float64(w.at[limit]) / float64(ticks) }

// "It lets half as many or twice as many workers run, and stays with what did more
// work."
func TestGovernorFindsTheRightNumber(t *testing.T) {
	const ticks = 3000
	for _, c := range []struct {
		name    string
		workers int
		best    int
		rate    func(limit int) uint64
	}{
		{"a second worker harms", 2, 1, func(l int) uint64 { return uint64(20_000 / l) }},
		{"a second worker doubles", 2, 2, func(l int) uint64 { return uint64(20_000 * l) }},
		{"a second worker changes nothing", 2, 2, func(int) uint64 { return 20_000 }},
		{"four of sixteen", 16, 4, func(l int) uint64 { return uint64(40_000 * min(l, 4) * 4 / max(l, 4)) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(c.workers)
			w.live(ticks, c.rate)
			if s := w.share(c.best, ticks); s < 0.9 {
				t.Errorf("%d workers for %.0f %% of the time: %v", c.best, 100*s, w.at)
			}
		})
	}
}

// A program that begins with little is looked at again soon, though not for ever; and one
// that clearly wants a single worker is left alone for longer.
func TestGovernorExpectsABeginning(t *testing.T) {
	w := newWorld(2)
	idle := func(ticks int) {
		for range ticks {
			w.now += ms
			w.g.look(w.now, w.done, 1)
		}
	}
	idle(6)
	if !w.g.hasty() {
		t.Error("it has lost patience after six milliseconds")
	}
	w.live(6, func(l int) uint64 { return uint64(20_000 / l) })
	if w.g.limit != 1 || w.g.pause != 16*firstPause {
		t.Errorf("limit %d, and again in %d ms", w.g.limit, w.g.pause/ms)
	}
	w = newWorld(2)
	idle(100)
	if w.g.hasty() {
		t.Error("it looks for a beginning for ever")
	}
	if newWorld(1).g.hasty() {
		t.Error("it hurries where there is nothing to choose")
	}
}

// "Who hardly touches what another worker has made harms nobody": nothing is tried with fewer
// workers; with fewer than all, more are.
func TestGovernorLeavesThoseApartAlone(t *testing.T) {
	for _, touch := range []uint64{0, 10, 500} { // ns of a unit's 100: 0, 2.5, 125
		w := newWorld(2)
		w.touch = touch
		w.live(500, func(l int) uint64 { return uint64(10_000 * l) })
		if alone := w.at[1] == 0; alone != (touch < 500) {
			t.Errorf("%d of 1000 units cross: %v", touch, w.at)
		}
		if w.live(2000, func(l int) uint64 { return uint64(10_000 * l) }); w.share(1, 2500) > 0.02 {
			t.Errorf("%d of 1000 units cross, and it tries often: %v", touch, w.at)
		}
	}
	w := newWorld(8)
	w.g.limit, w.touch = 2, 0
	w.live(1000, func(l int) uint64 { return uint64(10_000 * l) })
	if w.at[1] != 0 || w.share(8, 1000) < 0.9 {
		t.Errorf("of 8, with 2 at first: %v", w.at)
	}
	w.touch, w.at = 500, make(map[int]int)
	w.live(100, func(l int) uint64 { return uint64(200_000 / l) })
	if w.g.limit > 2 {
		t.Errorf("%d are awake 0.1 s after they have begun to touch each other: %v", w.g.limit, w.at)
	}
}

// Where workers collapse, a unit takes long because they wait for each other, and what crosses looks cheap beside that:
// it tries all the same, after a while.
func TestGovernorIsNotFooledForLong(t *testing.T) {
	for _, c := range []struct {
		workers int
		touch   uint64
		rates   map[int]uint64 // units in a millisecond, by limit
	}{
		{8, 300, map[int]uint64{1: 27_800, 2: 16_700, 4: 12_000, 8: 8_300}},
		{2, 150, map[int]uint64{1: 27_800, 2: 6_667}},
		{2, 0, map[int]uint64{1: 27_800, 2: 6_667}}, // what crosses is not even seen
	} {
		w := newWorld(c.workers)
		w.touch = c.touch
		w.live(700, func(l int) uint64 { return c.rates[l] })
		w.at = make(map[int]int)
		w.live(2000, func(l int) uint64 { return c.rates[l] })
		if w.share(1, 2000) < 0.8 {
			t.Errorf("%+v: %v", c, w.at)
		}
	}
}

// Thefts are touches as well.
func TestGovernorSeesThefts(t *testing.T) {
	w := newWorld(2)
	w.touch = 0
	for range 100 {
		w.done.steals += 200 // in a millisecond: a fifth of a worker's time
		w.live(1, func(l int) uint64 { return uint64(20_000 / l) })
	}
	if w.g.limit != 1 {
		t.Errorf("limit %d: %v", w.g.limit, w.at)
	}
}

// "Trying tells whether a trial is on, which should not last longer than it has to": the monitor looks
// more often then.
func TestGovernorIsShownMoreInATrial(t *testing.T) {
	s, err := New(Config{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	m := &s.monitor
	m.mu.Lock()
	defer m.mu.Unlock()
	for p, want := range map[phase]time.Duration{steady: calm, measure: awaits, settle: alert, trial: alert} {
		m.govern.phase, m.govern.pause, m.govern.until, m.govern.before = p, maxPause, math.MaxInt64, 2
		if got := m.look(0); got != want {
			t.Errorf("phase %d: the next look in %v, want %v", p, got, want)
		}
	}
}

// What the monitor shows the governor is the sum of what the workers have published.
func TestGovernorIsShownAll(t *testing.T) {
	s, err := New(Config{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	for i, w := range s.workers {
		w.Crossed(3 + i)
		w.count.steals.Add(5)
		w.spent.StoreRelease(7)
		w.publish()
	}
	if got, want := s.progress(), (progress{units: 14, crossed: 7, steals: 10}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// "A program with longer ones has all its workers."
func TestGovernorLeavesCoarseWorkAlone(t *testing.T) {
	w := newWorld(4)
	w.live(1000, func(l int) uint64 { return uint64(800 / l) })
	if w.at[4] != 1000 {
		t.Errorf("restrained: %v", w.at)
	}
}

// "What it does wrong it undoes at the next trial."
func TestGovernorFollowsAChange(t *testing.T) {
	w := newWorld(2)
	w.live(2000, func(l int) uint64 { return uint64(20_000 / l) })
	w.at = make(map[int]int)
	w.live(2000, func(l int) uint64 { return uint64(20_000 * l) })
	if w.share(2, 2000) < 0.6 {
		t.Errorf("still restrained: %v", w.at)
	}
}

// "A worker that is stuck in a turn lifts the limit at once."
func TestGovernorLifts(t *testing.T) {
	w := newWorld(2)
	w.live(500, func(l int) uint64 { return uint64(20_000 / l) })
	w.g.lift()
	if w.g.limit != 2 {
		t.Errorf("limit %d", w.g.limit)
	}
}

// One worker needs no governor.
func TestGovernorOfOne(t *testing.T) {
	w := newWorld(1)
	w.live(100, func(int) uint64 { return 20_000 })
	if w.at[1] != 100 {
		t.Errorf("%v", w.at)
	}
}
