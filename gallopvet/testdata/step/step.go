// Package step runs bad cases, each in a process of its own, until they fail.
package step

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/process"
)

// Race is what the output of a case with a data race has.
const Race = "WARNING: DATA RACE"

// One is one bad case.
type One struct {
	Want string // what the output has when the case fails as it should
	Run  func()
}

// Cases has every case by its name.
var Cases = map[string]One{}

// Case registers a case.
func Case(name, want string, run func()) {
	if _, ok := Cases[name]; ok {
		panic("two cases " + name)
	}
	Cases[name] = One{want, run}
}

// Start starts a system in which a panic ends the process, with its text.
func Start(opts ...actor.Option) *actor.System {
	return actor.Start(append(opts, actor.WithWorkers(4), actor.WithHooks(actor.Hooks{Panic: func(r actor.PanicReport) {
		fmt.Fprintln(os.Stderr, "panic:", r.Value)
		os.Exit(2)
	}}))...)
}

// here counts those who have come to Meet.
var here [2]int

// Meet returns once both parties, 0 and 1, have called it for the nth time. The race detector
// does not see it: what one party does before is not ordered before what the other does after.
//
//go:norace
func Meet(party int) {
	here[party]++
	for here[1-party] < here[party] {
		runtime.Gosched()
	}
}

// Background is the context of a case.
var Background = context.Background()

// LongTurn is what the output of a case has whose behaviour keeps its worker.
const LongTurn = "a long turn outside of Blocking"

// StartImpatient starts a system that ends the process when a behaviour keeps its worker.
func StartImpatient() *actor.System {
	return Start(actor.WithLongTurn(time.Millisecond), actor.WithHooks(actor.Hooks{LongTurn: func(r actor.LongTurnReport) {
		if !r.Blocking {
			fmt.Fprintln(os.Stderr, LongTurn, r.Behaviour)
			os.Exit(2)
		}
	}}))
}

// Fail ends the process.
func Fail(why ...any) {
	fmt.Fprintln(os.Stderr, why...)
	os.Exit(2)
}

// Panics ends the process of the operating system with what a process of gallop panics with. It is
// to be deferred.
func Panics() {
	if r := recover(); r != nil {
		Fail("panic:", r)
	}
}

// NeverQuiet is what the output of a case has in which a process keeps its worker or waits for ever.
const NeverQuiet = "waits for ever"

// Watch fails in half a second.
func Watch() { time.AfterFunc(time.Second/2, func() { Fail(NeverQuiet) }) }

// Processes starts a system of processes with one worker, in a determined order, and fails if f
// does not return soon.
func Processes(f func(s *process.System)) {
	Watch()
	f(process.Start(process.Config{Workers: 1, Seed: 1}))
}

// Nap lets others run for a while. The race detector sees nothing of it.
//
//go:norace
func Nap() {
	for end := time.Now().Add(napping); time.Now().Before(end); {
		runtime.Gosched()
	}
}

const napping = 3 * time.Millisecond
