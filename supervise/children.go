package supervise

import (
	"context"
	"errors"
	"fmt"

	"github.com/gallop-go/gallop/actor"
)

// What a supervisor does when it is asked to start, stop, restart or find one of its children.

// startRequest is a StartChild.
type startRequest struct {
	spec      *childSpec
	ctx       context.Context // of the caller; nil: it has none
	kid       *kid            // once it was added; the supervisor's
	withdrawn bool            // the caller has given up; the supervisor's
}

// givenUp reports whether no caller waits any more.
func (r *startRequest) givenUp() error {
	if r.ctx != nil && r.ctx.Err() != nil {
		return r.ctx.Err()
	}
	if r.withdrawn {
		return context.Canceled
	}
	return nil
}

func (s *supervisor) startChild(c *actor.Context, req *startRequest) (none actor.AnyRef, err error) {
	if err := req.givenUp(); err != nil {
		return none, err
	}
	spec, err := s.accept(req.spec)
	if k := s.kids.named(req.spec.name); errors.Is(err, ErrTaken) && k.removed {
		k.awaited = true
		return startChild.Stash(c, req) // until that one has ended: see ended
	}
	if err != nil {
		return none, err
	}
	k := s.kids.add(spec)
	d := actor.Defer(c, startChild)
	req.kid, k.own().asked, k.own().starter = k, req, &d
	if s.plan.strategy.groups() {
		s.step(c)
	} else {
		s.bringUp(c, k)
	}
	return none, nil
}

// withdraw is for a StartChild whose context has ended: no caller has the child's ref.
func (s *supervisor) withdraw(c *actor.Context, req *startRequest) {
	if req.withdrawn = true; req.kid == nil {
		return // it is stashed; or it was refused
	}
	if k := req.kid; s.kids.named(k.name) == k && !k.removed || k.name == "" && k.state == Pending {
		s.remove(c, k)
	}
}

// accept checks that a child can be one of this supervisor's.
func (s *supervisor) accept(spec *childSpec) (*childSpec, error) {
	switch {
	case spec.isLike != (s.plan.strategy == SimpleOneForOne):
		return nil, fmt.Errorf("%w: %q: %v wants another declaration", ErrBadChild, spec.name, s.plan.strategy)
	case s.kids.named(spec.name) != nil:
		return nil, fmt.Errorf("%w: %q", ErrTaken, spec.name)
	case spec.isLike:
		made, ok := spec.from(s.plan.template)
		if !ok {
			return nil, fmt.Errorf("%w: %q: a function for another state", ErrBadChild, spec.name)
		}
		return made, nil
	}
	p := plan{name: s.plan.name, children: []*childSpec{spec}, intensity: s.plan.intensity}
	if p.check(); p.wrong != "" {
		return nil, fmt.Errorf("%w: %s", ErrBadChild, p.wrong)
	}
	spec.inherit(s.plan)
	return spec, nil
}

// named finds a child that is not on its way out.
func (s *supervisor) named(name string) (*kid, error) {
	k := s.kids.named(name)
	if k == nil || k.removed {
		return nil, fmt.Errorf("%w: %q", ErrNoChild, name)
	}
	return k, nil
}

func (s *supervisor) removeChild(c *actor.Context, name string) (none actor.None, err error) {
	k, err := s.named(name)
	if err == nil {
		s.remove(c, k)
	}
	return none, err
}

// remove stops a child, and forgets it when it has ended.
func (s *supervisor) remove(c *actor.Context, k *kid) {
	s.kids.table.remove(k)
	s.stop(c, k)
	s.step(c)
}

// stop stops a child that stays down. It is counted as stopped at once if it has no actor.
func (s *supervisor) stop(c *actor.Context, k *kid) {
	k.halted = true
	k.timer.Cancel(c)
	if k.ref.IsZero() {
		s.ended(c, k)
		return
	}
	s.kids.set(k, Stopping)
	k.spec.stop.tell(c, k.ref)
	s.limit(c, k)
}

// limit makes a child that was told to go down, or to end, be killed if it has not done so in time.
func (s *supervisor) limit(c *actor.Context, k *kid) {
	if k.spec.stop.limited() {
		k.timer = actor.After(c, k.spec.stop.within, overdue, k)
	}
}

func (s *supervisor) stopChild(c *actor.Context, name string) (none actor.None, err error) {
	k, err := s.named(name)
	if err != nil {
		return none, err
	}
	if k.halted = true; k.state == Stopped {
		return none, nil
	}
	k.own().stops = append(k.own().stops, actor.Defer(c, stopChild))
	if k.state != Stopping {
		s.stop(c, k)
	}
	s.step(c)
	return none, nil
}

func (s *supervisor) restartChild(c *actor.Context, name string) (none actor.None, err error) {
	k, err := s.named(name)
	if err != nil {
		return none, err
	}
	if k.state == Stopping {
		return none, fmt.Errorf("%w: %q is stopping", ErrNoChild, name)
	}
	k.own().restarts = append(k.own().restarts, actor.Defer(c, restartChild))
	k.halted = false
	switch k.state {
	case Starting, Running:
		s.bringUp(c, k)
	case BackingOff, Stopped:
		if k.state == Stopped {
			k.rare.stopped, k.inRow, k.rare.window = true, 0, window{}
		}
		k.timer.Cancel(c)
		s.ready(c, k)
	}
	s.step(c)
	return none, nil
}

// answer tells those who wait for the start of a child.
func (k *kid) answer(c *actor.Context, err error) {
	r := k.rare
	if r == nil {
		return
	}
	if d := r.starter; d != nil {
		if r.starter = nil; err == nil {
			d.Reply(c, k.ref, nil)
		} else {
			d.Reply(c, actor.AnyRef{}, err)
		}
	}
	for _, d := range r.restarts {
		d.Reply(c, actor.None{}, err)
	}
	r.asked, r.restarts, r.failed, r.stopped = nil, nil, nil, false
	if r.lastAt.IsZero() && r.window.at == nil && r.stops == nil {
		k.rare = nil // most children are started once, and never fall
	}
}

// answerStops tells those who wait for the end of a child.
func (k *kid) answerStops(c *actor.Context) {
	if r := k.rare; r != nil {
		for _, d := range r.stops {
			d.Reply(c, actor.None{}, nil)
		}
		r.stops = nil
	}
}

func (s *supervisor) findChild(_ *actor.Context, name string) (actor.AnyRef, error) {
	k, err := s.named(name)
	if err == nil && k.ref.IsZero() {
		err = fmt.Errorf("%w: %q %s", ErrNoChild, name, k.why())
	}
	if err != nil {
		return actor.AnyRef{}, err
	}
	return k.ref, nil
}

func (s *supervisor) count(*actor.Context, actor.None) (Count, error) {
	n := Count{Running: s.kids.in[Running], Supervisors: s.kids.supervisors}
	for _, in := range s.kids.in {
		n.Children += in
	}
	return n, nil
}
