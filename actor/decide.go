package actor

// Decision is what becomes of a supervised actor that is about to fall: see [Care].
type Decision uint8

const (
	// DecideRestart suspends the actor. Its supervisor is told, and decides on [Restart]
	// or [Stop].
	DecideRestart Decision = iota
	// DecideResume lets the actor go on with its state as it is, and its mail, timers,
	// children, stash, and replies that were put off. The message over which it panicked is gone,
	// and its caller hears ErrPanicked. The panic is reported as usual. The supervisor is not told.
	// An actor that was not up, that has lost its arena to the panic of a collection, or that
	// leaves already has no state to go on with: for it this is DecideRestart.
	DecideResume
	// DecideStop ends the actor for good, with the reason of the fall, as StopWith would. Its
	// supervisor is told by a [Fallen] that is Final.
	DecideStop
	// DecideEscalate suspends the actor and asks its supervisor to fail for the same reason:
	// see [Fallen].
	DecideEscalate
)

// decide asks what becomes of a supervised actor that is about to fall for a reason. sound says
// that it could go on with its state. Owner only, between two messages.
func (a *cell) decide(c *Context, x *coldState, why error, sound bool) Decision {
	x.decision = DecideRestart
	if x.sup.decides == nil || IsNormal(why) {
		return DecideRestart
	}
	c.msg, x.where, x.exitWhy = &noMessage, inDecide, why // for the report, and for failed
	a.sys().sim.callback(c, a, x.where.name())
	d := x.sup.decides(why)
	if d > DecideEscalate {
		panic("gallop: Care.Decide of " + a.String() + " has returned none of the decisions")
	}
	x.where, x.exitWhy = inNone, nil
	if d == DecideResume && sound && !x.down {
		return d
	}
	if d != DecideResume {
		x.decision = d
	}
	return x.decision
}
