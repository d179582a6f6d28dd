package sched

import "github.com/gallop-go/gallop/internal/nocmp"

// The governor decides how many workers may be awake at once. More are not always faster: when
// turns take less than the transfer of a cache line, a second worker that takes part in the same
// conversation makes everybody slower (the Pony runtime goes from 36 to 150 ns a message there),
// and one that has a conversation of its own doubles the throughput. A worker that hardly touches
// what another has made harms nobody. Where workers do touch it, no figure tells the two cases
// apart, so the governor tries: now and then, for a few milliseconds, it lets half as many or twice
// as many workers run, and stays with what did more work.
//
// It only ever restrains work whose units take less than a microsecond. A program with longer units
// has all its workers, and one whose units have become twice as long as that gets them back within
// some looks. Its other mistakes it undoes at the next trial, half a second later at most, and soon
// if the program has become another one. A worker that is stuck in a turn while others are kept
// asleep lifts the limit at once (monitor).
//
// It is arithmetic on what the monitor shows it and touches nothing else. Owned by the monitor.
type governor struct {
	_       nocmp.Field
	workers int
	limit   int // workers that may be awake

	phase  phase
	until  int64 // when the phase ends, ns
	pause  int64 // how long the next trial-free phase lasts, ns
	before int   // the limit before the trial
	up     bool  // the next trial is with more workers
	base   float64
	early  int // measurements that may still be too early: little runs yet

	independentFor int // measurements in a row that have begun no trial because of that

	kept    float64 // the rate at which the limit was found to be right
	changed int     // looks in a row of this phase that have shown another program
	looked  int64   // the last time, ns

	began   int64    // of the measurement, ns
	then    progress // by then
	seen    progress // by now
	samples int      // ticks in the measurement
	awake   int      // sum over them
}

// progress is what all workers have done so far.
type progress struct {
	units   uint64 // of work
	crossed uint64 // of these, what came from another worker
	steals  uint64
}

// phase is what the governor does now.
type phase int

const (
	steady  phase = iota // wait for the next trial
	measure              // take the rate before the trial
	warmUp               // the trial has begun; let caches follow
	trial                // take the rate of the trial
)

const (
	ms          = 1_000_000
	firstPause  = 1 * ms
	maxPause    = 512 * ms
	firstMeasureTime = 1 * ms // at the beginning all run, and may be in each other's way: not for long
	measureTime      = 3 * ms
	warmUpTime    = ms / 2
	fineUnit    = 1000         // ns of one worker's time
	coarseUnit  = 2 * fineUnit // of a program that was restrained: one at the edge would be freed all the time
	harm        = 1.08         // fewer workers must do so much more work to be preferred
	obvious     = 1.3          // a trial ends at once when it does so much more
	hopeless    = 1.1          // and when it does so much less: neither fewer nor more are kept then
	collapse    = 1.2          // a trial with more does not even begin if it has done so much less meanwhile
	another     = 2            // a program that does so much more or less than it did is another one
	changes     = 2            // looks in a row that it takes to believe that
	soonest     = 16 * ms      // from one trial to the next, however often it becomes another one
	earlyLooks  = 16           // how often a program that has just begun is looked at again soon
	independentPause  = 16 * ms
	independentLooks  = 32    // after so many it tries all the same
	crossing    = 250   // ns that a unit of work from another worker costs, at most
	theft       = 1_000 // ns that a task from another worker costs
	touching    = 25    // part of the workers' time; fewer workers would save less than harm
)

func (g *governor) init(workers int) {
	g.workers, g.limit = workers, workers
	g.begin()
}

// begin expects something new.
func (g *governor) begin() { g.phase, g.until, g.pause, g.early = steady, 0, firstPause, earlyLooks }

// hasty tells whether the governor wants to look more often than the monitor does by itself. It
// does while it measures; while a trial is on, which should not last longer than it has to; and
// when a program has just begun, since all its workers run and may be in each other's way. With a
// single worker there is nothing to find out.
func (g *governor) hasty() bool {
	return g.workers > 1 && (g.phase != steady || g.pause == firstPause)
}

// look takes in one tick: the time, what all workers have done so far, and how many are
// awake. It returns how many may be.
func (g *governor) look(now int64, d progress, awake int) (limit int) {
	if g.workers == 1 {
		return 1
	}
	if awake == 0 {
		g.skipIdle(now, d)
		return g.limit
	}
	if g.phase == steady && g.limit < g.workers && awake >= g.limit {
		g.compare(now, d.units-g.seen.units)
	}
	g.looked, g.seen = now, d
	g.samples++
	g.awake += awake
	if now >= g.until || g.isObvious(now) {
		g.next(now)
	}
	return g.limit
}

// rest takes in that nobody was awake, all through the time since the last look or at its end. That
// time does not count, nor does what was done in it. A measurement or a trial goes on after the
// rest, or a program would be judged by how long it rests.
func (g *governor) skipIdle(now int64, d progress) {
	pause := now - g.looked
	g.began += pause
	if g.phase != steady {
		g.until += pause
	}
	g.then.units += d.units - g.seen.units
	g.then.crossed += d.crossed - g.seen.crossed
	g.then.steals += d.steals - g.seen.steals
	g.looked, g.seen = now, d
}

// isObvious tells whether a trial need not go on: one with too many workers costs.
func (g *governor) isObvious(now int64) bool {
	if g.phase != trial || now-g.began < firstMeasureTime {
		return false
	}
	r := g.rate(now)
	return r > obvious*g.base || r*hopeless < g.base
}

// compare looks whether the program is still the one that was restrained: in a pause of half a
// second it may have become any other. If its units are coarse by now, all workers run at once. If
// it does much more or much less than it did, the next trial comes soon. units are those since the
// last look. Looks at which fewer workers were awake say nothing: some had rested.
func (g *governor) compare(now int64, units uint64) {
	time := max(now-g.looked, 1)
	rate := float64(units) / float64(time)
	coarse := time*int64(g.limit) >= coarseUnit*int64(units)
	if !coarse && rate*another >= g.kept && rate <= another*g.kept {
		g.changed = 0
		return
	}
	if g.changed++; g.changed < changes {
		return
	}
	g.changed = 0
	if coarse {
		g.lift()
	} else if now-g.began >= soonest {
		g.until = now
	}
}

// lift lets all workers run.
func (g *governor) lift() {
	g.limit = g.workers
	g.begin()
}

// next ends the phase and begins another.
func (g *governor) next(now int64) {
	switch g.phase {
	case steady:
		length := int64(measureTime)
		if g.pause == firstPause { // it has just begun, or lifted its limit: all run
			length = firstMeasureTime
		}
		g.enter(measure, now, length)
	case measure:
		g.consider(now)
	case warmUp:
		if g.limit > g.before && g.rate(now)*collapse < g.base {
			g.judge(now)
		} else {
			g.enter(trial, now, measureTime)
		}
	case trial:
		g.judge(now)
	}
}

// consider ends a measurement: with a trial, if it is worth one.
func (g *governor) consider(now int64) {
	g.base = g.rate(now)
	g.before = g.limit
	apart := g.independent(now)
	switch {
	case !g.worthATrial(now):
		g.limit = g.workers
		if g.early--; g.early <= 0 || g.pause > firstPause || g.busy() {
			g.longer(maxPause)
		}
	case apart && g.limit == g.workers && g.independentFor < independentLooks:
		g.independentFor++
		g.longer(independentPause)
	default:
		g.independentFor = 0
		g.up = g.up || apart
		g.limit = g.candidate()
		g.enter(warmUp, now, warmUpTime)
		return
	}
	g.enter(steady, now, g.pause)
}

// apart tells whether the workers have hardly touched what others had made, so that fewer of them
// could not do more.
func (g *governor) independent(now int64) bool {
	lost := (g.seen.crossed-g.then.crossed)*crossing + (g.seen.steals-g.then.steals)*theft
	return lost*touching*uint64(g.samples) < uint64(now-g.began)*uint64(g.awake)
}

// judge compares the trial with what was before.
func (g *governor) judge(now int64) {
	// More workers are the rule: they are kept unless fewer do clearly better.
	needed := harm * g.base
	if g.limit > g.before {
		needed = g.base / harm
	}
	if r := g.rate(now); r >= needed {
		g.kept = r
		g.pause = 4 * firstPause // go on in this direction soon
		if g.limit == 1 && r > obvious*g.base {
			g.pause = 16 * firstPause // there is no further to go
		}
		g.up = g.limit > g.before
	} else {
		g.limit, g.kept = g.before, g.base
		g.up = !g.up
		g.longer(maxPause)
	}
	g.enter(steady, now, g.pause)
}

// longer stretches the pause between trials, as long as they change nothing.
func (g *governor) longer(atMost int64) { g.pause = min(4*g.pause, atMost) }

// candidate is the limit to try next.
func (g *governor) candidate() int {
	switch {
	case g.limit == g.workers:
		g.up = false
	case g.limit == 1:
		g.up = true
	}
	if g.up {
		return min(2*g.limit, g.workers)
	}
	return (g.limit + 1) / 2
}

// worthATrial tells whether a limit makes a difference and units are fine. An existing limit does
// if nearly all workers that it allows are awake; without one, the next lower limit does if more
// are awake than it would allow.
func (g *governor) worthATrial(now int64) bool {
	units := g.seen.units - g.then.units
	return units != 0 && g.busy() && (now-g.began)*int64(g.limit)/int64(units) < fineUnit
}

// busy tells whether as many workers were awake in the measurement as make a trial worth it.
func (g *governor) busy() bool {
	least := 0.9 * float64(g.limit)
	if g.limit == g.workers {
		least = 1.1 * float64((g.limit+1)/2)
	}
	return float64(g.awake) >= least*float64(g.samples)
}

func (g *governor) rate(now int64) float64 {
	return float64(g.seen.units-g.then.units) / float64(max(now-g.began, 1))
}

// enter begins a phase. A call, which keeps a small program small.
//
//go:noinline
func (g *governor) enter(p phase, now int64, length int64) {
	g.phase, g.until = p, now+length
	g.began, g.then, g.samples, g.awake, g.changed = now, g.seen, 0, 0, 0
}
