package sched_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/gallop-go/gallop/sched"
)

// greeting is a task with one thing to say.
type greeting struct {
	sched.Task
	text  string
	ended atomic.Bool
}

func newGreeting(text string, pin *sched.Pin) *greeting {
	g := &greeting{text: text}
	g.Init(g, pin)
	return g
}

// RunTask implements sched.Runner: one turn, and no more to do.
func (g *greeting) RunTask(w *sched.Worker) (again bool) {
	fmt.Println(g.text)
	w.PrepareNext()
	g.ended.Swap(true) // the read-modify-write that gives the task up
	return false
}

// TaskTerminated implements sched.Runner.
func (g *greeting) TaskTerminated(_ *sched.Worker,
	cause error) {
	fmt.Println(g.text, "died:", cause)
}

// A task is embedded in the object it belongs to. Inject makes it runnable from outside;
// WaitQuiet returns when nothing is queued or runs.
func Example() {
	s, err := sched.New(sched.Config{Workers: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	s.Inject(&newGreeting("hello", nil).Task)
	fmt.Println(s.WaitQuiet(context.Background(), false))
	<-s.Stop()
	// Output:
	// hello
	// <nil>
}

// New checks a Config as a whole.
func ExampleConfig() {
	_, err := sched.New(sched.Config{Workers: 2000})
	fmt.Println(err)
	// Output: gallop: 2000 workers: want 1 to 1024
}

// A task that comes after Stop dies of ErrStopped.
func ExampleScheduler() {
	s, _ := sched.New(sched.Config{Workers: 1})
	<-s.Stop()
	s.Inject(&newGreeting("too late", nil).Task)
	fmt.Println(s.Stopping(), s.Hold())
	// Output:
	// too late died: gallop: scheduler stopped
	// true false
}

// countdown is a Runner that makes a successor runnable while there is one.
type countdown struct {
	sched.Task
	n     int
	ended atomic.Bool
}

// RunTask implements sched.Runner.
func (c *countdown) RunTask(w *sched.Worker) (again bool) {
	fmt.Println(c.n)
	if c.n > 0 {
		next := &countdown{n: c.n - 1}
		next.Init(next, nil)
		w.Schedule(&next.Task)
	}
	w.Spend(1)
	w.PrepareNext()
	c.ended.Swap(true)
	return false
}

// TaskTerminated implements sched.Runner.
func (c *countdown) TaskTerminated(*sched.Worker, error) {}

// From within a turn Worker.Schedule makes another task runnable.
func ExampleWorker() {
	s, _ := sched.New(sched.Config{Workers: 1})
	c := &countdown{n: 2}
	c.Init(c, nil)
	s.Inject(&c.Task)
	s.WaitQuiet(context.Background(), true)
	<-s.Stop()
	// Output:
	// 2
	// 1
	// 0
}

// persevering is a Runner that wants several turns.
type persevering struct {
	countdown
	turns int
}

// RunTask returns true while there is more to do.
func (p *persevering) RunTask(w *sched.Worker) (again bool) {
	if p.turns++; p.turns < 3 {
		return true
	}
	w.PrepareNext()
	p.ended.Swap(true)
	return false
}

// A task whose turn returns true is queued again, after all waiting tasks.
func ExampleRunner() {
	s, _ := sched.New(sched.Config{Workers: 1})
	var p persevering
	p.Init(&p, nil)
	s.Inject(&p.Task)
	s.WaitQuiet(context.Background(), true)
	fmt.Println(p.turns, "turns")
	<-s.Stop()
	// Output: 3 turns
}

// A Task needs to know its Runner before it is made runnable, and nothing else.
func ExampleTask() {
	s, _ := sched.New(sched.Config{Workers: 1})
	var g greeting
	g.text = "a task by value"
	g.Task.Init(&g, nil)
	s.Inject(&g.Task)
	s.WaitQuiet(context.Background(), true)
	<-s.Stop()
	// Output: a task by value
}

// errand is one of many alike, and no more than a word and its text.
type errand struct {
	sched.Task // first, so that its address is that of the errand
	text       string
}

// errands runs them. It is the ClassRunner of all.
type errands struct {
	sched.Class
	at map[*sched.Task]*errand
}

// RunTask implements sched.ClassRunner.
func (e *errands) RunTask(w *sched.Worker, t *sched.Task) (again bool) {
	fmt.Println(e.at[t].text)
	w.PrepareNext()
	new(atomic.Bool).Swap(true)
	return false
}

// TaskTerminated implements sched.ClassRunner.
func (e *errands) TaskTerminated(*sched.Worker, *sched.Task, error) {}

// A Class has the common parts of many tasks once. A runner finds the object of a task by
// itself: here by a map, in package actor by the address.
func ExampleClass() {
	s, _ := sched.New(sched.Config{Workers: 1})
	e := errands{at: map[*sched.Task]*errand{}}
	e.Init(&e, nil)
	for _, text := range []string{"to the baker", "to the bank"} {
		o := &errand{text: text}
		o.InitClass(&e.Class)
		e.at[&o.Task] = o
	}
	for t := range e.at { // complete by now: the turns read it
		s.Inject(t)
	}
	s.WaitQuiet(context.Background(), true)
	<-s.Stop()
	// Unordered output:
	// to the baker
	// to the bank
}

// The runner of a kind is told which task it is to run.
func ExampleClassRunner() {
	var c sched.Class
	var r sched.ClassRunner = &errands{}
	c.Init(r, nil)
	var t sched.Task
	t.InitClass(&c)
	fmt.Println(t.Class() == &c)
	// Output: true
}

// A Pin runs its tasks one after the other on one OS thread.
func ExamplePin() {
	s, _ := sched.New(sched.Config{Workers: 1})
	pin, err := s.NewPin()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, text := range []string{"first", "second", "third"} {
		s.Inject(&newGreeting(text, pin).Task)
	}
	s.WaitQuiet(context.Background(), true)
	<-s.Stop()
	// Output:
	// first
	// second
	// third
}

// A caller that takes a task over from somewhere else asks for an Admission first: until
// it ends the scheduler is not quiescent.
func ExampleAdmission() {
	s, _ := sched.New(sched.Config{Workers: 1})
	a, ok := s.Admit()
	if ok {
		a.Inject(&newGreeting("admitted", nil).Task)
	}
	s.WaitQuiet(context.Background(), true)
	_, ok = s.Admit()
	fmt.Println(ok)
	<-s.Stop()
	// Output:
	// admitted
	// false
}

// fragile is a Runner whose turn panics.
type fragile struct{ countdown }

// RunTask implements sched.Runner.
func (f *fragile) RunTask(*sched.Worker) bool { panic("boom") }

// TaskTerminated learns of a Crash.
func (f *fragile) TaskTerminated(_ *sched.Worker, cause error) {
	var crash *sched.Crash
	fmt.Println(errors.As(cause, &crash), crash.Value, crash.Goexit)
}

// A turn that panics ends its task, and costs no other anything.
func ExampleCrash() {
	s, _ := sched.New(sched.Config{Workers: 1})
	var f fragile
	f.Init(&f, nil)
	s.Inject(&f.Task)
	s.WaitQuiet(context.Background(), false)
	s.Inject(&newGreeting("the worker goes on", nil).Task)
	s.WaitQuiet(context.Background(), true)
	<-s.Stop()
	// Output:
	// true boom false
	// the worker goes on
}

// blocking is a task that waits, and says so, for the two that it makes runnable.
type blocking struct {
	sched.Task
	others [2]*greeting
	ended  atomic.Bool
}

// RunTask implements sched.Runner.
func (b *blocking) RunTask(w *sched.Worker) (again bool) {
	for _, o := range b.others {
		w.Schedule(&o.Task)
	}
	w.Blocking(func() {
		for !b.others[0].ended.Load() || !b.others[1].ended.Load() {
			runtime.Gosched() // for the example; one would wait for a channel
		}
	})
	fmt.Println("goes on")
	w.PrepareNext()
	b.ended.Swap(true)
	return false
}

// TaskTerminated implements sched.Runner.
func (b *blocking) TaskTerminated(*sched.Worker, error) {}

// While a turn is in Blocking, the waiting tasks run.
func ExampleDetachedStats() {
	s, _ := sched.New(sched.Config{Workers: 1})
	b := &blocking{others: [2]*greeting{newGreeting("the first runs", nil),
		newGreeting("the second runs", nil)}}
	b.Init(b, nil)
	s.Inject(&b.Task)
	s.WaitQuiet(context.Background(), true)
	st := s.DetachedStats()
	fmt.Println(st.Detached, "detached, idle workers made:", st.Made > 0)
	<-s.Stop()
	// Unordered output:
	// the first runs
	// the second runs
	// goes on
	// 0 detached, idle workers made: true
}

// Counters are exact while the scheduler is quiescent.
func ExampleCounters() {
	s, _ := sched.New(sched.Config{Workers: 1})
	for range 5 {
		s.Inject(&newGreeting("again", nil).Task)
		s.WaitQuiet(context.Background(), false)
	}
	turns := uint64(0)
	for _, c := range s.Counters() {
		turns += c.Turns
	}
	fmt.Println(turns, "turns")
	<-s.Stop()
	// Output:
	// again
	// again
	// again
	// again
	// again
	// 5 turns
}
