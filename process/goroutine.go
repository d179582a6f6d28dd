package process

import (
	"context"

	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// Goroutine stands for one goroutine outside, so that it can wait like a process: at channels,
// Select, Mutex and so on. It is used by one goroutine at a time. While it waits, it does not keep
// its system from being quiet. It is not woken when the system stops: as with Go's own channels,
// the user must arrange for that ([Done]). The zero value is not ready: use [System.Goroutine].
type Goroutine struct {
	party
	in     within // the function in which it must not be used
	parker seam.Parker
}

// Goroutine returns a party for the calling goroutine.
func (s *System) Goroutine() *Goroutine {
	s.mustBeReady("System.Goroutine")
	g := &Goroutine{parker: seam.NewParker()}
	g.sys, g.outer = s, g
	g.seed(s.seed, 1)
	return g
}

func (g *Goroutine) env() (*System, *sched.Worker) {
	if g == nil || g.in != inTry || callee() != unlock {
		g.mustBeFree("")
	}
	return g.sys, nil
}

func (g *Goroutine) enter(op string) *party {
	g.mustBeFree(op)
	must(g.state.Load()&parked == 0, op+" with a Goroutine by which another goroutine waits")
	return &g.party
}

// mustBeFree panics if its user is in a function that must not use it.
func (g *Goroutine) mustBeFree(op string) {
	if g != nil && g.sys != nil && g.in == inNothing {
		return
	}
	if op == "" {
		op = callee()
	}
	must(g != nil && g.sys != nil, op+" with a nil or zero Goroutine: use System.Goroutine")
	misuse(op + " within " + withinNames[g.in])
}

// park blocks the goroutine until it is woken.
func (g *Goroutine) park(as uint32) {
	if g.state.CompareAndSwap(running, as) {
		blockIn(func() {
			if g.sys.stepwise {
				g.sys.sched.Await(context.Background(), g.woken)
			}
			g.parker.Park()
		})
		return
	}
	g.state.Store(running) // it has had a notice
}

func (g *Goroutine) woken() bool { return g.state.Load() == running }

func (g *Goroutine) unpark() { g.parker.Unpark() }
