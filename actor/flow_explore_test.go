//go:build gallop_explore

package actor

import (
	"fmt"
	"testing"
	"time"

	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/explore"
)

// lobbyWorld is a lobby with one place under exploration: senders that wait and give
// up, and a receiver that runs messages and whose gate shuts and opens.
type lobbyWorld struct {
	p       *explore.Program
	b       *body
	pending int // messages pushed and not yet run
	left    int // senders that are not through
}

func newLobbyWorld(p *explore.Program, room int) *lobbyWorld {
	w := &lobbyWorld{p: p, b: &body{typ: new(typeInfo)}}
	w.b.flowOf().lobby.room = room
	return w
}

// send is SendWait; patient or not.
func (w *lobbyWorld) send(patient bool) {
	l := &w.b.flow.Load().lobby
	o := l.enter(w.b)
	if o == nil && !w.b.gate.IsOpen() { // it opens once, and stays so
		w.p.Errorf("a place at a gate that is shut")
	}
	if o != nil && patient {
		w.p.Await(func() bool { return len(o.token) > 0 })
	} else if o != nil {
		w.b.forgo(o)
		w.left--
		return
	}
	if w.pending++; w.pending > 1 {
		w.p.Errorf("%d messages wait, and there is one place", w.pending)
	}
	w.left--
}

// run is the receiver: it opens its gate, and runs messages until all is done.
func (w *lobbyWorld) run() {
	w.b.openGate()
	for w.left > 0 || w.pending > 0 {
		if w.pending > 0 {
			w.pending--
			w.b.flow.Load().lobby.giveBack(1, w.b)
		}
		w.p.Spin()
	}
}

// check: nothing is left behind in the books.
func (w *lobbyWorld) check(room int) error {
	if l := &w.b.flow.Load().lobby; l.room != room || l.first != nil || l.last != nil {
		return fmt.Errorf("%d places, want %d; somebody in line: %v", l.room, room, l.first != nil)
	}
	return nil
}

// TestLobby_Explored: two senders wait and one gives up, while the gate opens and places
// come back: never more messages than places, nobody is forgotten, no place is lost.
//
// Mutants tried by hand: forgo that does not give back the place that has come;
// openGate that does not look at the line; enter that asks whether the gate is open
// before it takes the lock.
func TestLobby_Explored(t *testing.T) {
	explore.Portfolio(t, func(p *explore.Program) {
		w := newLobbyWorld(p, 1)
		w.left = 3
		w.b.gate.Shut(&gateMark)
		p.Go(func() { w.send(true) })
		p.Go(func() { w.send(true) })
		p.Go(func() { w.send(false) })
		p.Go(w.run)
		p.After(func() error { return w.check(1) })
	})
}

// TestPressure_IsWatched: whoever enters the ledger of an actor under pressure is seen by
// the watch, whether it enters before or after, and whatever the watch forgets meanwhile.
//
// Mutants tried by hand: ApplyPressure that does not look who waits already; muteFor that
// asks for pressure before it enters; look that forgets whoever it finds, without asking
// whether anybody waits.
func TestPressure_IsWatched(t *testing.T) {
	explore.Portfolio(t, func(p *explore.Program) {
		sys := &System{opts: options{stallPeriod: time.Hour}}
		sys.stalls.sys = sys
		to := &body{typ: new(typeInfo), sys: sys, load: backpressure.Overloaded}
		to.gate.Shut(&gateMark)
		p.Go(func() {
			c := &Context{self: to}
			c.ApplyPressure()
		})
		for range 2 {
			p.Go(func() {
				c := &Context{self: &body{typ: new(typeInfo), sys: sys}}
				c.muteFor(to)
			})
		}
		p.Go(func() { sys.stalls.look() })
		p.After(func() error {
			if to.flow.Load().stall.listed != (len(sys.stalls.roots) == 1) || len(sys.stalls.roots) != 1 {
				return fmt.Errorf("%d are watched, listed: %v", len(sys.stalls.roots), to.flow.Load().stall.listed)
			}
			return nil
		})
	})
}

// fullWorld is an actor with a bound of one that mutes.
type fullWorld struct {
	body
	parked, resumed int
}

func newFull(sys *System) *fullWorld {
	w := new(fullWorld)
	w.typ, w.sys = &typeInfo{bound: mailBound{1, OverflowMute, boundKeeper{}}}, sys
	w.initFlow()
	return w
}

// forgive is release without a scheduler.
func forgive(all map[*body]*fullWorld, list *backpressure.Waiter[waiting]) {
	for list != nil {
		b := list.Who.muted
		list = list.Next()
		if b.debt.Forgive() {
			w := all[b]
			b.load &^= backpressure.Muted
			behind := b.openGate()
			w.resumed++
			forgive(all, behind)
		}
	}
}

// TestBound_FullIsNeverMuted: two actors with a bound that send to each other while both
// are filled up from outside: they never wait for each other.
//
// Mutants tried by hand: park that does not ask whether the queue is full; take that opens
// the gate outside of the lock; put that enters the ledger outside of the lock.
func TestBound_FullIsNeverMuted(t *testing.T) {
	explore.Portfolio(t, func(p *explore.Program) {
		sys := &System{opts: options{stallPeriod: time.Hour}}
		a, b := newFull(sys), newFull(sys)
		all := map[*body]*fullWorld{&a.body: a, &b.body: b}
		put := func(to *fullWorld, c *Context) {
			if _, _, err := to.flow.Load().put(&to.body, c, numbered(1)); err != nil && c != nil {
				p.Errorf("not put: %v", err)
			}
		}
		turn := func(me, to *fullWorld) {
			c := &Context{self: &me.body}
			put(to, c)
			if c.then&mayPark != 0 { // as in park
				me.load |= backpressure.Muted
				if full := me.shutGate(); !full && me.debt.Park() {
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
				_, _, _, list := me.flow.Load().take(&me.body, 10)
				forgive(all, list)
			}
		}
		p.Go(func() { live(a, b) })
		p.Go(func() { live(b, a) })
		p.Go(func() { put(a, nil); put(b, nil) })
	})
}

// TestLobby_EndExplored: two senders wait and one gives up, while the actor ends: nobody
// waits for a place that never comes.
func TestLobby_EndExplored(t *testing.T) {
	explore.Portfolio(t, func(p *explore.Program) {
		b := &body{typ: new(typeInfo)}
		l := &b.flowOf().lobby
		b.gate.Shut(&gateMark)
		for range 2 {
			p.Go(func() {
				if o := l.enter(b); o != nil {
					p.Await(func() bool { return len(o.token) > 0 })
				}
			})
		}
		p.Go(func() {
			if o := l.enter(b); o != nil {
				b.forgo(o)
			}
		})
		p.Go(func() { b.endFlow() })
		p.After(func() error {
			if !l.closed || l.first != nil {
				return fmt.Errorf("closed: %v; somebody in line: %v", l.closed, l.first != nil)
			}
			return nil
		})
	})
}
