package actor_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// collect runs the GC until an object that is not referred to is freed, and again, so that the
// cleanups of older objects have run.
func collect(t *testing.T) {
	t.Helper()
	for range 5 {
		freed := make(chan struct{})
		func() {
			value := new([64]int)
			runtime.AddCleanup(value, func(freed chan struct{}) { close(freed) }, freed)
		}()
		eventually(t, "an object is freed", func() bool {
			runtime.GC()
			select {
			case <-freed:
				return true
			default:
				return false
			}
		})
	}
}

// TestContext_DoneOutlivesIt: a Done channel stays open until the deadline or the cancel, and closes
// then, also if nothing refers to its context any more.
func TestContext_DoneOutlivesIt(t *testing.T) {
	type key struct{}
	for name, tt := range map[string]struct {
		limit  time.Duration
		cancel bool
	}{
		"deadline": {limit: 50 * time.Millisecond},
		"cancel":   {limit: time.Hour, cancel: true},
		"neither":  {limit: time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			got := make(chan (<-chan struct{}), 1)
			sys := start(t, actor.WithInterceptor(actor.Interceptor{
				Before: func(_ *actor.Context, in *actor.Invocation) error {
					if ctx := in.Context(); ctx != nil && ctx.Value(key{}) != nil {
						if ctx.Done() != ctx.Done() {
							t.Error("two channels")
						}
						got <- ctx.Done()
					}
					return nil
				}}))
			outer, cancel := context.WithCancel(context.Background())
			defer cancel()
			r := puppetType.Spawn(sys, puppet{})
			do.Send(sys.With(outer), r, func(_ *puppet, c *actor.Context) {
				x, stop := context.WithTimeout(context.WithValue(c.Context(), key{}, 1), tt.limit)
				defer stop()
				c.SetContext(x)
				do.Send(c, r, noop)
			})
			done := receive(t, "the channel", got)
			quiet(t, sys)
			if tt.limit == time.Hour {
				collect(t)
				select {
				case <-done:
					t.Fatal("the channel is closed, an hour early")
				default:
				}
			}
			if tt.cancel {
				cancel()
			}
			if tt.cancel || tt.limit < time.Hour {
				receive(t, "the end", done)
			}
		})
	}
}

// TestContext_ErrClosesDone: as soon as Err has an error, Done is closed.
func TestContext_ErrClosesDone(t *testing.T) {
	type key struct{}
	outer, cancel := context.WithCancel(context.Background())
	seen := make(chan error, 1)
	sys := start(t, actor.WithInterceptor(actor.Interceptor{
		Before: func(_ *actor.Context, in *actor.Invocation) error {
			ctx := in.Context()
			if ctx == nil || ctx.Value(key{}) == nil {
				return nil
			}
			done := ctx.Done()
			after := make(chan struct{})
			context.AfterFunc(ctx, func() { close(after) })
			child, stop := context.WithCancel(ctx)
			defer stop()
			cancel()
			err := ctx.Err()
			select {
			case <-done:
			default:
				t.Error("Err has an error, and Done is open")
			}
			<-after
			<-child.Done()
			seen <- err
			return nil
		}}))
	r := puppetType.Spawn(sys, puppet{})
	do.Send(sys.With(outer), r, func(_ *puppet, c *actor.Context) {
		x, stop := context.WithTimeout(context.WithValue(c.Context(), key{}, 1), time.Hour)
		defer stop()
		c.SetContext(x)
		do.Send(c, r, noop)
	})
	equal(t, "Err", receive(t, "the error", seen), context.Canceled)
	quiet(t, sys)
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

// TestContext_AfterFunc: a context of the user's with a method AfterFunc is told by that, and by Done
// if the method panics. Package context calls it under a lock of its own, which the function that it
// is given takes.
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
