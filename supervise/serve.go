package supervise

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/kernel"
)

// Serve runs a service from its start to its end. Call it from main:
//
//	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
//	defer cancel()
//	err := supervise.Serve(ctx, actor.Start(), app, 10*time.Second)
//
// It starts the tree as [StartWait] does, waits until ctx ends or the root ends by itself, and then
// ends everything: the root is drained, so its children end in the opposite order of their start,
// each as its Stop says; then the system is shut down. All this may take at most grace. After that
// the root is killed, and Serve does not wait for the system.
//
// Serve returns nil if ctx has ended or the root was stopped by order, and all has ended within
// grace and each child by its own deadline. Otherwise the error is
//
//   - the error of StartWait, or
//   - the reason of the root, for example an *[EscalationError], or
//   - an error that wraps [context.DeadlineExceeded] and tells which part did not end, or
//   - the name of a child that was killed at the deadline of its Stop, which wraps [actor.ErrKilled].
//
// Several errors are joined. Children of supervisors that have an OnEvent of their own are reported
// there alone. When Serve returns, the system has stopped or is stopping.
//
// Serve panics if the declaration is wrong, if grace is negative, if an option is nil, or if a
// behaviour calls it.
func Serve(ctx context.Context, sys *actor.System, spec Spec, grace time.Duration,
	opts ...ServeOption) error {
	if grace < 0 {
		panic(fmt.Sprintf("gallop: supervise: Serve: a grace of %v", grace))
	}
	var up []func(Supervisor)
	for _, o := range opts {
		if o.whenUp == nil {
			panic("gallop: supervise: Serve: a zero ServeOption: use WhenUp")
		}
		up = append(up, o.whenUp)
	}
	ctx = mustHave(ctx, "Serve")
	late := lateOnes{ctx: ctx}
	spec.OnEvent = late.listen(spec.OnEvent)
	root, err := StartWait(ctx, sys, spec)
	if err == nil {
		for _, f := range up {
			go kernel.SystemOf(sys).Guard("WhenUp", func() { f(root) })
		}
		err = root.Wait(ctx)
	}
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if ended := ctx.Err(); ended != nil && guard.Is(err, ended) { // the order to shut down
		if err = nil; !root.IsZero() {
			err = drain(within, root, grace)
		}
	}
	err = errors.Join(err, sys.Shutdown(within))
	return errors.Join(err, late.err())
}

// ServeOption is an option of [Serve]: [WhenUp]. The zero ServeOption is none, and Serve panics for it.
type ServeOption struct{ whenUp func(Supervisor) }

// WhenUp has [Serve] call f once when the whole tree is up, with its root: to tell a service manager
// that the service is ready, or for [Tree] on a page. It is not called if the tree does not come up.
//
// f runs in a goroutine of its own. It may wait, and Serve does not wait for it; the tree may have
// ended again by the time it runs. A panic in f is logged. WhenUp panics if f is nil.
func WhenUp(f func(root Supervisor)) ServeOption {
	if f == nil {
		panic("gallop: supervise: WhenUp: a nil function")
	}
	return ServeOption{f}
}

// lateOnes are the children that were killed at their deadlines while all ends.
type lateOnes struct {
	ctx context.Context // all ends once it has ended
	mu  sync.Mutex
	all error // guarded by mu
}

// listen returns an OnEvent that records children killed at their deadline. It calls next, unless
// that is nil.
func (l *lateOnes) listen(next func(Event)) func(Event) {
	return func(e Event) {
		if e.Kind == ChildOverdue {
			l.add(e)
		}
		if next != nil {
			next(e)
		}
	}
}

func (l *lateOnes) add(e Event) {
	if l.ctx.Err() == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = errors.Join(l.all, fmt.Errorf("%s (%s): %w", e.Path, e.Type, e.Reason))
}

func (l *lateOnes) err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all
}

// drain drains a tree, or kills it if ctx ends first.
func drain(ctx context.Context, root Supervisor, grace time.Duration) error {
	err := actor.DrainWait(ctx, root)
	if err == nil || !guard.Is(err, ctx.Err()) {
		return err
	}
	actor.Kill(actor.SystemOf(root), root)
	return fmt.Errorf("gallop: supervise: the tree has not ended within %v: %w", grace, err)
}
