//go:build gallop_explore

package sched

import (
	"context"
	"testing"

	"github.com/gallop-go/gallop/internal/seam"
)

// crasher is a task that crashes when it runs.
type crasher struct {
	Task
	terminated int
}

// RunTask implements Runner.
func (*crasher) RunTask(*Worker) bool { panic("on purpose") }

// TaskTerminated implements Runner.
func (d *crasher) TaskTerminated(*Worker, error) { d.terminated++ }

// TestUnmanned: a runnable task runs, once, by Step; a turn that crashes costs the task
// its life; and a scheduler at rest is quiescent and stops.
func TestUnmanned(t *testing.T) {
	s, err := New(Config{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer seam.ExcludeNone() // there is no exploration whose end would
	workers := s.Manual()
	h := &house{s: s}
	second := h.job("second", nil)
	crashing := new(crasher)
	crashing.Init(crashing, nil)
	first := h.job("first", func(w *Worker) { w.Schedule(&second.Task); w.Schedule(&crashing.Task) })
	a, ok := s.Admit()
	if !ok {
		t.Fatal("not admitted")
	}
	a.Inject(&first.Task)
	if s.ParkAll() {
		t.Error("at rest with a task in the inject queue")
	}
	for i := 0; workers[0].HasTask() || workers[1].HasTask(); i++ {
		workers[i%2].Step()
	}
	if workers[0].Step() || first.ran != 1 || second.ran != 1 || crashing.terminated != 1 {
		t.Errorf("first ran %d times, second %d, crashing died %d times", first.ran, second.ran,
			crashing.terminated)
	}
	if n, _ := s.OnlyHolds(); n != 0 || !s.ParkAll() ||
		s.WaitQuiet(context.Background(), true) != nil {
		t.Errorf("not quiescent: %d holds", n)
	}
	<-s.Stop()
}
