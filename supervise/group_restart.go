package supervise

import (
	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/kernel"
)

// Group restarts: children are suspended together with a failed sibling, and wait for each other
// when they start again.

// groupRestartFrom restarts ch and all younger children. A group restart under way may already
// start at an older child.
func (s *supervisor) groupRestartFrom(ch *child) {
	if !s.inGroup(ch) {
		s.groupRestart = ch
	}
}

// inGroup reports whether ch is part of the group restart under way.
func (s *supervisor) inGroup(ch *child) bool {
	return s.groupRestart != nil && ch.seq >= s.groupRestart.seq
}

// waitIn puts a child that is down into a state in which it waits. Its mail waits with it, and
// requests too, unless a back-off is the reason, its own or that of an older sibling: then requests
// fail at once.
func (s *supervisor) waitIn(c *actor.Context, ch *child, in State) {
	s.children.setState(ch, in)
	switch h := s.children.blocker; {
	case ch.ref.IsZero():
	case in == BackingOff, h != nil && h.seq < ch.seq:
		kernel.AnyRef(ch.ref).Postpone(kernel.TurnOf(c))
	default:
		kernel.AnyRef(ch.ref).PutOnStandby(kernel.TurnOf(c))
	}
}

// blockYounger is called when a child begins a back-off, or its subtree contains a child in
// back-off. The younger siblings that wait for it are treated as in back-off too, and so are
// children that wait for the supervisor.
func (s *supervisor) blockYounger(c *actor.Context, ch *child) {
	if s.spec.strategy.restartsGroup() {
		for o := ch.newer; o != nil; o = o.newer {
			if o.state == Pending && !o.ref.IsZero() {
				kernel.AnyRef(o.ref).Postpone(kernel.TurnOf(c))
			}
		}
	}
	if !s.reportedUp && !s.parent.IsZero() {
		startBlocked.Send(c, s.parent, actor.Self[supervisor](c).Any())
	}
}

// startBlocked handles the message of a child that is a supervisor and does not come up because one
// of its children waits for its back-off.
func (s *supervisor) startBlocked(c *actor.Context, r actor.AnyRef) {
	ch := s.children.byID[r.ID()]
	if ch == nil || s.exiting || ch.state != Starting {
		return
	}
	ch.startBlocked = true
	s.children.noteBlocker(ch)
	s.blockYounger(c, ch)
}

// groupDown suspends the next child of the group restart, youngest first, and reports whether the
// whole group is down.
func (s *supervisor) groupDown(c *actor.Context) bool {
	if s.groupRestart == nil {
		return true
	}
	next := func() *child { return s.children.nextToStop(s.groupRestart) }
	for ch := next(); ch != nil; ch = next() {
		switch ch.state {
		case Starting, Running:
			s.takeDown(c, ch)
			return false
		case Stopped: // it starts again with the group
			s.children.setState(ch, Pending)
		default:
			return false
		}
	}
	s.groupRestart = nil
	return true
}

// takeDown suspends a child of the group restart, or ends it if it cannot be restarted in place.
func (s *supervisor) takeDown(c *actor.Context, ch *child) {
	switch stop := ch.spec.stop; {
	case ch.spec.restart == Temporary:
		s.children.setState(ch, Stopping)
		stop.apply(c, ch.ref)
		s.armDeadline(c, ch)
	case stop.mode == shutdownKill:
		s.children.setState(ch, Suspending)
		ch.kill(c)
	default:
		s.children.setState(ch, Suspending)
		kernel.AnyRef(ch.ref).Suspend(kernel.TurnOf(c))
		s.armDeadline(c, ch)
	}
}
