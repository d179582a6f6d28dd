//go:build gallop_figures && linux

package sched_test

import (
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gallop-go/gallop/sched"
)

// TestBug_K48_IdleCostsNothing: a scheduler that is quiescent, or merely held, uses
// no processor time, and neither does a worker that waits inside of a turn.
func TestBug_K48_IdleCostsNothing(t *testing.T) {
	s := start(t, sched.Config{Workers: 8})
	g := newGraph(s)
	root := g.node(nil)
	for range 200 {
		g.node(nil, root)
	}
	g.inject(root)
	quiet(t, s)
	stuck := start(t, sched.Config{Workers: 2})
	leave := make(chan struct{})
	h := newGraph(stuck)
	h.inject(h.node(func(*sched.Worker) { <-leave }))
	s.Hold()
	const wait = 150 * time.Millisecond
	runtime.GC() // of the tests before
	before := processorTime(t)
	// This measures idling, so there is no event to wait for.
	time.Sleep(wait)
	used := processorTime(t) - before
	s.Release()
	close(leave)
	quiet(t, stuck)
	if limit := wait / 10; used > limit {
		t.Errorf("%v of processor time in %v of idling", used, wait)
	}
}

func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
