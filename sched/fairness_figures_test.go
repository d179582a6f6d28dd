//go:build gallop_figures

package sched_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/gallop-go/gallop/sched"
)

// TestPingPongKeepsOneWorkerBusy: of four workers one does the work, the others
// sleep: no worker is woken for the next-slot. (Now and then the monitor finds that
// the busy one has lost its processor, and the pair moves.)
func TestPingPongKeepsOneWorkerBusy(t *testing.T) {
	const turns = 20_000
	s := start(t, sched.Config{Workers: 4})
	pair := players(turns/2, nil, locally)
	s.Inject(&pair.Task)
	quiet(t, s)
	c := total(s)
	if c.Turns < turns {
		t.Fatalf("%d turns of %d", c.Turns, turns)
	}
	if c.Steals > turns/100 || c.Wakes > turns/100 || c.Parks > turns/100 {
		t.Errorf("%d steals, %d wakes, %d parks in %d turns", c.Steals, c.Wakes, c.Parks, c.Turns)
	}
	if c.NextSlot < turns*9/10 {
		t.Errorf("%d of %d turns came from the next-slot", c.NextSlot, c.Turns)
	}
}

// TestSlowAfterQuick: when turns suddenly last ten thousand times longer, work from outside waits
// for some of them, and not for as many as it would of the quick ones: 98 of a millisecond each.
func TestSlowAfterQuick(t *testing.T) {
	const most = 80
	s := start(t, sched.Config{Workers: 1})
	g := newGraph(s)
	var slow, waited atomic.Int32 // the worker may be detached in the middle of a turn
	late := g.node(func(*sched.Worker) { waited.Store(slow.Load()) })
	pair := players(0, nil, nil)
	via := func(w *sched.Worker, task *sched.Task) {
		if pair.serves > 200_000 {
			if slow.Add(1) == 1 {
				s.Inject(&late.Task)
			}
			for began := time.Now(); time.Since(began) < time.Millisecond; {
			}
		}
		if waited.Load() == 0 && slow.Load() <= 2*most {
			w.Schedule(task)
		}
	}
	for _, p := range []*player{pair, pair.other} {
		p.via, p.over = via, new(atomic.Bool)
	}
	s.Inject(&pair.Task)
	quiet(t, s)
	g.check(t)
	if n := waited.Load(); n > most {
		t.Errorf("work from outside waited for %d turns of a millisecond", n)
	}
}

// plodder is a task that goes on for so many turns of a fifth of a millisecond.
type plodder struct {
	sched.Task
	turn func(w *sched.Worker)
	left int
}

// RunTask implements sched.Runner.
func (p *plodder) RunTask(w *sched.Worker) (again bool) {
	p.turn(w)
	w.Spend(1)
	for began := time.Now(); time.Since(began) < 200*time.Microsecond; {
	}
	if p.left--; p.left > 0 {
		return true
	}
	w.PrepareNext()
	return false
}

// TaskTerminated implements sched.Runner.
func (p *plodder) TaskTerminated(*sched.Worker, error) {}

// TestNewTasksBesideLongTurns: a new task runs before the resumed tasks, or after one of them, and
// not after 256, although a turn of each resumed task takes a whole quantum.
func TestNewTasksBesideLongTurns(t *testing.T) {
	s := start(t, sched.Config{Workers: 1})
	g := newGraph(s)
	// The worker may be detached in the middle of a turn, so that two turns overlap.
	var turns, made, waited atomic.Int32
	first := g.node(nil)
	newTask := g.node(func(*sched.Worker) { waited.Store(turns.Load() - made.Load()) })
	newTask.Class().DepthFirst(func(*sched.Task) bool { return true })
	turn := func(w *sched.Worker) {
		if n := turns.Add(1); n == 40 {
			made.Store(n)
			w.Schedule(&first.Task) // to the next-slot
			w.Schedule(&newTask.Task)
		}
	}
	all := make([]plodder, 4)
	for i := range all {
		p := &all[i]
		p.turn, p.left = turn, 50
		p.Init(p, nil)
	}
	g.inject(g.node(func(w *sched.Worker) {
		for i := range all {
			w.Schedule(&all[i].Task)
		}
	}))
	quiet(t, s)
	if made.Load() == 0 || waited.Load() > 64 {
		t.Errorf("it waited for %d turns of others", waited.Load())
	}
}
