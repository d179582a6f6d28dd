package actor

import (
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
)

// A behaviour that asks and waits is on the way of three that it may wait for: of itself, of those that are
// muted for it, and of whoever stops its system.

// askerIn returns the actor whose behaviour asks to and waits, or nil if the caller is outside, of sys as well as
// of the system of to. It costs a look at each worker: see sched.Scheduler.Current.
func askerIn(sys *System, to *body) (me *body) {
	other := to.kind().sys
	t := other.sched.Current()
	if t == nil && sys != other {
		t = sys.sched.Current()
	}
	if t == nil {
		return nil
	}
	return bodyOf(t)
}

// keepsFromRunning tells whether to cannot run before the turn of me has ended: it is me, or has the same
// thread. me may be nil.
func (me *body) keepsFromRunning(to *body) bool {
	return me != nil && (me == to || me.kind() == to.kind() && me.typ().pin != nil)
}

// prepareWait comes before me waits for a reply in its turn. It lets those go on that are muted for it, as if it
// had recovered, and mutes nobody else for it: who is to reply may be one of them, or wait for one, or send to it before
// it comes to the request. One that is muted itself, and runs what is urgent, was opened by that, and is to be shut again: see
// hasWaited. me may be nil.
func (me *body) prepareWait() (opened bool) {
	if me == nil {
		return false
	}
	if invariant.On {
		verifyAsker(me)
	}
	switch {
	case me.load&backpressure.Bounded != 0:
	case me.load&backpressure.Overloaded != 0:
		me.setLoad(nil, me.load&^backpressure.Overloaded)
	case me.load&(backpressure.Muted|backpressure.Pressed) == backpressure.Muted && !me.gate.IsOpen(): // while it drains it may be open
		release(replier{sys: me.sys()}, me.openGate())
		return true
	}
	return false
}

// hasWaited comes behind that, also if the wait or what is done with the replies panics: a turn that begins finds the gate as the
// load says. Of whom me waits for is settled by now, as when it parked: see backpressure/README.md.
func (me *body) hasWaited(opened bool) {
	if opened {
		me.shutGate()
	}
}

// systemOver returns what is closed when the system of me stops: what is queued there is answered only when
// the turn of me has ended. Nobody outside is waited for, so for a nil me it is nil.
func (me *body) systemOver() <-chan struct{} {
	if me == nil {
		return nil
	}
	return me.sys().over.done
}
