package sched_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/gallop-go/gallop/sched"
)

// crashing is how a turn may fail to return.
var crashing = map[string]struct {
	turn   func(*sched.Worker)
	value  any
	goexit bool
	text   string
}{
	"panic": {func(*sched.Worker) { panic("boom") }, "boom", false, "gallop: panic in a turn: boom"},
	"error": {func(*sched.Worker) { panic(errBoom) }, errBoom, false,
		"gallop: panic in a turn: it went boom"},
	"goexit": {func(*sched.Worker) { runtime.Goexit() }, nil, true,
		"gallop: runtime.Goexit in a turn"},
	// A panic that is recovered from during a Goexit does not stop the Goexit.
	"panic in goexit": {func(*sched.Worker) {
		defer func() { panic("boom") }()
		runtime.Goexit()
	}, "boom", false, "gallop: panic in a turn: boom"},
	"goexit in panic": {func(*sched.Worker) {
		defer runtime.Goexit()
		panic("boom")
	}, nil, true, "gallop: runtime.Goexit in a turn"},
}

var errBoom = errors.New("it went boom")

// TestCrash: a turn that panics or leaves its goroutine ends its task with a Crash,
// and nothing else: its worker goes on with the tasks queued after it.
func TestCrash(t *testing.T) {
	for name, c := range crashing {
		t.Run(name, func(t *testing.T) {
			s := start(t, sched.Config{Workers: 1})
			g := newGraph(s)
			var bad []*node
			for range 50 {
				root := g.node(nil)
				b := g.node(c.turn, root)
				bad = append(bad, b)
				g.node(nil, root)
				g.inject(root)
			}
			quiet(t, s)
			g.checkEnded(t)
			if n := total(s).Turns; n != uint64(len(g.nodes)) {
				t.Errorf("%d turns for %d nodes", n, len(g.nodes))
			}
			for _, b := range bad {
				checkCrash(t, b, c.value, c.goexit, c.text)
			}
		})
	}
}

func checkCrash(t *testing.T, n *node, value any, goexit bool, text string) {
	t.Helper()
	var crash *sched.Crash
	if n.terminated.Load() != 1 || !errors.As(n.cause, &crash) {
		t.Fatalf("died %d times of %v", n.terminated.Load(), n.cause)
	}
	if crash.Value != value || crash.Goexit != goexit || crash.Error() != text {
		t.Errorf("%+v: %v", crash, crash)
	}
	if named := strings.Contains(string(crash.Stack), "crash_test.go"); named == goexit {
		t.Errorf("the stack names the turn: %v\n%s", named, crash.Stack)
	}
}

// TestCrashOfARuntimeError: a nil dereference is a panic like any other.
func TestCrashOfARuntimeError(t *testing.T) {
	s := start(t, sched.Config{Workers: 2})
	g := newGraph(s)
	n := g.node(func(*sched.Worker) {
		var p *node
		p.worker++
	})
	g.inject(n)
	quiet(t, s)
	var crash *sched.Crash
	var re runtime.Error
	if !errors.As(n.cause, &crash) {
		t.Fatalf("died of %v", n.cause)
	}
	if err, ok := crash.Value.(error); !ok || !errors.As(err, &re) {
		t.Errorf("%v", crash.Value)
	}
}

// TestCrashOnAPin: a pin survives as well, and its task's hold is released.
func TestCrashOnAPin(t *testing.T) {
	for name, c := range crashing {
		t.Run(name, func(t *testing.T) {
			s := start(t, sched.Config{Workers: 1})
			pin, err := s.NewPin()
			if err != nil {
				t.Fatal(err)
			}
			g := newGraph(s)
			for range 3 {
				b := g.pinned(pin, c.turn)
				good := g.pinned(pin, nil)
				g.inject(b, good)
				quiet(t, s)
				checkCrash(t, b, c.value, c.goexit, c.text)
				if good.ran.Load() != 1 {
					t.Error("the one behind it did not run")
				}
			}
		})
	}
}

// TestCrashWhileStopping: a turn that crashes after Stop still dies once, of its
// crash.
func TestCrashWhileStopping(t *testing.T) {
	for name, c := range crashing {
		t.Run(name, func(t *testing.T) {
			s := start(t, sched.Config{Workers: 2})
			g := newGraph(s)
			running := make(chan struct{})
			n := g.node(func(w *sched.Worker) {
				close(running)
				for !w.Stopping() {
					runtime.Gosched()
				}
				c.turn(w)
			})
			g.inject(n)
			<-running
			<-s.Stop()
			checkCrash(t, n, c.value, c.goexit, c.text)
		})
	}
}

// TestCrashOfNil: where recover does not tell a panic from a Goexit, the worker still has
// one goroutine.
func TestCrashOfNil(t *testing.T) {
	t.Setenv("GODEBUG", "panicnil=1")
	s := start(t, sched.Config{Workers: 1})
	g := newGraph(s)
	root := g.node(nil)
	b := g.node(func(*sched.Worker) { panic(nil) }, root)
	for range 1000 {
		g.node(nil, root)
	}
	g.inject(root)
	quiet(t, s)
	g.checkEnded(t)
	checkCrash(t, b, nil, true, "gallop: runtime.Goexit in a turn")
}
