package supervise

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// Serve runs a service from its start to its end. It is what main calls:
//
//	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
//	defer cancel()
//	err := supervise.Serve(ctx, actor.Start(), app, 10*time.Second)
//
// It starts the tree as [StartWait] does, waits until ctx ends or the root ends by itself, and
// then ends everything: the root is drained, by which its children end in the opposite order of
// their start, each as its Stop says; then the system is shut down. All that may take no longer
// than grace. What has not ended by then is stopped at once: the root is killed, and the system
// is not waited for.
//
// Serve returns nil if ctx has ended, or somebody has stopped the root, and all has ended
// within grace. Otherwise the error is that of StartWait, or the reason of the root, for
// example an *[EscalationError], or it says what did not end and wraps
// [context.DeadlineExceeded]; several are joined. Whatever it returns, the system has stopped
// or stops.
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
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) { // that is the order to end
		if err = nil; !root.IsZero() {
			err = drain(within, sys, root, grace)
		}
	}
	return errors.Join(err, sys.Shutdown(within))
}

// drain ends a tree in good order, or kills it.
func drain(ctx context.Context, sys *actor.System, root Supervisor, grace time.Duration) error {
	err := actor.DrainWait(ctx, sys, root)
	if err == nil || !errors.Is(err, ctx.Err()) {
		return err
	}
	actor.Kill(sys, root)
	return fmt.Errorf("gallop: supervise: the tree has not ended within %v: %w", grace, err)
}
