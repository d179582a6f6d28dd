package actor

import (
	"github.com/gallop-go/gallop/actor/internal/mpsc"
)

// sendBounded delivers a message from the behaviour that runs to an actor with a bound.
func (c *Context) sendBounded(to *cell, m *message) {
	e := env{c: c, sys: c.sys}
	dropped, tell, err := to.flow.Load().put(to, c, m)
	if e.bounce(to, dropped); err != nil {
		if !to.box.Closed() || !to.takeLate(e, m) {
			e.deadLetter(to, m, err)
		}
	} else if tell {
		to.callToLook(c)
	}
}

// callToLook makes the actor look into its queue. Should it have ended meanwhile, its end has
// emptied the queue.
func (a *cell) callToLook(c *Context) {
	m := newOwn(c, lookID, 0)
	switch a.box.Push(m) {
	case mpsc.PushWoke:
		c.w.Schedule(&a.task)
	case mpsc.PushClosed:
		c.recycle(m)
	}
}

// deliverBounded delivers a message to an actor with a bound, from the behaviour that runs,
// or from outside if c is nil. If it returns an error the message is still the caller's.
func (a *cell) deliverBounded(c *Context, m *message) error {
	if c != nil {
		m.From = c.self.id
		dropped, tell, err := a.flow.Load().put(a, nil, m) // replies mute nobody
		env{c: c, sys: a.sys()}.bounce(a, dropped)
		if tell {
			a.callToLook(c)
		}
		return err
	}
	a.sys().sched.Point()
	id := m.ID // as in body.deliver
	return a.fromOutside(func() (tell bool, dropped *message, err error) {
		dropped, tell, err = a.flow.Load().put(a, nil, m)
		if err == nil {
			a.sys().sim.countUser(id)
		}
		return tell, dropped, err
	})
}

// putPermitted delivers a message from outside whose sender has a place in the queue.
func (a *cell) putPermitted(m *message) error {
	a.sys().sched.Point()
	f := a.flow.Load()
	err := a.fromOutside(func() (tell bool, dropped *message, err error) {
		if a.sys().refusing.Load() {
			return false, nil, ErrSystemStopped
		}
		f.permits.Lock()
		defer f.permits.Unlock()
		if f.permits.Closed() {
			return false, nil, a.endedBecause()
		}
		a.sys().sim.count(1)
		dropped, tell = f.appendPermitted(m)
		return tell, dropped, nil
	})
	if err != nil {
		f.permits.Release(1, a)
	}
	return err
}

// bounce makes a dead letter of a message that had to make room for another, if there is one.
func (e env) bounce(a *cell, dropped *message) {
	if dropped != nil {
		e.deadLetter(a, dropped, ErrDropped)
	}
}

// fromOutside adds a message to the queue by put, from outside, and tells the actor. What had to
// make room becomes a dead letter. A hold keeps the system from being quiescent in between. If the
// system stops all the same, nobody runs the actor any more: what is there is ours to terminate.
func (a *cell) fromOutside(put func() (tell bool, dropped *message, err error)) error {
	sys := a.sys()
	if !sys.sched.Hold() {
		return ErrSystemStopped
	}
	tell, dropped, err := put()
	if e := (env{sys: sys}); sys.sim == nil {
		// No mail any more, and no dead letter yet: nothing else holds the system for it.
		e.bounce(a, dropped)
	} else {
		// If an actor of another system has asked, it may take until somebody waits for that.
		defer e.bounce(a, dropped)
	}
	defer sys.sched.Release()
	if !tell || a.deliver(sent, newOwn(nil, lookID, 0)) != ErrSystemStopped {
		return err
	}
	env{sys: sys}.deadLetters(a, a.flow.Load().close(), ErrSystemStopped)
	return nil
}

// trySendBounded is TrySend from the behaviour that runs.
func (a *cell) trySendBounded(c *Context, m *message) error {
	f := a.flow.Load()
	if s := f.suspended.Load(); s != nil && s.refuses || !f.permits.TryAcquire(a) {
		return a.tooMuch()
	}
	m.From = c.self.id
	f.permits.Lock()
	if f.permits.Closed() {
		f.permits.Unlock()
		return a.endedBecause()
	}
	dropped, tell := f.appendPermitted(m)
	f.permits.Unlock()
	env{c: c, sys: c.sys}.bounce(a, dropped)
	if tell {
		a.callToLook(c)
	}
	return nil
}
