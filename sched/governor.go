package sched

// The governor decides how many workers may be awake at once. More are not always
// faster: when turns take less than the transfer of a cache line, a second worker
// that takes part in the same conversation makes everybody slower (the Pony runtime
// goes from 36 to 150 ns a message there), and one that has a conversation of its
// own doubles the throughput. No figure of the queues tells the two apart, so the
// governor tries: now and then, for a few milliseconds, it lets half as many or
// twice as many workers run, and stays with what did more work.
//
// It only ever restrains work whose units take less than a microsecond; a program
// with longer ones has all its workers. What it does wrong it undoes at the next
// trial, half a second later at most; and a worker that is stuck in a turn while
// others are kept asleep lifts the limit at once (monitor).
//
// It is arithmetic on what the monitor shows it and touches nothing else. Owned by
// the monitor.
type governor struct {
	workers int
	limit   int // workers that may be awake

	phase  phase
	until  int64 // when the phase ends, ns
	pause  int64 // how long the next trial-free phase lasts, ns
	before int   // the limit before the trial
	up     bool  // the next trial is with more workers
	base   float64
	early  int // measurements that may still be too early: little runs yet

	began   int64  // of the measurement, ns
	units   uint64 // then
	samples int    // ticks in the measurement
	awake   int    // sum over them
}

// phase is what the governor does now.
type phase int

const (
	steady  phase = iota // wait for the next trial
	measure              // take the rate before the trial
	settle               // the trial has begun; let caches follow
	trial                // take the rate of the trial
)

const (
	ms          = 1_000_000
	firstPause  = 1 * ms
	maxPause    = 512 * ms
	firstWindow = 1 * ms // at the beginning all run, and may be in each other's way: not for long
	window      = 3 * ms
	settling    = ms / 2
	fineUnit    = 1000 // ns of one worker's time
	harm        = 1.08 // fewer workers must do so much more work to be preferred
	obvious     = 1.3  // a trial ends at once when it does so much more or less
	earlyLooks  = 16   // how often a program that has just begun is looked at again soon
)

func (g *governor) init(workers int) {
	g.workers, g.limit = workers, workers
	g.begin()
}

// begin expects something new.
func (g *governor) begin() { g.phase, g.until, g.pause, g.early = steady, 0, firstPause, earlyLooks }

// hasty tells whether it wants to look more often than the monitor does by itself: a trial
// is on, or a program has just begun, in which all run and may be in each other's way. Of a
// single worker there is nothing to find out.
func (g *governor) hasty() bool {
	return g.workers > 1 && (g.phase != steady || g.pause == firstPause)
}

// look takes in one tick: the time, the units of work done so far by all workers,
// and how many are awake. It returns how many may be.
func (g *governor) look(now int64, units uint64, awake int) (limit int) {
	if g.workers == 1 {
		return 1
	}
	g.samples++
	g.awake += awake
	if now >= g.until || g.isObvious(now, units) {
		g.next(now, units)
	}
	return g.limit
}

// isObvious tells whether a trial need not go on: it costs when it is with too many.
func (g *governor) isObvious(now int64, units uint64) bool {
	if g.phase != trial || now-g.began < firstWindow {
		return false
	}
	r := g.rate(now, units)
	return r > obvious*g.base || r*obvious < g.base
}

// lift lets all workers run: some are stuck.
func (g *governor) lift() {
	g.limit = g.workers
	g.begin()
}

// next ends the phase and begins another.
func (g *governor) next(now int64, units uint64) {
	switch g.phase {
	case steady:
		length := int64(window)
		if g.pause == firstPause { // it has just begun, or lifted its limit: all run
			length = firstWindow
		}
		g.enter(measure, now, units, length)
	case measure:
		g.base = g.rate(now, units)
		if !g.worthATrial(now, units) {
			g.limit = g.workers
			if g.early--; g.early <= 0 || g.pause > firstPause || g.busy() {
				g.longer()
			}
			g.enter(steady, now, units, g.pause)
			return
		}
		g.before = g.limit
		g.limit = g.candidate()
		g.enter(settle, now, units, settling)
	case settle:
		g.enter(trial, now, units, window)
	case trial:
		g.judge(now, units)
	}
}

// judge compares the trial with what was before.
func (g *governor) judge(now int64, units uint64) {
	// More workers are the rule: they are kept unless fewer do clearly better.
	needed := harm * g.base
	if g.limit > g.before {
		needed = g.base / harm
	}
	if r := g.rate(now, units); r >= needed {
		g.pause = 4 * firstPause // go on in this direction soon
		if g.limit == 1 && r > obvious*g.base {
			g.pause = 16 * firstPause // there is no further to go
		}
		g.up = g.limit > g.before
	} else {
		g.limit = g.before
		g.up = !g.up
		g.longer()
	}
	g.enter(steady, now, units, g.pause)
}

// longer stretches the pause between trials, as long as they change nothing.
func (g *governor) longer() int64 {
	g.pause = min(4*g.pause, maxPause)
	return g.pause
}

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

// worthATrial tells whether a limit makes a difference and units are fine. With fewer
// workers than all, nearly all that may be awake are; without a limit, more are than
// the next lower one allows.
func (g *governor) worthATrial(now int64, units uint64) bool {
	done := units - g.units
	return done != 0 && g.busy() && (now-g.began)*int64(g.limit)/int64(done) < fineUnit
}

// busy tells whether as many workers were awake in the measurement as make a trial worth it.
func (g *governor) busy() bool {
	least := 0.9 * float64(g.limit)
	if g.limit == g.workers {
		least = 1.1 * float64((g.limit+1)/2)
	}
	return float64(g.awake) >= least*float64(g.samples)
}

func (g *governor) rate(now int64, units uint64) float64 {
	return float64(units-g.units) / float64(max(now-g.began, 1))
}

func (g *governor) enter(p phase, now int64, units uint64, length int64) {
	g.phase, g.until = p, now+length
	g.began, g.units, g.samples, g.awake = now, units, 0, 0
}
