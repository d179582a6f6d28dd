package explore

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/gallop-go/gallop/internal/seam"
)

// Program is one scenario under exploration: its threads, its checks and the
// schedule that runs them. A scenario receives it afresh for every schedule and
// must not keep it. Its methods belong to the scenario and to its threads.
type Program struct {
	cfg         Config
	scenario    func(*Program)
	idleThreads []*thread // coroutines, reused from schedule to schedule

	caller uint64 // the goroutine that explores
	// The number of accesses of goroutines that are no threads. They are not among the steps.
	strangers seam.Count
	// The state of one schedule. It belongs to the explorer or the thread, whichever runs.
	threads  []*thread // the threads of this schedule, a prefix of idleThreads
	checks   []func() error
	picks    picker
	trace    []byte // id of the thread of each step
	alive    set    // not done
	waiting  set    // have a condition
	daemons  set    // may be left waiting
	fair     fairness
	failure  error
	current  *thread // nil while the explorer, a condition or a check runs
	chosen   *thread // takes the next step; nil ends the schedule
	unwinds  bool    // abandoned threads are being unwound
	places   *places // the places of the steps; nil unless a failure is explained
	maxSteps int
}

func newProgram(cfg Config, scenario func(*Program)) *Program {
	if cfg.Strategy.start == nil {
		panic("gallop: explore: Config.Strategy is not set")
	}
	p := &Program{cfg: cfg, scenario: scenario, caller: seam.Goroutine(), maxSteps: cfg.MaxSteps}
	if p.maxSteps <= 0 {
		p.maxSteps = DefaultMaxSteps
	}
	return p
}

// Go registers a thread. It may also be called by a running thread.
func (p *Program) Go(body func()) { p.spawn(body, false) }

// Daemon registers a thread that may be left waiting at the end, such as a
// worker. The schedule ends when every other thread is done and no daemon can
// go on.
func (p *Program) Daemon(body func()) { p.spawn(body, true) }

// After registers a check that runs at the end of a schedule that has not
// failed; its accesses are no steps.
func (p *Program) After(check func() error) { p.checks = append(p.checks, check) }

// Point is an interleaving point of the scenario's own.
func (p *Program) Point() { p.pause(nil, false) }

// Spin is a point in a loop that waits for others: the thread goes on after another
// thread has stepped, or when no other can.
func (p *Program) Spin() { p.pause(nil, true) }

// Await waits until cond holds; the code up to the next access belongs to the
// same step. cond must only read. Outside of threads it panics when cond is
// false.
func (p *Program) Await(cond func() bool) {
	if p.current == nil && !cond() {
		panic("gallop: explore: a wait that nothing can end, outside of threads")
	}
	p.pause(cond, false)
}

// Errorf fails the schedule; the first failure counts. It returns, and the
// schedule ends at the thread's next point.
func (p *Program) Errorf(format string, args ...any) { p.fail(fmt.Errorf(format, args...)) }

func (p *Program) fail(err error) {
	if p.failure == nil {
		p.failure = err
	}
}

// schedule runs the scenario once under the given picks.
func (p *Program) schedule(picks picker) error {
	p.reset(picks)
	p.guard(func() { p.scenario(p) })
	for i := 0; i < len(p.threads); i++ {
		p.prime(p.threads[i])
	}
	p.drive()
	for i := 0; p.failure == nil && i < len(p.checks); i++ {
		p.guard(func() { p.failIf(p.checks[i]()) })
	}
	p.places.end(p.alive)
	p.unwind()
	return p.failure
}

func (p *Program) reset(picks picker) {
	p.picks, p.failure = picks, nil
	p.threads, p.checks, p.trace = p.idleThreads[:0], p.checks[:0], p.trace[:0]
	p.alive, p.waiting, p.daemons = 0, 0, 0
	p.fair.reset()
}

func (p *Program) failIf(err error) {
	if err != nil {
		p.fail(err)
	}
}

// guard turns a panic of the scenario or of a check into a failure.
func (p *Program) guard(f func()) {
	defer func() {
		if v := recover(); v != nil {
			p.fail(panicked("the scenario", v))
		}
	}()
	f()
}

// drive resumes the thread that decide has chosen, until the schedule ends. A thread calls decide
// itself, at its points, and yields only if another thread was chosen.
func (p *Program) drive() {
	p.decide(nil, false)
	for p.chosen != nil {
		t := p.chosen
		p.resume(t)
		if t.done {
			p.decide(t, false)
		}
	}
}

func (p *Program) resume(t *thread) {
	p.current = t
	t.resume()
	p.current = nil
}

// decide chooses the thread of the next step, after a step of last.
func (p *Program) decide(last *thread, spun bool) {
	p.current, p.chosen = nil, nil
	ready := p.ready()
	if p.ended(ready) {
		return
	}
	p.fair.stepped(ready, last, spun)
	c := p.fair.choice(ready, last, spun)
	c.step = len(p.trace)
	if id := p.pick(c); p.failure == nil {
		p.trace = append(p.trace, byte(id))
		p.chosen = p.threads[id]
		p.places.add(p.chosen)
	}
}

// ready is the set of threads that could take a step.
func (p *Program) ready() set {
	ready := p.alive &^ p.waiting
	for w := p.waiting; w != 0; w &= w - 1 {
		if id := w.first(); p.threads[id].cond() {
			ready |= one(id)
		}
	}
	return ready
}

// ended reports whether the schedule is over. It fails the schedule on a deadlock, and if there are
// too many steps.
func (p *Program) ended(ready set) bool {
	switch {
	case p.failure != nil:
	case ready == 0 && p.alive&^p.daemons != 0:
		p.fail(fmt.Errorf("deadlock: threads %s wait for ever", p.alive&^p.daemons))
	case ready == 0:
	case len(p.trace) >= p.maxSteps:
		p.fail(fmt.Errorf("step bound: threads %s still run after %d steps", p.alive, p.maxSteps))
	default:
		return false
	}
	return true
}

// errDiverged is the failure of a scenario that is not a function of its schedule.
var errDiverged = errors.New("diverged: the same picks led elsewhere than before; " +
	"the scenario depends on more than the schedule, or the replay string is of another scenario")

// pick returns the only enabled thread, or asks the strategy if there are several.
func (p *Program) pick(c choice) int {
	if c.enabled.single() {
		return c.enabled.first()
	}
	id := p.picks.pick(c)
	if id < 0 || !c.enabled.has(id) {
		p.fail(errDiverged)
	}
	return id
}

// set is a set of thread ids.
type set uint64

func one(id int) set            { return 1 << id }
func (s set) has(id int) bool   { return s>>id&1 != 0 }
func (s set) first() int        { return bits.TrailingZeros64(uint64(s)) }
func (s set) size() int         { return bits.OnesCount64(uint64(s)) }
func (s set) single() bool      { return s&(s-1) == 0 }
func (s set) without(i int) set { return s &^ one(i) }

// nth is the id at the given rank, smallest first.
func (s set) nth(rank int) int {
	for ; rank > 0; rank-- {
		s &= s - 1
	}
	return s.first()
}

// String lists the letters of the threads.
func (s set) String() string {
	var b []byte
	for ; s != 0; s &= s - 1 {
		b = append(b, letters[s.first()])
	}
	return string(b)
}
