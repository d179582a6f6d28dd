package sched_test

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"testing"

	"github.com/gallop-go/gallop/sched"
)

// This file is a consumer of sched that knows nothing of actors: graphs of nodes
// that run once, each as soon as all of its predecessors have run.

// graph is a set of nodes and the record of their turns.
type graph struct {
	s     *sched.Scheduler
	nodes []*node
	order atomic.Int64 // how many have run
}

// node is a task that counts down to its run.
type node struct {
	sched.Task
	g          *graph
	do         func(w *sched.Worker) // may be nil
	next       []*node
	missing    atomic.Int32 // predecessors that have not run
	ran        atomic.Int32
	terminated atomic.Int32
	at         int64 // place in the order of runs, from 1
	worker     int
	cause      error
}

func newGraph(s *sched.Scheduler) *graph { return &graph{s: s} }

// node adds a node that runs after the others.
func (g *graph) node(do func(*sched.Worker), after ...*node) *node {
	return g.pinned(nil, do, after...)
}

// pinned adds a node that runs on a pin.
func (g *graph) pinned(pin *sched.Pin, do func(*sched.Worker), after ...*node) *node {
	n := &node{g: g, do: do}
	n.Init(n, pin)
	if len(g.nodes)%2 == 1 { // half of them are walked depth first
		n.Class().DepthFirst(func(*sched.Task) bool { return n.ran.Load() == 0 })
	}
	n.missing.Store(int32(len(after)))
	for _, p := range after {
		p.next = append(p.next, n)
	}
	g.nodes = append(g.nodes, n)
	return n
}

// RunTask implements sched.Runner.
func (n *node) RunTask(w *sched.Worker) (again bool) {
	n.at, n.worker = n.g.order.Add(1), w.ID()
	if n.do != nil {
		n.do(w)
	}
	for _, m := range n.next {
		if m.missing.Add(-1) == 0 {
			w.Schedule(&m.Task)
		}
	}
	w.Spend(1)
	w.PrepareNext()
	n.ran.Add(1) // gives the task up
	return false
}

// TaskTerminated implements sched.Runner.
func (n *node) TaskTerminated(_ *sched.Worker, cause error) {
	n.cause = cause
	n.terminated.Add(1)
}

// inject makes nodes without predecessors runnable.
func (g *graph) inject(nodes ...*node) {
	for _, n := range nodes {
		g.s.Inject(&n.Task)
	}
}

// check fails unless every node ran once.
func (g *graph) check(t testing.TB) {
	t.Helper()
	if err := g.verify(func(ran, terminated int32) bool {
		return ran == 1 &&
			terminated == 0
	}); err != nil {
		t.Fatal(err)
	}
}

// checkEnded fails unless every node ran or died, once.
func (g *graph) checkEnded(t testing.TB) {
	t.Helper()
	if err := g.verify(func(ran, terminated int32) bool { return ran+terminated == 1 }); err != nil {
		t.Fatal(err)
	}
}

func (g *graph) verify(ok func(ran, terminated int32) bool) error {
	for i, n := range g.nodes {
		if ran, terminated := n.ran.Load(), n.terminated.Load(); !ok(ran, terminated) {
			return fmt.Errorf("node %d of %d ran %d times and died %d times", i, len(g.nodes), ran,
				terminated)
		}
	}
	return nil
}

// start makes a scheduler that is stopped at the end of the test.
func start(t testing.TB, cfg sched.Config) *sched.Scheduler {
	t.Helper()
	s, err := sched.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { <-s.Stop() })
	return s
}

// quiet waits for quiescence.
func quiet(t testing.TB, s *sched.Scheduler) {
	t.Helper()
	if err := s.WaitQuiet(context.Background(), false); err != nil {
		t.Fatal(err)
	}
}

// total adds up the counters of all workers.
func total(s *sched.Scheduler) (sum sched.Counters) {
	for _, c := range s.Counters() {
		sum.Turns += c.Turns
		sum.Steals += c.Steals
		sum.StealMisses += c.StealMisses
		sum.Parks += c.Parks
		sum.Wakes += c.Wakes
		sum.Yields += c.Yields
		sum.NextSlot += c.NextSlot
		sum.Injected += c.Injected
		sum.Overflows += c.Overflows
	}
	return sum
}

// scaled is n in the long form, a quarter of it otherwise, a tenth under -short, and a twentieth of
// that where the build checks invariants or races.
func scaled(n int) int {
	switch {
	case testing.Short():
		n /= 10
	case os.Getenv("GALLOP_NIGHTLY") == "" && os.Getenv("GALLOP_EXPLORE_SCALE") == "": // mutants have that
		n /= 4
	}
	if slow {
		n /= 20
	}
	return max(n, 1)
}

// nightly is scaled(n), or long if the environment asks for the long forms.
func nightly(n, long int) int {
	if os.Getenv("GALLOP_NIGHTLY") != "" {
		n = long
	}
	return scaled(n)
}
