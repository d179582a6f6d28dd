//go:build gallop_explore

package process

import (
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
)

// TestBound_Explored: senders to a mailbox with room for one, whose process takes first what comes
// last: each message is received once, no wake-up is lost, and the mailbox has no more than the
// bound, and one that has come as the process began to wait. The process parks as a goroutine
// outside, and says that it is idle where suspendRarely does. Mutants: letIn without "b.idle ||";
// setIdle without letIn; a wait that enters the line after it has released the lock.
func TestBound_Explored(t *testing.T) {
	for _, selective := range []bool{false, true} {
		t.Run(fmt.Sprint("selective ", selective), func(t *testing.T) {
			explore.Portfolio(t, func(p *explore.Program) { boundScene(p, selective) })
		})
	}
}

func boundScene(p *explore.Program, selective bool) {
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
			match := func(int) bool { return true }
			if selective && taken == 0 {
				match = func(n int) bool { return n == 4 } // the last of its sender
			}
			prev, n := s.find(nil, match)
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
		if limit := 1; !selective && most > limit+1 {
			return fmt.Errorf("%d messages in a mailbox for %d", most, limit)
		}
		return wants("sum", sum, 1+2+3+4)
	})
}

// waitOutside is suspendRarely for the process of a goroutine outside, which waits for mail.
func waitOutside(s *Self[int]) {
	b := s.mailbox.rare.bound
	b.setIdle(true)
	if s.state.CompareAndSwap(running, parked|forMail) {
		s.outer.parker.Park()
	} else {
		s.state.Store(running)
	}
	b.setIdle(false)
}
