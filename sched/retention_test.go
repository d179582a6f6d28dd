package sched_test

import (
	"runtime"
	"testing"
	"weak"

	"github.com/gallop-go/gallop/sched"
)

// TestQuietSchedulerKeepsNoTask: a task that has given itself up belongs to Go's
// GC as soon as nothing else refers to it: no worker, queue or slot keeps it. (An
// idle actor without a reference is collected, arena and all.)
func TestQuietSchedulerKeepsNoTask(t *testing.T) {
	s := start(t, sched.Config{Workers: 2})
	pin := newPin(t, s)
	for name, on := range map[string]*sched.Pin{"worker": nil, "pin": pin} {
		gone := use(t, s, on)
		for range 2 {
			runtime.GC()
		}
		if gone.Value() != nil {
			t.Errorf("the last task of a %s is still held", name)
		}
	}
}

// use runs one task, which makes another runnable, and forgets both.
//
//go:noinline
func use(t *testing.T, s *sched.Scheduler, pin *sched.Pin) weak.Pointer[node] {
	g := newGraph(s)
	n := g.pinned(pin, nil)
	last := g.pinned(pin, nil, n)
	g.inject(n)
	quiet(t, s)
	g.check(t)
	return weak.Make(last)
}
