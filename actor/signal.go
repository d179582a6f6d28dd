package actor

// signal is what the runtime itself tells an actor. It travels in a message of its
// own, through the lane if it is to overtake, else through the mailbox.
type signal interface {
	// serve acts on b, whose turn runs, between two messages.
	serve(b *body, c *Context)
	// refused is called instead if b has ended: r answers for it if need be.
	refused(b *body, r replier)
}

// unanswered is for signals that the dead need not answer.
type unanswered struct{}

func (unanswered) refused(*body, replier) {}

// signalPool has the nodes of signals.
var signalPool, _ = poolOf[signal]()

// systemDecl is the runtime's own row of every table: in the mailbox it wakes an actor
// for its lane, starts it, and marks the end of a drain.
var systemDecl = &declaration{
	pool:  signalPool,
	clear: func(m *message) { takeSignal(m) },
	run: func(c *Context, b *body, m *message) {
		c.count.messages-- // it is none of the user's
		if s := takeSignal(m); s != nil {
			s.serve(b, c)
		}
	},
}

// newSignal puts s into a message. A nil one only wakes.
func newSignal(c *Context, s signal) *message {
	m := newMessage(c, signalPool)
	m.id, m.from, m.next = systemID, 0, nil
	*payloadOf[signal](m) = s
	return m
}

// takeSignal empties a message of the runtime's.
func takeSignal(m *message) signal {
	p := payloadOf[signal](m)
	s := *p
	*p = nil
	return s
}

// in returns r for acting on b: a worker's context is of use in its own system only.
func (r replier) in(b *body) replier {
	if r.c != nil && r.c.sys != b.sys() {
		return replier{sys: b.sys()}
	}
	return replier{c: r.c, sys: b.sys()}
}

// tell brings s to b, ahead of its mail. If b has ended, s is refused.
func (b *body) tell(r replier, s signal) {
	r = r.in(b)
	m, before := newSignal(r.c, s), b.contextOfLife()
	if b.pushLane(r, m) != nil {
		takeSignal(m)
		r.recycle(m)
		s.refused(b, r)
	} else if ordersEnd(s) {
		b.cutContext(s, before)
	}
}

// pushLane brings m to b ahead of its mail. If it returns an error, m is still the
// caller's.
func (b *body) pushLane(r replier, m *message) error {
	if r.c == nil {
		return b.pushLaneFromOutside(m)
	}
	if b.endedPlainly() || !b.lane.push(m) { // S1
		return b.endedBecause()
	}
	if b.recall(r.c) { // S2
		r.c.w.Schedule(&b.task)
		return nil
	}
	wake := newSignal(r.c, nil)
	switch b.box.push(wake) { // S3
	case pushWoke:
		r.c.w.Schedule(&b.task)
	case pushClosed:
		r.recycle(wake)
		b.closeLane(r)
	}
	return nil
}

// pushLaneFromOutside is pushLane where no worker keeps the system from being quiescent.
func (b *body) pushLaneFromOutside(m *message) error {
	sys, id := b.sys(), m.id // as in deliver
	sys.sched.Point()
	a, ok := sys.sched.Admit()
	if !ok {
		return ErrSystemStopped
	}
	if b.endedPlainly() || !b.lane.push(m) {
		a.Leave()
		return b.endedBecause()
	}
	sys.sim.bookUser(id)
	pushed := pushWoke
	if !b.recall(nil) {
		pushed = b.box.push(newSignal(nil, nil))
	}
	if pushed == pushWoke {
		a.Inject(&b.task)
		return nil
	}
	if pushed == pushClosed {
		b.closeLane(replier{sys: b.sys()})
	}
	a.Leave()
	return nil
}

// closeLane is for a sender that finds the box closed behind its signal. An actor that ended
// plainly has not looked at its lane: the first sender to come closes the lane, and answers for the
// dead. Any other actor closes its lane itself, later. Any goroutine.
func (b *body) closeLane(r replier) {
	if b.endedPlainly() {
		b.refuseAll(r, b.lane.close())
	}
}

// recheckLane is A2: an actor that has just parked looks whether a signal came before anybody could
// see it parked. The one that recalls it schedules it.
func (b *body) recheckLane(c *Context) {
	if !b.lane.quiet() && b.recall(c) {
		c.w.Schedule(&b.task)
	}
}

// recall takes a parked actor out, and reports whether it did: if so, the caller owns it and
// schedules it. An earlier turn may have served what was brought, and parked the actor again, so
// its lane may be empty. Then recall puts something there: a turn that finds nothing would run mail
// that has to wait, and rest where it should park.
func (b *body) recall(c *Context) bool {
	if !b.debt.Recall() {
		return false
	}
	if b.lane.quiet() {
		b.lane.push(newSignal(c, nil))
	}
	return true
}
