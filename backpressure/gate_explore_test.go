//go:build gallop_explore

package backpressure

import (
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
)

// muted is a sender under exploration. It counts how often it was parked and resumed.
type muted struct {
	blockedOn       BlockedOn
	parked, resumed int
}

// meet is what a sender does at a gate.
func (m *muted) meet(p *explore.Program, g *Gate[*muted]) {
	m.blockedOn.Block()
	if !g.Enter(&Waiter[*muted]{Who: m}) && m.blockedOn.Unblock() {
		p.Errorf("resumed while it runs")
	}
}

// end is the end of its behaviour; it returns when the sender runs again.
func (m *muted) end(p *explore.Program) {
	if m.blockedOn.Park() {
		m.parked++
		p.Await(func() bool { return m.resumed == m.parked })
	}
}

// open opens a gate as its receiver does.
func open(p *explore.Program, g *Gate[*muted], mark *Marks[*muted]) {
	for w := g.Open(mark); w != nil; w = w.Next() {
		if w.Who.blockedOn.Unblock() {
			w.Who.resumed++
		}
	}
}

func (m *muted) check() error {
	if m.parked != m.resumed || m.blockedOn.Count() != 0 || m.blockedOn.Parked() {
		return fmt.Errorf("parked %d times, resumed %d, is blocked on %d", m.parked, m.resumed,
			m.blockedOn.Count())
	}
	return nil
}

// TestGateEnterAgainstOpen: two senders meet a gate while it opens, shuts and opens again. A sender
// that entered is resumed; a lost one is a deadlock here.
//
// Mutants tried by hand: Enter by a store, Open by load and store, the mark not
// taken for the end.
func TestGateEnterAgainstOpen(t *testing.T) {
	explore.Portfolio(t, func(p *explore.Program) {
		var (
			mark Marks[*muted]
			g    Gate[*muted]
			a, b muted
		)
		g.Shut(&mark)
		left := 2
		for _, m := range []*muted{&a, &b} {
			p.Go(func() {
				for range 2 {
					m.meet(p, &g)
					m.end(p)
				}
				left--
			})
			p.After(m.check)
		}
		p.Go(func() {
			for left > 0 {
				open(p, &g, &mark)
				g.Shut(&mark)
				p.Spin()
			}
		})
	})
}

// TestBlockedOn_UnblockAgainstPark: a sender is blocked on at two gates, which open while it is
// about to park: it is resumed once, by the last of them, or does not park.
//
// Mutants tried by hand: Park that stores, unblocks that subtracts before it looks
// whether it is the last.
func TestBlockedOn_UnblockAgainstPark(t *testing.T) {
	scenario := func(p *explore.Program) {
		var (
			mark Marks[*muted]
			g    [2]Gate[*muted]
			m    muted
		)
		for i := range g {
			g[i].Shut(&mark)
			p.Go(func() { open(p, &g[i], &mark) })
		}
		p.Go(func() {
			m.meet(p, &g[0])
			m.meet(p, &g[1])
			m.end(p)
		})
		p.After(m.check)
	}
	explore.Portfolio(t, scenario)
	if res := explore.Run(t, explore.Config{Strategy: explore.Bounded(-1, 0)},
		scenario); !res.Exhausted {
		t.Error(res)
	}
}

// link is an actor in a chain: a sender that has a gate of its own.
type link struct {
	muted
	gate Gate[*link]
	load Load
}

// wait ends the behaviour of an actor that has met the gate of another: while the actor is muted,
// its own gate is shut.
func (l *link) wait(p *explore.Program, mark *Marks[*link]) {
	l.load |= Muted
	l.gate.Shut(mark)
	if l.blockedOn.Park() {
		l.parked++
		p.Await(func() bool { return l.resumed == l.parked })
		return
	}
	l.load &^= Muted
	release(l.gate.Open(mark), mark)
}

// release unblocks a wait list and unwinds the chain behind it.
func release(w *Waiter[*link], mark *Marks[*link]) {
	for w != nil {
		l := w.Who
		w = w.Next()
		if l.blockedOn.Unblock() {
			l.load &^= Muted
			list := l.gate.Open(mark)
			l.resumed++ // from here on it is its worker's again
			release(list, mark)
		}
	}
}

// TestChainUnwinds: A waits for B, which waits for C, or is about to wait, or waits no longer. When
// C recovers both run again, whatever came in between. (ponyc's chained unmute.)
func TestChainUnwinds(t *testing.T) {
	explore.Portfolio(t, func(p *explore.Program) {
		var mark Marks[*link]
		var a, b, c link
		c.load = Overloaded
		c.gate.Shut(&mark)
		meets := func(from, to *link) {
			from.blockedOn.Block()
			if !to.gate.Enter(&Waiter[*link]{Who: from}) && from.blockedOn.Unblock() {
				p.Errorf("resumed while it runs")
			}
			from.wait(p, &mark)
		}
		p.Go(func() { meets(&a, &b) })
		p.Go(func() { meets(&b, &c) })
		p.Go(func() {
			c.load &^= Overloaded
			release(c.gate.Open(&mark), &mark)
		})
		p.After(a.check)
		p.After(b.check)
		p.After(func() error {
			if a.load|b.load|c.load != 0 || !a.gate.IsOpen() || !b.gate.IsOpen() || !c.gate.IsOpen() {
				return fmt.Errorf("loads %d %d %d, or a gate is shut", a.load, b.load, c.load)
			}
			return nil
		})
	})
}

// TestGateAjar: two senders meet a gate that is ajar, while its receiver shuts it, and opens it,
// and sets it ajar again: a sender that entered is resumed, and shuts the gate for the other.
//
// Mutants tried by hand: Shut that stores where it compares and swaps; an ajar mark that is not
// taken for an end.
func TestGateAjar(t *testing.T) {
	explore.Portfolio(t, func(p *explore.Program) {
		var (
			mark Marks[*muted]
			g    Gate[*muted]
			a, b muted
		)
		g.SetAjar(&mark)
		left := 2
		for _, m := range []*muted{&a, &b} {
			p.Go(func() {
				m.meet(p, &g)
				m.end(p)
				left--
			})
			p.After(m.check)
		}
		p.Go(func() {
			for left > 0 {
				g.Shut(&mark)
				open(p, &g, &mark)
				g.SetAjar(&mark)
				p.Spin()
			}
		})
	})
}
