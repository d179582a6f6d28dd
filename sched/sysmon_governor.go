package sched

import "github.com/gallop-go/gallop/internal/nocmp"

// The governor decides how many workers may be awake at once.
//
// Rejected: a rule that computes the best number from counters. Cache misses are not to be had
// without privileges, and steals and transfers do not tell a shared conversation, which fewer
// workers carry on faster, from work that each worker does for itself.
//
// More are not always faster: when turns take less than the transfer of a cache line, a second
// worker that takes part in the same conversation makes both slower (the Pony runtime goes from 36
// to 150 ns a message there), and one that has a conversation of its own doubles the throughput. A
// worker that hardly touches what another has made harms none. Where workers do touch it, no figure
// tells the two cases apart, so the governor tries: now and then, for a few milliseconds, it lets
// half as many or twice as many workers run, and stays with what did more work.
//
// It only ever limits work whose units take less than a microsecond. A program with longer units
// has all its workers, and one whose units have become twice as long as that gets them back within
// some looks. Its other mistakes it undoes at the next trial, half a second later at most, and soon
// if the program has become another one. A worker that is stuck in a turn while others are kept
// asleep suspends the limit at once (monitor.govern, governor_noise.go).
//
// The figures come from a machine on which other programs run as well, and from programs whose
// rates change by themselves. How a rate is taken from several looks is in sysmon_samples.go.
//
// It is arithmetic on what the monitor shows it and touches nothing else. Guarded by the monitor's
// mu.
type governor struct {
	_       nocmp.Field
	workers int
	limit   int // workers that may be awake

	// The phase and what is to be tried.
	phase  phase
	until  int64 // when the phase ends, ns
	pause  int64 // how long the next trial-free phase lasts, ns
	before int   // the limit before the trial
	up     bool  // the next trial is with more workers
	base   float64
	early  int // measurements that may still be too early: little runs yet

	// Measurements in a row that have begun no trial, because the workers were independent.
	independentFor int

	// What the limit was chosen for.
	kept float64 // the rate at which the limit was found to be right
	// How many looks in a row of this phase have shown another program.
	changed int
	looked  int64 // the last time, ns

	// The measurement.
	began   int64    // when it began, ns
	then    progress // at its beginning
	seen    progress // now
	looks   int      // in it
	awake   int      // sum over them
	rates   samples  // of these looks
	skipped int      // looks that came too late to say anything
	touched float64  // see lost
	stuck   int      // see disturb
}

// progress is what all workers have done so far.
type progress struct {
	units   uint64 // of work
	crossed uint64 // of these, what came from another worker
	steals  uint64
}

// phase is what the governor does now.
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

// What a measurement must show.
const (
	fineUnit = 1000 // ns of one worker's time
	// Of a program that was limited: one at the edge would be freed all the time.
	coarseUnit = 2 * fineUnit
	harm       = 1.08 // fewer workers must do so much more to be preferred
	// If they are much in each other's way, more workers must do so much more.
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

// init lets all workers be awake.
func (g *governor) init(workers int) {
	g.workers, g.limit = workers, workers
	g.begin()
}

// begin expects another program: nothing of what was found about the last one is used.
func (g *governor) begin() {
	g.phase, g.until, g.pause, g.early = steady, 0, firstPause,
		earlyLooks
}

// hasty reports whether the governor wants to look more often than the monitor does by itself. It
// does while it measures; while a trial is on, which should not last longer than it has to; and
// when a program has just begun, since all its workers run and may be in each other's way. With a
// single worker there is nothing to find out.
func (g *governor) hasty() bool {
	return g.workers > 1 && (g.phase != steady || g.pause == firstPause)
}

// look takes in one tick: the time, what all workers have done so far, and how many are awake. It
// returns how many may be.
func (g *governor) look(now int64, d progress, awake int) (limit int) {
	if g.workers == 1 {
		// There is nothing to choose.
		return 1
	}
	if awake == 0 || g.isLate(now) {
		g.skipIdle(now, d)
		return g.limit
	}
	// Looks at which fewer workers were awake say nothing of the program: some had slept.
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

// skipIdle takes in that no worker was awake, all through the time since the last look or at its
// end. That time does not count, nor does what was done in it. A measurement or a trial goes on
// afterwards, or a program would be judged by how long it is idle.
func (g *governor) skipIdle(now int64, d progress) {
	pause := now - g.looked
	// The measurement goes on as if the idle time had not been.
	g.began += pause
	if g.phase != steady {
		// The phase has its full length in time that is not idle.
		g.until += pause
	}
	// What was done in it is done before the measurement, as far as the rate is concerned.
	g.then.units += d.units - g.seen.units
	g.then.crossed += d.crossed - g.seen.crossed
	g.then.steals += d.steals - g.seen.steals
	g.looked, g.seen = now, d
}

// isObvious reports whether a trial need not go on. It is asked at every look, since one with too
// many workers costs as long as it lasts.
func (g *governor) isObvious(now int64) bool {
	if g.phase != trial || now-g.began < firstMeasureTime {
		return false
	}
	// Clearly better, or clearly worse: in either case more time would not change the verdict, and a
	// trial with the wrong number costs throughput while it lasts.
	r := g.rates.rate()
	return r > obvious*g.base || r*hopeless < g.base
}

// compare looks whether the program is still the one for which the limit was chosen: in a pause of
// half a second it may have become any other. If its units are coarse by now, all workers run at
// once. If it does much more or much less than it did, the next trial comes soon. units are those
// since the last look.
func (g *governor) compare(now int64, units uint64) {
	time := max(now-g.looked, 1)
	rate := float64(units) / float64(time)
	// A unit takes the time of all workers that may run, divided by the units.
	coarse := time*int64(g.limit) >= coarseUnit*int64(units)
	if !coarse && rate*another >= g.kept && rate <= another*g.kept {
		g.changed = 0
		return
	}
	// One look is not believed: the workers may have been late to show what they have done.
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

// lift lets all workers run, and expects another program. The next measurement comes soon, so that
// a limit that was right after all is found again.
func (g *governor) lift() {
	g.limit = g.workers
	g.begin()
}

// next ends the phase and begins another.
func (g *governor) next(now int64) {
	switch g.phase {
	case steady:
		// The rate before the trial comes first, so that the trial has something to beat.
		length := int64(measureTime)
		if g.pause == firstPause { // it has just begun, or lifted its limit: all run
			length = firstMeasureTime
		}
		g.enter(measure, now, length)
	case measure:
		g.consider(now)
	case warmUp:
		// More workers are so much in each other's way that the trial is over before it begins.
		if g.limit > g.before && g.rates.rate()*collapse < g.base {
			g.judge(now)
		} else {
			g.enter(trial, now, measureTime)
		}
	case trial:
		g.judge(now)
	}
}

// consider ends a measurement: with a trial, if it is worth one. If it is not, the pause until the
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
		// Fewer could not do more. All the same a trial is made now and then.
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

// lost is how much of the time of all workers the transfers of cache lines have cost, at most: in
// parts of one. Where it is little the workers are independent: they have hardly touched what
// others had made, so that fewer of them could not do more.
func (g *governor) lost(now int64) float64 {
	lost := (g.seen.crossed-g.then.crossed)*crossing + (g.seen.steals-g.then.steals)*theft
	return float64(lost) * float64(g.looks) / float64(max(now-g.began, 1)) / float64(max(g.awake, 1))
}

// judge compares the trial with what was before, and keeps the better limit. A trial that was
// better is followed by another in the same direction soon; one that was worse turns the direction
// around.
func (g *governor) judge(now int64) {
	needed := g.base * g.needed(now)
	// The rates are of the same phase of the program, some milliseconds apart.
	if r := g.rates.rate(); r >= needed {
		g.kept = r
		g.pause = 4 * firstPause // go on in this direction soon
		if g.limit == 1 && r > obvious*g.base {
			g.pause = 16 * firstPause // there is no further to go
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

// needed is how much a trial must have done, compared with what was done before it. More workers
// are the rule: they are kept unless fewer do clearly better. But the more they are in each other's
// way, the less fewer have to do to be preferred: in the end as much, and more workers a little
// more.
func (g *governor) needed(now int64) float64 {
	if g.limit > g.before {
		crowded := min(2*g.lost(now), 1)
		return 1/harm + crowded*(gain-1/harm)
	}
	crowded := min(2*g.touched, 1)
	return harm + crowded*(1-harm)
}

// longer makes the pause between trials longer, as long as they change nothing.
func (g *governor) longer(atMost int64) { g.pause = min(4*g.pause, atMost) }

// candidate is the limit to try next: half of the present one, or twice as much.
func (g *governor) candidate() int {
	switch {
	case g.limit == g.workers:
		g.up = false // there is no more
	case g.limit == 1:
		g.up = true
	}
	if g.up {
		return min(2*g.limit, g.workers)
	}
	return (g.limit + 1) / 2
}

// worthATrial reports whether a limit makes a difference and units are fine. An existing limit does
// if nearly all workers that it allows are awake; without one, the next lower limit does if more
// are awake than it would allow.
func (g *governor) worthATrial() bool {
	// No units at all: the workers do something that is not counted, of which no rate is known.
	awake := float64(g.awake) / float64(max(g.looks, 1))
	return g.base > 0 && g.busy() && awake < fineUnit*g.base
}

// busy reports whether as many workers were awake in the measurement as make a trial worth it: with
// fewer awake, a limit changes nothing that a rate could show.
func (g *governor) busy() bool {
	// Without a limit: more must be awake than the next lower limit would allow.
	least := 0.9 * float64(g.limit)
	if g.limit == g.workers {
		least = 1.1 * float64((g.limit+1)/2)
	}
	return float64(g.awake) >= least*float64(g.looks)
}

// enter begins a phase and a new measurement. It is a call of its own, which keeps a small program
// small.
//
//go:noinline
func (g *governor) enter(p phase, now int64, length int64) {
	g.phase, g.until = p, now+length
	g.began, g.then, g.looks, g.awake, g.changed = now, g.seen, 0, 0, 0
	g.rates.n, g.skipped = 0, 0
}
