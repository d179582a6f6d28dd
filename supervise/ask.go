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
	startChild    = actor.DeclareAsk[*startRequest, actor.AnyRef](supervisorType, "start child")
	cancelStart   = actor.Declare[*startRequest](supervisorType, "withdraw", actor.BestEffort())
	stopChild     = actor.DeclareAsk[string, actor.None](supervisorType, "stop child")
	awaitUp       = actor.DeclareAsk[actor.None, actor.None](supervisorType, "await up")
	removeChild   = actor.DeclareAsk[string, actor.None](supervisorType, "remove child")
	restartChild  = actor.DeclareAsk[string, actor.None](supervisorType, "restart child")
	findChild     = actor.DeclareAsk[string, actor.AnyRef](supervisorType, "find child")
	countChildren = actor.DeclareAsk[actor.None, Count](supervisorType, "count")
	showTree      = actor.DeclareAsk[actor.None, Node](supervisorType, "tree")
)

func init() {
	supervisorType.Table(startChild.Do((*supervisor).startChild),
		cancelStart.Do((*supervisor).cancelStart),
		stopChild.Do((*supervisor).stopChild), awaitUp.Do((*supervisor).awaitUp),
		removeChild.Do((*supervisor).removeChild),
		restartChild.Do((*supervisor).restartChild), findChild.Do((*supervisor).findChild),
		countChildren.Do((*supervisor).count), showTree.Do((*supervisor).node))
}

// StartChild adds a child behind the others, starts it, and returns its ref when it is up; for a
// [Spec], when all below it are up. With [OneForAll] and [RestForOne] the child starts when
// it is its turn: while an older sibling backs off, StartChild waits.
//
// If the child does not come up, StartChild returns a *[StartError] with the child's path,
// which wraps the error of OnStart, and the child is forgotten. It is not tried again, whatever
// its Restart says, and neither its siblings nor the supervisor's [Intensity] notice. The same
// holds if ctx ends first: the child is stopped then, or not started at all. If OnStart returns
// [ErrIgnore], the ref is zero and the error nil.
//
// If another child of that name is being removed, StartChild waits until that child has ended.
// The other errors are ErrTaken; ErrBadChild, also for a nil Child; ErrNoChild, if the child is
// removed meanwhile; and those of [actor.AskBehaviour.Ask].
func StartChild(ctx context.Context, sys *actor.System, s Supervisor,
	ch Child) (actor.AnyRef, error) {
	req := &startRequest{spec: startSpec(ch), ctx: ctx}
	r, err := startChild.Ask(ctx, sys, s.asked("StartChild"), req)
	if err != nil && ctx.Err() != nil {
		cancelStart.Send(sys, s.ref, req)
	}
	return r, err
}

// StartChildTo is [StartChild] from a behaviour, and without a context.
func StartChildTo[T any](c *actor.Context, s Supervisor, ch Child,
	reply actor.Behaviour[T, actor.Result[actor.AnyRef]]) {
	actor.AskTo(c, startChild, s.asked("StartChildTo"), &startRequest{spec: startSpec(ch)}, reply)
}

// specToStart is specOf, except that a nil Child is a declaration that is wrong.
func startSpec(ch Child) *childSpec {
	if spec := specOf(ch); spec != nil {
		return spec
	}
	return &childSpec{commonSpec: &commonSpec{problem: "a nil Child"}}
}

// RemoveChild stops a child in the way that was declared for it, and forgets it when it
// has ended. It returns when that has begun; [actor.Join] waits for the end. The errors
// are ErrNoChild and those of [actor.AskBehaviour.Ask].
func RemoveChild(ctx context.Context, sys *actor.System, s Supervisor, name string) error {
	_, err := removeChild.Ask(ctx, sys, s.asked("RemoveChild"), name)
	return err
}

// RemoveChildTo is [RemoveChild] from a behaviour.
func RemoveChildTo[T any](c *actor.Context, s Supervisor, name string,
	reply actor.Behaviour[T, actor.Result[actor.None]]) {
	actor.AskTo(c, removeChild, s.asked("RemoveChildTo"), name, reply)
}

// StopChild stops a child in the way that was declared for it, whatever its Restart says, and
// returns when it has ended. The supervisor keeps the declaration: the child stays down, also
// when its siblings are restarted, until [RestartChild] brings it up as a new actor, or the
// supervisor is restarted itself. A Temporary child, and one of SimpleOneForOne, is forgotten.
// The errors are ErrNoChild and those of [actor.AskBehaviour.Ask]. If ctx ends first, the child
// stops all the same.
func StopChild(ctx context.Context, s Supervisor, name string) error {
	_, err := stopChild.Ask(ctx, actor.SystemOf(s.asked("StopChild")), s.ref, name)
	return err
}

// StopChildTo is [StopChild] from a behaviour.
func StopChildTo[T any](c *actor.Context, s Supervisor, name string,
	reply actor.Behaviour[T, actor.Result[actor.None]]) {
	actor.AskTo(c, stopChild, s.asked("StopChildTo"), name, reply)
}

// RestartChild restarts a child alone, without its siblings, and returns when it is up. It
// waits as [StartChild] does.
//
//   - A child that is up is restarted in its place, after the message that it is
//     handling, however long that takes, whatever its Stop says.
//   - A child that has stopped is restarted as a new actor.
//   - A child that backs off is restarted without further delay.
//
// This is no fall, and does not count for the [Intensity]. If the child does not come up, the
// error is a *[StartError]. A child that had stopped stays stopped then. Another one is tried
// again with its [Backoff], if its Restart says so. The other errors are ErrNoChild, also if
// the child is stopped or removed meanwhile, and those of [actor.AskBehaviour.Ask]. If ctx ends
// first, the restart goes on.
func RestartChild(ctx context.Context, sys *actor.System, s Supervisor, name string) error {
	_, err := restartChild.Ask(ctx, sys, s.asked("RestartChild"), name)
	return err
}

// RestartChildTo is [RestartChild] from a behaviour.
func RestartChildTo[T any](c *actor.Context, s Supervisor, name string,
	reply actor.Behaviour[T, actor.Result[actor.None]]) {
	actor.AskTo(c, restartChild, s.asked("RestartChildTo"), name, reply)
}

// Find returns the actor of a child, whose state must be an S. A path of several names
// leads through supervisors below. The errors are ErrNoChild, [actor.ErrOtherType] and
// those of [actor.AskBehaviour.Ask].
//
// The ref is good across restarts. But a child whose actor was stopped or killed by
// others, and everything below a supervisor that was restarted, are new actors.
//
// A child that has no actor yet, because it waits for those in front of it, is not found, nor
// is one below a supervisor that is down because a sibling backs off. Start the tree with
// [StartWait], or wait with [Supervisor.Ready], before you look for its children. A child finds
// its siblings with [Sibling].
func Find[S any](ctx context.Context, sys *actor.System, s Supervisor,
	path ...string) (actor.Ref[S], error) {
	return find[S](ctx, sys, s.asked("Find"), path)
}

func find[S any](ctx context.Context, sys *actor.System, s ref,
	path []string) (actor.Ref[S], error) {
	at := s.Any()
	for i, name := range path {
		super, ok := actor.As[supervisor](at)
		if !ok {
			return actor.Ref[S]{}, fmt.Errorf("%w: %q is no supervisor", ErrNoChild, path[:i])
		}
		next, err := findChild.Ask(ctx, sys, super, name)
		if errors.Is(err, actor.ErrSuspended) {
			err = fmt.Errorf("%w: %q: the supervisor is down: %w", ErrNoChild, path[:i+1], err)
		}
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
func FindTo[T any](c *actor.Context, s Supervisor, name string,
	reply actor.Behaviour[T, actor.Result[actor.AnyRef]]) {
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
	return countChildren.Ask(ctx, sys, s.asked("CountChildren"), actor.None{})
}
