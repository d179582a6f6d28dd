//go:build gallop_explore

package sched

import (
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
	"github.com/gallop-go/gallop/internal/seam"
)

// pin adds a pin whose thread is a virtual one, and is not locked to anything.
func (h *house) pin(thread func(func())) *Pin {
	p := &Pin{s: h.s, gone: make(chan struct{})}
	p.queue.init(2)
	p.w = &Worker{sched: h.s, id: len(h.s.workers), pin: p, parker: seam.NewParker()}
	p.w.timeslice.init(p.w)
	h.s.pins.list = append(h.s.pins.list, p)
	thread(p.run)
	return p
}

func (h *house) pinned(name string, pin *Pin, do func(*Worker)) *job {
	j := h.job(name, do)
	j.Init(j, pin)
	return j
}

// TestPinNothingOverlooked: two senders and a worker hand tasks to a pin that
// falls asleep between them. The scheduler is quiet only after all tasks, with the
// pin's counters up to date.
//
// Mutants tried by hand: no second look before the pin parks, a push after the
// wake-up, a task that does not hold.
func TestPinNothingOverlooked(t *testing.T) {
	roam(t, func(p *explore.Program) {
		h := newHouse(p, 1, p.Daemon)
		pin := h.pin(p.Daemon)
		a, b := h.pinned("A", pin, nil), h.pinned("B", pin, nil)
		j := h.job("J", func(w *Worker) { w.Schedule(&b.Task) })
		p.Go(func() { h.s.Inject(&a.Task) })
		p.Go(func() {
			h.s.Inject(&j.Task)
			h.waitQuiet(false)
			if b.ran != 1 {
				p.Errorf("quiet before B ran")
			}
			if n := pin.w.Counters().Turns; a.ran+b.ran == 2 && n != 2 && h.s.holds.Load() == 0 {
				p.Errorf("2 turns on the pin, %d published", n)
			}
		})
		p.After(h.allRan)
	})
}

// TestBug_QuietPinHasPublished: a pin used to release its hold, and so let waiters
// see quiescence, before it published its counters.
func TestBug_QuietPinHasPublished(t *testing.T) {
	roam(t, func(p *explore.Program) {
		h := newHouse(p, 1, p.Daemon)
		pin := h.pin(p.Daemon)
		a := h.pinned("A", pin, nil)
		p.Go(func() {
			h.s.Inject(&a.Task)
			h.waitQuiet(false)
			if n := pin.w.Counters().Turns; n != 1 {
				p.Errorf("1 turn on the pin, %d published", n)
			}
		})
		p.After(h.allRan)
	})
}

// TestPinStopExplored: pinned tasks against Stop: each runs or dies, once.
func TestPinStopExplored(t *testing.T) {
	roam(t, func(p *explore.Program) {
		h := newHouse(p, 1, p.Go)
		pin := h.pin(p.Go)
		for i := range 2 {
			j := h.pinned(fmt.Sprint(i), pin, nil)
			p.Go(func() { h.s.Inject(&j.Task) })
		}
		p.Go(func() {
			h.s.halt()
			p.Await(func() bool { return isClosed(h.s.stop.workers) && isClosed(pin.gone) })
			h.s.finish()
		})
		p.After(func() error {
			if n := h.s.holds.Load(); n != 0 {
				return fmt.Errorf("%d holds left", n)
			}
			return h.allEnded()
		})
	})
}
