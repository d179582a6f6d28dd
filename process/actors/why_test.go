package actors_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/process/actors"
)

// why returns the holders of a system in words. A line of code is its function and its file, without
// its folder and its number.
func why(all []actor.Holder) string {
	var words []string
	for _, h := range all {
		words = append(words, h.String())
	}
	text := strings.Join(words, "; ")
	text = regexp.MustCompile(`:[0-9]+`).ReplaceAllString(text, "")
	text = regexp.MustCompile(` at [^ ]*actors_test\.(\S*) \S*/`).ReplaceAllString(text, " at $1 ")
	return text
}

// comesToRest waits until a system is held by these alone, in words.
func comesToRest(t *testing.T, sys *actor.System, want string) {
	t.Helper()
	last := ""
	for end := time.Now().Add(hangTimeout); time.Now().Before(end); runtime.Gosched() {
		if last = why(sys.Why()); last == want {
			return
		}
	}
	t.Fatalf("the system is held by\n%s\nwant\n%s", last, want)
}

//go:noinline
func sleeps(p *process.Proc) { p.Sleep(time.Hour) }

//go:noinline
func isBlocked(p *process.Proc, stay <-chan int) { p.Blocking(func() { receives(stay) }) }

//go:noinline
func receives(stay <-chan int) { <-stay }

//go:noinline
func selects(p *process.Proc, c *process.Chan[int]) {
	process.Select(p, process.RecvFrom(c, new(int), new(bool)), process.After(time.Hour))
}

// TestWhy_Processes: "a process …, which may be in Blocking, or block its worker at something that is
// not its own"; "that of a process that sleeps, or that waits for something else with a time-out"; "A
// process that waits without a time-out does not keep the system from being quiescent, and is not
// listed." The error of Shutdown has the same.
func TestWhy_Processes(t *testing.T) {
	sys := actor.Start(actor.WithWorkers(2), quietLetters, quietLogger)
	defer sys.Stop()
	procs := actors.Join(sys)
	c := process.NewChan[int](0)
	process.Go(procs, func(p *process.Proc) { c.Recv(p) })
	comesToRest(t, sys, "")
	if err := sys.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}

	sleeper := process.Go(procs, sleeps, process.WithType("poller"))
	comesToRest(t, sys, fmt.Sprintf("1 timer of poller#%d in sleep at sleeps why_test.go", sleeper.ID()))
	process.Go(procs, func(p *process.Proc) { selects(p, c) }, process.WithType("selector"))
	stay := make(chan int)
	process.Go(procs, func(p *process.Proc) { isBlocked(p, stay) }, process.WithType("caller"))
	process.Go(procs, func(*process.Proc) { receives(stay) }, process.WithType("raw"))
	want := "1 running turn of caller#N in Blocking at receives why_test.go; " +
		"1 running turn of raw#N in chan receive at receives why_test.go; " +
		"1 timer of poller#N in sleep at sleeps why_test.go; " +
		"1 timer of selector#N in channel receive at selects why_test.go"
	numbers := regexp.MustCompile(`#[0-9]+`)
	last := ""
	for end := time.Now().Add(hangTimeout); last != want && time.Now().Before(end); runtime.Gosched() {
		last = numbers.ReplaceAllString(why(sys.Why()), "#N")
	}
	equal(t, "why", last, want)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var e *actor.ShutdownError
	if err := sys.Shutdown(ctx); !errors.As(err, &e) {
		t.Fatal(err)
	}
	equal(t, "Shutdown", numbers.ReplaceAllString(why(e.Holders), "#N"), want)
	close(stay)
}

// TestWhy_ManyProcesses: "up to three … of a type; more of them are counted in one Holder"; "exact
// once nothing moves": a process with two timers has two.
func TestWhy_ManyProcesses(t *testing.T) {
	sys := actor.Start(actor.WithWorkers(2), quietLetters, quietLogger)
	defer sys.Stop()
	procs := actors.Join(sys)
	process.Go(procs, func(p *process.Proc) {
		process.Select(p, process.After(time.Hour), process.After(2*time.Hour))
	})
	comesToRest(t, sys, "2 timers of process#16 in sleep at TestWhy_ManyProcesses.func1 why_test.go")
	for range 3 {
		process.Go(procs, sleeps)
	}
	comesToRest(t, sys, "5 timers of process")
	g := procs.Goroutine()
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() { process.Select(g, process.After(time.Hour), process.Done(ctx)); close(over) }()
	comesToRest(t, sys, "1 timer; 5 timers of process")
	cancel()
	<-over
}

// In a deterministic run time passes by itself only when nothing else can happen.
func TestWhy_ProcessesOfADeterministicSystem(t *testing.T) {
	sys := actor.Start(actor.WithDeterministic(1), quietLetters, quietLogger)
	defer sys.Stop()
	seen := ""
	process.Go(actors.Join(sys), func(p *process.Proc) {
		p.Sleep(time.Hour)
		seen = why(sys.Why())
	})
	if err := sys.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(seen, "1 running turn of process#16 at ") || why(sys.Why()) != "" {
		t.Errorf("%q, and then %q", seen, why(sys.Why()))
	}
}
