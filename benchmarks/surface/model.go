package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"regexp"
	"time"

	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// Package sched runs here on modelled processors: its workers are threads of a deterministic
// driver, each with a clock of its own, and the thread whose clock is behind all others goes on. So
// the queues, the next-slot, stealing, sleeping and waking are those of production. The model has no
// monitor, no governor and no muting.

// costs are in ns, as far as two processors show them; see benchmarks/scaling.
var costs = struct{ message, send, steal, line, wake, waker, look float64 }{
	message: 45,   // a message within a worker
	send:    25,   // another message that a turn sends
	steal:   1000, // taking a task from another worker, with the misses that follow
	line:    60,   // a message from another worker
	wake:    5000, // until a thread that sleeps runs
	waker:   1000, // of the worker that wakes it
	look:    150,  // a round of a search that finds nothing; most of it is the yield
}

var (
	modelWorks   = []time.Duration{660, 2200, 10_000, 100_000}
	modelFlights = []int{1, 32, 1000}
	modelWorkers = []int{2, 4, 16, 64}
)

const (
	batch    = 100  // messages of a turn
	rounds   = 8    // of a search
	wantedOf = 0.85 // of the bound
)

// model prints, for each shape and number of workers, how near the time comes to a bound that no
// schedule can beat: the larger of the span and of the work divided by the workers. The span is the
// longest chain of work that has to be done one after the other. A greedy schedule takes at most
// the sum of the two, which is Brent's bound.
func model(out io.Writer, only *regexp.Regexp) {
	short, brent, measured := 0, 0, 0
	for _, s := range shapes {
		if !only.MatchString(s.name) {
			continue
		}
		fmt.Fprintf(out, "\n%s: best possible time / time\n%10s %6s", s.name, "work", "items")
		for _, n := range modelWorkers {
			fmt.Fprintf(out, " %7d", n)
		}
		fmt.Fprintln(out)
		for _, w := range modelWorks {
			for _, f := range modelFlights {
				fmt.Fprintf(out, "%10v %6d", w, f)
				for _, n := range modelWorkers {
					took, byWorkers, span := modelled(s, f, n, float64(w))
					share, mark := max(byWorkers, span)/took, " "
					if w > 2*time.Microsecond {
						measured++
						if share < wantedOf {
							short++
							mark = "."
						}
						if (byWorkers+span)/took < wantedOf {
							brent++
							mark = "!"
						}
					}
					fmt.Fprintf(out, " %6.2f%s", share, mark)
				}
				fmt.Fprintln(out)
			}
		}
	}
	fmt.Fprintf(out, "\nOf %d cells with 2 µs or more of work, %d are below %.2f of Brent's bound (!), and %d below that much of the best "+
		"possible time (. or !)\n", measured, brent, wantedOf, short)
}

// modelled returns how long so many workers take, and the two parts of the bound.
func modelled(s shape, flight, workers int, work float64) (took, byWorkers, span float64) {
	n := max(2000, 4*flight)
	n -= n % flight
	m := newModel(newRun(s, flight, n, 0), workers, work)
	took = m.run()
	return took, m.worked / float64(workers), m.span
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
	span    float64   // the end of the longest chain so far, with a worker for each node
	calling int       // the worker that is at a point; -1: not known
	threads map[int]int
	fresh   map[int]float64 // when a thread of which the worker is not known was woken
}

// modelNode is a node of the graph as a task.
type modelNode struct {
	sched.Task
	i      int
	mail   []modelItem
	free   float64 // when it has worked, on a worker of its own
	left   int     // items of the turn after the current one
	queued bool
	given  seam.Uint32
}

// modelItem is an item that waits.
type modelItem struct {
	from int     // the worker that has sent it
	sent float64 // when, if there were a worker for each node
}

func newModel(r *run, workers int, work float64) *modelRun {
	m := &modelRun{graph: r.graph, r: r, work: work, calling: -1, clocks: make([]float64, workers),
		steals: make([]uint64, workers), parks: make([]uint64, workers), nodes: make([]modelNode, len(r.nodes)),
		threads: map[int]int{}, fresh: map[int]float64{}}
	m.class.Init(m, nil)
	m.class.GoesOn(func(w *sched.Worker, _ *sched.Task) bool { return w.Local().(*modelWorker).at.left > 0 })
	for i := range m.nodes {
		m.nodes[i].i = i
		m.nodes[i].InitClass(&m.class)
	}
	var err error
	m.s, err = sched.New(sched.Config{Workers: workers, Clock: m,
		Attach: func(*sched.Worker) any { return &modelWorker{} }, Publish: m.search,
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
		n.mail = append(n.mail, modelItem{from: -1})
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

// search lets time pass for a worker that has found nothing and is about to sleep, as if it had
// looked again and again, which in fact it did at once. It is called for each report of a worker.
func (m *modelRun) search(w *sched.Worker) {
	if !w.AboutToPark() || w.Alone() || w.Stopping() {
		return
	}
	i, parks := w.ID(), w.Counters().Parks
	m.parks[i] = parks // it counts as parked already, and was not woken
	for range rounds {
		if m.pass(w, costs.look); m.s.Queued() > 0 {
			break
		}
	}
	m.parks[i] = parks - 1
}

// pass advances the clock of a worker by ns. The workers that it has woken start before that, at
// the present time. Workers whose clocks are earlier after that go on first.
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
	m.parks[w.ID()] = w.Counters().Parks // it may have found work before it was asleep
	if *c < m.now {                      // it was woken when nothing else could go on
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
	it := n.mail[0]
	n.mail = n.mail[1:]
	m.pass(w, costs.message)
	if it.from != w.ID() {
		m.pass(w, costs.line)
	}
	m.worked += costs.message
	n.free = math.Max(n.free, it.sent) + costs.message
	m.r.take(n.i, func(weight float64) {
		m.worked += m.work * weight
		n.free += m.work * weight
		m.pass(w, m.work*weight)
	}, func(to []int) {
		for k, i := range to {
			if k > 0 {
				m.worked += costs.send
				n.free += costs.send
				m.pass(w, costs.send)
			}
			m.send(w, &m.nodes[i], n.free)
		}
	})
	m.span = math.Max(m.span, n.free)
}

func (m *modelRun) send(w *sched.Worker, to *modelNode, at float64) {
	to.mail = append(to.mail, modelItem{w.ID(), at})
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
