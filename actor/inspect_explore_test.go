//go:build gallop_explore

package actor

import (
	"errors"
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
	"github.com/gallop-go/gallop/internal/kernel"
)

// TestInspect_Explored: an actor that stops itself is asked for its state, or probed. Meanwhile
// another goroutine sends to it, stops it, kills it, or asks it as well. Each question is answered
// once, with the state or with an error, whichever operation comes first. If a probe is answered
// without an error, the mail before it has run. Otherwise the actor behaves as without the
// question.
func TestInspect_Explored(t *testing.T) {
	type answers struct {
		asked, well, ill int
	}
	answer := func(n *answers) func(error) {
		n.asked++
		return func(err error) {
			if err == nil {
				n.well++
			} else if n.ill++; !errors.Is(err, ErrStopped) {
				panic(err)
			}
		}
	}
	type question = func(g *glade, n *answers, i int)
	look := func(g *glade, n *answers, _ int) {
		f := answer(n)
		kernel.AnyRef(g.fly).LookAtState(func(state any, err error) {
			if m, ok := state.(*mayfly); err == nil && (!ok || m.g != g) {
				g.p.Errorf("the state is %v", state)
			}
			f(err)
		})
	}
	probe := func(g *glade, n *answers, i int) {
		f := answer(n)
		g.said = append(g.said, i)
		mayflySay.Send(g.sys, g.fly, i)
		kernel.AnyRef(g.fly).Probe(func(err error) {
			if f(err); err == nil && len(g.ran) == 0 {
				g.p.Errorf("the probe has overtaken the mail")
			}
		})
	}
	for name, ask := range map[string]question{"look": look, "probe": probe} {
		for i := range len(gladeOps) + 1 {
			other := question(look)
			with := "look"
			if i < len(gladeOps) {
				with = gladeOps[i].name
				other = func(g *glade, _ *answers, j int) { gladeOps[i].do(g, j) }
			}
			t.Run(name+"-"+with, func(t *testing.T) {
				explore.PortfolioOf(t, 600, 150, func(p *explore.Program) {
					g, n := newGlade(p), new(answers)
					p.Go(func() { ask(g, n, 1) })
					p.Go(func() { other(g, n, 2) })
					g.man()
					p.After(func() error {
						if err := g.judge(); err != nil {
							return err
						}
						if n.well+n.ill != n.asked {
							return fmt.Errorf("%d questions, %d answered well, %d ill", n.asked, n.well, n.ill)
						}
						return nil
					})
				})
			})
		}
	}
}
