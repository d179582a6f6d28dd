//go:build gallop_explore

package actor

import (
	"fmt"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor/internal/msg"
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/explore"
)

// semaphoreWorld is a semaphore with few places under exploration: senders that wait and give
// up, and a receiver that runs messages and whose gate shuts and opens.
type semaphoreWorld struct {
	p       *explore.Program
	b       *cell
	room    int
	pending int // messages pushed and not yet run
	left    int // senders that are not through
}

// cellOfKind is an actor without a mailbox that anybody runs.
func cellOfKind(k *typeInSystem) *cell {
	a := new(cell)
	a.task.InitClass(&k.Class)
	return a
}

func newSemaphoreWorld(p *explore.Program, room, senders int) *semaphoreWorld {
	w := &semaphoreWorld{p: p, b: cellOfKind(&typeInSystem{typ: new(typeInfo)}), room: room, left: senders}
	w.b.flowOf().permits.free.Store(int32(room))
	return w
}

// send is SendWait; patient or not.
func (w *semaphoreWorld) send(patient bool) {
	l := &w.b.flow.Load().permits
	o := l.acquire(w.b)
	if o != nil && patient {
		w.p.Await(func() bool { return len(o.token) > 0 })
		l.wakeNext()
	} else if o != nil {
		l.cancel(o, w.b)
		w.left--
		return
	}
	w.push()
	w.left--
}

// push adds a message for which there is a place.
func (w *semaphoreWorld) push() {
	if w.pending++; w.pending > w.room {
		w.p.Errorf("%d messages wait, and there are %d places", w.pending, w.room)
	}
}

// run is the receiver: it runs messages until all is done.
func (w *semaphoreWorld) run() {
	for w.left > 0 || w.pending > 0 {
		if w.pending > 0 {
			w.pending--
			w.b.flow.Load().permits.release(1, w.b)
		}
		w.p.Spin()
	}
}

// check: nothing is left behind in the books.
func (w *semaphoreWorld) check() error {
	l := &w.b.flow.Load().permits
	if n := l.permits + int(l.free.Load()); n != w.room {
		return fmt.Errorf("%d places, want %d", n, w.room)
	}
	if l.permits != 0 || l.wait != (semWaiters{}) || l.called != (semWaiters{}) || l.woken {
		return fmt.Errorf("left: %d places to be given; waiting: %v, called: %v, woken: %v",
			l.permits, l.wait.first != nil, l.called.first != nil, l.woken)
	}
	return nil
}

// TestSemaphore_Explored: two senders wait and one gives up, while the gate opens and places
// come back: never more messages than places, nobody is forgotten, no place is lost.
//
// Mutants tried by hand: quit that does not give back the place that has come;
// openGate that does not look at the line; takeInTurn that asks whether the gate is open
// before it has the lock.
func TestSemaphore_Explored(t *testing.T) {
	explore.Portfolio(t, func(p *explore.Program) {
		w := newSemaphoreWorld(p, 1, 3)
		w.b.gate.Shut(&gateMark)
		p.Go(func() { w.send(true) })
		p.Go(func() { w.send(true) })
		p.Go(func() { w.send(false) })
		p.Go(func() { w.b.openGate(); w.run() })
		p.After(w.check)
	})
}

// TestSemaphore_ChainExplored: there is a place for everybody who waits, and none comes back
// before all are through: each wakes the next, also if one gives up that has been told, or
// has a place and was not told yet.
//
// Mutants tried by hand: wakeNext that tells nobody; quit that leaves woken set, or keeps
// the place of one that was called. tell that does not ask for woken is equivalent: it
// wakes more at a time.
func TestSemaphore_ChainExplored(t *testing.T) {
	explore.Portfolio(t, func(p *explore.Program) {
		w := newSemaphoreWorld(p, 3, 3)
		w.b.gate.Shut(&gateMark)
		p.Go(func() { w.send(true) })
		p.Go(func() { w.send(false) })
		p.Go(func() { w.send(true) })
		p.Go(func() {
			w.b.openGate()
			p.Await(func() bool { return w.left == 0 })
			w.run()
		})
		p.After(w.check)
	})
}

// TestSemaphore_FreeExplored: free places are taken without a lock, while others find none,
// wait, and places come back.
//
// Mutants tried by hand: takeInTurn that does not collect what is free; release that sets
// places free without a look at the line; setFree that keeps them in room as well.
func TestSemaphore_FreeExplored(t *testing.T) {
	explore.Portfolio(t, func(p *explore.Program) {
		w := newSemaphoreWorld(p, 1, 3)
		p.Go(func() { w.send(true) })
		p.Go(func() { w.send(true) })
		p.Go(func() {
			if w.b.flow.Load().permits.tryAcquire(w.b) {
				w.push()
			}
			w.left--
		})
		p.Go(w.run)
		p.After(w.check)
	})
}

// TestSemaphore_OrderExplored: "Those who wait go on in the order in which they came": one that
// comes when somebody waits has no place before that one, also at the moment when the gate opens.
//
// Mutants tried by hand: setFree that does not ask whether somebody waits; takeInTurn that
// does not ask who is first.
func TestSemaphore_OrderExplored(t *testing.T) {
	explore.Portfolio(t, func(p *explore.Program) {
		w := newSemaphoreWorld(p, 1, 2)
		l := &w.b.flow.Load().permits
		w.b.gate.Shut(&gateMark)
		var first *semWaiter
		p.Go(func() {
			if first = l.acquire(w.b); first != nil {
				p.Await(func() bool { return len(first.token) > 0 })
				l.wakeNext()
			}
			w.push()
			w.left--
		})
		p.Go(func() {
			_ = l.free.Load() // a step: what follows is not asked before all have begun
			waits := first != nil && first.in == &l.wait
			if l.tryAcquire(w.b) {
				if waits && first.in == &l.wait {
					p.Errorf("somebody who waits was overtaken")
				}
				w.push()
			}
			w.left--
		})
		p.Go(func() { w.b.openGate(); w.run() })
		p.After(w.check)
	})
}

// TestSemaphore_LenientExplored: an actor is under pressure, then overloaded by its batch alone,
// then an actor is muted for it, and in the end it recovers: goroutines that wait are let
// in as soon as they may be, and none is forgotten.
//
// Mutants tried by hand: shutForActors that lets nobody in; openGate that does not either.
func TestSemaphore_LenientExplored(t *testing.T) {
	explore.Portfolio(t, func(p *explore.Program) {
		w := newSemaphoreWorld(p, 2, 2)
		c := &Context{self: w.b}
		w.b.load = backpressure.Overloaded | backpressure.Pressed
		w.b.shutGate()
		p.Go(func() { w.send(true) })
		p.Go(func() { w.send(true) })
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
// it makes room, since "an overloaded actor is never muted"; but not while an actor is muted for
// it.
func TestSemaphore_RecoveryExplored(t *testing.T) {
	for _, muted := range []bool{false, true} {
		t.Run(fmt.Sprintf("muted=%v", muted), func(t *testing.T) {
			explore.Portfolio(t, func(p *explore.Program) {
				w := newSemaphoreWorld(p, permitStep, 2)
				w.b.flow.Load().permits.free.Store(0) // its messages have run, and the notice is next
				w.b.load = backpressure.Overloaded
				w.b.shutGate()
				if muted && !w.b.gate.Enter(new(backpressure.Waiter[waiting])) {
					p.Errorf("the gate is open")
				}
				p.Go(func() { w.send(true) })
				p.Go(func() { w.send(true) })
				p.Go(func() {
					w.b.returnPermits(&Context{self: w.b})
					if overloaded := w.b.load == backpressure.Overloaded; overloaded != muted || w.b.gate.IsOpen() == muted {
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

// TestPressure_IsWatched: an actor that enters the wait list of one under pressure is seen by the
// watch, whether it enters before the pressure or after, and whatever the watch forgets meanwhile.
//
// Mutants tried by hand: ApplyPressure that does not look who waits already; muteFor that
// asks for pressure before it enters; look that forgets whoever it finds, without asking
// whether anybody waits.
func TestPressure_IsWatched(t *testing.T) {
	explore.Portfolio(t, func(p *explore.Program) {
		sys := &System{opts: options{deadlockPeriod: time.Hour}}
		sys.deadlocks.sys = sys
		k := &typeInSystem{typ: new(typeInfo), sys: sys}
		to := cellOfKind(k)
		to.load = backpressure.Overloaded
		to.gate.Shut(&gateMark)
		p.Go(func() {
			c := &Context{self: to}
			c.ApplyPressure()
		})
		for range 2 {
			p.Go(func() {
				c := &Context{self: cellOfKind(k)}
				c.muteFor(to)
			})
		}
		p.Go(func() { sys.deadlocks.look() })
		p.After(func() error {
			if to.flow.Load().deadlock.listed != (len(sys.deadlocks.roots) == 1) || len(sys.deadlocks.roots) != 1 {
				return fmt.Errorf("%d are watched, listed: %v", len(sys.deadlocks.roots), to.flow.Load().deadlock.listed)
			}
			return nil
		})
	})
}

// fullWorld is an actor with a bound of one that mutes.
type fullWorld struct {
	cell
	parked, resumed int
}

func newFull(sys *System) *fullWorld {
	w := new(fullWorld)
	t := &typeInfo{bound: mailBound{limit: 1, overflow: OverflowMute}}
	w.task.InitClass(&(&typeInSystem{typ: t, sys: sys}).Class)
	w.initFlow(t)
	return w
}

// forgive is release without a scheduler.
func forgive(all map[*cell]*fullWorld, list *backpressure.Waiter[waiting]) {
	for list != nil {
		a := list.Who.muted
		list = list.Next()
		if a.blockedOn.Unblock() {
			w := all[a]
			a.load &^= backpressure.Muted
			behind := a.openGate()
			w.resumed++
			forgive(all, behind)
		}
	}
}

// TestBound_FullIsNeverMuted: two actors with a bound that send to each other while both
// are filled up from outside: they never wait for each other.
//
// Mutants tried by hand: park that does not ask whether the queue is full; take that opens
// the gate outside of the lock; put that enters the wait list outside of the lock.
func TestBound_FullIsNeverMuted(t *testing.T) {
	explore.Portfolio(t, func(p *explore.Program) {
		sys := &System{opts: options{deadlockPeriod: time.Hour}}
		a, b := newFull(sys), newFull(sys)
		all := map[*cell]*fullWorld{&a.cell: a, &b.cell: b}
		put := func(to *fullWorld, c *Context) {
			if _, _, err := to.flow.Load().put(&to.cell, c, words().New(msg.Outside)); err != nil && c != nil {
				p.Errorf("not put: %v", err)
			}
		}
		turn := func(me, to *fullWorld) {
			c := &Context{self: &me.cell}
			put(to, c)
			if c.then&mayPark != 0 { // as in park
				me.load |= backpressure.Muted
				if full := me.shutGate(); !full && me.blockedOn.Park() {
					me.parked++
					p.Await(func() bool { return me.resumed == me.parked })
				} else {
					me.load &^= backpressure.Muted
					forgive(all, me.openGate())
				}
			}
		}
		done := 0
		live := func(me, to *fullWorld) {
			turn(me, to)
			for done++; done < 2; p.Spin() { // it is told that there is mail
				_, _, _, list := me.flow.Load().take(&me.cell, 10)
				forgive(all, list)
			}
		}
		p.Go(func() { live(a, b) })
		p.Go(func() { live(b, a) })
		p.Go(func() { put(a, nil); put(b, nil) })
	})
}

// TestSemaphore_EndExplored: two senders wait and one gives up, while the actor ends: nobody
// waits for a place that never comes.
func TestSemaphore_EndExplored(t *testing.T) {
	explore.Portfolio(t, func(p *explore.Program) {
		a := cellOfKind(&typeInSystem{typ: new(typeInfo)})
		l := &a.flowOf().permits
		a.gate.Shut(&gateMark)
		for range 2 {
			p.Go(func() {
				if o := l.acquire(a); o != nil {
					p.Await(func() bool { return len(o.token) > 0 })
					l.wakeNext()
				}
			})
		}
		p.Go(func() {
			if o := l.acquire(a); o != nil {
				l.cancel(o, a)
			}
		})
		p.Go(func() { a.endFlow() })
		p.After(func() error {
			if !l.closed || l.wait.first != nil {
				return fmt.Errorf("closed: %v; somebody in line: %v", l.closed, l.wait.first != nil)
			}
			return nil
		})
	})
}
