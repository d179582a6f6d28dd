package flight_test

import (
	"context"
	"log/slog"
	"os"
	"runtime"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/flight"
	"github.com/gallop-go/gallop/internal/seam"
)

// TestMain fails the package when a test has left a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// pilot runs the functions that it is sent.
type pilot struct{ n int }

type deed = func(*pilot, *actor.Context)

var (
	pilotType = actor.NewType[pilot]("pilot")
	do        = actor.Declare[deed](pilotType, "do")
	count     = actor.Declare[int](pilotType, "count")
	quit      = actor.Declare[struct{}](pilotType, "quit")
	crash     = actor.Declare[string](pilotType, "crash")
	passOn    = actor.Declare[int](pilotType, "passOn")
	_         = pilotType.Table(
		do.Handle(func(p *pilot, c *actor.Context, f deed) { f(p, c) }),
		count.Handle(func(p *pilot, _ *actor.Context, n int) { p.n += n }),
		quit.Handle(func(_ *pilot, c *actor.Context, _ struct{}) { c.Stop() }),
		passOn.Handle(func(_ *pilot, c *actor.Context, n int) { again(c, n) }),
		crash.Handle(func(_ *pilot, _ *actor.Context, why string) { panic(why) }))
)

// testLimit is how long nothing may happen before that is a hang.
const testLimit = 2 * time.Minute

// start starts a system that logs nothing. No turn is too long for it, since a long turn is a
// reason for a recording.
func start(t testing.TB, opts ...actor.Option) *actor.System {
	t.Helper()
	sys := actor.Start(append([]actor.Option{actor.WithWorkers(2),
		actor.WithLogger(slog.New(slog.DiscardHandler)), actor.WithLongTurn(time.Hour)}, opts...)...)
	t.Cleanup(sys.Stop)
	return sys
}

// record records a system until the end of the test.
func record(t testing.TB, sys *actor.System, opts ...flight.Option) *flight.Recorder {
	t.Helper()
	r, err := flight.Start(sys, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

func quiet(t testing.TB, sys *actor.System) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testLimit)
	defer cancel()
	if err := sys.Wait(ctx); err != nil {
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

// has reports whether a recording has such an event.
func has(s *flight.Recording, is func(e flight.Event) bool) bool {
	for _, e := range s.Events {
		if is(e) {
			return true
		}
	}
	return false
}

// words returns the events of some sorts in words.
func words(s *flight.Recording, whats ...flight.What) (all []string) {
	for _, e := range s.Events {
		for _, k := range whats {
			if e.What == k {
				all = append(all, e.String())
			}
		}
	}
	return all
}

var machine seam.SystemClock

func now() int64 { return machine.Nanos() }

// nightly is n, or long if the environment asks for the long forms.
func nightly(n, long int) int {
	if os.Getenv("GALLOP_NIGHTLY") != "" {
		return long
	}
	return n
}
