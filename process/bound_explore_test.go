//go:build gallop_explore

package process

import (
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
)

// TestBound_Explored: senders to a mailbox with room for one: each message is received once, no
// wake-up is lost, and the mailbox has no more than the bound. The process parks as a goroutine
// outside. Mutants: a wait that enters the line after it has released the lock; and
// internal/mutants/full_process.json.
func TestBound_Explored(t *testing.T) { explore.Portfolio(t, boundScene) }

func boundScene(p *explore.Program) {
	g := threadParty()
	s := &Self[int]{}
	s.party = party{sys: g.sys, outer: g}
	s.mailbox.p = &s.Proc
	s.limit("Spawn", []Option{WithBound(1)})
	b := s.mailbox.rare.bound
	sum, most := 0, 0
	for i := range 2 {
		p.Go(func() {
			g := threadParty()
			for n := range 2 {
				if b.wait(&g.party) {
					b.own.send(&node[int]{m: 2*i + n + 1}, nil, g.sys)
				}
			}
		})
	}
	p.Go(func() {
		for taken := 0; taken < 4; {
			prev, n := s.find(nil, func(int) bool { return true })
			if n == nil {
				waitOutside(s)
				continue
			}
			waiting := 0
			for m := s.first; m != nil; m = m.next {
				waiting++
			}
			most = max(most, waiting)
			sum += s.take(prev, n)
			taken++
		}
	})
	p.After(func() error {
		if most > 1 {
			return fmt.Errorf("%d messages in a mailbox for one", most)
		}
		return wants("sum", sum, 1+2+3+4)
	})
}

// waitOutside is suspend for the process of a goroutine outside, which waits for mail.
func waitOutside(s *Self[int]) {
	if s.state.CompareAndSwap(running, parked|forMail) {
		s.outer.parker.Park()
	} else {
		s.state.Store(running)
	}
}
