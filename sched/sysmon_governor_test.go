package sched

import (
	"math"
	"testing"
	"time"
)

// world is a program as the governor sees it: so many units a millisecond with so
// many workers awake.
type world struct {
	g    governor
	now  int64
	done progress
	// Units of a thousand that come from another worker, if more than one is awake.
	touch uint64
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

// "It lets half as many or twice as many workers run, and keeps the number that did more work."
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
		{"a second worker changes nothing and is in the way", 2, 1, func(int) uint64 { return 20_000 }},
		{"a second worker gains a little", 2, 2, func(l int) uint64 { return uint64(18_000 + 2000*l) }},
		{"four of sixteen", 16, 4, func(l int) uint64 {
			return uint64(40_000 * min(l, 4) * 4 / max(l,
				4))
		}},
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

// "Workers that hardly touch each other's data harm none": no trial with fewer workers is made; if
// fewer than all are awake, more are tried.
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

// Where many workers slow each other down extremely, a unit takes long because they wait for each
// other, and transfers look cheap in comparison. The governor makes a trial all the same, after a
// while.
func TestGovernorIsNotFooledForLong(t *testing.T) {
	for _, c := range []struct {
		workers int
		touch   uint64
		rates   map[int]uint64 // units in a millisecond, by limit
	}{
		{8, 300, map[int]uint64{1: 27_800, 2: 16_700, 4: 12_000, 8: 8_300}},
		{2, 150, map[int]uint64{1: 27_800, 2: 6_667}},
		{2, 0, map[int]uint64{1: 27_800, 2: 6_667}}, // crossed units are not even seen
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

// "It does while it measures, and during a trial … It also does when a program has just begun": the
// monitor looks more often then.
func TestGovernorIsShownMoreInATrial(t *testing.T) {
	s, err := New(Config{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	m := &s.monitor
	m.mu.Lock()
	defer m.mu.Unlock()
	for p, want := range map[phase]time.Duration{steady: lookCalm, measure: lookSoon, warmUp: lookSoon,
		trial: lookSoon} {
		m.governor.phase, m.governor.pause, m.governor.until, m.governor.before = p, maxPause,
			math.MaxInt64, 2
		if got := m.look(0); got != want {
			t.Errorf("phase %d: the next look in %v, want %v", p, got, want)
		}
	}
	m.governor.begin()
	if got := m.look(0); got != lookSoon {
		t.Errorf("at the beginning: the next look in %v, want %v", got, lookSoon)
	}
}

// The monitor shows the governor the sum of the workers' published figures.
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
	if got, want := s.monitor.progress(), (progress{units: 14, crossed: 7, steals: 10}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// "No worker was awake, all through the time since the last look": waking the first worker arms the
// monitor.
func TestGovernorIsShownIdleTime(t *testing.T) {
	s, err := New(Config{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	m := &s.monitor
	now := s.cfg.Clock.Nanos()
	m.governor.enter(measure, now-1000*ms, measureTime)
	m.governor.looked = now - 999*ms
	m.arm()
	m.mu.Lock()
	defer m.mu.Unlock()
	if left := m.governor.until - now; left < measureTime-ms {
		t.Errorf("%d ns of a measurement are left behind a rest", left)
	}
}

// "A program with longer units has all its workers."
func TestGovernorLeavesCoarseWorkAlone(t *testing.T) {
	w := newWorld(4)
	w.live(1000, func(l int) uint64 { return uint64(800 / l) })
	if w.at[4] != 1000 {
		t.Errorf("restrained: %v", w.at)
	}
}

// "Other mistakes are undone at the next trial."
func TestGovernorFollowsAChange(t *testing.T) {
	w := newWorld(2)
	w.live(2000, func(l int) uint64 { return uint64(20_000 / l) })
	w.at = make(map[int]int)
	w.live(2000, func(l int) uint64 { return uint64(20_000 * l) })
	if w.share(2, 2000) < 0.6 {
		t.Errorf("still restrained: %v", w.at)
	}
}

// restrainedTo1 is a program that one worker does best, after two seconds.
func restrainedTo1(t *testing.T) *world {
	w := newWorld(2)
	w.live(2000, func(l int) uint64 { return uint64(20_000 / l) })
	for w.g.phase != steady { // not in the middle of a trial
		w.live(1, func(l int) uint64 { return uint64(20_000 / l) })
	}
	if w.g.limit != 1 || w.g.pause != maxPause {
		t.Fatalf("limit %d, and again in %d ms", w.g.limit, w.g.pause/ms)
	}
	w.at = make(map[int]int)
	return w
}

// "A program whose units have become twice as long gets them back within some looks": also if they
// are much coarser, or if no unit is done. One look is not enough: Go may have stopped all workers.
func TestGovernorFreesWhatHasBecomeCoarse(t *testing.T) {
	for _, rate := range []uint64{0, 1, 10, 490} {
		w := restrainedTo1(t)
		w.live(1, func(int) uint64 { return rate })
		w.live(1, func(int) uint64 { return 20_000 })
		w.live(1, func(int) uint64 { return rate })
		w.live(1, func(int) uint64 { return rate })
		if w.at[2] > 0 {
			t.Errorf("%d units in a millisecond, seen twice but not in a row: %v", rate, w.at)
		}
		if w.live(10, func(l int) uint64 { return rate * uint64(l) }); w.at[2] < 10 {
			t.Errorf("%d units in a millisecond: %v", rate, w.at)
		}
	}
}

// "Other mistakes are undone … soon if the program has changed": its units are finer or more
// expensive, and two workers do them twice as fast. A program that goes on as before is left alone
// until the pause is over.
func TestGovernorSeesAnotherProgram(t *testing.T) {
	for of20, want := range map[uint64]bool{4: true, 9: true, 11: false, 20: false, 39: false,
		41: true, 100: true} {
		w := restrainedTo1(t)
		w.live(50, func(l int) uint64 { return of20 * 1000 * uint64(l) })
		if seen := w.at[2] >= 20; seen != want {
			t.Errorf("%d units became %d: %v", 20_000, of20*1000, w.at)
		}
	}
}

// It compares with the result of the last trial, so a program may change slowly.
func TestGovernorKeepsWhatItFound(t *testing.T) {
	w := restrainedTo1(t)
	w.g.until = w.now
	w.live(12, func(l int) uint64 { return uint64(12_000 / l) })
	w.at = make(map[int]int)
	if w.live(50, func(l int) uint64 { return uint64(8_000 / l) }); w.at[2] > 0 {
		t.Errorf("20 units became 12 and then 8, and it tried: %v", w.at)
	}
}

// A program that rests from time to time counts as the same program: the monitor sees the rest at
// its beginning, when no worker is awake, and at its end, when little was done since the last look.
func TestGovernorSkipsIdleTime(t *testing.T) {
	w := restrainedTo1(t)
	for range 20 {
		w.live(100, func(l int) uint64 { return uint64(20_000 / l) })
		w.now += ms
		w.g.look(w.now, w.done, 0)
		w.now += 100 * ms
	}
	if w.share(1, 2000) < 0.98 {
		t.Errorf("%v", w.at)
	}
	w = newWorld(16) // so do some of several
	four := func(l int) uint64 { return uint64(40_000 * min(l, 4) * 4 / max(l, 4)) }
	for w.live(3000, four); w.g.phase != steady || w.g.limit != 4; w.live(1, four) {
	}
	for range 4 {
		w.now += ms
		w.done.units += 30_000
		w.g.look(w.now, w.done, 3)
	}
	if w.g.limit != 4 || w.g.phase != steady {
		t.Errorf("three of four were awake: limit %d, phase %d", w.g.limit, w.g.phase)
	}
}

// rest makes all workers sleep for so many ticks. The monitor sees that once, a tick later, and is
// armed when the rest is over.
func (w *world) rest(ticks int64) {
	w.now += ms
	w.g.look(w.now, w.done, 0)
	w.now += (ticks - 1) * ms
	w.g.skipIdle(w.now, w.done)
}

// "A program would be judged by its idle time": wherever in a measurement or a trial it rests, the
// best limit for it is found as if it had not rested, and it does not run with too many workers
// until the next trial.
func TestGovernorMeasuresNoIdleTime(t *testing.T) {
	for _, c := range []struct {
		rate func(limit int) uint64
		best int
	}{
		{func(l int) uint64 { return uint64(20_000 / l) }, 1},
		{func(l int) uint64 { return uint64(20_000 * l) }, 2},
	} {
		for before := range 12 { // looks; a measurement, the caches and a trial take 8
			w := restrainedTo1(t)
			w.g.until = w.now
			w.live(before, c.rate)
			w.rest(100)
			w.live(12-before, c.rate)
			w.at = make(map[int]int)
			if w.live(100, c.rate); w.share(c.best, 100) < 0.9 {
				t.Errorf("it rested after %d looks, and %d is best: %v", before, c.best, w.at)
			}
		}
	}
}

// Nor by how often it rests: coarse work is freed although it rests all the time, and fine work is
// not.
func TestGovernorIsNotFooledByIdleTime(t *testing.T) {
	for rate, best := range map[uint64]int{100: 2, 20_000: 1} {
		w := restrainedTo1(t)
		for range 300 {
			w.live(3, func(l int) uint64 { return rate / uint64(l) })
			w.rest(7)
		}
		if w.share(best, 900) < 0.85 {
			t.Errorf("%d units in a millisecond: %v", rate, w.at)
		}
	}
}

// Looks before and after a trial are not in a row.
func TestGovernorBeginsAnewBehindATrial(t *testing.T) {
	w := restrainedTo1(t)
	once, fine := func(int) uint64 { return 10 }, func(l int) uint64 { return uint64(20_000 / l) }
	w.g.until = w.now
	w.live(1, once)
	for w.at[2] == 0 || w.g.phase != steady {
		w.live(1, fine)
	}
	w.at = make(map[int]int)
	w.live(1, once)
	if w.live(10, fine); w.at[2] > 0 {
		t.Errorf("one look behind the trial, and it does something: %v", w.at)
	}
}

// A program that becomes another one all the time is not tried all the time.
func TestGovernorIsNotDriven(t *testing.T) {
	w, n := restrainedTo1(t), 0
	w.live(2000, func(l int) uint64 {
		n++
		return uint64(20_000 / (1 + n/4%2*3) / l)
	})
	if w.share(1, 2000) < 0.93 {
		t.Errorf("%v", w.at)
	}
}

// "More workers are so much in each other's way that the trial ends before it begins."
func TestGovernorGivesUpSoon(t *testing.T) {
	// Ticks with two workers, at most until it is obvious.
	for of20, want := range map[uint64]int{5: 1, 16: 1, 17: 2, 20: 2} {
		w := restrainedTo1(t)
		w.g.until = w.now
		w.live(6, func(l int) uint64 {
			if l == 1 {
				return 20_000
			}
			return of20 * 1000
		})
		if w.at[2] < want || want == 1 && w.at[2] > 1 {
			t.Errorf("%d units instead of 20: %v", of20, w.at)
		}
	}
}

// "A trial ends at once when it does so much less."
func TestGovernorKeepsAll(t *testing.T) {
	// Ticks with one worker in six ms, settling included.
	for of20, want := range map[uint64]int{5: 2, 17: 2, 19: 4} {
		w := newWorld(2)
		w.live(8, func(l int) uint64 {
			if l == 1 {
				return of20 * 1000
			}
			return 20_000
		})
		if w.at[1] != want {
			t.Errorf("%d units instead of 20: %v", of20, w.at)
		}
	}
}

// "A worker that is stuck in a turn … suspends the limit at once."
func TestGovernorLifts(t *testing.T) {
	w := newWorld(2)
	w.live(500, func(l int) uint64 { return uint64(20_000 / l) })
	w.g.lift()
	if w.g.limit != 2 {
		t.Errorf("limit %d", w.g.limit)
	}
}

// "The limit comes back afterwards", unless turns are stuck again and again.
func TestGovernorIsNotLiftedByChance(t *testing.T) {
	w := restrainedTo1(t)
	for range 100 { // one look in ten
		if got := w.g.disturb(true); got != 2 {
			t.Fatalf("a turn is stuck, and %d may be awake", got)
		}
		for range 9 {
			w.g.disturb(false)
		}
		if got := w.g.disturb(false); got != 1 {
			t.Fatalf("no turn is stuck any more, and %d may be awake", got)
		}
	}
	for range 20 { // every second look
		w.g.disturb(true)
		w.g.disturb(false)
	}
	if w.g.limit != 2 {
		t.Error("every second look found a turn that was stuck, and the limit is there")
	}
}

// "A look of a measurement that comes so late is skipped, up to maxSkipped times."
func TestGovernorSkipsLateLooks(t *testing.T) {
	w := restrainedTo1(t)
	w.g.until = w.now
	w.live(2, func(int) uint64 { return 20_000 }) // the first begins a measurement
	for range 3 {
		w.now += 20 * ms // in which no worker had a processor
		w.live(1, func(int) uint64 { return 20_000 })
	}
	if r := w.g.rates.rate(); r < 0.01999 {
		t.Errorf("%.4f units a nanosecond", r)
	}
	for range 2 * maxSkipped {
		w.now += 20 * ms
		w.live(1, func(int) uint64 { return 20_000 })
	}
	if w.g.phase == measure {
		t.Error("it measures for ever")
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
