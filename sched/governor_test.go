package sched

import "testing"

// world is a program as the governor sees it: so many units a millisecond with so
// many workers awake.
type world struct {
	g     governor
	now   int64
	units uint64
	at    map[int]int // ticks at each limit
}

func newWorld(workers int) *world {
	w := &world{at: make(map[int]int)}
	w.g.init(workers)
	return w
}

// live runs the program for so many ticks of a millisecond.
func (w *world) live(ticks int, rate func(limit int) uint64) {
	for range ticks {
		w.now += ms
		w.units += rate(w.g.limit)
		w.at[w.g.limit]++
		w.g.look(w.now, w.units, w.g.limit)
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
			w.g.look(w.now, w.units, 1)
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
