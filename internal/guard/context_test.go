package guard_test

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"runtime"
	"testing"
	"time"

	"github.com/gallop-go/gallop/internal/guard"
)

// foul is a user's context, each method of which calls misdeed.
type foul struct {
	context.Context
	misdeed func()
}

func (c *foul) Err() error                      { c.misdeed(); return nil }
func (c *foul) Done() <-chan struct{}           { c.misdeed(); return nil }
func (c *foul) Value(any) any                   { c.misdeed(); return nil }
func (c *foul) Deadline() (_ time.Time, _ bool) { c.misdeed(); return time.Time{}, false }

// TestGuarded: Guarded returns a context of package context or os/signal itself, unless it is
// derived from a user's context. The methods of a guarded user's context return although the user's
// methods panic or call runtime.Goexit.
func TestGuarded(t *testing.T) {
	derive := map[string]func(context.Context) (context.Context, context.CancelFunc){
		"itself":     func(ctx context.Context) (context.Context, context.CancelFunc) { return ctx, func() {} },
		"WithCancel": context.WithCancel,
		"WithTimeout": func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, time.Hour)
		},
		"WithValue": func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithValue(ctx, t, 1), func() {}
		},
		"WithoutCancel": func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithoutCancel(ctx), func() {}
		},
		"NotifyContext": func(ctx context.Context) (context.Context, context.CancelFunc) {
			return signal.NotifyContext(ctx, os.Interrupt)
		},
	}
	for outer, f := range derive {
		for inner, g := range derive {
			in, end := g(context.Background())
			ctx, stop := f(in)
			if guard.Guarded(ctx) != ctx {
				t.Errorf("%s of %s is guarded", outer, inner)
			}
			stop()
			end()
			in, end = g(guard.Guarded(&foul{context.Background(), func() {}}))
			if ctx, stop = f(in); guard.Guarded(ctx) != ctx {
				t.Errorf("%s of %s of a guarded one is guarded again", outer, inner)
			}
			stop()
			end()
			in, end = g(&foul{context.Background(), func() {}})
			if ctx, stop = f(in); guard.Guarded(ctx) == ctx || guard.Bare(guard.Guarded(ctx)) != ctx {
				t.Errorf("%s of %s of one of the user's is not guarded", outer, inner)
			}
			stop()
			end()
		}
	}
	for name, misdeed := range map[string]func(){"panic": func() { panic(1) }, "Goexit": runtime.Goexit} {
		c := guard.Guarded(&foul{context.Background(), misdeed})
		_, limited := c.Deadline()
		if c.Err() == nil || !errors.Is(c.Err(), c.Err()) || c.Done() != nil || c.Value(1) != nil || limited {
			t.Errorf("%s: %v, %v, %v, %v", name, c.Err(), c.Done(), c.Value(1), limited)
		}
	}
}
