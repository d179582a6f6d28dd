//go:build gallop_explore

package process

import (
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// These tests explore the production source of channels, Select and mailboxes. Each thread is a
// goroutine outside: it parks by the same words as a process, and needs no coroutine.

// threadParty is a party for a thread of the exploration.
func threadParty() *Goroutine {
	g := &Goroutine{parker: seam.NewParker()}
	g.sys, g.outer, g.chance = outside(), g, 1
	return g
}

// outside returns a system that runs nothing.
func outside() *System { return &System{sched: &sched.Scheduler{}} }

// wants fails the schedule unless got is as wanted.
func wants(what string, got, want int) error {
	if got != want {
		return fmt.Errorf("%s is %d, not %d", what, got, want)
	}
	return nil
}

// TestChan_Explored: each value is received once and no wake-up is lost, with and without a buffer.
func TestChan_Explored(t *testing.T) {
	for size := range 2 {
		t.Run(fmt.Sprint("size ", size), func(t *testing.T) {
			explore.Portfolio(t, func(p *explore.Program) {
				c, sum := NewChan[int](size), 0
				for i := range 2 {
					p.Go(func() { c.Send(threadParty(), i+1) })
				}
				p.Go(func() {
					g := threadParty()
					for range 2 {
						v, _ := c.Recv(g)
						sum += v
					}
				})
				p.After(func() error { return wants("sum", sum, 3) })
			})
		})
	}
}

// TestSelect_Explored: two selects that meet at two channels in opposite order commit one case
// each, and with each other.
func TestSelect_Explored(t *testing.T) {
	explore.Portfolio(t, func(p *explore.Program) {
		a, b := NewChan[int](0), NewChan[int](0)
		got := [2]int{}
		for i := range 2 {
			p.Go(func() {
				v := i + 1
				in, out := a, b
				if i == 1 {
					in, out = b, a
				}
				if Select(threadParty(), SendTo(out, &v), RecvFrom(in, &v, nil)) == 1 {
					got[i] = v
				}
			})
		}
		p.After(func() error { return wants("values", got[0]*got[1]*10+got[0]+got[1], got[0]+got[1]) })
		p.After(func() error {
			if got[0]+got[1] == 0 {
				return fmt.Errorf("no value")
			}
			return nil
		})
	})
}

// TestSelectDoubleCommit_Explored: two senders at two channels of one select: one commits, and the
// other's value is there for a second receiver.
func TestSelectDoubleCommit_Explored(t *testing.T) {
	explore.Portfolio(t, func(p *explore.Program) {
		a, b, sum := NewChan[int](0), NewChan[int](0), 0
		p.Go(func() { a.Send(threadParty(), 1) })
		p.Go(func() { b.Send(threadParty(), 2) })
		p.Go(func() {
			g, v := threadParty(), 0
			for range 2 {
				Select(g, RecvFrom(a, &v, nil), RecvFrom(b, &v, nil))
				sum += v
			}
		})
		p.After(func() error { return wants("sum", sum, 3) })
	})
}

// TestWithdraw_Explored: a select that looks again, since an event has told it to, withdraws its
// offers while a sender takes one of them.
func TestWithdraw_Explored(t *testing.T) {
	explore.Portfolio(t, func(p *explore.Program) {
		c := NewChan[int](0)
		var e Event
		sent, received, v := false, 0, 0
		p.Go(func() { e.Notify(outside()) })
		p.Go(func() { sent = c.TrySend(outside(), 5) })
		p.Go(func() {
			g := threadParty()
			i := Select(g, RecvFrom(c, &v, nil), When(&e, func() bool { return e.changes.Load() > 0 }))
			if i == 0 {
				received = v
			}
		})
		p.After(func() error {
			if sent {
				return wants("received", received, 5)
			}
			return wants("received", received, 0)
		})
	})
}

// TestClose_Explored: close against send against select: the value is received, or its sender has
// panicked.
func TestClose_Explored(t *testing.T) {
	explore.Portfolio(t, func(p *explore.Program) {
		c, never := NewChan[int](0), NewChan[int](0)
		sent, v, ok := 0, 0, false
		p.Go(func() {
			defer func() {
				if recover() != nil {
					sent = 0
				}
			}()
			sent = 1
			c.Send(threadParty(), 1)
		})
		p.Go(func() { c.Close(outside()) })
		p.Go(func() { Select(threadParty(), RecvFrom(never, &v, nil), RecvFrom(c, &v, &ok)) })
		p.After(func() error { return wants("value", v, sent) })
	})
}

// TestMailbox_Explored: a message wakes its receiver, and in the order of its sender.
func TestMailbox_Explored(t *testing.T) {
	explore.Portfolio(t, func(p *explore.Program) {
		g := threadParty()
		owner := &Proc{party: party{sys: g.sys, outer: g}}
		b := &mailbox[int]{p: owner}
		sum := 0
		for i := range 2 {
			p.Go(func() {
				b.send(&node[int]{m: i + 1}, nil, g.sys)
				b.send(&node[int]{m: 10 * (i + 1)}, nil, g.sys)
			})
		}
		p.Go(func() {
			g.party.state.Load()
			for n := 0; n < 4; {
				prev, m := findIn(b)
				if m == nil {
					if owner.state.Load() == notified {
						owner.state.Store(running)
					} else if owner.state.CompareAndSwap(running, parked|forMail) {
						g.parker.Park()
					}
					continue
				}
				sum += b.take(prev, m)
				n++
			}
		})
		p.After(func() error { return wants("sum", sum, 33) })
	})
}

func findIn(b *mailbox[int]) (prev, n *node[int]) {
	b.fetch()
	return nil, b.first
}

// TestMutex_Explored: the lock excludes, and is handed on.
func TestMutex_Explored(t *testing.T) {
	explore.Portfolio(t, func(p *explore.Program) {
		var m Mutex
		inside, most := 0, 0
		for range 3 {
			p.Go(func() {
				m.Lock(threadParty())
				inside++
				seam.Point()
				most = max(most, inside)
				inside--
				m.Unlock(outside())
			})
		}
		p.After(func() error { return wants("at a time", most, 1) })
	})
}
