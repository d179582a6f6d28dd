package supervise

import (
	"context"
	"fmt"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/guard"
)

// The requests that a running supervisor answers. The plain functions block and are for goroutines
// outside the system; those whose names end in To are for behaviours, and deliver the result as a
// message.

var (
	startChild    = actor.DeclareAsk[*startRequest, actor.AnyRef](supervisorType, "start child")
	cancelStart   = actor.Declare[*startRequest](supervisorType, "withdraw", actor.BestEffort())
	stopChild     = actor.DeclareAsk[string, struct{}](supervisorType, "stop child")
	awaitUp       = actor.DeclareAsk[struct{}, struct{}](supervisorType, "await up")
	removeChild   = actor.DeclareAsk[string, struct{}](supervisorType, "remove child")
	restartChild  = actor.DeclareAsk[string, struct{}](supervisorType, "restart child")
	findChild     = actor.DeclareAsk[string, actor.AnyRef](supervisorType, "find child")
	countChildren = actor.DeclareAsk[struct{}, Count](supervisorType, "count")
	showTree      = actor.DeclareAsk[struct{}, Node](supervisorType, "tree")
)

func init() {
	supervisorType.Table(startChild.Handle((*supervisor).startChild),
		cancelStart.Handle((*supervisor).cancelStart),
		stopChild.Handle((*supervisor).stopChild), awaitUp.Handle((*supervisor).awaitUp),
		removeChild.Handle((*supervisor).removeChild),
		restartChild.Handle((*supervisor).restartChild), findChild.Handle((*supervisor).findChild),
		countChildren.Handle((*supervisor).count), showTree.Handle((*supervisor).node))
}

// StartChild adds a child as the youngest sibling, starts it, and returns its ref when it is up;
// for a [Spec], when its whole subtree is up. With [OneForAll] and [RestForOne] the child starts in
// order: while an older sibling waits for its back-off, StartChild waits.
//
// If the child does not come up, StartChild returns a *[StartError] with the child's path, which
// wraps the error of OnStart, and the supervisor forgets the child. The start is not retried,
// whatever the child's Restart says. Its siblings are not restarted, and it does not count for the
// supervisor's [Intensity]. The same holds if ctx ends first: the child is stopped, or not started
// at all. If OnStart returns [ErrIgnore], the ref is zero and the error nil.
//
// If another child of that name is being removed, StartChild waits until that child has ended. The
// other errors are ErrNameTaken; ErrBadChild, also for a nil Child; ErrNoChild if the child is
// removed before it is up; and those of [actor.AskBehaviour.Ask].
func StartChild(ctx context.Context, s Supervisor,
	ch Child) (actor.AnyRef, error) {
	to := s.asked("StartChild")
	ctx = mustHave(ctx, "StartChild")
	req := &startRequest{spec: startSpec(ch), ctx: ctx}
	r, err := startChild.Ask(ctx, to, req)
	if err != nil && ctx.Err() != nil {
		cancelStart.Send(actor.SystemOf(s.ref), s.ref, req)
	}
	return r, err
}

// StartChildTo is [StartChild] from a behaviour, and without a context.
func StartChildTo[T any](c *actor.Context, s Supervisor, ch Child,
	reply actor.Behaviour[T, actor.Result[actor.AnyRef]]) {
	actor.AskTo(c, startChild, s.asked("StartChildTo"), &startRequest{spec: startSpec(ch)}, reply)
}

// startSpec is specOf, except that a nil Child yields a declaration with an error.
func startSpec(ch Child) *childSpec {
	if spec := specOf(ch); spec != nil {
		return spec
	}
	return &childSpec{commonSpec: &commonSpec{problem: "a nil Child"}}
}

// RemoveChild stops a child as its declaration says, and forgets it when it has ended. It returns
// as soon as the child was told to stop; [actor.Join] waits for the end. The errors are ErrNoChild
// and those of [actor.AskBehaviour.Ask].
func RemoveChild(ctx context.Context, s Supervisor, name string) error {
	_, err := removeChild.Ask(ctx, s.asked("RemoveChild"), name)
	return err
}

// RemoveChildTo is [RemoveChild] from a behaviour.
func RemoveChildTo[T any](c *actor.Context, s Supervisor, name string,
	reply actor.Behaviour[T, actor.Result[struct{}]]) {
	actor.AskTo(c, removeChild, s.asked("RemoveChildTo"), name, reply)
}

// StopChild stops a child as its declaration says, whatever its Restart is, and returns when it has
// ended. The supervisor keeps the declaration: the child stays down, also when its siblings are
// restarted, until [RestartChild] brings it up as a new actor, or the supervisor is restarted
// itself. A Temporary child, and one of SimpleOneForOne, is forgotten. The errors are ErrNoChild
// and those of [actor.AskBehaviour.Ask]. If ctx ends first, the child still stops.
func StopChild(ctx context.Context, s Supervisor, name string) error {
	_, err := stopChild.Ask(ctx, s.asked("StopChild"), name)
	return err
}

// StopChildTo is [StopChild] from a behaviour.
func StopChildTo[T any](c *actor.Context, s Supervisor, name string,
	reply actor.Behaviour[T, actor.Result[struct{}]]) {
	actor.AskTo(c, stopChild, s.asked("StopChildTo"), name, reply)
}

// RestartChild restarts a child alone, without its siblings, and returns when it is up. It
// waits as [StartChild] does.
//
//   - A child that is up is restarted in place, after the message that it is handling, however long
//     that takes; its Stop does not matter.
//   - A child that has stopped is restarted as a new actor.
//   - A child that waits for its back-off is restarted without further delay.
//
// This is not a failure and does not count for the [Intensity]. If the child does not come up, the
// error is a *[StartError]. A child that had stopped then stays stopped. Any other is retried with
// its [Backoff], if its Restart says so. The other errors are ErrNoChild, also if the child is
// stopped or removed before it is up, and those of [actor.AskBehaviour.Ask]. If ctx ends first, the
// restart goes on.
func RestartChild(ctx context.Context, s Supervisor, name string) error {
	_, err := restartChild.Ask(ctx, s.asked("RestartChild"), name)
	return err
}

// RestartChildTo is [RestartChild] from a behaviour.
func RestartChildTo[T any](c *actor.Context, s Supervisor, name string,
	reply actor.Behaviour[T, actor.Result[struct{}]]) {
	actor.AskTo(c, restartChild, s.asked("RestartChildTo"), name, reply)
}

// Find returns the actor of a child, whose state must be an S. A path of several names
// leads through supervisors below. The errors are ErrNoChild, [actor.ErrOtherType] and
// those of [actor.AskBehaviour.Ask].
//
// The ref stays valid across restarts. But a child whose actor was stopped or killed by order, and
// everything below a supervisor that was restarted, get new actors.
//
// A child that has no actor yet, because it waits for older siblings, is not found, nor is one
// below a supervisor that is down while a sibling waits for its back-off. Start the tree with
// [StartWait], or wait with [Supervisor.Ready], before looking up its children. A child finds its
// siblings with [Sibling].
func Find[S any](ctx context.Context, s Supervisor,
	path ...string) (actor.Ref[S], error) {
	return find[S](ctx, s.asked("Find"), path)
}

func find[S any](ctx context.Context, s ref,
	path []string) (actor.Ref[S], error) {
	at := s.Any()
	for i, name := range path {
		super, ok := actor.As[supervisor](at)
		if !ok {
			return actor.Ref[S]{}, fmt.Errorf("%w: %q is no supervisor", ErrNoChild, path[:i])
		}
		next, err := findChild.Ask(ctx, super, name)
		if guard.Is(err, actor.ErrSuspended) {
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

// FindSupervisor returns the supervisor at the end of a path, under the rules of [Find].
func FindSupervisor(ctx context.Context, s Supervisor, path ...string) (Supervisor, error) {
	r, err := find[supervisor](ctx, s.asked("FindSupervisor"), path)
	return Supervisor{r}, err
}

// FindTo is [Find] of a child, from a behaviour; [actor.As] gives the ref its type.
func FindTo[T any](c *actor.Context, s Supervisor, name string,
	reply actor.Behaviour[T, actor.Result[actor.AnyRef]]) {
	actor.AskTo(c, findChild, s.asked("FindTo"), name, reply)
}

// Count is the number of children of a supervisor.
type Count struct {
	Children    int // all that the supervisor keeps
	Running     int // that are up
	Supervisors int // that are supervisors themselves
}

// CountChildren counts the children of a supervisor. The errors are those of
// [actor.AskBehaviour.Ask].
func CountChildren(ctx context.Context, s Supervisor) (Count, error) {
	return countChildren.Ask(ctx, s.asked("CountChildren"), struct{}{})
}
