package sched_test

import (
	"sync/atomic"
	"testing"

	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// player is half of a ping-pong: a turn makes the other half runnable until it has
// had its turns, or until over says so.
type player struct {
	sched.Task
	other  *player
	over   *atomic.Bool
	turns  int // left, if over is nil
	serves int
	via    func(w *sched.Worker, t *sched.Task) // how to make the other runnable
	// It is runnable while there is one, as an actor with mail.
	balls atomic.Int32
}

// RunTask implements sched.Runner. The monitor may move the other half to another worker,
// which plays the ball back before this turn has ended: then it has to go on.
func (p *player) RunTask(w *sched.Worker) (again bool) {
	p.serves++
	p.turns--
	w.Spend(1)
	if play := p.over != nil && !p.over.Load() || p.over == nil && p.turns >= 0; play &&
		p.other.balls.Add(1) == 1 {
		p.via(w, &p.other.Task)
	}
	w.PrepareNext()
	return p.balls.Add(-1) > 0
}

// TaskTerminated implements sched.Runner.
func (p *player) TaskTerminated(*sched.Worker, error) {}

func locally(w *sched.Worker, t *sched.Task) { w.Schedule(t) }

// players is a pair that passes the ball so many times each, or until over.
func players(turns int, over *atomic.Bool, via func(*sched.Worker, *sched.Task)) *player {
	a, b := &player{turns: turns, over: over, via: via}, &player{turns: turns, over: over, via: via}
	a.other, b.other = b, a
	a.balls.Store(1)
	a.Init(a, nil)
	b.Init(b, nil)
	return a
}

// standing is a clock that stands, so that no turn lasts too long and no worker loses its slot,
// however busy the machine is.
type standing struct{ seam.SystemClock }

// Nanos implements seam.Clock.
func (standing) Nanos() int64 { return 1 }

// soon is how many turns of others work from outside may wait at most.
const soon = 300

// TestBug_K47_PingPongDoesNotStarveOthers: two tasks make each other runnable
// for very long, on the only worker. A task that is queued after them and a task from outside
// run all the same, and soon.
func TestBug_K47_PingPongDoesNotStarveOthers(t *testing.T) {
	for _, isNew := range []bool{false, true} { // the task after them
		s := start(t, sched.Config{Workers: 1, Clock: standing{}})
		g := newGraph(s)
		pair := players(10*soon, nil, locally)
		serves := func() int { return pair.serves + pair.other.serves }
		var local, outside int
		late := g.node(func(*sched.Worker) { outside = serves() - local })
		behind := g.node(func(*sched.Worker) { local = serves(); s.Inject(&late.Task) })
		behind.Class().DepthFirst(func(*sched.Task) bool { return isNew })
		g.inject(g.node(func(w *sched.Worker) {
			w.Schedule(&pair.Task)
			w.Schedule(&behind.Task)
		}))
		quiet(t, s)
		g.check(t)
		if local > 2*soon/10 || outside > soon {
			t.Errorf("the local task, new: %v, waited for %d turns, the one from outside for %d", isNew,
				local, outside)
		}
	}
}

// TestNextSlotGoesFirstAgain: turns that the next-slot took while no task waited do not
// count against it: a task made runnable first runs first, also after a long chain of
// tasks that were alone. The monitor may take the task on a busy machine, so only one run of
// several must show it.
func TestNextSlotGoesFirstAgain(t *testing.T) {
	for range 20 {
		s := start(t, sched.Config{Workers: 1, Clock: standing{}})
		g := newGraph(s)
		var order []string
		first := g.node(func(*sched.Worker) { order = append(order, "first") })
		second := g.node(func(*sched.Worker) { order = append(order, "second") })
		link := g.node(func(w *sched.Worker) {
			w.Schedule(&first.Task)
			w.Schedule(&second.Task)
		})
		for range 40 {
			next := link
			link = g.node(func(w *sched.Worker) { w.Schedule(&next.Task) })
		}
		g.inject(link)
		quiet(t, s)
		g.check(t)
		if order[0] == "first" {
			return
		}
	}
	t.Error("the task that was made runnable first never ran first")
}

// TestRequeueDoesNotStarveTheOutside: a task that always has more to do, on the
// only worker, and one from outside.
func TestRequeueDoesNotStarveTheOutside(t *testing.T) {
	s := start(t, sched.Config{Workers: 1, Clock: standing{}})
	g := newGraph(s)
	late := g.node(nil)
	e := &eager{begin: func() { s.Inject(&late.Task) }}
	e.Init(e, nil)
	late.do = func(*sched.Worker) { e.over = true }
	s.Inject(&e.Task)
	quiet(t, s)
	g.check(t)
	if e.turns < 2 || e.turns > soon {
		t.Errorf("%d turns", e.turns)
	}
}

// TestBacklogFromOutside: many tasks from outside, beside a task that always has more to do. They
// are not let in by a few dozen after a number of turns: a steady stream of them would wait ever
// longer.
func TestBacklogFromOutside(t *testing.T) {
	const backlog = 1000
	s := start(t, sched.Config{Workers: 1, Clock: standing{}})
	g := newGraph(s)
	e := &eager{}
	e.begin = func() {
		for range backlog {
			s.Inject(&g.node(nil).Task)
		}
		s.Inject(&g.node(func(*sched.Worker) { e.over = true }).Task)
	}
	e.Init(e, nil)
	s.Inject(&e.Task)
	quiet(t, s)
	g.check(t)
	if e.turns > soon+backlog/8 {
		t.Errorf("%d turns while %d tasks waited", e.turns, backlog)
	}
}

// TestMoreThanARing: tasks that always have more to do, more of them than the only worker's ring
// holds. All have their share of turns, and work from outside waits for a few turns of each.
func TestMoreThanARing(t *testing.T) {
	for _, n := range []int{257, 300, 2000} {
		s := start(t, sched.Config{Workers: 1, Clock: standing{}})
		g := newGraph(s)
		c := &crowd{tasks: make([]restless, n)}
		var longest atomic.Int64
		c.midway = func() {
			for range 100 {
				from := c.turns.Load()
				s.Inject(&g.node(func(*sched.Worker) {
					longest.Store(max(longest.Load(),
						c.turns.Load()-from))
				}).Task)
			}
		}
		// In one turn, or the first would begin before the others have come.
		g.inject(g.node(func(*sched.Worker) {
			for i := range c.tasks {
				c.tasks[i].crowd = c
				c.tasks[i].Init(&c.tasks[i], nil)
				s.Inject(&c.tasks[i].Task)
			}
		}))
		quiet(t, s)
		g.check(t)
		behind, most := 0, 0
		for i := range c.tasks {
			if most = max(most, c.tasks[i].turns); c.tasks[i].turns < 50 { // of 100
				behind++
			}
		}
		t.Logf("%d tasks: up to %d turns; 100 from outside waited for at most %d", n, most,
			longest.Load())
		// Some tasks are with a worker that has lost its processor. A task that an idle worker has
		// for itself has more turns.
		if behind > n/10 {
			t.Errorf("%d of %d tasks had less than half of their turns, and some had %d", behind, n, most)
		}
		if bound := int64(8*n + soon); longest.Load() > bound {
			t.Errorf("%d tasks: one from outside waited for %d turns, want at most %d", n, longest.Load(),
				bound)
		}
	}
}

// crowd is tasks that all have more to do until they have had 100 turns each, or would have had.
type crowd struct {
	tasks  []restless
	turns  atomic.Int64
	midway func() // in some turn when half of them are over
}

type restless struct {
	sched.Task
	crowd *crowd
	turns int
}

// RunTask implements sched.Runner.
func (r *restless) RunTask(w *sched.Worker) (again bool) {
	c, all := r.crowd, int64(100*len(r.crowd.tasks))
	r.turns++
	n := c.turns.Add(1)
	if n == all/2 {
		c.midway()
	}
	w.Spend(1)
	if n < all {
		return true
	}
	w.PrepareNext()
	return false
}

// TaskTerminated implements sched.Runner.
func (r *restless) TaskTerminated(*sched.Worker, error) {}

// eager is a task that wants to go on until it is over.
type eager struct {
	sched.Task
	begin func() // the first turn's
	turn  func() // each turn's, may be nil
	over  bool   // written by a turn
	turns int
	idle  atomic.Uint32
}

// RunTask implements sched.Runner.
func (e *eager) RunTask(w *sched.Worker) (again bool) {
	if e.turns++; e.turns == 1 {
		e.begin()
	}
	if e.turn != nil {
		e.turn()
	}
	w.Spend(1)
	if !e.over {
		return true
	}
	w.PrepareNext()
	e.idle.Add(1)
	return false
}

// TaskTerminated implements sched.Runner.
func (e *eager) TaskTerminated(*sched.Worker, error) {}

// TestOutsideDoesNotStarveLocalWork: two tasks inject each other for ever, as
// if from outside, on the only worker. Local work that waits after them goes on.
func TestOutsideDoesNotStarveLocalWork(t *testing.T) {
	s := start(t, sched.Config{Workers: 1})
	var over atomic.Bool
	fromOutside := func(_ *sched.Worker, t *sched.Task) { s.Inject(t) }
	outside := [3]*player{}
	for i := range outside {
		outside[i] = players(0, &over, fromOutside)
	}
	g := newGraph(s)
	last := g.node(nil)
	for range 500 {
		last = g.node(nil, last)
	}
	last.do = func(*sched.Worker) { over.Store(true) }
	g.inject(g.node(func(w *sched.Worker) {
		for _, p := range outside {
			s.Inject(&p.Task)
		}
		w.Schedule(&g.nodes[0].Task)
	}))
	quiet(t, s)
	g.check(t)
}

// TestBug_K10_NextSlotStrandsNothing: a turn that makes another task runnable and
// then blocks until that one has run gets on, if there is another worker. Twenty
// times, in a chain.
func TestBug_K10_NextSlotStrandsNothing(t *testing.T) {
	s := start(t, sched.Config{Workers: 2})
	g := newGraph(s)
	for range 20 {
		ran := make(chan struct{})
		inner := g.node(func(*sched.Worker) { close(ran) })
		g.inject(g.node(func(w *sched.Worker) {
			w.Schedule(&inner.Task)
			<-ran
		}))
		quiet(t, s)
	}
	g.check(t)
}

// TestBug_K10_OvertakenTaskIsNotStranded: a task from outside overtakes the task that waits
// in the next-slot, and then blocks until that task runs. No turn has made
// another task runnable, so that only the overtaking could have armed the
// monitor, which frees the waiting task.
func TestBug_K10_OvertakenTaskIsNotStranded(t *testing.T) {
	s := start(t, sched.Config{Workers: 2})
	g := newGraph(s)
	busy, release, goneOn := make(chan struct{}), make(chan struct{}), make(chan struct{})
	g.inject(g.node(func(*sched.Worker) { close(busy); <-release }))
	<-busy
	overtaking := false
	late := g.node(func(*sched.Worker) {
		overtaking = true
		close(release)
		<-goneOn
	})
	e := &eager{begin: func() { s.Inject(&late.Task) }}
	e.turn = func() {
		if overtaking {
			e.over = true
			close(goneOn)
		}
	}
	e.Init(e, nil)
	s.Inject(&e.Task)
	quiet(t, s)
	g.check(t)
}

// TestBug_K10_RingStrandsNothing: the same for tasks in the queue, for which
// another worker is woken at once, without the monitor.
func TestBug_K10_RingStrandsNothing(t *testing.T) {
	s := start(t, sched.Config{Workers: 2})
	g := newGraph(s)
	for range scaled(200) {
		ran := make(chan struct{})
		first, second := g.node(nil), g.node(func(*sched.Worker) { close(ran) })
		g.inject(g.node(func(w *sched.Worker) {
			w.Schedule(&first.Task)
			w.Schedule(&second.Task)
			<-ran
		}))
		quiet(t, s)
	}
	g.check(t)
}

// TestBug_K9_WorkForTwoWakesTwo: pairs of tasks that meet: neither ends before the
// other runs, so both workers must be at work, each time from sleep.
func TestBug_K9_WorkForTwoWakesTwo(t *testing.T) {
	s := start(t, sched.Config{Workers: 2})
	for range scaled(2000) {
		g := newGraph(s)
		meet := make(chan struct{})
		g.inject(
			g.node(func(*sched.Worker) { meet <- struct{}{} }),
			g.node(func(*sched.Worker) { <-meet }),
		)
		quiet(t, s)
		g.check(t)
	}
}
