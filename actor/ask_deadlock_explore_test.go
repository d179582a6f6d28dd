//go:build gallop_explore

package actor

import (
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/seam"
)

// ring is a ring of actors. Each asks the next one in its turns and waits, several times. A thread
// stands for the turns of each actor. The protocol of the graph and of the calls is that of
// production.
type ring struct {
	p       *explore.Program
	all     []*kernel.Cell
	calls   [][]*kernel.CallState // by actor and round
	asked   []int                 // rounds in which it has asked
	round   []int                 // of its turns
	heardBy int                   // how often a circle was closed
}

// newRing makes a ring of n actors. If hasty, actor 0 gives its asks up at any moment.
func newRing(p *explore.Program, n, rounds int, hasty bool) *ring {
	s := newStage(p)
	r := &ring{p: p, calls: make([][]*kernel.CallState, n), asked: make([]int, n), round: make([]int, n)}
	for i := range n {
		r.all = append(r.all, mayflyType.Spawn(s.sys, mayfly{}).target())
		for range rounds {
			r.calls[i] = append(r.calls[i], new(kernel.CallState))
		}
	}
	for i := range n {
		p.Go(func() {
			for range rounds {
				r.ask(i, hasty && i == 0)
				r.answer((i + n - 1) % n)
				r.round[i]++
			}
		})
	}
	return r
}

// ask is a turn of actor i, which asks the next and waits, as waitFor does.
func (r *ring) ask(i int, hasty bool) {
	me, to, k := r.all[i], r.all[(i+1)%len(r.all)], r.calls[i][r.round[i]]
	r.asked[i]++
	before := r.waiting()
	asks, may := kernel.MayWait(me, k, to)
	if !may && k.State.CompareAndSwap(kernel.CallPending, kernel.CallRefused) {
		r.heardBy++
		for j, round := range before {
			if j != i && round < 0 && r.round[j] == -1-round {
				r.p.Errorf("%d is told that it closes a circle, and %d had its reply or had given up", i, j)
			}
		}
		return
	}
	defer kernel.LeaveGraph(me, asks)
	if !k.State.CompareAndSwap(kernel.CallPending, kernel.CallWaiting) {
		return
	}
	if hasty && k.State.CompareAndSwap(kernel.CallWaiting, kernel.CallAbandoned) {
		return
	}
	r.p.Await(func() bool { return seam.Peek(&k.State) == kernel.CallAnswered })
}

// waiting returns the present round of each actor; or -1 minus the round if its ask there is over.
func (r *ring) waiting() (rounds []int) {
	for i, round := range r.round {
		if round < len(r.calls[i]) && seam.Peek(&r.calls[i][round].State) > kernel.CallWaiting {
			round = -1 - round
		}
		rounds = append(rounds, round)
	}
	return rounds
}

// answer answers the request of actor i in this round, between two turns.
func (r *ring) answer(i int) {
	round := r.round[(i+1)%len(r.all)]
	r.p.Await(func() bool { return r.asked[i] > round })
	k := r.calls[i][round]
	if !k.State.CompareAndSwap(kernel.CallPending, kernel.CallAnswered) {
		k.State.CompareAndSwap(kernel.CallWaiting, kernel.CallAnswered)
	}
}

// TestAskCircle_Explored: if actors ask each other in a circle, none waits for ever. An actor gets
// ErrDeadlock only if it closes the circle: all the others waited when it looked. This also holds
// if one of them gives up at any moment, as at the end of its context.
//
// Mutants: internal/mutants/asks.json.
func TestAskCircle_Explored(t *testing.T) {
	for name, c := range map[string]struct {
		n, rounds int
		hasty     bool
	}{"2": {2, 1, false}, "3": {3, 1, false}, "3 twice": {3, 2, false}, "2 hasty": {2, 2, true},
		"3 hasty": {3, 2, true}} {
		t.Run(name, func(t *testing.T) {
			explore.PortfolioOf(t, 2000, 500, func(p *explore.Program) {
				r := newRing(p, c.n, c.rounds, c.hasty)
				p.After(func() error {
					if r.heardBy > c.rounds {
						p.Errorf("%d circles were closed in %d rounds", r.heardBy, c.rounds)
					}
					return nil
				})
			})
		})
	}
}
