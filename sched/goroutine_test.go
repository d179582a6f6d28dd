package sched_test

import (
	"bytes"
	"testing"

	"github.com/gallop-go/gallop/sched"
)

// here is a frame to be looked for.
//
//go:noinline
func here(in chan<- *sched.Worker, out <-chan struct{}, w *sched.Worker) {
	in <- w
	<-out
}

// TestStack: a worker's stack is that of its own goroutine and no other: the turn of
// each of several workers is on it, those of idle workers and pinned workers among them.
func TestStack(t *testing.T) {
	s := start(t, sched.Config{Workers: 2})
	pin := newPin(t, s)
	g := newGraph(s)
	in, out := make(chan *sched.Worker), make(chan struct{})
	stuck := func(w *sched.Worker) { here(in, out, w) }
	declared := func(w *sched.Worker) { w.Blocking(func() { here(in, out, w) }) }
	g.inject(g.node(stuck), g.node(stuck), g.node(declared), g.node(declared), g.pinned(pin, stuck))
	for range 5 {
		w := <-in
		stack := w.Stack()
		if n := bytes.Count(stack, []byte("sched_test.here(")); n != 1 ||
			!bytes.HasPrefix(stack, []byte("goroutine ")) {
			t.Errorf("worker %d: %d times in\n%s", w.ID(), n, stack)
		}
	}
	close(out)
	quiet(t, s)
}
