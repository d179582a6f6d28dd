package sched_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/sched"
)

// TestT1_BasicSpawnAndSchedule: a task from outside makes a hundred others
// runnable, and they one: all run, exactly once, and the counters agree.
func TestT1_BasicSpawnAndSchedule(t *testing.T) {
	for workers := 1; workers <= 4; workers++ {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			s := start(t, sched.Config{Workers: workers})
			g := newGraph(s)
			root := g.node(nil)
			var middle []*node
			for range 100 {
				middle = append(middle, g.node(nil, root))
			}
			last := g.node(nil, middle...)
			g.inject(root)
			quiet(t, s)
			g.check(t)
			if root.at != 1 || last.at != int64(len(g.nodes)) {
				t.Errorf("the root ran as number %d, the last as %d of %d", root.at, last.at, len(g.nodes))
			}
			if n := total(s).Turns; n != uint64(len(g.nodes)) {
				t.Errorf("%d turns for %d nodes", n, len(g.nodes))
			}
		})
	}
}

// TestT2_WorkStealing: a hundred tasks in the ring of a worker that is stuck in a turn; the other
// takes half of them, one steal each. On a busy machine the monitor may free some of them; hence
// the tries.
func TestT2_WorkStealing(t *testing.T) {
	var thief sched.Counters
	for range 10 {
		if thief = besideStuck(t); thief.Steals >= halfStuck-1 && thief.Turns >= halfStuck {
			return // the monitor may have freed the next-slot's
		}
	}
	t.Errorf("the other worker stole %d of %d tasks and had %d turns", thief.Steals, 2*halfStuck,
		thief.Turns)
}

// halfStuck is how many tasks run while the worker that has all of them is stuck.
const halfStuck = 50

// besideStuck returns the turns of the other worker.
func besideStuck(t *testing.T) sched.Counters {
	const tasks = 2 * halfStuck
	s := start(t, sched.Config{Workers: 2})
	g := newGraph(s)
	ran := make(chan int, tasks+1)
	root := g.node(nil)
	for range tasks + 1 { // the first goes to the next-slot
		g.node(func(w *sched.Worker) { ran <- w.ID() }, root)
	}
	all := g.nodes[1:]
	root.next = nil
	root.do = func(w *sched.Worker) {
		for _, n := range all {
			w.Schedule(&n.Task)
		}
		for range halfStuck {
			if id := <-ran; id == w.ID() {
				t.Error("a worker ran a task in the middle of another")
			}
		}
	}
	g.inject(root)
	quiet(t, s)
	g.check(t)
	if total(s).Turns != tasks+2 {
		t.Errorf("%d turns", total(s).Turns)
	}
	return s.Counters()[1-root.worker]
}

// displacement is how far from its place each node ran.
func displacement(nodes []*node) (all []int64) {
	first := nodes[0].at
	for _, n := range nodes {
		first = min(first, n.at)
	}
	for i, n := range nodes {
		d := n.at - first - int64(i)
		all = append(all, max(d, -d))
	}
	return all
}

// TestT4_Fairness: a thousand tasks from outside run in the order in which they came, except for
// the tasks that workers have fetched. A worker fetches at most 32 tasks at once besides the task
// that it runs, and may be delayed with them while others go on. A seed chooses the workers that go
// on, so the places are the same in every run. No task runs further from its place than three
// fetches for each worker. In a queue without order some tasks would be a thousand places away.
func TestT4_Fairness(t *testing.T) {
	const tasks, fetch, seeds = 1000, 33, 16
	for workers := 1; workers <= 3; workers++ {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			far := make([]int64, seeds)
			for seed := range far {
				far[seed] = slices.Max(displacement(inject(t, uint64(seed), workers, tasks)))
			}
			slices.Sort(far)
			t.Logf("the task furthest from its place: %d away at the median, %d at most", far[seeds/2],
				far[seeds-1])
			if most := int64(3 * fetch * workers); far[seeds-1] > most {
				t.Errorf("a task ran %d from its place, want at most %d", far[seeds-1], most)
			}
		})
	}
}

// inject makes tasks runnable by way of the inject queue in one turn, so that they wait for
// its end, and returns them when they have run.
func inject(t *testing.T, seed uint64, workers, tasks int) []*node {
	s := start(t, sched.Config{Workers: workers, Driver: byChance(seed)})
	g := newGraph(s)
	nodes := make([]*node, tasks)
	for i := range nodes {
		nodes[i] = g.node(nil)
	}
	g.inject(g.node(func(*sched.Worker) {
		for _, n := range nodes {
			g.inject(n)
		}
	}))
	quiet(t, s)
	g.check(t)
	// A worker that is woken is handed its first task.
	if n := total(s).Injected; n < uint64(tasks)*9/10 {
		t.Errorf("%d tasks of %d came through the inject queue", n, tasks)
	}
	return nodes
}

// TestGraphOfEveryShape: random graphs, random numbers of workers; every node runs
// once and after all of its predecessors.
func TestGraphOfEveryShape(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range scaled(300) {
		s := start(t, sched.Config{Workers: 1 + rng.IntN(4), Seed: rng.Uint64()})
		g := newGraph(s)
		g.inject(grow(g, rng)...)
		quiet(t, s)
		g.check(t)
		for _, n := range g.nodes {
			for _, m := range n.next {
				if m.at < n.at {
					t.Fatalf("a node ran as number %d, before its predecessor, number %d", m.at, n.at)
				}
			}
		}
		<-s.Stop()
	}
}

// grow adds a random graph and returns the nodes without predecessors.
func grow(g *graph, rng *rand.Rand) (roots []*node) {
	for range 1 + rng.IntN(200) {
		var after []*node
		for range min(rng.IntN(4), len(g.nodes)) {
			after = append(after, g.nodes[rng.IntN(len(g.nodes))])
		}
		n := g.node(nil, after...)
		if len(after) == 0 {
			roots = append(roots, n)
		}
	}
	return roots
}

// TestOverflow: a turn that makes more tasks runnable than a ring holds loses none.
func TestOverflow(t *testing.T) {
	s := start(t, sched.Config{Workers: 1})
	g := newGraph(s)
	root := g.node(nil)
	for range 1000 {
		g.node(nil, root)
	}
	g.inject(root)
	quiet(t, s)
	g.check(t)
	// if the turn is late, the monitor empties the ring as well
	if c := total(s); c.Overflows == 0 || c.Injected < c.Overflows {
		t.Errorf("%d spilled, %d came back", c.Overflows, c.Injected)
	}
}

// TestConfigErrors: New says which part of the configuration is wrong.
func TestConfigErrors(t *testing.T) {
	for want, cfg := range map[string]sched.Config{
		"0 workers: want 1 to 1024":        {},
		"-1 workers: want 1 to 1024":       {Workers: -1},
		"1025 workers: want 1 to 1024":     {Workers: sched.MaxWorkers + 1},
		"-1 idle workers: want at least 0": {Workers: 1, MaxDetached: -1},
		"a long turn below 0":              {Workers: 1, LongTurn: -time.Millisecond},
	} {
		s, err := sched.New(cfg)
		if s != nil || err == nil || !strings.HasPrefix(err.Error(), "gallop: ") ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", cfg, err, want)
		}
	}
}

// TestManyWorkers: schedulers of more workers than there are bits in the idle word work, come to
// rest, and stop, the largest one too.
func TestManyWorkers(t *testing.T) {
	for _, n := range []int{56, 57, 64, 100, 192, sched.MaxWorkers} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			s := start(t, sched.Config{Workers: n})
			if s.Workers() != n {
				t.Errorf("%d workers", s.Workers())
			}
			g := newGraph(s)
			root := g.node(nil)
			for range 500 {
				g.node(func(*sched.Worker) { runtime.Gosched() }, root)
			}
			g.inject(root)
			quiet(t, s)
			g.check(t)
			<-s.Stop()
		})
	}
}

// TestAttachAndPublish: Attach is called once for each worker, and Publish is called on the worker
// before quiescence is seen.
func TestAttachAndPublish(t *testing.T) {
	type local struct{ turns, published int }
	attached := 0
	s := start(t, sched.Config{
		Workers: 3,
		Attach:  func(*sched.Worker) any { attached++; return new(local) },
		Publish: func(w *sched.Worker) { l := w.Local().(*local); l.published = l.turns },
	})
	if attached != 3 {
		t.Fatalf("attached %d times", attached)
	}
	g := newGraph(s)
	locals := make(chan *local, 200)
	for range 200 {
		g.inject(g.node(func(w *sched.Worker) {
			l := w.Local().(*local)
			l.turns++
			locals <- l
		}))
	}
	quiet(t, s)
	sum, seen := 0, map[*local]bool{}
	for range 200 {
		if l := <-locals; !seen[l] {
			seen[l] = true
			sum += l.published
		}
	}
	if sum != 200 {
		t.Errorf("%d of 200 turns were published at quiescence", sum)
	}
}

// TestSeveralSchedulers of one process know nothing of each other.
func TestSeveralSchedulers(t *testing.T) {
	const n = 3
	var graphs []*graph
	for range n {
		g := newGraph(start(t, sched.Config{Workers: 2}))
		graphs = append(graphs, g)
	}
	// Each node of one injects the next into the next scheduler.
	const hops = 300
	var nodes []*node
	for i := range hops {
		nodes = append(nodes, graphs[i%n].node(nil))
	}
	for i := range hops - 1 {
		next := nodes[i+1]
		nodes[i].do = func(*sched.Worker) { next.g.s.Inject(&next.Task) }
	}
	for _, g := range graphs {
		g.s.Hold()
	}
	done := make(chan struct{})
	nodes[hops-1].do = func(*sched.Worker) { close(done) }
	graphs[0].inject(nodes[0])
	<-done
	<-graphs[1].s.Stop() // the others go on
	surplus := graphs[0].node(nil)
	graphs[0].inject(surplus)
	graphs[0].s.Release()
	graphs[2].s.Release()
	quiet(t, graphs[0].s)
	quiet(t, graphs[2].s)
	for _, g := range graphs {
		g.check(t)
	}
	if err := graphs[1].s.WaitQuiet(context.Background(), false); !errors.Is(err, sched.ErrStopped) {
		t.Errorf("waiting for a stopped scheduler: %v", err)
	}
}

// TestCurrent: inside of a turn the scheduler knows whose it is, and nowhere else.
func TestCurrent(t *testing.T) {
	s := start(t, sched.Config{Workers: 2})
	g := newGraph(s)
	n := g.node(nil)
	n.do = func(*sched.Worker) {
		if got := s.Current(); got != &n.Task {
			t.Errorf("current: %p, want %p", got, &n.Task)
		}
		other := make(chan *sched.Task)
		go func() { other <- s.Current() }()
		if got := <-other; got != nil {
			t.Errorf("current on another goroutine: %p", got)
		}
	}
	g.inject(n)
	quiet(t, s)
	g.check(t)
	if got := s.Current(); got != nil {
		t.Errorf("current outside: %p", got)
	}
}

// TestSeed: workers draw different numbers, and the same ones when started again.
func TestSeed(t *testing.T) {
	draw := func(seed uint64) (all [2]uint64) {
		s := start(t, sched.Config{Workers: 2, Seed: seed, Attach: func(w *sched.Worker) any {
			return w.Rand().Uint64()
		}})
		g := newGraph(s)
		both := make(chan struct{})
		for range 2 {
			g.inject(g.node(func(w *sched.Worker) {
				all[w.ID()] = w.Local().(uint64)
				select { // both workers are needed for both to go on
				case both <- struct{}{}:
				case <-both:
				}
			}))
		}
		quiet(t, s)
		return all
	}
	a, b, c := draw(1), draw(1), draw(2)
	if a != b || a == c || a[0] == a[1] {
		t.Errorf("seed 1: %v, again: %v, seed 2: %v", a, b, c)
	}
}
