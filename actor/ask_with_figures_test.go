//go:build gallop_figures

package actor_test

import (
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/invariant"
)

// askAgain asks again and again, with a mark that is larger than a word.
type askAgain struct {
	to   actor.Ref[puppet]
	left int
	sum  int
}

var (
	againType = actor.NewType[askAgain]("askAgain")
	againGo   = actor.Declare[int](againType, "go")
	againSum  = actor.DeclareAsk[struct{}, int](againType, "sum")
	againTold = actor.Declare[actor.Reply[int, wide]](againType, "heardBy")
)

func (m *askAgain) ask(c *actor.Context) {
	if m.left--; m.left >= 0 {
		actor.AskToWith(c, value, m.to, struct{}{}, againTold, wide{1, m.left, 0, "mark"})
	}
}

// TestAskToWith_AllocatesNothing: "Without options it allocates nothing in steady state, for any
// type of mark."
func TestAskToWith_AllocatesNothing(t *testing.T) {
	if invariant.On {
		return // the race detector makes a sync.Pool forget on purpose
	}
	sys := start(t, actor.WithWorkers(1))
	r := againType.Spawn(sys, askAgain{to: puppetType.Spawn(sys, puppet{n: 3})})
	const n = 10_000
	round := func() {
		againGo.Send(sys, r, n)
		quiet(t, sys)
	}
	round()
	if got := mallocs(round); got > n/100 {
		t.Errorf("%d allocations for %d asks", got, n)
	}
	sum, err := againSum.Ask(soon(t), r, struct{}{})
	must(t, err)
	equal(t, "sum", sum, 4*n)
}

func init() {
	againType.Table(againGo.Handle(func(m *askAgain, c *actor.Context, n int) {
		m.left, m.sum = n, 0
		m.ask(c)
	}), againTold.Handle(func(m *askAgain, c *actor.Context, r actor.Reply[int, wide]) {
		m.sum += r.Mark.a + r.Value
		m.ask(c)
	}), againSum.Handle(func(m *askAgain, _ *actor.Context, _ struct{}) (int, error) {
		return m.sum,
			nil
	}))
}

type wide struct {
	a, b, c int
	s       string
}
