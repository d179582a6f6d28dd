package inspect_test

import (
	"context"
	"log/slog"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// doll runs the functions that it is sent.
type doll struct{ n int }

type deed = func(*doll, *actor.Context)

var (
	dollType = actor.NewType[doll]("doll")
	do       = actor.Declare[deed](dollType, "do")
	count    = actor.Declare[int](dollType, "count")
	keep     = actor.Declare[int](dollType, "keep") // stashes
	query    = actor.DeclareAsk[func(*doll, *actor.Context) int, int](dollType, "query")
	_        = dollType.Table(
		do.Handle(func(d *doll, c *actor.Context, f deed) { f(d, c) }),
		count.Handle(func(d *doll, _ *actor.Context, n int) { d.n += n }),
		keep.Handle(func(_ *doll, c *actor.Context, n int) { keep.Stash(c, n) }),
		query.Handle(func(d *doll, c *actor.Context, f func(*doll, *actor.Context) int) (int, error) {
			return f(d, c), nil
		}))
)

// testLimit is how long nothing may happen before that is a hang.
const testLimit = 2 * time.Minute

// start starts a system that logs nothing.
func start(t testing.TB, opts ...actor.Option) *actor.System {
	t.Helper()
	sys := actor.Start(append([]actor.Option{actor.WithWorkers(2),
		actor.WithLogger(slog.New(slog.DiscardHandler))}, opts...)...)
	t.Cleanup(sys.Stop)
	return sys
}

func soon(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), testLimit)
	t.Cleanup(cancel)
	return ctx
}

func quiet(t testing.TB, sys *actor.System) {
	t.Helper()
	if err := sys.Wait(soon(t)); err != nil {
		t.Fatal(err)
	}
}

// in runs f in a behaviour, and waits for it.
func in(t testing.TB, r actor.Ref[doll], f deed) {
	t.Helper()
	_, err := query.Ask(soon(t), r, func(d *doll, c *actor.Context) int { f(d, c); return 0 })
	if err != nil {
		t.Fatal(err)
	}
}

// eventually waits until something is so.
func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(testLimit); !is(); runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatal("never: " + what)
		}
	}
}

func equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// stuck has an actor run until release is called. It returns when it runs.
func stuck(t testing.TB, sys *actor.System, r actor.Ref[doll]) (release func()) {
	t.Helper()
	runs, stay := make(chan struct{}), make(chan struct{})
	do.Send(sys, r, func(*doll, *actor.Context) { close(runs); <-stay })
	<-runs
	return func() { close(stay) }
}

// nightly is n, or long if the environment asks for the long forms.
func nightly(n, long int) int {
	if os.Getenv("GALLOP_NIGHTLY") != "" {
		return long
	}
	return n
}
