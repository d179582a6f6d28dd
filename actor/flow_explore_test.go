//go:build gallop_explore

package actor

import (
	"fmt"
	"testing"
	"time"

	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/explore"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/kernel/permits"
)

// semaphoreWorld is an actor with few permits under exploration. Senders wait for it, and it runs
// messages and shuts and opens its gate. Package permits explores the semaphore alone.
type semaphoreWorld struct {
	p       *explore.Program
	b       *kernel.Cell
	room    int
	pending int // messages pushed and not yet run
	left    int // senders that have not finished
}

// cellOfClass is an actor without a mailbox, which no worker runs.
func cellOfClass(k *kernel.TypeInSystem) *kernel.Cell {
	a := new(kernel.Cell)
	a.Task.InitClass(&k.Class)
	return a
}

func newSemaphoreWorld(p *explore.Program, room, senders int) *semaphoreWorld {
	w := &semaphoreWorld{p: p, b: cellOfClass(&kernel.TypeInSystem{Policy: kernel.PlainMail{}, Typ: new(kernel.TypeInfo)}),
		room: room, left: senders}
	w.b.FlowOf().Permits.Init(room)
	return w
}

// send is SendWait.
func (w *semaphoreWorld) send() {
	l := &w.b.Flow.Load().Permits
	if waiter := l.Acquire(w.b); waiter != nil {
		w.p.Await(waiter.Woken)
		l.WakeNext()
	}
	w.push()
	w.left--
}

// push adds a message for which there is a permit.
func (w *semaphoreWorld) push() {
	if w.pending++; w.pending > w.room {
		w.p.Errorf("%d messages wait, and there are %d permits", w.pending, w.room)
	}
}

// run is the receiver. It runs messages until all senders have finished.
func (w *semaphoreWorld) run() {
	for w.left > 0 || w.pending > 0 {
		if w.pending > 0 {
			w.pending--
			w.b.Flow.Load().Permits.Release(1, w.b)
		}
		w.p.Spin()
	}
}

// check checks that no permit is lost, and that no sender waits.
func (w *semaphoreWorld) check() error {
	l := &w.b.Flow.Load().Permits
	if n := l.Count(); n != w.room || l.Waiting() != 0 {
		return fmt.Errorf("%d permits, want %d; %d wait", n, w.room, l.Waiting())
	}
	return nil
}

// TestSemaphore_GateExplored: two senders wait for one permit while the actor opens its gate and
// runs messages. Neither is forgotten.
func TestSemaphore_GateExplored(t *testing.T) {
	explore.Portfolio(t, func(p *explore.Program) {
		w := newSemaphoreWorld(p, 1, 2)
		w.b.Gate.Shut(&kernel.GateMark)
		p.Go(w.send)
		p.Go(w.send)
		p.Go(func() { w.b.OpenGate(); w.run() })
		p.After(w.check)
	})
}

// TestSemaphore_EndExplored: an actor without a flow ends while its gate is shut and goroutines
// send to it for the first time. None of them waits for ever.
//
// It finds this mutant: letAllGo ends the flow before it opens the gate.
func TestSemaphore_EndExplored(t *testing.T) {
	explore.Portfolio(t, func(p *explore.Program) {
		b := cellOfClass(&kernel.TypeInSystem{Policy: kernel.PlainMail{}, Typ: new(kernel.TypeInfo)})
		b.Gate.Shut(&kernel.GateMark)
		send := func() {
			l := &b.FlowOf().Permits
			if waiter := l.Acquire(b); waiter != nil {
				p.Await(waiter.Woken)
				l.WakeNext()
			}
		}
		p.Go(send)
		p.Go(send)
		p.Go(func() { b.LetAllGo() })
	})
}

// TestSemaphore_BatchOnlyExplored: an actor is first under pressure, then overloaded only by its
// batch, then another actor is muted for it, and at last it recovers. Goroutines that wait are let
// in as soon as the policy allows, and none is forgotten.
//
// Mutants tried by hand: a shut gate that lets no goroutine in; openGate that lets none in either.
func TestSemaphore_BatchOnlyExplored(t *testing.T) {
	explore.Portfolio(t, func(p *explore.Program) {
		w := newSemaphoreWorld(p, 2, 2)
		c := &kernel.Turn{Self: w.b}
		w.b.Load = backpressure.Overloaded | backpressure.Pressed
		w.b.ShutGate()
		p.Go(func() { w.send() })
		p.Go(func() { w.send() })
		p.Go(func() {
			w.b.SetLoad(c, backpressure.Overloaded) // the pressure is released
			p.Await(func() bool { return w.left < 2 })
			muted := new(backpressure.Waiter[kernel.Waiting])
			if !w.b.Gate.Enter(muted) {
				p.Errorf("the gate is open")
			}
			w.b.OpenGate()
			w.run()
		})
		p.After(w.check)
	})
}

// TestSemaphore_RecoveryExplored: "If only such messages overload the actor, it has recovered" when
// it returns their permits, since "an overloaded actor is never muted". It has not recovered while
// an actor is muted for it.
func TestSemaphore_RecoveryExplored(t *testing.T) {
	for _, muted := range []bool{false, true} {
		t.Run(fmt.Sprintf("muted=%v", muted), func(t *testing.T) {
			explore.Portfolio(t, func(p *explore.Program) {
				w := newSemaphoreWorld(p, permits.Step, 2)
				w.b.Flow.Load().Permits.Init(0) // its messages have run, and the permit return is next
				w.b.Load = backpressure.Overloaded
				w.b.ShutGate()
				if muted && !w.b.Gate.Enter(new(backpressure.Waiter[kernel.Waiting])) {
					p.Errorf("the gate is open")
				}
				p.Go(func() { w.send() })
				p.Go(func() { w.send() })
				p.Go(func() {
					w.b.ReturnPermits(&kernel.Turn{Self: w.b})
					if overloaded := w.b.Load == backpressure.Overloaded; overloaded != muted ||
						w.b.Gate.IsOpen() == muted {
						p.Errorf("overloaded: %v, open: %v", overloaded, w.b.Gate.IsOpen())
					}
					w.b.OpenGate()
					w.run()
				})
				p.After(w.check)
			})
		})
	}
}

// TestPressure_IsWatched: an actor enters the wait list of an actor under pressure, before the
// pressure begins or after that. The watch sees it in both cases, also if the watch forgets other
// actors meanwhile.
//
// Mutants tried by hand: ApplyPressure does not check whether an actor waits already; muteFor
// checks the pressure before it enters; look forgets an actor without checking whether another
// waits for it.
func TestPressure_IsWatched(t *testing.T) {
	explore.Portfolio(t, func(p *explore.Program) {
		sys := &kernel.System{Opts: kernel.Options{DeadlockPeriod: time.Hour}}
		sys.Deadlocks.Sys = sys
		k := &kernel.TypeInSystem{Policy: kernel.PlainMail{}, Typ: new(kernel.TypeInfo), Sys: sys}
		to := cellOfClass(k)
		to.Load = backpressure.Overloaded
		to.Gate.Shut(&kernel.GateMark)
		p.Go(func() {
			c := &kernel.Turn{Self: to}
			c.ApplyPressure()
		})
		for range 2 {
			p.Go(func() {
				c := &kernel.Turn{Self: cellOfClass(k)}
				c.MuteFor(to)
			})
		}
		p.Go(func() { sys.Deadlocks.Look() })
		p.After(func() error {
			if to.Flow.Load().Deadlock.Listed != (len(sys.Deadlocks.Roots) == 1) ||
				len(sys.Deadlocks.Roots) != 1 {
				return fmt.Errorf("%d are watched, listed: %v", len(sys.Deadlocks.Roots),
					to.Flow.Load().Deadlock.Listed)
			}
			return nil
		})
	})
}

// fullWorld is an actor that may be muted.
type fullWorld struct {
	kernel.Cell
	parked, resumed int
}

// unblockAll is release without a scheduler.
func unblockAll(all map[*kernel.Cell]*fullWorld, list *backpressure.Waiter[kernel.Waiting]) {
	for list != nil {
		a := list.Who.Muted
		list = list.Next()
		if a.BlockedOn.Unblock() {
			w := all[a]
			a.Load &^= backpressure.Muted
			behind := a.OpenGate()
			w.resumed++
			unblockAll(all, behind)
		}
	}
}
