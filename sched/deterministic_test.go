package sched_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/gallop-go/gallop/sched"
)

// byChance is a driver that chooses by a seed.
func byChance(seed uint64) sched.Driver { return sched.NewDriver(byTurns(seed)) }

// byTurns is byChance before it is made.
func byTurns(seed uint64) sched.Turns {
	chance := rand.New(rand.NewPCG(seed, 0))
	return sched.Turns{Choose: func(ready []int, _ int) int { return ready[chance.IntN(len(ready))] }}
}

// inTurns runs a graph of nodes in a deterministic scheduler, and returns the nodes and their
// workers, in order. A quarter of the nodes wait for a later node, and another quarter block.
func inTurns(t *testing.T, seed uint64, workers int) string {
	s := start(t, sched.Config{Workers: workers, Driver: byChance(seed)})
	g := newGraph(s)
	pin, err := s.NewPin()
	if err != nil {
		t.Fatal(err)
	}
	last := g.pinned(pin, nil)
	first := make([]*node, 12)
	for i := range first {
		first[i] = g.node(func(w *sched.Worker) {
			w.Point()
			answer := g.node(nil)
			w.Schedule(&answer.Task)
			done := func() bool { return answer.ran.Load() == 1 }
			switch i % 4 {
			case 0:
				s.Await(context.Background(), done)
			case 1:
				w.Blocking(func() { s.Await(context.Background(), done) })
			case 2:
				w.Lag()
			}
		})
		g.node(nil, first[i])
	}
	g.inject(append(first, last)...)
	if err := s.WaitQuiet(context.Background(), false); err != nil {
		t.Fatal(err)
	}
	g.check(t)
	var b strings.Builder
	for i, n := range g.nodes {
		fmt.Fprintln(&b, i, n.at, n.worker)
	}
	<-s.Stop()
	return b.String()
}

// TestDriver_Repeats: the choices alone are the schedule; and with one worker and six
// turns that wait, idle workers stand in.
func TestDriver_Repeats(t *testing.T) {
	for _, workers := range []int{1, 3} {
		orders := map[string]bool{}
		for seed := range uint64(20) {
			a, b := inTurns(t, seed, workers), inTurns(t, seed, workers)
			if a != b {
				t.Fatalf("seed %d, %d workers:\n%s\nand then\n%s", seed, workers, a, b)
			}
			orders[a] = true
		}
		if len(orders) < 10 {
			t.Errorf("%d workers: %d orders under 20 seeds", workers, len(orders))
		}
	}
}

// TestDriver_Stop: the tasks that are queued when a deterministic scheduler stops are terminated,
// once, and waiting threads give up.
func TestDriver_Stop(t *testing.T) {
	for seed := range uint64(20) {
		s := start(t, sched.Config{Workers: 2, Driver: byChance(seed)})
		g := newGraph(s)
		ended := errors.New("has not ended")
		s.Go(func() {
			if !s.Await(context.Background(), func() bool { return false }) {
				ended = nil
			}
		})
		for range 8 {
			g.inject(g.node(func(w *sched.Worker) {
				s.Await(context.Background(),
					func() bool { return false })
			}))
			s.Point()
		}
		<-s.Stop()
		g.checkEnded(t)
		if ended != nil {
			t.Fatal(ended)
		}
		if n := s.Strangers(); n != 0 {
			t.Errorf("%d strangers", n)
		}
	}
}

// TestDriver_Choose: "it panics if t.Choose is nil".
func TestDriver_Choose(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("NewDriver took no Choose")
		}
	}()
	sched.NewDriver(sched.Turns{})
}

// TestDriver_Interrupted: an Await from outside ends with its context, and a goroutine that
// takes no part is counted.
func TestDriver_Interrupted(t *testing.T) {
	s := start(t, sched.Config{Workers: 1, Driver: byChance(1)})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if s.Await(ctx, func() bool { return false }) {
		t.Error("it came about")
	}
	done := make(chan struct{})
	go func() { s.Point(); close(done) }()
	<-done
	s.Lend(1)
	done = make(chan struct{})
	go func() { s.Point(); close(done) }() // counts as ours
	<-done
	s.Lend(-1)
	if n := s.Strangers(); n != 1 {
		t.Errorf("%d strangers, want 1", n)
	}
}

// ExampleDriver shows one schedule that is the same on every machine.
func ExampleDriver() {
	turns := sched.Turns{Choose: func(ready []int, _ int) int { return ready[len(ready)-1] }}
	s, _ := sched.New(sched.Config{Workers: 2, Driver: sched.NewDriver(turns)})
	for _, text := range []string{"one", "two", "three"} {
		s.Inject(&newGreeting(text, nil).Task)
	}
	fmt.Println(s.WaitQuiet(context.Background(), true))
	<-s.Stop()
	// Output:
	// three
	// two
	// one
	// <nil>
}

// stuckTurns are turns that stop a deterministic run, and their reports.
var stuckTurns = map[string]struct {
	say string
	do  func(s *sched.Scheduler, g *graph)
}{
	"a turn blocks": {"the last one has run for 10 s", func(_ *sched.Scheduler, g *graph) {
		g.inject(g.node(func(*sched.Worker) { <-make(chan int) }))
	}},
	"somebody holds": {"nothing can run for 10 s", func(s *sched.Scheduler, _ *graph) { s.Hold() }},
	"a bad choice": {"Choose: thread 99 cannot go on",
		func(_ *sched.Scheduler, g *graph) { g.inject(g.node(nil), g.node(nil)) }},
}

// TestDriver_SaysWhatIsStuck: "the watchdog names it". A stuck turn never ends, so the test
// runs it in a process of its own.
func TestDriver_SaysWhatIsStuck(t *testing.T) {
	const which = "GALLOP_STUCK"
	if c, ok := stuckTurns[os.Getenv(which)]; ok {
		s, _ := sched.New(sched.Config{Workers: 2, Driver: sched.Impatient(sched.NewDriver(sched.Turns{
			Choose: func([]int, int) int { return 99 },
			Doing:  func() string { return "the last one" },
		}))})
		c.do(s, newGraph(s))
		_ = s.WaitQuiet(context.Background(), false)
		return
	}
	for name, c := range stuckTurns {
		cmd := exec.Command(os.Args[0], "-test.run=^TestDriver_SaysWhatIsStuck$")
		cmd.Env = append(os.Environ(), which+"="+name)
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), c.say) {
			t.Errorf("%s: %v, want %q in\n%s", name, err, c.say, out)
		}
	}
}
