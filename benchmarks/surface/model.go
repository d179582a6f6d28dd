package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// Package sched runs here on modelled processors: its workers are threads of a deterministic
// driver, each with a clock of its own, and the thread whose clock is behind all others goes on. So
// the queues, the next-slot, stealing, sleeping and waking are those of production. The model has no
// monitor, no governor and no muting, and a look at an empty queue costs nothing.

// costs are in ns, as far as two processors show them; see benchmarks/scaling.
var costs = struct{ message, send, steal, line, wake, waker float64 }{
	message: 45,   // a message within a worker
	send:    25,   // another message that a turn sends
	steal:   1000, // taking a task from another worker, with the misses that follow
	line:    60,   // a message from another worker
	wake:    5000, // until a thread that sleeps runs
	waker:   1000, // for the one that wakes it
}

var (
	modelWorks   = []time.Duration{660, 2200, 10_000, 100_000}
	modelFlights = []int{1, 32, 1000}
	modelWorkers = []int{2, 4, 16, 64}
)

const (
	batch    = 100  // messages of a turn
	wantedOf = 0.85 // of the bound
)

// model prints, for each shape, how much of Brent's bound so many workers reach.
func model(out io.Writer) {
	short := 0
	for _, s := range shapes {
		fmt.Fprintf(out, "\n%s: bound / time\n%10s %6s", s.name, "work", "items")
		for _, n := range modelWorkers {
			fmt.Fprintf(out, " %7d", n)
		}
		fmt.Fprintln(out)
		for _, w := range modelWorks {
			for _, f := range modelFlights {
				fmt.Fprintf(out, "%10v %6d", w, f)
				for _, n := range modelWorkers {
					share, mark := modelled(s, f, n, float64(w)), " "
					if share < wantedOf && w > 2*time.Microsecond {
						short++
						mark = "!"
					}
					fmt.Fprintf(out, " %6.2f%s", share, mark)
				}
				fmt.Fprintln(out)
			}
		}
	}
	fmt.Fprintf(out, "\n%d cells with 2 µs or more of work are below %.2f of the bound (!)\n", short, wantedOf)
}

// modelled returns the bound by Brent (work by workers and the longest chain), divided by the
// modelled time.
func modelled(s shape, flight, workers int, work float64) float64 {
	n := max(2000, 4*flight)
	n -= n % flight
	m := newModel(newRun(s, flight, n, 0), workers, work)
	took := m.run()
	each := work + costs.message
	bound := m.worked/math.Min(float64(workers), m.graph.width) + float64(m.graph.stages)*each
	if m.graph.critical > 0 {
		bound = m.worked/float64(workers) + float64(n/flight)*m.graph.critical*each
	}
	return bound / took
}

// modelRun is one run. All of it belongs to the thread that has the baton.
type modelRun struct {
	graph graph
	r     *run
	s     *sched.Scheduler
	class sched.Class
	nodes []modelNode
	work  float64

	now     float64   // of the thread that runs
	clocks  []float64 // of the workers
	steals  []uint64  // of each worker, as of its last turn
	parks   []uint64  // of each worker, as of its last wake-up
	worked  float64   // by all of them
	calling int       // the worker that is at a point; -1: not known
	threads map[int]int
	fresh   map[int]float64 // when a thread of which the worker is not known was woken
}

// modelNode is a node of the graph as a task.
type modelNode struct {
	sched.Task
	i      int
	mail   []int // who has sent each item
	left   int   // items of the turn that are in hand besides the one that runs
	queued bool
	given  seam.Uint32
}

func newModel(r *run, workers int, work float64) *modelRun {
	m := &modelRun{graph: r.graph, r: r, work: work, calling: -1, clocks: make([]float64, workers),
		steals: make([]uint64, workers), parks: make([]uint64, workers), nodes: make([]modelNode, len(r.nodes)),
		threads: map[int]int{}, fresh: map[int]float64{}}
	m.class.Init(m, nil)
	m.class.GoesOn(func(w *sched.Worker) bool { return w.Local().(*modelWorker).at.left > 0 })
	for i := range m.nodes {
		m.nodes[i].i = i
		m.nodes[i].InitClass(&m.class)
	}
	var err error
	m.s, err = sched.New(sched.Config{Workers: workers, Clock: m,
		Attach: func(*sched.Worker) any { return &modelWorker{} },
		Driver: sched.NewDriver(sched.Turns{Choose: m.choose})})
	if err != nil {
		panic(err)
	}
	return m
}

// modelWorker is kept for each worker.
type modelWorker struct{ at *modelNode }

// run returns how long the run took by the latest clock.
func (m *modelRun) run() float64 {
	defer m.s.Stop()
	for _, i := range m.r.start {
		n := &m.nodes[i]
		n.mail = append(n.mail, -1)
		if !n.queued {
			n.queued = true
			if a, ok := m.s.Admit(); ok {
				a.Inject(&n.Task)
			}
		}
	}
	if err := m.s.WaitQuiet(context.Background(), false); err != nil {
		panic(err)
	}
	<-m.r.finished
	return m.now
}

// choose is where clocks are compared.
func (m *modelRun) choose(ready []int, current int) int {
	if m.calling >= 0 && current >= 0 {
		m.threads[current] = m.calling
		if at, ok := m.fresh[current]; ok {
			m.clocks[m.calling] = math.Max(m.clocks[m.calling], at)
		}
	}
	best, least := ready[0], math.Inf(1)
	for _, id := range ready {
		if id == 0 {
			continue // the goroutine that waits for the end
		}
		if id != current && m.hasSlept(id) {
			m.woken(id, current)
		}
		if at := m.clockOf(id); at < least {
			best, least = id, at
		}
	}
	if !math.IsInf(least, 1) {
		m.now = least
	}
	return best
}

func (m *modelRun) clockOf(thread int) float64 {
	if w, ok := m.threads[thread]; ok {
		return m.clocks[w]
	}
	return m.fresh[thread]
}

// hasSlept reports whether the thread, which is ready, has fallen asleep since it was last asked
// about. Then the thread that runs has just woken it.
func (m *modelRun) hasSlept(thread int) bool {
	w, ok := m.threads[thread]
	if !ok {
		_, known := m.fresh[thread]
		return !known
	}
	parks := m.s.AllWorkers()[w].Counters().Parks
	slept := parks != m.parks[w]
	m.parks[w] = parks
	return slept
}

func (m *modelRun) woken(thread, by int) {
	if w, ok := m.threads[by]; ok {
		m.clocks[w] += costs.waker
	}
	if w, ok := m.threads[thread]; ok {
		m.clocks[w] = math.Max(m.clocks[w], m.now+costs.wake)
		return
	}
	m.fresh[thread] = m.now + costs.wake
}

// pass lets time pass for a worker, and those go first that are behind it: first those that it has
// woken, as of now.
func (m *modelRun) pass(w *sched.Worker, ns float64) {
	c := &m.clocks[w.ID()]
	for _, ns := range []float64{0, ns} {
		*c += ns
		m.now, m.calling = *c, w.ID()
		w.Point()
		m.now, m.calling = *c, -1
	}
}

// RunTask implements sched.ClassRunner: it runs the items that are there, a batch at most.
func (m *modelRun) RunTask(w *sched.Worker, t *sched.Task) (again bool) {
	var n *modelNode
	for i := range m.nodes { // few
		if &m.nodes[i].Task == t {
			n = &m.nodes[i]
		}
	}
	w.Local().(*modelWorker).at = n
	c := &m.clocks[w.ID()]
	if *c < m.now { // it was woken when nothing else could go on
		*c = m.now + costs.wake
	}
	if s := w.Counters().Steals; s != m.steals[w.ID()] {
		m.steals[w.ID()] = s
		*c += costs.steal
	}
	items := min(len(n.mail), batch)
	for k := range items {
		n.left = items - k - 1
		m.item(w, n)
		w.Spend(1)
	}
	if len(n.mail) > 0 {
		return true
	}
	w.PrepareNext()
	n.queued = false
	n.given.Add(1)
	return false
}

// item runs one item.
func (m *modelRun) item(w *sched.Worker, n *modelNode) {
	from := n.mail[0]
	n.mail = n.mail[1:]
	m.pass(w, costs.message)
	if from != w.ID() {
		m.pass(w, costs.line)
	}
	m.worked += costs.message
	m.r.take(n.i, func(weight float64) {
		m.worked += m.work * weight
		m.pass(w, m.work*weight)
	}, func(to []int) {
		for k, i := range to {
			if k > 0 {
				m.pass(w, costs.send)
			}
			m.send(w, &m.nodes[i])
		}
	})
}

func (m *modelRun) send(w *sched.Worker, to *modelNode) {
	to.mail = append(to.mail, w.ID())
	if !to.queued {
		to.queued = true
		w.Schedule(&to.Task)
	}
}

// TaskTerminated implements sched.ClassRunner.
func (m *modelRun) TaskTerminated(*sched.Worker, *sched.Task, error) {}

// Nanos implements seam.Clock: the time of the thread that runs.
func (m *modelRun) Nanos() int64 { return int64(m.now) }

// Now implements seam.Clock.
func (m *modelRun) Now() time.Time { return time.Unix(0, m.Nanos()) }

// Flows implements seam.Clock: time passes only with work.
func (m *modelRun) Flows() bool { return false }

// NewAlarm implements seam.Clock. Package sched sets none.
func (m *modelRun) NewAlarm(func()) seam.Alarm { panic("the model has no timers") }
