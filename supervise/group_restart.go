package supervise

import "github.com/gallop-go/gallop/actor"

// How children go down with others, and wait for each other.

// sweepFrom takes down k and all behind it. A sweep under way may reach further.
func (s *supervisor) groupRestartFrom(ch *child) {
	if !s.inGroup(ch) {
		s.groupRestart = ch
	}
}

// doomed reports whether k is one of the children that go down with others.
func (s *supervisor) inGroup(ch *child) bool {
	return s.groupRestart != nil && ch.seq >= s.groupRestart.seq
}

// wait puts a child that is down into a state in which it stays for a while. What it is sent waits
// with it, unless a back-off is the reason: its own, or that of one in front of it.
func (s *supervisor) waitIn(c *actor.Context, ch *child, in State) {
	s.children.setState(ch, in)
	switch h := s.children.blocker; {
	case ch.ref.IsZero():
	case in == BackingOff, h != nil && h.seq < ch.seq:
		actor.Postpone(c, ch.ref)
	default:
		actor.Standby(c, ch.ref)
	}
}

// holdUp is for a child that begins to back off, or has below it one that does: those that wait
// behind it back off with it, and so do those that wait behind the supervisor.
func (s *supervisor) blockYounger(c *actor.Context, ch *child) {
	if s.spec.strategy.restartsGroup() {
		for o := ch.newer; o != nil; o = o.newer {
			if o.state == Pending && !o.ref.IsZero() {
				actor.Postpone(c, o.ref)
			}
		}
	}
	if !s.reportedUp && !s.parent.IsZero() {
		startBlocked.Send(c, s.parent, actor.Self[supervisor](c).Any())
	}
}

// stalled is for a supervisor below that does not come up because one of its children backs off.
func (s *supervisor) startBlocked(c *actor.Context, r actor.AnyRef) {
	ch := s.children.byID[r.ID()]
	if ch == nil || s.exiting || ch.state != Starting {
		return
	}
	ch.startBlocked = true
	s.children.noteBlocker(ch)
	s.blockYounger(c, ch)
}

// swept takes down the next child that has to go down, and reports whether there was none.
func (s *supervisor) groupDown(c *actor.Context) bool {
	if s.groupRestart == nil {
		return true
	}
	for ch := s.children.nextToStop(s.groupRestart); ch != nil; ch = s.children.nextToStop(s.groupRestart) {
		switch ch.state {
		case Starting, Running:
			s.takeDown(c, ch)
			return false
		case Stopped: // it comes up with the others
			s.children.setState(ch, Pending)
		default:
			return false
		}
	}
	s.groupRestart = nil
	return true
}

// takeDown takes down a child that has to go down with others.
func (s *supervisor) takeDown(c *actor.Context, ch *child) {
	switch stop := ch.spec.stop; {
	case ch.spec.restart == Temporary:
		s.children.setState(ch, Stopping)
		stop.apply(c, ch.ref)
		s.armDeadline(c, ch)
	case stop.mode == shutdownKill:
		s.children.setState(ch, Falling)
		ch.kill(c)
	default:
		s.children.setState(ch, Falling)
		actor.Suspend(c, ch.ref)
		s.armDeadline(c, ch)
	}
}
