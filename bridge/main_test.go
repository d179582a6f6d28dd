package bridge_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/gallop-go/gallop/actor"
)

// TestMain: no test leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// silent is a logger for tests that make actors panic on purpose.
var silent = slog.New(slog.NewTextHandler(io.Discard, nil))

var errUser = errors.New("the user's error")

// start makes a system that is stopped at the end of the test.
func start(t testing.TB, opts ...actor.Option) *actor.System {
	t.Helper()
	sys := actor.Start(append([]actor.Option{actor.WithLogger(silent)}, opts...)...)
	t.Cleanup(sys.Stop)
	return sys
}

// testLimit is the time after which a test that makes no progress has hung. It is long, because a
// busy machine may halt a whole process for a minute.
const testLimit = 3 * time.Minute

// soon returns a context that ends long after everything should have happened. So a hang is a
// failure of its test, and not a time-out of the whole run.
func soon(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testLimit)
	t.Cleanup(cancel)
	return ctx
}

// quiet waits until the system is quiescent.
func quiet(t testing.TB, sys *actor.System) {
	t.Helper()
	must(t, sys.Wait(soon(t)))
}

// must fails the test on an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wants fails the test if err is not want.
func wants(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error %v, want %v", err, want)
	}
}

// equal fails the test if got is not want.
func equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
}

// panics fails the test if f does not panic with the project's prefix and the given words.
func panics(t testing.TB, words string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		v := recover()
		s, ok := v.(string)
		if !ok || !strings.HasPrefix(s, "gallop: ") || !strings.Contains(s, words) {
			t.Errorf("panic %v, want one with prefix \"gallop: \" and %q", v, words)
		}
	}()
	f()
}

// eventually waits for a condition that becomes true by itself, and yields in between. It is for
// conditions without an event to wait for.
func eventually(t testing.TB, what string, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(testLimit); !cond(); runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("not in %v: %s", testLimit, what)
		}
	}
}

// receive takes from a channel, or fails the test.
func receive[T any](t testing.TB, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(testLimit):
		t.Fatalf("not in %v: %s", testLimit, what)
		panic("unreachable")
	}
}

// scaled returns a number of rounds. It is n for the long forms, a fraction of n otherwise, a
// smaller fraction under the race detector, where a round takes fifteen times as long, and the
// smallest under -short.
func scaled(n int) int {
	switch {
	case testing.Short():
		n /= 10
	case os.Getenv("GALLOP_NIGHTLY") != "" || os.Getenv("GALLOP_EXPLORE_SCALE") != "": // runs of mutants
	case raceDetector:
		n /= 8
	default:
		n /= 4
	}
	return max(n, 1)
}

// puppet is an actor that runs the function in each message.
type puppet struct {
	n    int
	note any
}

type deed = func(*puppet, *actor.Context)

func (p *puppet) Do(c *actor.Context, f deed)    { f(p, c) }
func (p *puppet) Count(_ *actor.Context, by int) { p.n += by }

// Try answers with the results of the function in the request.
func (p *puppet) Try(c *actor.Context, f func(*puppet, *actor.Context) (any, error)) (any, error) {
	return f(p, c)
}

func (p *puppet) Value(_ *actor.Context, _ struct{}) (int, error) { return p.n, nil }

var (
	puppetType = actor.NewType[puppet]("puppet")
	do         = actor.Declare[deed](puppetType, "do")
	count      = actor.Declare[int](puppetType, "count")
	try        = actor.DeclareAsk[func(*puppet, *actor.Context) (any, error), any](puppetType, "try")
	value      = actor.DeclareAsk[struct{}, int](puppetType, "value")
	_          = puppetType.Table(do.Handle((*puppet).Do), count.Handle((*puppet).Count),
		try.Handle((*puppet).Try), value.Handle((*puppet).Value))

	// A slow one has a batch of one: it is overloaded as soon as mail waits.
	slowType = actor.NewType[puppet]("slow", actor.WithBatch(1))
	slowDo   = actor.Declare[deed](slowType, "do")
	_        = slowType.Table(slowDo.Handle((*puppet).Do))

	pinnedType = actor.NewType[puppet]("pinned", actor.WithPinnedThread())
	pinnedDo   = actor.Declare[deed](pinnedType, "do")
	_          = pinnedType.Table(pinnedDo.Handle((*puppet).Do))
)

// inside runs f in a behaviour of a new actor and waits for it. It fails the test if f panics.
func inside(t testing.TB, sys *actor.System, f func(c *actor.Context)) {
	t.Helper()
	p := puppetType.Spawn(sys, puppet{})
	_, err := try.Ask(soon(t), p, func(_ *puppet, c *actor.Context) (any, error) {
		f(c)
		return nil, nil
	})
	must(t, err)
}

// letters counts dead letters and keeps the last.
type letters struct {
	n    atomic.Int64
	last atomic.Pointer[actor.DeadLetter]
}

func (l *letters) option() actor.Option {
	return actor.WithHooks(actor.Hooks{DeadLetter: func(d actor.DeadLetter) {
		l.last.Store(&d)
		l.n.Add(1)
	}})
}

// overloaded is an actor that is overloaded and stuck in a behaviour. It runs no other message
// until release is called.
type overloaded struct {
	ref  actor.Ref[puppet]
	stay chan struct{}
	once sync.Once
}

// overload makes an overloaded actor. It keeps a worker busy until release. end, if given, runs at
// the end of the behaviour.
func overload(t testing.TB, sys *actor.System, end ...func(c *actor.Context)) *overloaded {
	t.Helper()
	return overloadThis(t, sys, slowType.Spawn(sys, puppet{}), end...)
}

func overloadThis(t testing.TB, sys *actor.System, r actor.Ref[puppet],
	end ...func(c *actor.Context)) *overloaded {
	t.Helper()
	o := &overloaded{ref: r, stay: make(chan struct{})}
	first, second := make(chan struct{}), make(chan struct{})
	slowDo.Send(sys, o.ref, func(*puppet, *actor.Context) { <-first })
	slowDo.Send(sys, o.ref, func(_ *puppet, c *actor.Context) {
		close(second)
		<-o.stay
		for _, f := range end {
			f(c)
		}
	})
	slowDo.Send(sys, o.ref, func(*puppet, *actor.Context) {})
	close(first)
	receive(t, "the overloaded actor to get stuck", second)
	wants(t, slowDo.TrySend(sys, o.ref, nil), actor.ErrOverloaded)
	t.Cleanup(o.release)
	return o
}

func (o *overloaded) release() { o.once.Do(func() { close(o.stay) }) }
