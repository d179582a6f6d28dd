package supervise

import (
	"fmt"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// What a supervisor does about a child that is down.

func (s *supervisor) fell(c *actor.Context, f actor.Fallen) {
	k := s.kids.byID[f.ActorID]
	if k == nil || s.over {
		return
	}
	if k.down(c.Now()); f.Final {
		s.kids.dead(k)
	}
	switch k.state {
	case Starting, Running:
		s.judge(c, k, f)
	case Falling:
		if !k.killed {
			k.timer.Cancel(c)
			s.wait(c, k, Pending)
		}
	case Stopping:
		if f.Final {
			s.ended(c, k)
		}
	case Pending, BackingOff, Stopped: // while it waited it was stopped, and will be a new actor; or restarted by others, in vain
		s.wait(c, k, k.state)
	}
	s.step(c)
}

// judge decides what the fall of a child that was up, or was to come up, means.
func (s *supervisor) judge(c *actor.Context, k *kid, f actor.Fallen) {
	// A supervisor counts as starting until its children are up.
	failed, byHand := k.state == Starting && (f.Starting || k.spec.plan != nil), false
	if k.last = f.Reason; failed {
		if s.refused(c, k, f) {
			return
		}
		if r := k.rare; r != nil && len(r.restarts) > 0 {
			byHand = true // RestartChild of one that was up, or backed off
			k.answer(c, s.startError(k, f.Reason))
		}
	}
	switch {
	case f.Decision == actor.DecideEscalate:
		s.giveUp(c, k, true)
	case f.Decision == actor.DecideStop:
		s.reportEnd(c, Ended, k)
		k.halted = true
		s.retire(c, k, f.Final)
	case k.spec.kind.restarts(f.Reason) && s.doomed(k): // it would have had to go anyway
		s.wait(c, k, Pending)
	case k.spec.kind.restarts(f.Reason):
		s.restart(c, k, failed, byHand)
	case failed:
		s.reportFall(c, StartFailed, k, 0)
		s.retire(c, k, f.Final)
	default:
		s.reportEnd(c, Ended, k)
		s.retire(c, k, f.Final)
	}
}

// refused sees to a child that did not come up if that is the end of it, and reports whether it
// is: the child is not needed, or somebody waits for the start and is told.
func (s *supervisor) refused(c *actor.Context, k *kid, f actor.Fallen) bool {
	r := k.rare
	switch {
	case f.Reason == ErrIgnore:
		k.last, k.own().failed = nil, ErrIgnore
	case r != nil && r.asked != nil: // StartChild
		s.reportFall(c, StartFailed, k, 0)
		r.failed = s.startError(k, f.Reason)
		s.kids.table.remove(k)
	case r != nil && r.stopped: // RestartChild
		s.reportFall(c, StartFailed, k, 0)
		r.failed = s.startError(k, f.Reason)
	case s.strict && !k.begun: // StartWait
		s.reportFall(c, StartFailed, k, 0)
		s.over = true
		c.Exit(s.startError(k, f.Reason))
		return true
	default:
		return false
	}
	k.halted = true
	s.retire(c, k, f.Final)
	return true
}

// startError says that a child did not come up, or which of those below it did not.
func (s *supervisor) startError(k *kid, reason error) *StartError {
	if e, ok := reason.(*StartError); ok {
		return e
	}
	return &StartError{s.pathOf(k), reason}
}

// retire ends a child that is down, or has ended, for good.
func (s *supervisor) retire(c *actor.Context, k *kid, final bool) {
	if final {
		s.ended(c, k)
		return
	}
	s.kids.set(k, Stopping)
	actor.Stop(c, k.ref)
}

// restarts reports whether an end is a fall.
func (r Restart) restarts(reason error) bool {
	return r == Permanent || r == Transient && !actor.IsNormal(reason)
}

// restart counts a fall, and gives up or begins to make it good. A start that has failed after a
// RestartChild does not count and concerns no sibling.
func (s *supervisor) restart(c *actor.Context, k *kid, failed, byHand bool) {
	if !byHand {
		if !s.allows(c, k) {
			return
		}
		k.restarts++
		switch s.plan.strategy {
		case OneForAll:
			s.sweep = s.kids.oldest
		case RestForOne:
			s.sweepFrom(k)
		}
	}
	k.inRow++
	k.fallen = true
	d, what := s.delay(c, k), Fell
	if failed {
		what = StartFailed
	}
	s.reportFall(c, what, k, d)
	if d > 0 {
		s.wait(c, k, BackingOff)
		k.timer = actor.After(c, d, due, k)
		s.holdUp(c, k)
	} else if s.plan.strategy.groups() {
		s.wait(c, k, Pending)
	} else {
		s.bringUp(c, k)
	}
}

// allows counts a restart, and reports whether it is within the intensity. If it is not, the child
// or the supervisor gives up.
func (s *supervisor) allows(c *actor.Context, k *kid) bool {
	own := k.spec.intensity
	if own == (Intensity{}) {
		if s.window.add(c.Now(), s.plan.intensity) {
			return true
		}
		s.giveUp(c, k, false)
		return false
	}
	if k.own().window.add(c.Now(), own.orDefault()) {
		return true
	}
	if own.Escalate {
		s.giveUp(c, k, false)
		return false
	}
	s.reportEnd(c, GaveUp, k)
	k.halted = true
	s.retire(c, k, k.ref.IsZero())
	return false
}

// giveUp ends the supervisor over a child.
func (s *supervisor) giveUp(c *actor.Context, k *kid, decided bool) {
	err := &EscalationError{s.plan.name, k.name, k.last, decided}
	s.over = true
	s.reportSelf(c, GaveUp, err)
	c.Exit(err)
}

// delay draws how long a restart is put off. Chance is used only where it is asked for.
func (s *supervisor) delay(c *actor.Context, k *kid) time.Duration {
	chance := 0.0
	if b := k.spec.backoff; k.inRow > b.Immediate && b.Jitter > 0 {
		chance = c.Rand().Float64()
	}
	return k.spec.backoff.Delay(k.inRow, chance)
}

// ended is for a child that has ended for good.
func (s *supervisor) ended(c *actor.Context, k *kid) {
	k.timer.Cancel(c)
	s.kids.set(k, Stopped)
	if k.awaited {
		actor.UnstashAll(c) // who waits for another's name too, and does so again
	}
	if k.removed || k.spec.kind == Temporary || s.plan.strategy == SimpleOneForOne {
		s.forget(k)
	}
	var err error = fmt.Errorf("%w: %q was stopped", ErrNoChild, k.name)
	if r := k.rare; r != nil && r.failed != nil {
		if err = r.failed; err == ErrIgnore {
			err = nil
		}
	}
	k.answer(c, err)
	k.answerStops(c)
}

func (s *supervisor) forget(k *kid) {
	if s.sweep == k {
		s.sweep = k.newer
	}
	s.kids.remove(k)
}
