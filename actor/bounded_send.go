package actor

// sendBounded delivers a message from the behaviour that runs to an actor with a bound.
func (c *Context) sendBounded(to *body, m *message) {
	r := replier{c: c, sys: c.sys}
	dropped, tell, err := to.flow.Load().put(to, c, m)
	if r.bounce(to, dropped); err != nil {
		if !to.box.closed() || !to.takeLate(r, m) {
			r.deadLetter(to, m, err)
		}
	} else if tell {
		to.callToLook(c)
	}
}

// callToLook makes the actor look into its queue. Should it have ended meanwhile, its end has
// emptied the queue.
func (b *body) callToLook(c *Context) {
	m := newOwn(c, lookID, 0)
	switch b.box.push(m) {
	case pushWoke:
		c.w.Schedule(&b.task)
	case pushClosed:
		c.recycle(m)
	}
}

// deliverBounded delivers a message to an actor with a bound, from the behaviour that runs,
// or from outside if c is nil. If it returns an error the message is still the caller's.
func (b *body) deliverBounded(c *Context, m *message) error {
	if c != nil {
		m.from = c.self.id
		dropped, tell, err := b.flow.Load().put(b, nil, m) // replies mute nobody
		replier{c: c, sys: b.sys()}.bounce(b, dropped)
		if tell {
			b.callToLook(c)
		}
		return err
	}
	b.sys().sched.Point()
	id := m.id // as in body.deliver
	return b.fromOutside(func() (tell bool, dropped *message, err error) {
		dropped, tell, err = b.flow.Load().put(b, nil, m)
		if err == nil {
			b.sys().sim.bookUser(id)
		}
		return tell, dropped, err
	})
}

// putPlaced delivers a message from outside whose sender has a place in the queue.
func (b *body) putPlaced(m *message) error {
	b.sys().sched.Point()
	f := b.flow.Load()
	err := b.fromOutside(func() (tell bool, dropped *message, err error) {
		if b.sys().refusing.Load() {
			return false, nil, ErrSystemStopped
		}
		f.lobby.mu.Lock()
		defer f.lobby.mu.Unlock()
		if f.lobby.closed {
			return false, nil, b.endedBecause()
		}
		b.sys().sim.book(1)
		dropped, tell = f.appendPlaced(m)
		return tell, dropped, nil
	})
	if err != nil {
		f.lobby.giveBack(1, b)
	}
	return err
}

// bounce makes a dead letter of a message that had to make room for another, if there is one.
func (r replier) bounce(b *body, dropped *message) {
	if dropped != nil {
		r.deadLetter(b, dropped, ErrDropped)
	}
}

// fromOutside adds a message to the queue by put, from outside, and tells the actor. What had to
// make room becomes a dead letter. A hold keeps the system from being quiescent in between. If the
// system stops all the same, nobody runs the actor any more: what is there is ours to bury.
func (b *body) fromOutside(put func() (tell bool, dropped *message, err error)) error {
	sys := b.sys()
	if !sys.sched.Hold() {
		return ErrSystemStopped
	}
	tell, dropped, err := put()
	if r := (replier{sys: sys}); sys.sim == nil {
		r.bounce(b, dropped) // no mail any more, and no dead letter yet: nothing else holds the system for it
	} else {
		defer r.bounce(b, dropped) // if an actor of another system has asked, it may take until somebody waits for that
	}
	defer sys.sched.Release()
	if !tell || b.deliver(sent, newOwn(nil, lookID, 0)) != ErrSystemStopped {
		return err
	}
	replier{sys: sys}.deadLetters(b, b.flow.Load().close(), ErrSystemStopped)
	return nil
}

// trySendBounded is TrySend from the behaviour that runs.
func (b *body) trySendBounded(c *Context, m *message) error {
	f := b.flow.Load()
	if !f.lobby.tryEnter(b) {
		return ErrOverloaded
	}
	m.from = c.self.id
	f.lobby.mu.Lock()
	if f.lobby.closed {
		f.lobby.mu.Unlock()
		return b.endedBecause()
	}
	dropped, tell := f.appendPlaced(m)
	f.lobby.mu.Unlock()
	replier{c: c, sys: c.sys}.bounce(b, dropped)
	if tell {
		b.callToLook(c)
	}
	return nil
}
