//go:build gallop_explore

package permits

import (
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
	"github.com/gallop-go/gallop/internal/seam"
)

// gate is a receiver that lets goroutines in if it is open.
type gate struct{ open seam.Bool }

func (g *gate) Open(Entrance) bool { return g.open.Load() }

// world is a semaphore with few permits under exploration: senders that wait and cancel, and a
// receiver that runs messages and whose gate opens.
type world struct {
	p *explore.Program
	Semaphore
	gate
	permits int
	pending int // messages pushed and not yet run
	senders int // senders that have not ended
}

func newWorld(p *explore.Program, open bool, permits, senders int) *world {
	w := &world{p: p, permits: permits, senders: senders}
	w.open.Store(open)
	w.Init(permits)
	return w
}

// openGate lets goroutines in, as the owner of an actor does.
func (w *world) openGate() {
	w.open.Store(true)
	w.Release(0, w)
}

// send is SendWait. A sender that is not patient cancels instead of waiting.
func (w *world) send(patient bool) {
	waiter := w.Acquire(w)
	if waiter != nil && patient {
		w.p.Await(waiter.Woken)
		w.WakeNext()
	} else if waiter != nil {
		w.Cancel(waiter, w)
		w.senders--
		return
	}
	w.push()
	w.senders--
}

// push adds a message for which there is a permit.
func (w *world) push() {
	if w.pending++; w.pending > w.permits {
		w.p.Errorf("%d messages wait, and there are %d permits", w.pending, w.permits)
	}
}

// run is the receiver: it runs messages until all senders have ended and no message waits.
func (w *world) run() {
	for w.senders > 0 || w.pending > 0 {
		if w.pending > 0 {
			w.pending--
			w.Release(1, w)
		}
		w.p.Spin()
	}
}

// check: all permits have been returned, and no goroutine waits.
func (w *world) check() error {
	if n := w.Count(); n != w.permits {
		return fmt.Errorf("%d permits, want %d", n, w.permits)
	}
	if l := &w.Semaphore; l.left != 0 || l.wait != (line{}) || l.called != (line{}) || l.woken {
		return fmt.Errorf("left: %d permits to be given; waiting: %v, called: %v, woken: %v",
			l.left, l.wait.first != nil, l.called.first != nil, l.woken)
	}
	return nil
}

// TestSemaphore_Explored: two senders wait and one cancels, while the gate opens and permits come
// back: never more messages than permits, no sender is forgotten, no permit is lost.
//
// Mutants tried by hand: the gate is checked before takeInTurn has the lock; the gate opens without
// a look at the line. Others: internal/mutants/muting.json.
func TestSemaphore_Explored(t *testing.T) {
	explore.Portfolio(t, func(p *explore.Program) {
		w := newWorld(p, false, 1, 3)
		p.Go(func() { w.send(true) })
		p.Go(func() { w.send(true) })
		p.Go(func() { w.send(false) })
		p.Go(func() { w.openGate(); w.run() })
		p.After(w.check)
	})
}

// TestSemaphore_ChainExplored: each woken sender wakes the next. There is a permit for each sender,
// and permits are returned only after all senders have ended. A sender may cancel after it was
// woken, or while it has a permit and was not woken yet.
//
// A wakeFirst that ignores woken is equivalent: it wakes several senders at a time.
func TestSemaphore_ChainExplored(t *testing.T) {
	explore.Portfolio(t, func(p *explore.Program) {
		w := newWorld(p, false, 3, 3)
		p.Go(func() { w.send(true) })
		p.Go(func() { w.send(false) })
		p.Go(func() { w.send(true) })
		p.Go(func() {
			w.openGate()
			p.Await(func() bool { return w.senders == 0 })
			w.run()
		})
		p.After(w.check)
	})
}

// TestSemaphore_FreeExplored: free permits are taken without a lock, while other senders find none
// and wait, and permits are returned.
//
// Mutant tried by hand: setFree keeps the permits in left as well.
func TestSemaphore_FreeExplored(t *testing.T) {
	explore.Portfolio(t, func(p *explore.Program) {
		w := newWorld(p, true, 1, 3)
		p.Go(func() { w.send(true) })
		p.Go(func() { w.send(true) })
		p.Go(func() {
			if w.TryAcquire(w) {
				w.push()
			}
			w.senders--
		})
		p.Go(w.run)
		p.After(w.check)
	})
}

// TestSemaphore_OrderExplored: "waiting goroutines go on in the order in which they came": a sender
// that comes later than a waiting sender gets no permit before it, also while the gate opens.
func TestSemaphore_OrderExplored(t *testing.T) {
	explore.Portfolio(t, func(p *explore.Program) {
		w := newWorld(p, false, 1, 2)
		var first *Waiter
		p.Go(func() {
			if first = w.Acquire(w); first != nil {
				p.Await(first.Woken)
				w.WakeNext()
			}
			w.push()
			w.senders--
		})
		p.Go(func() {
			_ = w.free.Load() // a step: the rest comes after all threads have begun
			waits := first != nil && first.in == &w.wait
			if w.TryAcquire(w) {
				if waits && first.in == &w.wait {
					p.Errorf("a sender that waits was overtaken")
				}
				w.push()
			}
			w.senders--
		})
		p.Go(func() { w.openGate(); w.run() })
		p.After(w.check)
	})
}

// TestSemaphore_EndExplored: two senders wait and one cancels, while the actor ends. All senders
// end.
func TestSemaphore_EndExplored(t *testing.T) {
	explore.Portfolio(t, func(p *explore.Program) {
		w := newWorld(p, false, 1, 3)
		for range 2 {
			p.Go(func() {
				if waiter := w.Acquire(w); waiter != nil {
					p.Await(waiter.Woken)
					w.WakeNext()
				}
			})
		}
		p.Go(func() {
			if waiter := w.Acquire(w); waiter != nil {
				w.Cancel(waiter, w)
			}
		})
		p.Go(func() {
			w.Close()
		})
		p.After(func() error {
			if l := &w.Semaphore; !l.closed || l.wait.first != nil {
				return fmt.Errorf("closed: %v; a sender in line: %v", l.closed, l.wait.first != nil)
			}
			return nil
		})
	})
}
