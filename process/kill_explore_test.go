//go:build gallop_explore

package process

import (
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
	"github.com/gallop-go/gallop/internal/seam"
)

// TestKill_Explored: a kill against a receive. The process receives the message or is killed, and
// then the message is left: it is not lost, nor is the wake-up of either. The process parks as a
// goroutine outside, and looks for its end where [Self.Receive] does: before it waits and after.
func TestKill_Explored(t *testing.T) {
	for _, second := range []bool{false, true} {
		for sent := range 2 {
			t.Run(fmt.Sprint("second ", second, " sent ", sent), func(t *testing.T) {
				explore.Portfolio(t, func(p *explore.Program) { kills(p, second, sent) })
			})
		}
	}
}

// kills is the scenario: with so many messages, and perhaps with a second cancel, which is hard and
// replaces the first.
func kills(p *explore.Program, second bool, sent int) {
	g := threadParty()
	owner := &Proc{party: party{sys: g.sys, outer: g}}
	b := &mailbox[int]{p: owner}
	received, killed := 0, 0
	p.Go(func() {
		for range sent {
			b.push(&node[int]{m: 1}, nil, g.sys)
		}
	})
	p.Go(func() {
		owner.tellToEnd(&cancel{reason: ErrStopped, hard: !second}, nil, g.sys)
		if second {
			owner.tellToEnd(&cancel{reason: ErrKilled, hard: true}, nil, g.sys)
		}
	})
	p.Go(func() {
		for !owner.cancelled() {
			if _, n := findIn(b); n != nil {
				received += b.take(nil, n)
				return
			}
			if owner.state.Load() == notified {
				owner.state.Store(running)
			} else if owner.state.CompareAndSwap(running, parked|forMail) {
				g.parker.Park()
			}
		}
		killed++
	})
	p.After(func() error {
		left := 0
		for _, n := findIn(b); n != nil; n = n.next {
			left++
		}
		if c := owner.cause.Load(); !c.hard {
			return fmt.Errorf("the cause is not hard: %v", c.reason)
		}
		if received == 0 && killed == 0 {
			return fmt.Errorf("the process is neither here nor there")
		}
		return wants("received or left", received+left, sent)
	})
}

// TestCancelOfSingleWait_Explored: a cancel against the commit of a wait at one channel. The
// process goes on with the value if it was sent, and leaves if it was not. The process parks as a
// goroutine outside, and looks for its end where await does.
func TestCancelOfSingleWait_Explored(t *testing.T) {
	for _, sends := range []bool{false, true} {
		t.Run(fmt.Sprint("sends ", sends), func(t *testing.T) {
			explore.Portfolio(t, func(p *explore.Program) { cancelsSingleWait(p, sends) })
		})
	}
}

func cancelsSingleWait(p *explore.Program, sends bool) {
	c, g := NewChan[int](0), threadParty()
	var cancelled seam.Bool
	committed, done, left := 0, 0, 0
	p.Go(func() {
		q := &c.receivers
		w := takeWaiter[int](&g.party)
		if sends {
			q, w.v = &c.senders, 1
		}
		c.mu.Lock()
		q.enter(w)
		c.mu.Unlock()
		for g.won.Load() == open {
			if g.suspend(parked | uint32(opRecv)<<opShift); cancelled.Load() && q.withdraw(w, &c.mu) {
				left++
				return
			}
		}
		if w.ok {
			done += w.v
		}
	})
	p.Go(func() {
		if sends {
			committed, _, _ = c.TryRecv(g.sys)
		} else if c.TrySend(g.sys, 1) {
			committed = 1
		}
	})
	p.Go(func() {
		cancelled.Store(true)
		g.wake(nil, g.sys)
	})
	p.After(func() error {
		if done+left != 1 {
			return fmt.Errorf("the process has gone on %d times, and left %d times", done, left)
		}
		return wants("done", done, committed)
	})
}
