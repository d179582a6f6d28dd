package cgo_test

import (
	"context"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/benchmarks/cgo"
)

type blocker struct{ ran int }

var (
	blockerType = actor.NewType[blocker]("blocker")
	call        = actor.Declare[func(*actor.Context)](blockerType, "call")
	_           = blockerType.Table(call.Do((*blocker).Call))
)

// Call is the behaviour.
func (b *blocker) Call(c *actor.Context, f func(*actor.Context)) {
	b.ran++
	f(c)
}

// TestCgo: "a behaviour that blocks does not take its worker's other actors with it", also in a
// call of C that sleeps, that spins, and that is declared: as many as it takes wait for
// one that is queued behind them.
func TestCgo(t *testing.T) {
	for name, c := range map[string]struct {
		n  int
		do func(*actor.Context)
	}{
		"sleeps":   {8, func(*actor.Context) { cgo.Nap() }},
		"spins":    {2, func(*actor.Context) { cgo.Spin() }},
		"declared": {8, func(c *actor.Context) { c.Blocking(cgo.Nap) }},
	} {
		t.Run(name, func(t *testing.T) {
			cgo.Reset()
			sys := actor.Start(actor.Workers(2))
			for range c.n {
				call.Send(sys, blockerType.Spawn(sys, blocker{}), c.do)
			}
			call.Send(sys, blockerType.Spawn(sys, blocker{}), func(*actor.Context) { cgo.Release() })
			if err := sys.Shutdown(context.Background()); err != nil {
				t.Fatal(err)
			}
			if st := sys.Stats(); st.Messages != uint64(c.n)+1 {
				t.Errorf("%d messages ran, want %d", st.Messages, c.n+1)
			}
		})
	}
}
