//go:build gallop_explore

package actor

import (
	"fmt"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor/internal/permits"
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/explore"
)

// semaphoreWorld is an actor with few permits under exploration. Senders wait for it, and it runs
// messages and shuts and opens its gate. Package permits explores the semaphore alone.
type semaphoreWorld struct {
	p       *explore.Program
	b       *cell
	room    int
	pending int // messages pushed and not yet run
	left    int // senders that have not finished
}

// cellOfClass is an actor without a mailbox, which no worker runs.
func cellOfClass(k *typeInSystem) *cell {
	a := new(cell)
	a.task.InitClass(&k.Class)
	return a
}

func newSemaphoreWorld(p *explore.Program, room, senders int) *semaphoreWorld {
	w := &semaphoreWorld{p: p, b: cellOfClass(&typeInSystem{policy: plainMail{}, typ: new(typeInfo)}),
		room: room, left: senders}
	w.b.flowOf().permits.Init(room)
	return w
}

// send is SendWait.
func (w *semaphoreWorld) send() {
	l := &w.b.flow.Load().permits
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
			w.b.flow.Load().permits.Release(1, w.b)
		}
		w.p.Spin()
	}
}

// check checks that no permit is lost, and that no sender waits.
func (w *semaphoreWorld) check() error {
	l := &w.b.flow.Load().permits
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
		w.b.gate.Shut(&gateMark)
		p.Go(w.send)
		p.Go(w.send)
		p.Go(func() { w.b.openGate(); w.run() })
		p.After(w.check)
	})
}

// TestSemaphore_EndExplored: an actor without a flow ends while its gate is shut and goroutines
// send to it for the first time. None of them waits for ever.
//
// It finds this mutant: letAllGo ends the flow before it opens the gate.
func TestSemaphore_EndExplored(t *testing.T) {
	explore.Portfolio(t, func(p *explore.Program) {
		b := cellOfClass(&typeInSystem{policy: plainMail{}, typ: new(typeInfo)})
		b.gate.Shut(&gateMark)
		send := func() {
			l := &b.flowOf().permits
			if waiter := l.Acquire(b); waiter != nil {
				p.Await(waiter.Woken)
				l.WakeNext()
			}
		}
		p.Go(send)
		p.Go(send)
		p.Go(func() { b.letAllGo() })
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
		c := &kernelTurn{self: w.b}
		w.b.load = backpressure.Overloaded | backpressure.Pressed
		w.b.shutGate()
		p.Go(func() { w.send() })
		p.Go(func() { w.send() })
		p.Go(func() {
			w.b.setLoad(c, backpressure.Overloaded) // the pressure is released
			p.Await(func() bool { return w.left < 2 })
			muted := new(backpressure.Waiter[waiting])
			if !w.b.gate.Enter(muted) {
				p.Errorf("the gate is open")
			}
			w.b.openGate()
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
				w.b.flow.Load().permits.Init(0) // its messages have run, and the permit return is next
				w.b.load = backpressure.Overloaded
				w.b.shutGate()
				if muted && !w.b.gate.Enter(new(backpressure.Waiter[waiting])) {
					p.Errorf("the gate is open")
				}
				p.Go(func() { w.send() })
				p.Go(func() { w.send() })
				p.Go(func() {
					w.b.returnPermits(&kernelTurn{self: w.b})
					if overloaded := w.b.load == backpressure.Overloaded; overloaded != muted ||
						w.b.gate.IsOpen() == muted {
						p.Errorf("overloaded: %v, open: %v", overloaded, w.b.gate.IsOpen())
					}
					w.b.openGate()
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
		sys := &kernelSystem{opts: options{deadlockPeriod: time.Hour}}
		sys.deadlocks.sys = sys
		k := &typeInSystem{policy: plainMail{}, typ: new(typeInfo), sys: sys}
		to := cellOfClass(k)
		to.load = backpressure.Overloaded
		to.gate.Shut(&gateMark)
		p.Go(func() {
			c := &kernelTurn{self: to}
			c.ApplyPressure()
		})
		for range 2 {
			p.Go(func() {
				c := &kernelTurn{self: cellOfClass(k)}
				c.muteFor(to)
			})
		}
		p.Go(func() { sys.deadlocks.look() })
		p.After(func() error {
			if to.flow.Load().deadlock.listed != (len(sys.deadlocks.roots) == 1) ||
				len(sys.deadlocks.roots) != 1 {
				return fmt.Errorf("%d are watched, listed: %v", len(sys.deadlocks.roots),
					to.flow.Load().deadlock.listed)
			}
			return nil
		})
	})
}

// fullWorld is an actor that may be muted.
type fullWorld struct {
	cell
	parked, resumed int
}

// unblockAll is release without a scheduler.
func unblockAll(all map[*cell]*fullWorld, list *backpressure.Waiter[waiting]) {
	for list != nil {
		a := list.Who.muted
		list = list.Next()
		if a.blockedOn.Unblock() {
			w := all[a]
			a.load &^= backpressure.Muted
			behind := a.openGate()
			w.resumed++
			unblockAll(all, behind)
		}
	}
}
