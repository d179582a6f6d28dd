package actor

import "github.com/gallop-go/gallop/backpressure"

// ApplyPressure says that the actor wants no more messages for now, because of
// something that the runtime does not see, such as a socket that takes no data. Actors
// that send to it are muted until it calls ReleasePressure or ends. It handles its own
// messages as before, and is never muted itself meanwhile. Applying pressure twice is
// the same as once.
//
// Whoever is to bring the news that there is room again must be able to: a message from
// a muted actor never comes. If it comes to that, the actors that wait are let go for
// the mail that they have, for the first time within a tenth of a second; see
// [StallReport]. If the news comes from outside, take a [System.Hold] for as long as
// you wait for it.
func (c *Context) ApplyPressure() {
	mustRun(c, "ApplyPressure")
	a := c.self
	if a.load&backpressure.Pressed != 0 || a.leavesForGood() {
		return
	}
	f := a.flowOf()
	f.applied = max(f.applied+1, 1)
	f.pressed.Store(f.applied)
	a.setLoad(c, a.load|backpressure.Pressed)
	// Either a sender that enters the wait list sees that the actor is pressed or we see that one
	// waits already, because the actor was overloaded before.
	if a.gate.Waited(&gateMark) {
		a.sys().deadlocks.watch(a)
	}
}

// ReleasePressure takes ApplyPressure back: actors that were muted for it go on.
// Without pressure it does nothing.
func (c *Context) ReleasePressure() {
	mustRun(c, "ReleasePressure")
	a := c.self
	if a.load&backpressure.Pressed == 0 {
		return
	}
	a.flow.Load().pressed.Store(0)
	if a.load&backpressure.Muted != 0 { // it runs urgent mail: its gate is to be ajar again
		release(env{c: c, sys: a.sys()}, a.openGate())
	}
	a.setLoad(c, a.load&^backpressure.Pressed)
}

// dropPressure takes back the pressure that an ending life has applied. Owner only.
func (a *cell) dropPressure() {
	if f := a.flow.Load(); f != nil {
		f.pressed.Store(0)
		f.exempted = 0
		a.load &^= backpressure.Spared
	}
}

// exempt keeps an actor from being muted until it has run the mail that it has now: what
// it has taken out of the mailbox, and what it takes out next. The caller owns it.
func (a *cell) exempt() {
	a.flowOf().exempted = 2
	a.load |= backpressure.Spared
}

// endExemption counts that the actor has run all that it had taken out.
func (a *cell) endExemption() {
	f := a.flow.Load()
	if f.exempted--; f.exempted == 0 {
		a.load &^= backpressure.Spared
	}
}

// releaseWaiters lets the actors in a wait list go on for the mail they have, although the receiver
// has not recovered, and returns how many go on. Those that wait for others as well, or have not
// come to wait yet, just owe one less.
func releaseWaiters(e env, list *backpressure.Waiter[waiting]) (n uint64) {
	for list != nil {
		w := list
		list = w.Next()
		a := w.Who.muted
		e.keep(w)
		if a.blockedOn.Forgive() {
			a.exempt()
			release(e, a.unmute(e))
			n++
		}
	}
	return n
}
