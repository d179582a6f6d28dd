package process

import (
	"context"

	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// Goroutine stands for one goroutine outside, so that it can do what a process does: use channels,
// Select, Mutex and so on. It is used by one goroutine at a time. While it waits, it does not keep
// its system from being quiet, and it is not woken when the system stops: as with Go's own
// channels, that is its user's affair ([Done]). The zero value is not ready: use
// [System.Goroutine].
type Goroutine struct {
	party
	parker seam.Parker
}

// Goroutine returns a party for the calling goroutine.
func (s *System) Goroutine() *Goroutine {
	g := &Goroutine{parker: seam.NewParker()}
	g.sys, g.outer = s, g
	g.seed(s.seed, 1)
	return g
}

func (g *Goroutine) env() (*System, *sched.Worker) { return g.sys, nil }

func (g *Goroutine) enter(string) *party { return &g.party }

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
