package actor

// Drain ends an actor that is idle. One that waits for replies is idle too. TypeFinishAsks makes
// the actor wait for them: behind its last mail it parks, as an actor does that waits for its
// children, until nothing is under way.
//
// Its mailbox is closed by then, and nobody else may send to it. So outcomes come through the
// system queue. They must not overtake the mail that is left, so until that has run they wait in
// held.

// TypeFinishAsks makes [Drain] wait, after the mail of an actor of this type, until
//
//   - the replies are given that the actor has put off ([Defer]);
//   - the outcomes of its own [AskTo] and [Pipe] have come, and have run.
//
// Until then the outcomes run as usual, may ask for more, and hold the system; all else
// that is sent to the actor becomes a dead letter, also what it sends to itself; use
// [Yield] to go on. Time-outs of requests end, with the other timers, when the drain
// begins. A reply that never comes keeps the actor from its end, so give [DrainWait] a
// deadline: [Stop] and [Kill] end the actor as always.
//
// Each AskTo and Pipe of such an actor costs two locked instructions more.
func TypeFinishAsks() TypeOption { return func(t *typeInfo) { t.finishes = true } }

// hasUnderWay reports whether the actor has asked for something that has not come, or has to give a
// reply. Owner only.
func (a *cell) hasUnderWay() bool {
	if f := a.flow.Load(); f != nil && f.asks.Load() > 0 {
		return true
	}
	x := a.cold
	return x.deferred != nil && len(x.deferred.all.entries) > 0
}

// takeLate brings an outcome to an actor whose mailbox is closed because it drains. It reports
// false if that is not so; then m is still the caller's.
func (a *cell) takeLate(e env, m *message) bool {
	if !a.shared().typ.finishes || !a.isOutcome(m) {
		return false
	}
	return a.pushSystem(e, m) == nil
}

// isOutcome reports whether a message is an outcome that the actor has asked for. The caller owns
// m.
func (a *cell) isOutcome(m *message) bool {
	if m.id == systemID {
		_, is := (*payloadOf[signal](m)).(mail)
		return is
	}
	in := contents(m)
	return !isOwn(in.id) && a.typ().decls[in.id].outcome && in.life != 0
}

// serveMail runs a message of the system queue that is for an ordinary behaviour: an outcome for an
// actor that drains. It waits while there is mail before it. Owner only.
func (a *cell) serveMail(c *Context, x *coldState, m *message, d *descriptor) {
	if d.urgent == nil && x.drained && !x.gone && x.state == alive {
		x.held.add(m)
		return
	}
	a.runUrgent(c, x, m)
}

// endDrainTurn decides, at the end of a turn beside the mail, how an actor goes on whose drain has
// come to its end: with what is there by now, with its end, or by waiting. Owner only.
func (a *cell) endDrainTurn(c *Context, x *coldState) {
	if c.then&lookAgain != 0 {
		c.then &^= lookAgain
		a.requeueUnstashed(x)
	}
	left := concat(a.in.pending, x.held.all())
	switch {
	case left != nil:
		a.in.pending = concat(left, newSignal(c, drainEnd{}))
		x.gone = false
		a.waited()
	case a.hasUnderWay():
		a.wait()
	default:
		a.waited()
		a.leave(c, nextEnded, modeDrain, ErrShutdown)
	}
}
