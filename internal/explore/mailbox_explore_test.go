//go:build gallop_explore

package explore_test

import (
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
	"github.com/gallop-go/gallop/internal/seam"
)

// letter is a message of the toy mailbox.
type letter struct {
	next     seam.Pointer[letter]
	from, no int
}

// mailbox is a toy: an intrusive queue (swap, then link) and a flag that says
// whether its actor is scheduled. Its counts detect an actor that is scheduled twice, and letters
// that are lost or out of order.
type mailbox struct {
	head      seam.Pointer[letter]
	scheduled seam.Bool
	tail      *letter // owned by the thread that runs the actor
	mutant    string

	p       *explore.Program
	queued  int // in the run queue; plain, so part of the step that sets it
	running int
	got     [4]int // letters from each producer
}

func newMailbox(p *explore.Program, mutant string) *mailbox {
	m := &mailbox{mutant: mutant, p: p, tail: &letter{}}
	m.head.Store(m.tail)
	return m
}

func (m *mailbox) push(l *letter) {
	m.swap(l).next.Store(l)
	if m.claim() {
		m.queued++
		m.once()
	}
}

func (m *mailbox) swap(l *letter) *letter {
	if m.mutant != "torn swap" {
		return m.head.Swap(l)
	}
	old := m.head.Load()
	m.head.Store(l)
	return old
}

// claim takes the right to schedule the actor.
func (m *mailbox) claim() bool {
	if m.mutant != "check then act" {
		return !m.scheduled.Swap(true)
	}
	if m.scheduled.Load() {
		return false
	}
	m.scheduled.Store(true)
	return true
}

// once checks that the actor is not both queued and running, nor either of them twice.
func (m *mailbox) once() {
	if m.queued+m.running > 1 {
		m.p.Errorf("the actor is scheduled twice")
	}
}

// turn runs the actor until its mailbox looks empty and marks it idle.
func (m *mailbox) turn() {
	m.queued--
	m.running++
	m.once()
	m.drain()
	if m.mutant == "touch after idle" {
		m.scheduled.Store(false)
		m.drain()
		m.running--
		return
	}
	m.running--
	m.scheduled.Store(false)
	if m.mutant != "no recheck" && m.tail.next.Load() != nil && m.claim() {
		m.queued++
		m.once()
	}
}

func (m *mailbox) drain() {
	for l := m.tail.next.Load(); l != nil; l = l.next.Load() {
		m.tail = l
		if m.got[l.from]++; m.got[l.from] != l.no {
			m.p.Errorf("letter %d of producer %d is the %d. to come", l.no, l.from, m.got[l.from])
		}
	}
}

// posting has two producers with two letters each, and two workers.
func posting(mutant string) func(*explore.Program) {
	const producers, letters = 2, 2
	return func(p *explore.Program) {
		m := newMailbox(p, mutant)
		for from := range producers {
			p.Go(func() {
				for no := range letters {
					m.push(&letter{from: from, no: no + 1})
				}
			})
		}
		for range 2 {
			p.Daemon(func() { m.work() })
		}
		p.After(func() error {
			if m.got != [4]int{letters, letters} || m.queued+m.running != 0 {
				return fmt.Errorf("lost: %v, %d queued, %d running", m.got, m.queued, m.running)
			}
			return nil
		})
	}
}

func (m *mailbox) work() {
	for {
		m.p.Await(func() bool { return m.queued > 0 })
		m.turn()
	}
}

func TestMailbox(t *testing.T) { explore.Portfolio(t, posting("")) }

func TestMailboxExhaustive(t *testing.T) {
	res := explore.Run(t, explore.Config{Strategy: explore.Bounded(2, 0)}, posting(""))
	if !res.Exhausted {
		t.Error(res)
	}
}

func TestMailboxMutants(t *testing.T) {
	for _, mutant := range []string{"no recheck", "touch after idle", "check then act", "torn swap"} {
		t.Run(mutant, func(t *testing.T) { refuteByAll(t, posting(mutant)) })
	}
}

// refuteByAll demands that each kind of strategy finds the bug by itself.
func refuteByAll(t *testing.T, scenario func(*explore.Program)) {
	t.Helper()
	for _, s := range []explore.Strategy{
		explore.Bounded(2, 0), explore.Random(1, 20_000), explore.PCT(3, 1, 20_000), explore.PCT(8, 1,
			20_000),
	} {
		explore.Refute(t, scenario, s)
	}
}
