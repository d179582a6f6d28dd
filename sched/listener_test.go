package sched_test

import (
	"context"
	"fmt"

	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// sleeps counts how often a worker parks. It is a Listener.
type sleeps struct{ parks, wakes seam.Uint64 }

func (s *sleeps) Stole(*sched.Task, *sched.Worker) {}
func (s *sleeps) Parks()                           { s.parks.Add(1) }
func (s *sleeps) Woke()                            { s.wakes.Add(1) }

// listening is a task that gives its worker a Listener.
type listening struct {
	sched.Task
	to   sched.Listener
	over seam.Uint32
}

func (l *listening) RunTask(w *sched.Worker) (again bool) {
	w.Listen(l.to)
	w.PrepareNext()
	l.over.Add(1) // the read-modify-write that gives the task up
	return false
}

func (*listening) TaskTerminated(*sched.Worker, error) {}

// A Listener is told of the worker's sleeps.
func ExampleListener() {
	s, _ := sched.New(sched.Config{Workers: 1})
	heard := new(sleeps)
	for range 2 {
		l := &listening{to: heard}
		l.Init(l, nil)
		s.Inject(&l.Task)
		s.WaitQuiet(context.Background(), false)
	}
	<-s.Stop()
	fmt.Println(heard.parks.Load() >= heard.wakes.Load())
	// Output:
	// true
}
