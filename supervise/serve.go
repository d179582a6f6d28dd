package supervise

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// Serve runs a service from its start to its end. Call it from main:
//
//	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
//	defer cancel()
//	err := supervise.Serve(ctx, actor.Start(), app, 10*time.Second)
//
// It starts the tree as [StartWait] does, waits until ctx ends or the root ends by itself, and then
// ends everything: the root is drained, so its children end in the opposite order of their start,
// each as its Stop says; then the system is shut down. All this may take at most grace. What has
// not ended by then is stopped at once: the root is killed, and Serve does not wait for the system.
//
// Serve returns nil if ctx has ended or the root was stopped by order, and all has ended within
// grace. Otherwise the error is that of StartWait, or the reason of the root, for example an
// *[EscalationError], or it says what did not end and wraps [context.DeadlineExceeded]; several
// errors are joined. When Serve returns, the system has stopped or is stopping.
//
// Serve panics if the declaration is wrong, if grace is negative, or if a behaviour calls it.
func Serve(ctx context.Context, sys *actor.System, spec Spec, grace time.Duration) error {
	if grace < 0 {
		panic(fmt.Sprintf("gallop: supervise: Serve: a grace of %v", grace))
	}
	root, err := StartWait(ctx, sys, spec)
	if err == nil {
		err = root.Wait(ctx)
	}
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) { // ctx ended: the order to shut down
		if err = nil; !root.IsZero() {
			err = drain(within, sys, root, grace)
		}
	}
	return errors.Join(err, sys.Shutdown(within))
}

// drain drains a tree, or kills it if ctx ends first.
func drain(ctx context.Context, sys *actor.System, root Supervisor, grace time.Duration) error {
	err := actor.DrainWait(ctx, sys, root)
	if err == nil || !errors.Is(err, ctx.Err()) {
		return err
	}
	actor.Kill(sys, root)
	return fmt.Errorf("gallop: supervise: the tree has not ended within %v: %w", grace, err)
}
