package sched

import "github.com/gallop-go/gallop/internal/nocmp"

// The governor limits the number of awake workers.
//
// Rejected: a rule that computes the best number from counters. Cache misses cannot be read without
// privileges. Steals and transfers do not distinguish a shared conversation, which fewer workers
// carry on faster, from independent work.
//
// More workers are not always faster. When turns take less than the transfer of a cache line, a
// second worker in the same conversation makes both slower: the Pony runtime goes from 36 to 150 ns
// a message there. A second worker with a conversation of its own doubles the throughput. Workers
// that hardly touch each other's data harm none. Where they do touch it, no figure tells the two
// cases apart, so the governor tries: now and then, for a few milliseconds, it lets half as many or
// twice as many workers run, and keeps the number that did more work.
//
// It only limits work whose units take less than a microsecond. A program with longer units has all
// its workers, and a program whose units have become twice as long gets them back within some
// looks. Other mistakes are undone at the next trial: half a second later at most, and soon if the
// program has changed. A worker that is stuck in a turn while others are kept asleep suspends the
// limit at once (monitor.govern, governor_noise.go).
//
// The figures come from a machine on which other programs run as well, and from programs whose
// rates change by themselves. sysmon_samples.go computes a rate from several looks.
//
// The governor is arithmetic on the figures that the monitor shows it and touches nothing else.
// Guarded by the monitor's mu.
type governor struct {
	_       nocmp.Field
	workers int
	limit   int // workers that may be awake

	// The phase and the next trial.
	phase  phase
	until  int64 // when the phase ends, ns
	pause  int64 // how long the next trial-free phase lasts, ns
	before int   // the limit before the trial
	up     bool  // the next trial is with more workers
	base   float64
	early  int // measurements that may still be too early, since little runs yet

	// Measurements in a row that have begun no trial, because the workers were independent.
	independentFor int

	// The program for which the limit was chosen.
	kept float64 // the rate at which the limit was found to be right
	// The number of looks in a row, in this phase, that have shown another program.
	changed int
	looked  int64 // time of the last look, ns

	// The measurement.
	began   int64    // when it began, ns
	then    progress // at its beginning
	seen    progress // now
	looks   int      // looks in the measurement
	awake   int      // sum of the awake workers over the looks
	rates   samples  // the rates of these looks
	skipped int      // looks that came too late to be used
	touched float64  // see lost
	stuck   int      // see disturb
}

// progress is the work of all workers so far.
type progress struct {
	units   uint64 // of work
	crossed uint64 // of these, units that came from another worker
	steals  uint64
}

// phase is the phase of the governor.
//
//	steady ── measure ── no trial is worth it ──▶ steady
//	             └────── warmUp ── trial ───────▶ steady, with the better limit
type phase int

const (
	steady  phase = iota // wait for the next trial
	measure              // take the rate before the trial
	warmUp               // the trial has begun; let caches follow
	trial                // take the rate of the trial
)

// Times of the phases.
const (
	ms         = 1_000_000
	firstPause = 1 * ms
	maxPause   = 512 * ms
	// At the beginning all run, and may be in each other's way: not for long.
	firstMeasureTime = 1 * ms
	measureTime      = 3 * ms
	warmUpTime       = ms / 2
)

// Thresholds of a measurement.
const (
	fineUnit = 1000 // ns of one worker's time
	// For a program that was limited. With fineUnit here, a program at the edge would be freed all
	// the time.
	coarseUnit = 2 * fineUnit
	harm       = 1.08 // fewer workers are preferred if they do so much more
	// More workers that are much in each other's way are preferred if they do so much more.
	gain    = 1.04
	obvious = 1.3 // a trial ends at once when it does so much more
	// A trial also ends when it does so much less: neither fewer nor more are kept then.
	hopeless = 1.1
	// A trial with more does not even begin if it has done so much less meanwhile.
	collapse = 1.2
	another  = 2 // a program that does so much more or less is another one
	changes  = 2 // looks in a row that it takes to believe that
	// From one trial to the next, however often it becomes another program.
	soonest    = 16 * ms
	earlyLooks = 16 // how often a new program is looked at again soon
)

// When workers count as independent: fewer of them would save less than harm.
const (
	independentPause = 16 * ms
	independentLooks = 32    // after so many it tries all the same
	crossing         = 250   // ns for a unit from another worker, at most
	theft            = 1_000 // ns for a task from another worker
	touching         = 25    // part of the workers' time
)

// init begins without a limit.
func (g *governor) init(workers int) {
	g.workers, g.limit = workers, workers
	g.begin()
}

// begin expects another program: all that was found about the last one is dropped.
func (g *governor) begin() {
	g.phase, g.until, g.pause, g.early = steady, 0, firstPause,
		earlyLooks
}

// hasty reports whether the governor wants to look more often than the monitor does by itself. It
// does while it measures, and during a trial, which should not last longer than needed. It also
// does when a program has just begun, since all its workers run and may be in each other's way.
// With a single worker it never does.
func (g *governor) hasty() bool {
	return g.workers > 1 && (g.phase != steady || g.pause == firstPause)
}

// look records one look: the time, the progress of all workers, and the number of awake ones. It
// returns the new limit.
func (g *governor) look(now int64, d progress, awake int) (limit int) {
	if g.workers == 1 {
		// There is nothing to choose.
		return 1
	}
	if awake == 0 || g.isLate(now) {
		g.skipIdle(now, d)
		return g.limit
	}
	// Looks with fewer awake workers are not compared: some workers had slept.
	if g.phase == steady && g.limit < g.workers && awake >= g.limit {
		g.compare(now, d.units-g.seen.units)
	}
	g.rates.add(d.units-g.seen.units, now-g.looked)
	g.looked, g.seen = now, d
	g.looks++
	g.awake += awake
	if now >= g.until || g.isObvious(now) {
		g.next(now)
	}
	return g.limit
}

// skipIdle records that no worker was awake, all through the time since the last look or at its
// end. This time and the work in it do not count. A measurement or a trial goes on afterwards;
// otherwise a program would be judged by its idle time.
func (g *governor) skipIdle(now int64, d progress) {
	pause := now - g.looked
	// The measurement goes on as if the idle time had not been.
	g.began += pause
	if g.phase != steady {
		// The phase has its full length in time that is not idle.
		g.until += pause
	}
	// The work in the idle time counts as done before the measurement.
	g.then.units += d.units - g.seen.units
	g.then.crossed += d.crossed - g.seen.crossed
	g.then.steals += d.steals - g.seen.steals
	g.looked, g.seen = now, d
}

// isObvious reports whether a trial need not go on. It is called at every look, since a trial with
// too many workers costs throughput while it lasts.
func (g *governor) isObvious(now int64) bool {
	if g.phase != trial || now-g.began < firstMeasureTime {
		return false
	}
	// Clearly better or clearly worse: more time would not change the verdict.
	r := g.rates.rate()
	return r > obvious*g.base || r*hopeless < g.base
}

// compare checks whether the program is still the one for which the limit was chosen, since it may
// change during a pause of half a second. If its units are coarse by now, all workers run at once.
// If its rate is much higher or much lower, the next trial comes soon. units are those since the
// last look.
func (g *governor) compare(now int64, units uint64) {
	time := max(now-g.looked, 1)
	rate := float64(units) / float64(time)
	// The time of a unit is the time of all workers that may run, divided by the units.
	coarse := time*int64(g.limit) >= coarseUnit*int64(units)
	if !coarse && rate*another >= g.kept && rate <= another*g.kept {
		g.changed = 0
		return
	}
	// One look is not enough: the workers may have published late.
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

// lift removes the limit, and expects another program. The next measurement comes soon, so that a
// limit that was right is found again.
func (g *governor) lift() {
	g.limit = g.workers
	g.begin()
}

// next ends the phase and begins another.
func (g *governor) next(now int64) {
	switch g.phase {
	case steady:
		// The rate before the trial comes first, as the value to beat.
		length := int64(measureTime)
		if g.pause == firstPause { // it has just begun, or lifted its limit: all run
			length = firstMeasureTime
		}
		g.enter(measure, now, length)
	case measure:
		g.consider(now)
	case warmUp:
		// More workers are so much in each other's way that the trial ends before it begins.
		if g.limit > g.before && g.rates.rate()*collapse < g.base {
			g.judge(now)
		} else {
			g.enter(trial, now, measureTime)
		}
	case trial:
		g.judge(now)
	}
}

// consider ends a measurement and begins a trial if it is worth one. Otherwise the pause until the
// next measurement becomes longer.
func (g *governor) consider(now int64) {
	g.base = g.rates.rate()
	g.before = g.limit
	g.touched = g.lost(now)
	apart := g.touched*touching < 1
	switch {
	case !g.worthATrial():
		// Not to be limited. A program that has just begun is looked at again soon.
		g.limit = g.workers
		if g.early--; g.early <= 0 || g.pause > firstPause || g.busy() {
			g.longer(maxPause)
		}
	case apart && g.limit == g.workers && g.independentFor < independentLooks:
		// Fewer could not do more. A trial is made nevertheless now and then.
		g.independentFor++
		g.longer(independentPause)
	default:
		// Independent workers that are limited want more of them.
		g.independentFor = 0
		g.up = g.up || apart
		g.limit = g.candidate()
		g.enter(warmUp, now, warmUpTime)
		return
	}
	g.enter(steady, now, g.pause)
}

// lost returns the largest share of all workers' time that transfers of cache lines may have cost.
// Where it is small the workers are independent: they have hardly touched each other's data, so
// that fewer of them could not do more.
func (g *governor) lost(now int64) float64 {
	lost := (g.seen.crossed-g.then.crossed)*crossing + (g.seen.steals-g.then.steals)*theft
	return float64(lost) * float64(g.looks) / float64(max(now-g.began, 1)) / float64(max(g.awake, 1))
}

// judge compares the rate of work in the trial with the rate in the measurement before it, and
// keeps the better limit. The trial is better if its rate is at least needed times the rate before.
// Then another trial in the same direction follows soon. After a worse trial, the next one follows
// later, in the other direction.
func (g *governor) judge(now int64) {
	needed := g.base * g.needed(now)
	// The rates are of the same phase of the program, some milliseconds apart.
	if r := g.rates.rate(); r >= needed {
		g.kept = r
		g.pause = 4 * firstPause // go on in this direction soon
		if g.limit == 1 && r > obvious*g.base {
			g.pause = 16 * firstPause // 1 is the end of this direction
		}
		g.up = g.limit > g.before
	} else {
		// Back to the limit before, and the other direction the next time, later.
		g.limit, g.kept = g.before, g.base
		g.up = !g.up
		g.longer(maxPause)
	}
	g.enter(steady, now, g.pause)
}

// needed is the rate that a trial must reach, as a multiple of the rate before it. Independent
// workers are preferred in greater number: a trial with fewer workers must reach harm, and a trial
// with more only 1/harm. Where workers lose half of their time to each other, fewer are preferred:
// a trial with fewer must reach 1, and a trial with more must reach gain. Between these cases the
// result is interpolated.
func (g *governor) needed(now int64) float64 {
	if g.limit > g.before {
		crowded := min(2*g.lost(now), 1)
		return 1/harm + crowded*(gain-1/harm)
	}
	crowded := min(2*g.touched, 1)
	return harm + crowded*(1-harm)
}

// longer lengthens the pause between trials, while these change nothing.
func (g *governor) longer(atMost int64) { g.pause = min(4*g.pause, atMost) }

// candidate returns the limit to try next: half of the present one, or twice as much.
func (g *governor) candidate() int {
	switch {
	case g.limit == g.workers:
		g.up = false // there are no more workers
	case g.limit == 1:
		g.up = true
	}
	if g.up {
		return min(2*g.limit, g.workers)
	}
	return (g.limit + 1) / 2
}

// worthATrial reports whether a limit makes a difference and units are fine. An existing limit does
// if nearly all workers that it allows are awake. Without a limit, the next lower one does if more
// workers are awake than it would allow.
func (g *governor) worthATrial() bool {
	// Without units the workers do uncounted work, whose rate is unknown.
	awake := float64(g.awake) / float64(max(g.looks, 1))
	return g.base > 0 && g.busy() && awake < fineUnit*g.base
}

// busy reports whether enough workers were awake in the measurement for a trial: with fewer awake,
// a limit changes no rate.
func (g *governor) busy() bool {
	// Without a limit, more must be awake than the next lower limit would allow.
	least := 0.9 * float64(g.limit)
	if g.limit == g.workers {
		least = 1.1 * float64((g.limit+1)/2)
	}
	return float64(g.awake) >= least*float64(g.looks)
}

// enter begins a phase and a new measurement. It is not inlined, which keeps small programs small.
//
//go:noinline
func (g *governor) enter(p phase, now int64, length int64) {
	g.phase, g.until = p, now+length
	g.began, g.then, g.looks, g.awake, g.changed = now, g.seen, 0, 0, 0
	g.rates.n, g.skipped = 0, 0
}
