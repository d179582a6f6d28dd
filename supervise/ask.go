package supervise

import (
	"context"
	"fmt"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/kernel"
)

// The requests that change a running supervisor. From outside, ask like any actor:
//
//	r, err := supervise.StartChild.Ask(ctx, s.Ref, child)
//
// and in a behaviour with [actor.AskTo]:
//
//	actor.AskTo(c, supervise.StopChild, s.Ref, "disk", stopped)
//	actor.AskTo(c, supervise.StartChild, s.Ref, supervise.Child(worker), started)
//
// Their errors are listed here and at [actor.AskBehaviour.Ask].
var (
	// StartChild adds a child as the youngest sibling, starts it, and returns its ref when it is
	// up; for a [Spec], when its whole subtree is up. With [OneForAll] and [RestForOne] the child
	// starts in order: while an older sibling waits for its back-off, StartChild waits. After the
	// call, do not change data that the declaration refers to, such as its Children.
	//
	// If the child does not come up, the error is a *[StartError] with the child's path, which
	// wraps the error of OnStart, and the supervisor forgets the child. The start is not retried,
	// even if the child is Permanent. Its siblings are not restarted, and it does not count for the
	// supervisor's [Intensity]. If OnStart returns [ErrIgnore], the ref is zero and the error nil.
	//
	// If the context of the request ends before the child is up, the child is not started, or it is
	// stopped as soon as it is up. The caller may get the context's error although the child came up
	// just before: then it stays up. After that error, call RemoveChild if the child must not run.
	// [actor.Within] limits only the wait of the caller: the child starts, and stays.
	//
	// If another child of that name is being removed, StartChild waits until that child has ended.
	// The other errors are ErrNameTaken; ErrBadChild, also for a nil Child; and ErrNoChild if the
	// child is removed before it is up.
	StartChild = actor.DeclareAsk[Child, actor.AnyRef](supervisorType, "start child")

	// RemoveChild stops a child as its declaration says, and forgets it when it has ended. It returns
	// as soon as the child was told to stop; [actor.Join] waits for the end. The error is ErrNoChild.
	RemoveChild = actor.DeclareAsk[string, struct{}](supervisorType, "remove child")

	// StopChild stops a child as declared, even a Permanent one, and returns when it has ended. The
	// supervisor keeps the declaration. The child stays down, also when its siblings are restarted,
	// until [RestartChild] starts it as a new actor, or until the supervisor itself is restarted. A
	// Temporary child, or a child of SimpleOneForOne, is forgotten. The error is ErrNoChild. If the
	// context of the request ends first, the child still stops.
	StopChild = actor.DeclareAsk[string, struct{}](supervisorType, "stop child")

	// RestartChild restarts a child alone, without its siblings, and returns when it is up. It waits
	// as [StartChild] does.
	//
	//   - A child that is up is restarted in place, after the message that it is handling, however
	//     long that takes; its Stop does not matter.
	//   - A child that has stopped is restarted as a new actor.
	//   - A child that waits for its back-off is restarted without further delay.
	//
	// This is not a failure and does not count for the [Intensity]. If the child does not come up, the
	// error is a *[StartError]. A child that had stopped then stays stopped. Any other is retried with
	// its [Backoff], if its Restart says so. The other error is ErrNoChild, also if the child is
	// stopped or removed before it is up. If the context of the request ends first, the restart goes
	// on.
	RestartChild = actor.DeclareAsk[string, struct{}](supervisorType, "restart child")

	// FindChild returns the actor of a child, for behaviours; [actor.As] gives the ref its type. The
	// error is ErrNoChild. [Find] is for goroutines outside, and [Sibling] needs no message.
	FindChild = actor.DeclareAsk[string, actor.AnyRef](supervisorType, "find child")

	awaitUp  = actor.DeclareAsk[struct{}, struct{}](supervisorType, "await up")
	showTree = actor.DeclareAsk[struct{}, Node](supervisorType, "tree")
)

func init() {
	supervisorType.Table(StartChild.Handle((*supervisor).startChild),
		StopChild.Handle((*supervisor).stopChild), awaitUp.Handle((*supervisor).awaitUp),
		RemoveChild.Handle((*supervisor).removeChild),
		RestartChild.Handle((*supervisor).restartChild), FindChild.Handle((*supervisor).findChild),
		showTree.Handle((*supervisor).node))
}

// Find returns the actor of a child, whose state must be an S. A path of several names leads
// through supervisors below. The errors are ErrNoChild, [actor.ErrOtherType] and the errors of
// [actor.AskBehaviour.Ask].
//
// The ref stays valid across restarts. There are new actors only after a child was stopped or
// killed by order, and below a supervisor that was restarted.
//
// A child that has no actor yet, because it waits for older siblings, is not found. Nor is a child
// of a supervisor that is down while a sibling waits for its back-off. Start the tree with
// [StartWait], or wait with [Supervisor.Ready], before looking up its children. A child finds its
// siblings with [Sibling].
func Find[S any](ctx context.Context, s Supervisor,
	path ...string) (actor.Ref[S], error) {
	return find[S](ctx, s.asked("Find"), path)
}

func find[S any](ctx context.Context, s actor.Ref[supervisor],
	path []string) (actor.Ref[S], error) {
	at := s.Any()
	for i, name := range path {
		super, ok := actor.As[supervisor](at)
		if !ok {
			return actor.Ref[S]{}, fmt.Errorf("%w: %q is no supervisor", ErrNoChild, path[:i])
		}
		next, err := FindChild.Ask(ctx, super, name)
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

// WaitForRestart returns a context with which an ask waits for an actor in back-off, instead of
// failing with [actor.ErrSuspended]: the request is kept and runs after the restart. The WhileDown
// of the [Worker] does not limit it, so give the context a deadline. Contexts derived from the
// returned one inherit this. WaitForRestart panics if ctx is nil.
func WaitForRestart(ctx context.Context) context.Context { return kernel.WaitForRestart(ctx) }
