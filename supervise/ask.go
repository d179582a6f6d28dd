package supervise

import (
	"context"
	"errors"
	"fmt"

	"github.com/gallop-go/gallop/actor"
)

// What can be asked of a supervisor that runs. The functions wait, for use from outside;
// those that end in To are for behaviours, and send the result as a message.

var (
	startChild   = actor.DeclareAsk[*childSpec, actor.AnyRef](supervisorType, "start child")
	removeChild  = actor.DeclareAsk[string, actor.None](supervisorType, "remove child")
	restartChild = actor.DeclareAsk[string, actor.None](supervisorType, "restart child")
	findChild    = actor.DeclareAsk[string, actor.AnyRef](supervisorType, "find child")
	countKids    = actor.DeclareAsk[actor.None, Count](supervisorType, "count")
	showTree     = actor.DeclareAsk[actor.None, Node](supervisorType, "tree")
)

func init() {
	supervisorType.Table(startChild.Do((*supervisor).startChild), removeChild.Do((*supervisor).removeChild),
		restartChild.Do((*supervisor).restartChild), findChild.Do((*supervisor).findChild),
		countKids.Do((*supervisor).count), showTree.Do((*supervisor).node))
}

// StartChild adds a child behind the others, starts it and returns its ref. It does not
// wait until the child is up. With [OneForAll] and [RestForOne] the child starts when
// it is its turn, and its ref may be zero until then: see [Find].
//
// If another child of that name is being removed, StartChild waits until that child has
// ended. The errors are ErrTaken; ErrBadChild, also for a nil Child; and those of
// [actor.AskBehaviour.Ask].
func StartChild(ctx context.Context, sys *actor.System, s Supervisor, ch Child) (actor.AnyRef, error) {
	return startChild.Ask(ctx, sys, s.asked("StartChild"), specToStart(ch))
}

// StartChildTo is [StartChild] from a behaviour.
func StartChildTo[T any](c *actor.Context, s Supervisor, ch Child, reply actor.Behaviour[T, actor.Result[actor.AnyRef]]) {
	actor.AskTo(c, startChild, s.asked("StartChildTo"), specToStart(ch), reply)
}

// specToStart is specOf, except that a nil Child is a declaration that is wrong.
func specToStart(ch Child) *childSpec {
	if spec := specOf(ch); spec != nil {
		return spec
	}
	return &childSpec{wrong: "a nil Child"}
}

// RemoveChild stops a child in the way that was declared for it, and forgets it when it
// has ended. It returns when that has begun; [actor.Join] waits for the end. The errors
// are ErrNoChild and those of [actor.AskBehaviour.Ask].
func RemoveChild(ctx context.Context, sys *actor.System, s Supervisor, name string) error {
	_, err := removeChild.Ask(ctx, sys, s.asked("RemoveChild"), name)
	return err
}

// RemoveChildTo is [RemoveChild] from a behaviour.
func RemoveChildTo[T any](c *actor.Context, s Supervisor, name string, reply actor.Behaviour[T, actor.Result[actor.None]]) {
	actor.AskTo(c, removeChild, s.asked("RemoveChildTo"), name, reply)
}

// RestartChild restarts a child alone, without its siblings. The errors are ErrNoChild
// and those of [actor.AskBehaviour.Ask].
//
//   - A child that is up is restarted in its place, after the message that it is
//     handling, however long that takes, whatever its Stop says.
//   - A child that has stopped is restarted as a new actor.
//   - A child that backs off is restarted without further delay.
//
// This is no fall, and does not count for the [Intensity].
func RestartChild(ctx context.Context, sys *actor.System, s Supervisor, name string) error {
	_, err := restartChild.Ask(ctx, sys, s.asked("RestartChild"), name)
	return err
}

// RestartChildTo is [RestartChild] from a behaviour.
func RestartChildTo[T any](c *actor.Context, s Supervisor, name string, reply actor.Behaviour[T, actor.Result[actor.None]]) {
	actor.AskTo(c, restartChild, s.asked("RestartChildTo"), name, reply)
}

// Find returns the actor of a child, whose state must be an S. A path of several names
// leads through supervisors below. The errors are ErrNoChild, [actor.ErrOtherType] and
// those of [actor.AskBehaviour.Ask].
//
// The ref is good across restarts. But a child whose actor was stopped or killed by
// others, and everything below a supervisor that was restarted, are new actors.
//
// A child that has no actor yet, because it waits for those in front of it, is not
// found: ask again, or, where no timer is armed, wait with [actor.System.Wait].
func Find[S any](ctx context.Context, sys *actor.System, s Supervisor, path ...string) (actor.Ref[S], error) {
	return find[S](ctx, sys, s.asked("Find"), path)
}

func find[S any](ctx context.Context, sys *actor.System, s ref, path []string) (actor.Ref[S], error) {
	at := s.Any()
	for i, name := range path {
		super, ok := actor.As[supervisor](at)
		if !ok {
			return actor.Ref[S]{}, fmt.Errorf("%w: %q is no supervisor", ErrNoChild, path[:i])
		}
		next, err := findChild.Ask(ctx, sys, super, name)
		if err != nil {
			return actor.Ref[S]{}, err
		}
		at = next
	}
	if r, ok := actor.As[S](at); ok {
		return r, nil
	}
	return actor.Ref[S]{}, fmt.Errorf("%w: %q is %v", actor.ErrOtherType, path, at)
}

// Sub returns the supervisor at the end of a path, on the terms of [Find].
func Sub(ctx context.Context, sys *actor.System, s Supervisor, path ...string) (Supervisor, error) {
	r, err := find[supervisor](ctx, sys, s.asked("Sub"), path)
	return Supervisor{r}, err
}

// FindTo is [Find] of a child, from a behaviour; [actor.As] gives the ref its type.
func FindTo[T any](c *actor.Context, s Supervisor, name string, reply actor.Behaviour[T, actor.Result[actor.AnyRef]]) {
	actor.AskTo(c, findChild, s.asked("FindTo"), name, reply)
}

// Count says how many children a supervisor has.
type Count struct {
	Children    int // that it knows
	Running     int // that are up
	Supervisors int // that are supervisors themselves
}

// CountChildren counts the children of a supervisor. The errors are those of
// [actor.AskBehaviour.Ask].
func CountChildren(ctx context.Context, sys *actor.System, s Supervisor) (Count, error) {
	return countKids.Ask(ctx, sys, s.asked("CountChildren"), actor.None{})
}

func (s *supervisor) startChild(c *actor.Context, asked *childSpec) (actor.AnyRef, error) {
	spec, err := s.accept(asked)
	if k := s.kids.byName[asked.name]; errors.Is(err, ErrTaken) && k.removed {
		k.awaited = true
		return startChild.Stash(c, asked) // until that one has ended: see ended
	}
	if err != nil {
		return actor.AnyRef{}, err
	}
	k := s.kids.add(spec)
	if s.plan.strategy.groups() {
		s.step(c)
	} else {
		s.bringUp(c, k)
	}
	return k.ref, nil
}

// accept checks that a child can be one of this supervisor's.
func (s *supervisor) accept(spec *childSpec) (*childSpec, error) {
	switch {
	case spec.isLike != (s.plan.strategy == SimpleOneForOne):
		return nil, fmt.Errorf("%w: %q: %v wants another declaration", ErrBadChild, spec.name, s.plan.strategy)
	case s.kids.byName[spec.name] != nil:
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
	return spec, nil
}

// named finds a child that is not on its way out.
func (s *supervisor) named(name string) (*kid, error) {
	k := s.kids.byName[name]
	if k == nil || k.removed {
		return nil, fmt.Errorf("%w: %q", ErrNoChild, name)
	}
	return k, nil
}

func (s *supervisor) removeChild(c *actor.Context, name string) (none actor.None, err error) {
	k, err := s.named(name)
	if err != nil {
		return none, err
	}
	k.removed = true
	k.timer.Cancel(c)
	if k.ref.IsZero() {
		s.forget(k)
	} else {
		s.kids.set(k, Stopping)
		k.spec.stop.tell(c, k.ref)
	}
	s.step(c)
	return none, nil
}

func (s *supervisor) restartChild(c *actor.Context, name string) (none actor.None, err error) {
	k, err := s.named(name)
	if err != nil {
		return none, err
	}
	switch k.state {
	case Stopping:
		return none, fmt.Errorf("%w: %q is stopping", ErrNoChild, name)
	case Starting, Running:
		s.bringUp(c, k)
	case BackingOff, Stopped:
		k.timer.Cancel(c)
		s.ready(c, k)
	}
	s.step(c)
	return none, nil
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
