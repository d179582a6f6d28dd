package supervise

import (
	"context"
	"errors"
	"fmt"

	"github.com/gallop-go/gallop/actor"
)

// How a supervisor starts, stops, restarts and finds one of its children on request.

// startRequest is a StartChild that waits until the child is up.
type startRequest struct {
	ctx   context.Context // of the request
	reply actor.Deferred[actor.AnyRef]
}

func (s *supervisor) startChild(c *actor.Context, declared Child) (none actor.AnyRef, err error) {
	ctx := c.Context() // guarded
	if err := ctx.Err(); err != nil {
		return none, err
	}
	want := specOf(declared)
	if want == nil {
		return none, fmt.Errorf("%w: a nil Child", ErrBadChild)
	}
	spec, err := s.accept(want)
	if errors.Is(err, ErrNameTaken) {
		if ch := s.children.find(want.name); ch.startIsAbandoned() {
			s.remove(c, ch) // which forgets a child without an actor at once
		}
		if ch := s.children.find(want.name); ch != nil && ch.removed {
			ch.nameAwaited = true
			return StartChild.Stash(c, declared) // until that one has ended: see childEnded
		}
		spec, err = s.accept(want)
	}
	if err != nil {
		return none, err
	}
	ch := s.children.add(spec)
	ch.makeCold().request = &startRequest{ctx, actor.Defer(c, StartChild)}
	if s.spec.strategy.restartsGroup() {
		s.advance(c)
	} else {
		s.launch(c, ch)
	}
	return none, nil
}

// startIsAbandoned reports whether the caller of the StartChild that waits for ch has given up: it
// will never get the child's ref.
func (ch *child) startIsAbandoned() bool {
	return ch.cold != nil && ch.cold.request != nil && ch.cold.request.ctx.Err() != nil
}

// accept checks that this supervisor can have such a child.
func (s *supervisor) accept(spec *childSpec) (*childSpec, error) {
	switch {
	case spec.fromTemplate != (s.spec.strategy == SimpleOneForOne):
		return nil, fmt.Errorf("%w: %q: %v wants another declaration", ErrBadChild, spec.name,
			s.spec.strategy)
	case s.children.find(spec.name) != nil:
		return nil, fmt.Errorf("%w: %q", ErrNameTaken, spec.name)
	case spec.fromTemplate:
		made, ok := spec.instantiate(s.spec.template)
		if !ok {
			return nil, fmt.Errorf("%w: %q: a function for another state", ErrBadChild, spec.name)
		}
		return made, nil
	}
	sp := supervisorSpec{name: s.spec.name, children: []*childSpec{spec},
		intensity: s.spec.intensity}
	if sp.check(); sp.problem != "" {
		return nil, fmt.Errorf("%w: %s", ErrBadChild, sp.problem)
	}
	spec.inherit(s.spec)
	return spec, nil
}

// lookup finds a child that is not being removed.
func (s *supervisor) lookup(name string) (*child, error) {
	ch := s.children.find(name)
	if ch == nil || ch.removed {
		return nil, fmt.Errorf("%w: %q", ErrNoChild, name)
	}
	return ch, nil
}

func (s *supervisor) removeChild(c *actor.Context, name string) (none struct{}, err error) {
	ch, err := s.lookup(name)
	if err == nil {
		s.remove(c, ch)
	}
	return none, err
}

// remove stops a child; it is forgotten when it has ended.
func (s *supervisor) remove(c *actor.Context, ch *child) {
	s.children.names.markRemoved(ch)
	s.stop(c, ch)
	s.advance(c)
}

// stop stops a child and excludes it from group restarts. A child without an actor counts as
// stopped at once.
func (s *supervisor) stop(c *actor.Context, ch *child) {
	ch.excluded = true
	ch.timer.Cancel(c)
	if ch.ref.IsZero() {
		s.childEnded(c, ch)
		return
	}
	s.children.setState(ch, Stopping)
	ch.spec.stop.apply(c, ch.ref)
	s.armDeadline(c, ch)
}

// armDeadline arms a timer that kills a child which does not stop, or is not suspended, in time.
func (s *supervisor) armDeadline(c *actor.Context, ch *child) {
	if ch.spec.stop.hasDeadline() {
		ch.timer = actor.After(c, ch.spec.stop.within, stopTimeout, ch)
	}
}

func (s *supervisor) stopChild(c *actor.Context, name string) (none struct{}, err error) {
	ch, err := s.lookup(name)
	if err != nil {
		return none, err
	}
	if ch.excluded = true; ch.state == Stopped {
		return none, nil
	}
	ch.makeCold().stopReplies = append(ch.makeCold().stopReplies, actor.Defer(c, StopChild))
	if ch.state != Stopping {
		s.stop(c, ch)
	}
	s.advance(c)
	return none, nil
}

func (s *supervisor) restartChild(c *actor.Context, name string) (none struct{}, err error) {
	ch, err := s.lookup(name)
	if err != nil {
		return none, err
	}
	if ch.state == Stopping {
		return none, fmt.Errorf("%w: %q is stopping", ErrNoChild, name)
	}
	ch.makeCold().restartReplies = append(ch.makeCold().restartReplies,
		actor.Defer(c, RestartChild))
	ch.excluded = false
	switch ch.state {
	case Starting, Running:
		s.launch(c, ch)
	case BackingOff, Stopped:
		if ch.state == Stopped {
			ch.cold.wasStopped, ch.consecutive, ch.cold.window = true, 0, restartWindow{}
		}
		ch.timer.Cancel(c)
		s.makePending(c, ch)
	}
	s.advance(c)
	return none, nil
}

// answerStart replies to the callers that wait for the start of a child.
func (ch *child) answerStart(c *actor.Context, err error) {
	cold := ch.cold
	if cold == nil {
		return
	}
	if req := cold.request; req != nil {
		if err == nil {
			req.reply.Reply(c, ch.ref, nil)
		} else {
			req.reply.Reply(c, actor.AnyRef{}, err)
		}
	}
	for _, d := range cold.restartReplies {
		d.Reply(c, struct{}{}, err)
	}
	cold.request, cold.restartReplies, cold.startErr, cold.wasStopped = nil, nil, nil, false
	if cold.lastTime.IsZero() && cold.window.at == nil && cold.stopReplies == nil {
		ch.cold = nil // most children start once and never fail
	}
}

// answerStops replies to the callers that wait for the end of a child.
func (ch *child) answerStops(c *actor.Context) {
	if cold := ch.cold; cold != nil {
		for _, d := range cold.stopReplies {
			d.Reply(c, struct{}{}, nil)
		}
		cold.stopReplies = nil
	}
}

func (s *supervisor) findChild(_ *actor.Context, name string) (actor.AnyRef, error) {
	ch, err := s.lookup(name)
	if err == nil && ch.ref.IsZero() {
		err = fmt.Errorf("%w: %q %s", ErrNoChild, name, ch.whyNoActor())
	}
	if err != nil {
		return actor.AnyRef{}, err
	}
	return ch.ref, nil
}
