//go:build gallop_explore

package waitgraph

import (
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
	"github.com/gallop-go/gallop/internal/seam"
)

// call is a request. shut is set with its reply.
type call struct{ shut seam.Bool }

func (k *call) IsOpen() bool { return !k.shut.Load() }

// TestGraph_Explored: actors that ask each other in a circle do not wait for ever, and at most one
// of them closes the circle. An actor replies to its caller when its own ask is over.
//
// Mutants: internal/mutants/asks.json.
func TestGraph_Explored(t *testing.T) {
	for _, n := range []int{2, 3} {
		explore.Portfolio(t, func(p *explore.Program) {
			g, calls, asked, reported := new(Graph), make([]call, n), make([]bool, n), 0
			for me := range n {
				to, before := (me+1)%n, (me+n-1)%n
				p.Go(func() {
					asked[me] = true
					if g.Enter(me, to, &calls[me]) {
						p.Await(func() bool { return seam.Peek(&calls[me].shut) })
						g.Leave(me)
					} else {
						reported++
					}
					p.Await(func() bool { return asked[before] })
					calls[before].shut.Store(true)
				})
			}
			p.After(func() error {
				if reported > 1 || g.Len() != 0 {
					p.Errorf("%d were reported, and %d are left in the graph", reported, g.Len())
				}
				return nil
			})
		})
	}
}
