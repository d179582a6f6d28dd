package actor_test

import (
	"context"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// TestInvocation_ContextWithADeadline: a context to which a behaviour has given a deadline "ends
// when [Context.Context] does": with the context of the message, at the deadline, or when the
// behaviour returns. As soon as Err has an error, Done is closed.
func TestInvocation_ContextWithADeadline(t *testing.T) {
	type key struct{}
	for name, tt := range map[string]struct {
		limit  time.Duration
		cancel bool
		want   error
	}{
		"deadline": {limit: 20 * time.Millisecond, want: context.DeadlineExceeded},
		"cancel":   {limit: time.Hour, cancel: true, want: context.Canceled},
		"neither":  {limit: time.Hour, want: context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			outer, cancel := context.WithCancel(context.Background())
			defer cancel()
			seen := make(chan context.Context, 1)
			waited := func(ctx context.Context) {
				receive(t, "Done", ctx.Done())
				wants(t, ctx.Err(), tt.want)
			}
			sys := start(t, actor.WithInterceptor(actor.Interceptor{
				Before: func(c *actor.Context, in *actor.Invocation) error {
					ctx := in.Context()
					if ctx.Value(key{}) == nil || in.IsOutcome() {
						return nil
					}
					if in.Context() != ctx || ctx.Done() != ctx.Done() {
						t.Error("two contexts, or two channels")
					}
					after := make(chan struct{})
					context.AfterFunc(ctx, func() { close(after) })
					child, stop := context.WithCancel(ctx)
					defer stop()
					if tt.cancel {
						cancel()
						wants(t, ctx.Err(), tt.want)
					}
					if tt.cancel || tt.limit < time.Hour {
						waited(ctx)
						waited(child)
						<-after
					}
					in.SetContext(context.WithValue(ctx, ownKey{}, 1))
					equal(t, "value in the behaviour", c.Context().Value(ownKey{}), any(1))
					seen <- ctx
					return nil
				}}))
			r := ctxs.typ.Spawn(sys, ctxActor{})
			ctxs.do.Send(sys.With(outer), r, func(_ *ctxActor, c *actor.Context) {
				x, stop := context.WithTimeout(context.WithValue(c.Context(), key{}, 1), tt.limit)
				defer stop()
				c.SetContext(x)
				actor.AskTo(c, ctxs.try, r, showing, ctxs.heard) // a request runs, even if it is late
			})
			waited(receive(t, "the context", seen))
			quiet(t, sys)
			equal(t, "contexts that a life ends", actor.BoundTo(r), 0)
		})
	}
}

// afterContext has an AfterFunc of its own, which calls hook.
type afterContext struct {
	context.Context
	done chan struct{}
	hook func(f func()) (stop func() bool)
}

func (a *afterContext) Done() <-chan struct{}                 { return a.done }
func (a *afterContext) AfterFunc(f func()) (stop func() bool) { return a.hook(f) }
func (a *afterContext) Err() error {
	select {
	case <-a.done:
		return context.Canceled
	default:
		return nil
	}
}

// TestContext_AfterFunc: the runtime learns of the end of a user's context by its method AfterFunc,
// if it has one, and by Done if that method panics. Package context calls AfterFunc under a lock of
// its own, which the function that it passes takes too.
func TestContext_AfterFunc(t *testing.T) {
	no := func() bool { return false }
	for name, tt := range map[string]struct {
		hook func(a *afterContext, f func()) func() bool
		lies bool // it has not ended
	}{
		"in order": {hook: func(a *afterContext, f func()) func() bool {
			go func() { <-a.done; f() }()
			close(a.done)
			return no
		}},
		"at once":  {hook: func(a *afterContext, f func()) func() bool { close(a.done); f(); return no }},
		"no stop":  {hook: func(a *afterContext, f func()) func() bool { close(a.done); go f(); return nil }},
		"panics":   {hook: func(a *afterContext, _ func()) func() bool { close(a.done); panic(errUser) }},
		"too soon": {hook: func(_ *afterContext, f func()) func() bool { f(); return no }, lies: true},
		"stop fails": {hook: func(*afterContext, func()) func() bool {
			return func() bool { panic(errUser) }
		}, lies: true},
	} {
		t.Run(name, func(t *testing.T) {
			a := &afterContext{Context: context.Background(), done: make(chan struct{})}
			calls := 0
			a.hook = func(f func()) func() bool { calls++; return tt.hook(a, f) }
			sys := start(t)
			end := make(chan error, 1)
			r := puppetType.Spawn(sys, puppet{})
			do.Send(sys.With(a), r, func(_ *puppet, c *actor.Context) {
				ctx := c.Context()
				if !tt.lies {
					receive(t, "the end", ctx.Done())
				}
				end <- ctx.Err()
			})
			if err := receive(t, "the behaviour", end); (err != nil) == tt.lies {
				t.Errorf("Err: %v", err)
			}
			quiet(t, sys)
			equal(t, "calls of AfterFunc", calls, 1)
			equal(t, "panics", sys.Stats().Panics, 0)
		})
	}
}

// errless has a Done that is closed, and no error.
type errless struct{ context.Context }

func (errless) Err() error { return nil }

// TestContext_EndsWithoutError: a context of the user's that ends and has no error ends the context
// of the behaviour, and not the process: package context panics there, in a goroutine of its own.
func TestContext_EndsWithoutError(t *testing.T) {
	outer, cancel := context.WithCancel(context.Background())
	sys := start(t)
	end := make(chan error, 1)
	r := puppetType.Spawn(sys, puppet{})
	done := make(chan struct{})
	do.Send(sys.With(errless{ownDone{outer, done}}), r, func(_ *puppet, c *actor.Context) {
		ctx := c.Context()
		cancel()
		close(done)
		receive(t, "the end", ctx.Done())
		end <- ctx.Err()
	})
	equal(t, "Err", receive(t, "the behaviour", end), context.Canceled)
	quiet(t, sys)
}

type ownDone struct {
	context.Context
	done chan struct{}
}

func (o ownDone) Done() <-chan struct{} { return o.done }
