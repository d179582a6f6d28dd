package sched

import (
	"runtime"
	"testing"

	"github.com/gallop-go/gallop/internal/seam"
)

// onDuty100 is a worker running with a budget of 100, which has just read the clock.
func onDuty100(t *testing.T) *Worker {
	t.Helper()
	s, _ := bench(t, 1)
	w := s.workers[0]
	w.state.resume()
	w.budget, w.timeslice.granted, w.pollTurn = 100, 100, 50
	return w
}

// TestSpendOverhead: charged overhead brings the next reading of the clock nearer and does not
// count as work. After any charge a turn may go on for a unit.
func TestSpendOverhead(t *testing.T) {
	w := onDuty100(t)
	w.Spend(10)
	w.SpendOverhead(60)
	if w.Budget() != 30 || w.spent.Load() != 0 {
		t.Errorf("budget %d, %d done", w.Budget(), w.spent.Load())
	}
	w.SpendOverhead(1000)
	if w.Budget() != 1 {
		t.Errorf("budget %d when it is gone", w.Budget())
	}
	w.Spend(1)
	if w.spent.Load() != 11 || w.Budget() < 1 {
		t.Errorf("%d units done, budget %d", w.spent.Load(), w.Budget())
	}
	w.timeslice.granted, w.budget = 100, 100
	w.Spend(100)
	if w.spent.Load() != 111 {
		t.Errorf("%d units done after a quantum without charges", w.spent.Load())
	}
}

// TestAnswer: a worker that was asked to answer reads the clock at its next unit and looks at the
// inject queue before its next turn. The rest of its budget does not count as work.
func TestAnswer(t *testing.T) {
	w := onDuty100(t)
	w.Spend(10)
	if w.state.becomeIdle(); !w.answer() || w.budget != 90 || w.pollTurn != 50 {
		t.Errorf("budget %d, a look behind turn %d, though nobody had asked", w.budget, w.pollTurn)
	}
	if !w.state.ask() || !w.answer() || !w.state.isRunning() {
		t.Fatal("it did not answer")
	}
	if w.budget != 1 || w.pollTurn > w.count.turns {
		t.Errorf("budget %d, the next look behind turn %d", w.budget, w.pollTurn)
	}
	w.Spend(2)
	if w.spent.Load() != 12 || w.budget < 1 {
		t.Errorf("%d units done, budget %d", w.spent.Load(), w.budget)
	}
	w.state.ask()
	w.state.markOverdue()
	w.state.detach()
	if w.pollTurn = 50; w.answer() || w.pollTurn != 50 {
		t.Error("it answered without a slot")
	}
}

// stepClock goes on by a step at each reading.
type stepClock struct {
	seam.SystemClock
	now, step int64
}

// Nanos implements Clock.
func (c *stepClock) Nanos() int64 { c.now += c.step; return c.now }

// "After such a yield the worker runs about as long as they did", and until its next yield only.
func TestYieldInterval_IsEarned(t *testing.T) {
	clock := &stepClock{step: longGone / 2}
	s, err := New(Config{Workers: 1, Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.monitor.stop)
	w := s.workers[0]
	s.idle.wakeForStop(0)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if got := w.yieldInterval(); got != yieldEvery {
		t.Errorf("it yields after %d ns", got)
	}
	runtime.GOMAXPROCS(2)
	if got := w.yieldInterval(); got != yieldEveryRoomy {
		t.Errorf("beside an idle processor it yields after %d ns", got)
	}
	w.timeslice.earned = 4 * longGone
	before := yields.Load()
	for i := range 8 { // the eighth begins after four times as long
		if n := w.count.yields.Load(); n != 0 {
			t.Fatalf("%d yields after %d readings of the clock", n, i)
		}
		w.budget = 0
		w.refillBudget()
	}
	if w.count.yields.Load() != 1 || w.timeslice.earned != 0 {
		t.Errorf("%d yields, and %d ns earned by one after half of %d", w.count.yields.Load(),
			w.timeslice.earned, longGone)
	}
	if yields.Load() == before {
		t.Error("a yield that other workers do not see")
	}
}

// "A busy worker yields to Go's scheduler every 100 µs, or every 400 µs while some of Go's
// processors are free", by the present number of processors: it used to be the number at the time
// when the scheduler was made.
func TestYieldInterval_FollowsProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	s, err := New(Config{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.monitor.stop)
	s.idle.wakeForStop(0)
	for _, n := range []int{2, 1, 3} {
		runtime.GOMAXPROCS(n)
		s.monitor.tick()
		want := int64(yieldEveryRoomy)
		if n == 1 {
			want = yieldEvery
		}
		if got := s.workers[0].yieldInterval(); got != want {
			t.Errorf("one worker and %d processors: it yields after %d ns, want %d", n, got, want)
		}
		if got := s.monitor.slots.procs.n; got != uint64(n) {
			t.Errorf("the monitor knows of %d processors, and there are %d", got, n)
		}
	}
}

// "Three quarters of the average time of each competitor. It is 0 if there were at least as many
// yields as competitors."
func TestProcessors_Earned(t *testing.T) {
	for _, c := range []struct {
		n, runnable, yields uint64
		gone, want          int64
	}{
		{1, 1, 0, 10 * ms, 7.5 * ms}, // one other
		{1, 1, 1, 10 * ms, 0},        // which is a worker
		{2, 4, 1, 20 * ms, 6 * ms},   // four and a worker
		{2, 4, 5, 20 * ms, 0},        // workers only
		{2, 0, 0, 20 * ms, 0},        // none
		{2, 1, 0, 1000 * ms, goTimeslice},
		{2, 6, 8, 1000 * ms, 0}, // eight workers, while other processes have the machine
	} {
		p := processors{n: c.n, runnable: c.runnable}
		if got := p.earned(c.gone, c.yields); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// Beside computing goroutines, workers earn a fair share of the time. Without such goroutines they
// do not lengthen each other's turns, although they were once kept from their processors.
func TestProcessors_EarnedConverges(t *testing.T) {
	for _, c := range []struct {
		workers, computing int
		least, most        int64
	}{{2, 4, 5 * ms, goTimeslice}, {8, 4, ms, goTimeslice}, {1, 2, 7 * ms, goTimeslice}, {8, 0, 0,
		0}, {40, 0, 0, 0}} {
		const n = 2
		p := processors{n: n, runnable: uint64(max(c.workers+c.computing-n, 0))}
		runs := int64(goTimeslice)
		for range 100 {
			gone := (int64(c.computing)*goTimeslice + int64(c.workers-1)*runs) / n
			runs = p.earned(gone, uint64(c.workers-1))
		}
		if runs < c.least || runs > c.most {
			t.Errorf("%+v: it runs for %d ns", c, runs)
		}
	}
}
