package actor

import ()

// sendBounded delivers a message from the behaviour that runs to an actor with a bound.
func (c *Context) sendBounded(to *cell, m *message) {
	dropped, tell, err := to.flow.Load().put(to, c, m)
	if bounce(c, to, dropped); err != nil {
		if !to.box.Closed() || !takeLate(c, to, m) {
			deadLetter(c, to, m, err)
		}
	} else if tell {
		to.callToLook(c)
	}
}

// callToLook makes the actor look into its queue. Should it have ended meanwhile, its end has
// emptied the queue.
func (a *cell) callToLook(c *Context) {
	m := newOwn(c, lookID, 0)
	if !c.pushMail(a, m) {
		c.recycle(m)
	}
}

// pushBounded is push for an actor with a bound. Replies mute no sender.
func (c *Context) pushBounded(to *cell, m *message) error {
	dropped, tell, err := to.flow.Load().put(to, nil, m)
	bounce(c, to, dropped)
	if tell {
		to.callToLook(c)
	}
	return err
}

// pushBounded is push for an actor with a bound.
func (s *System) pushBounded(to *cell, m *message) error {
	s.sched.Point()
	id := m.ID // as in push
	return to.fromOutside(func() (tell bool, dropped *message, err error) {
		dropped, tell, err = to.flow.Load().put(to, nil, m)
		if err == nil {
			s.sim.countUser(id)
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
func bounce(e env, a *cell, dropped *message) {
	if dropped != nil {
		deadLetter(e, a, dropped, ErrDropped)
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
	if e := (sys); sys.sim == nil {
		// No mail any more, and no dead letter yet: nothing else holds the system for it.
		bounce(e, a, dropped)
	} else {
		// If an actor of another system has asked, it may take until somebody waits for that.
		defer bounce(e, a, dropped)
	}
	defer sys.sched.Release()
	if !tell || sys.push(a, newOwn(sys, lookID, 0), asSignal) != ErrSystemStopped {
		return err
	}
	deadLetters(sys, a, a.flow.Load().close(), ErrSystemStopped)
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
	bounce(c, a, dropped)
	if tell {
		a.callToLook(c)
	}
	return nil
}
