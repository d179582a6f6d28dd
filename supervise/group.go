package supervise

import "github.com/gallop-go/gallop/actor"

// How children go down with others, and wait for each other.

// sweepFrom takes down k and all behind it. A sweep under way may reach further.
func (s *supervisor) sweepFrom(k *kid) {
	if !s.doomed(k) {
		s.sweep = k
	}
}

// doomed reports whether k is one of the children that go down with others.
func (s *supervisor) doomed(k *kid) bool { return s.sweep != nil && k.no >= s.sweep.no }

// wait puts a child that is down into a state in which it stays for a while. What it is sent waits
// with it, unless a back-off is the reason: its own, or that of one in front of it.
func (s *supervisor) wait(c *actor.Context, k *kid, in State) {
	s.kids.set(k, in)
	switch h := s.kids.held; {
	case k.ref.IsZero():
	case in == BackingOff, h != nil && h.no < k.no:
		actor.Postpone(c, k.ref)
	default:
		actor.Standby(c, k.ref)
	}
}

// holdUp is for a child that begins to back off, or has below it one that does: those that wait
// behind it back off with it, and so do those that wait behind the supervisor.
func (s *supervisor) holdUp(c *actor.Context, k *kid) {
	if s.plan.strategy.groups() {
		for o := k.newer; o != nil; o = o.newer {
			if o.state == Pending && !o.ref.IsZero() {
				actor.Postpone(c, o.ref)
			}
		}
	}
	if !s.told && !s.boss.IsZero() {
		stalled.Send(c, s.boss, actor.Self[supervisor](c).Any())
	}
}

// stalled is for a supervisor below that does not come up because one of its children backs off.
func (s *supervisor) stalled(c *actor.Context, r actor.AnyRef) {
	k := s.kids.byID[r.ID()]
	if k == nil || s.over || k.state != Starting {
		return
	}
	k.stalled = true
	s.kids.hold(k)
	s.holdUp(c, k)
}

// swept takes down the next child that has to go down, and reports whether there was none.
func (s *supervisor) swept(c *actor.Context) bool {
	if s.sweep == nil {
		return true
	}
	for k := s.kids.lowest(s.sweep); k != nil; k = s.kids.lowest(s.sweep) {
		switch k.state {
		case Starting, Running:
			s.takeDown(c, k)
			return false
		case Stopped: // it comes up with the others
			s.kids.set(k, Pending)
		default:
			return false
		}
	}
	s.sweep = nil
	return true
}

// takeDown takes down a child that has to go down with others.
func (s *supervisor) takeDown(c *actor.Context, k *kid) {
	switch stop := k.spec.stop; {
	case k.spec.kind == Temporary:
		s.kids.set(k, Stopping)
		stop.tell(c, k.ref)
		s.limit(c, k)
	case stop.how == howKill:
		s.kids.set(k, Falling)
		k.kill(c)
	default:
		s.kids.set(k, Falling)
		actor.Suspend(c, k.ref)
		s.limit(c, k)
	}
}
