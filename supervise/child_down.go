package supervise

import (
	"fmt"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/members"
)

// A supervisor's decision when a child is down: restart it, leave it ended, or give up.

func (s *supervisor) childDown(c *actor.Context, f kernel.ChildDown) {
	ch := s.children.byID[f.ActorID]
	if ch == nil || s.exiting {
		return
	}
	if ch.markDown(c.Now()); f.Final {
		s.children.clearActor(ch)
		if s.memberEnded(c, ch) {
			s.advance(c)
			return
		}
	}
	switch ch.state {
	case Starting, Running:
		s.handleDown(c, ch, f)
	case Suspending:
		if !ch.killed {
			ch.timer.Cancel(c)
			s.waitIn(c, ch, Pending)
		}
	case Stopping:
		if f.Final {
			s.childEnded(c, ch)
		}
	// It was stopped by order while it waited, and will be a new actor; or it was restarted from
	// elsewhere, and has failed again.
	case Pending, BackingOff, Stopped:
		s.waitIn(c, ch, ch.state)
	}
	s.advance(c)
}

// handleDown decides the consequences when a child that was up or starting has ended.
func (s *supervisor) handleDown(c *actor.Context, ch *child, f kernel.ChildDown) {
	// A supervisor counts as Starting until its children are up.
	failed, byHand := ch.state == Starting && (f.Starting || ch.spec.supervisor != nil), false
	if ch.lastReason = f.Reason; failed {
		if s.finishFailedStart(c, ch, f) {
			return
		}
		if cold := ch.cold; cold != nil && len(cold.restartReplies) > 0 {
			byHand = true // RestartChild of a child that had not stopped
			ch.answerStart(c, s.startError(ch, f.Reason))
		}
	}
	switch {
	case f.Decision == kernel.Escalate:
		s.giveUp(c, ch, true)
	case f.Decision == kernel.Stop:
		s.reportEnd(c, ChildEnded, ch)
		ch.excluded = true
		s.retire(c, ch, f.Final)
	case ch.spec.restart.restarts(f.Reason) && s.inGroup(ch): // the group restart covers it
		s.waitIn(c, ch, Pending)
	case ch.spec.restart.restarts(f.Reason):
		s.restart(c, ch, failed, byHand)
	case failed:
		s.reportFailure(c, StartFailed, ch, 0)
		s.retire(c, ch, f.Final)
	default:
		s.reportEnd(c, ChildEnded, ch)
		s.retire(c, ch, f.Final)
	}
}

// finishFailedStart handles a failed start that is not retried, and reports whether it was one: the
// child returned ErrIgnore, or a caller waits for the start and gets the error.
func (s *supervisor) finishFailedStart(c *actor.Context, ch *child, f kernel.ChildDown) bool {
	cold := ch.cold
	switch {
	case f.Reason == ErrIgnore && s.members == nil:
		ch.lastReason, ch.makeCold().startErr = nil, ErrIgnore
	case cold != nil && cold.request != nil: // StartChild
		s.reportFailure(c, StartFailed, ch, 0)
		cold.startErr = s.startError(ch, f.Reason)
		s.children.names.markRemoved(ch)
	case cold != nil && cold.wasStopped: // RestartChild
		s.reportFailure(c, StartFailed, ch, 0)
		cold.startErr = s.startError(ch, f.Reason)
	case s.failFast && !ch.wasUp: // StartWait
		s.reportFailure(c, StartFailed, ch, 0)
		s.exiting = true
		c.Exit(s.startError(ch, f.Reason))
		return true
	default:
		return false
	}
	ch.excluded = true
	s.retire(c, ch, f.Final)
	return true
}

// startError returns the error for a child that did not come up; if a child below it is the cause,
// with the path of that one.
func (s *supervisor) startError(ch *child, reason error) *StartError {
	if e, ok := reason.(*StartError); ok {
		return e
	}
	return &StartError{s.pathOf(ch), reason}
}

// retire ends a child that is not restarted any more. final says that its actor has ended already.
func (s *supervisor) retire(c *actor.Context, ch *child, final bool) {
	if final {
		s.childEnded(c, ch)
		return
	}
	s.children.setState(ch, Stopping)
	actor.Stop(c, ch.ref)
}

// restarts reports whether an end for that reason counts as a failure, so that the child is
// restarted.
func (r Restart) restarts(reason error) bool {
	return r == Permanent || r == Transient && !actor.IsNormal(reason)
}

// afterFall returns kernel.ChildOptions.Restarts: nil if a child comes up again after every fall.
func (r Restart) afterFall() func(reason error) bool {
	switch r {
	case Transient:
		return Transient.restarts
	case Temporary:
		return Temporary.restarts
	}
	return nil
}

// restart counts a failure, and gives up or restarts the child and its group. With byHand, a start
// that failed after RestartChild, the failure does not count and no sibling is restarted.
func (s *supervisor) restart(c *actor.Context, ch *child, failed, byHand bool) {
	if !byHand {
		if !s.withinIntensity(c, ch, failed) {
			return
		}
		ch.restarts++
		switch s.spec.strategy {
		case OneForAll:
			s.groupRestart = s.children.oldest
		case RestForOne:
			s.groupRestartFrom(ch)
		}
	}
	ch.consecutive++
	ch.failed = true
	d, what := s.restartDelay(c, ch), ChildFailed
	if failed {
		what = StartFailed
	}
	s.reportFailure(c, what, ch, d)
	if d > 0 {
		s.waitIn(c, ch, BackingOff)
		s.tellMember(c, ch, true)
		ch.timer = actor.After(c, d, restartDue, ch)
		s.blockYounger(c, ch)
	} else if s.spec.strategy.restartsGroup() {
		s.waitIn(c, ch, Pending)
	} else {
		s.launch(c, ch)
	}
}

// withinIntensity counts a restart, and reports whether it is within the intensity. If it is not,
// the child ends for good or the supervisor gives up. failed says that the child did not come up.
func (s *supervisor) withinIntensity(c *actor.Context, ch *child, failed bool) bool {
	own := ch.spec.intensity
	switch {
	case ch.leaving && !failed: // it has lost a message, and comes to its end
		return true
	case ch.leaving:
		own = Intensity{Restarts: s.spec.intensity.Restarts, Within: s.spec.intensity.Within}
	}
	if own == (Intensity{}) {
		if s.window.add(c.Now(), s.spec.intensity) {
			return true
		}
		s.giveUp(c, ch, false)
		return false
	}
	if ch.makeCold().window.add(c.Now(), own.orDefault()) {
		return true
	}
	if own.Escalate {
		s.giveUp(c, ch, false)
		return false
	}
	s.reportEnd(c, GivenUp, ch)
	ch.excluded = true
	s.retire(c, ch, ch.ref.IsZero())
	return false
}

// giveUp ends the supervisor because of a child.
func (s *supervisor) giveUp(c *actor.Context, ch *child, decided bool) {
	err := &EscalationError{s.spec.name, ch.name, ch.lastReason, decided}
	s.exiting = true
	s.reportSelf(c, GivenUp, err)
	if s.members != nil {
		s.members.pool.Tell(c, members.News{Err: err})
	}
	c.Exit(err)
}

// restartDelay draws the delay of a restart. It draws a random number only if there is Jitter, so
// that other trees do not depend on the seed.
func (s *supervisor) restartDelay(c *actor.Context, ch *child) time.Duration {
	chance := 0.0
	if b := ch.spec.backoff; ch.consecutive > b.Immediate && b.Jitter > 0 {
		chance = c.Rand().Float64()
	}
	return ch.spec.backoff.Delay(ch.consecutive, chance)
}

// childEnded records that a child has ended and is not restarted.
func (s *supervisor) childEnded(c *actor.Context, ch *child) {
	ch.timer.Cancel(c)
	s.children.setState(ch, Stopped)
	if ch.nameAwaited {
		actor.UnstashAll(c) // requests for other names are stashed again
	}
	if ch.removed || ch.spec.restart == Temporary || s.spec.strategy == SimpleOneForOne {
		s.forget(ch)
	}
	var err error = fmt.Errorf("%w: %q was stopped", ErrNoChild, ch.name)
	if cold := ch.cold; cold != nil && cold.startErr != nil {
		if err = cold.startErr; err == ErrIgnore {
			err = nil
		}
	}
	ch.answerStart(c, err)
	ch.answerStops(c)
}

func (s *supervisor) forget(ch *child) {
	if s.groupRestart == ch {
		s.groupRestart = ch.newer
	}
	s.children.remove(ch)
}
