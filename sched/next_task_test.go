package sched_test

import (
	"context"
	"slices"
	"testing"

	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// chained is a class whose turns go on as the turns of the next tasks.
type chained struct {
	class *sched.Class
	t     *testing.T
	given seam.Uint32 // up, so often
	turn  func(w *sched.Worker, t *sched.Task) (again bool)
	runs  int // of RunTask
}

func (c *chained) RunTask(w *sched.Worker, t *sched.Task) (again bool) {
	for c.runs++; t != nil; t = w.NextOf(c.class) {
		if w.Task() != t {
			c.t.Error("the worker is in the turn of another task")
		}
		again = c.turn(w, t)
		if w.Spend(1); again {
			return true
		}
		w.PrepareNext()
		c.given.Add(1)
	}
	return false
}

func (c *chained) TaskTerminated(*sched.Worker, *sched.Task, error) {}

// TestNextOf: a turn goes on as that of the next task, from the next-slot or the queue, in the same
// order as without; a task of another class is left to the worker; and a task that wants to go on
// is queued itself, and not the task with which RunTask began.
func TestNextOf(t *testing.T) {
	s, err := sched.New(sched.Config{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	var class, other sched.Class
	const n = 100 // tasks; the last but one is of another class
	tasks := make([]sched.Task, n)
	var order []int
	c := &chained{class: &class, t: t}
	again := true
	turn := func(w *sched.Worker, task *sched.Task) bool {
		i := 0
		for &tasks[i] != task {
			i++
		}
		order = append(order, i)
		if i == 0 {
			for j := 1; j < n; j++ {
				w.Schedule(&tasks[j])
			}
		}
		if i == 2 && again {
			again = false
			return true
		}
		return false
	}
	c.turn = turn
	class.Init(c, nil)
	o := &chained{class: &other, t: t, turn: turn}
	other.Init(o, nil)
	for i := range tasks {
		tasks[i].InitClass(&class)
	}
	tasks[n-2].InitClass(&other)
	a, ok := s.Admit()
	if !ok {
		t.Fatal("not admitted")
	}
	a.Inject(&tasks[0])
	if err := s.WaitQuiet(context.Background(), false); err != nil {
		t.Fatal(err)
	}
	var want []int
	for i := range n {
		want = append(want, i)
	}
	if want = append(want, 2); !slices.Equal(order, want) {
		t.Errorf("the order is %v", order)
	}
	if c.runs > n/2 || o.runs != 1 {
		t.Errorf("RunTask ran %d times, and %d times for the other class", c.runs, o.runs)
	}
	s.Stop()
	s.WaitStopped()
}
