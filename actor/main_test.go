package actor_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"strings"
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

// workerCounts are the numbers of workers that tests of order run with.
var workerCounts = []int{1, 2, 4}

func withWorkers(t *testing.T, f func(t *testing.T, workers int)) {
	for _, n := range workerCounts {
		t.Run(fmt.Sprintf("workers=%d", n), func(t *testing.T) { f(t, n) })
	}
}

// scaled returns a number of rounds. It is n for the long forms, a fraction of n otherwise, a
// smaller fraction under the race detector, where a round takes fifteen times as long, and the
// smallest under -short.
func scaled(n int) int {
	switch {
	case testing.Short():
		n /= 10
	case longForms() || os.Getenv("GALLOP_EXPLORE_SCALE") != "": // set by the runs of mutants
	case raceDetector:
		n /= 8
	default:
		n /= 4
	}
	return max(n, 1)
}

func longForms() bool { return os.Getenv("GALLOP_NIGHTLY") != "" }

// nightly is scaled(n), or long if the environment asks for the long forms.
func nightly(n, long int) int {
	if longForms() {
		n = long
	}
	return scaled(n)
}

// puppet is an actor that runs the function in each message.
type puppet struct {
	n    int
	note any
}

type deed = func(*puppet, *actor.Context)

func (p *puppet) Do(c *actor.Context, f deed)                 { f(p, c) }
func (p *puppet) Count(_ *actor.Context, by int)              { p.n += by }
func (p *puppet) Reply(_ *actor.Context, r actor.Result[int]) { p.note = r }
func (p *puppet) Note(c *actor.Context, r actor.Result[any]) {
	if f, ok := p.note.(func(*actor.Context, actor.Result[any])); ok {
		f(c, r)
	}
}

// Try answers with the results of the function in the request.
func (p *puppet) Try(c *actor.Context, f func(*puppet, *actor.Context) (any, error)) (any, error) {
	return f(p, c)
}

func (p *puppet) Value(_ *actor.Context, _ struct{}) (int, error) { return p.n, nil }

// The two types of puppets differ in their batch only.
var (
	puppetType = actor.NewType[puppet]("puppet")
	do         = actor.Declare[deed](puppetType, "do")
	count      = actor.Declare[int](puppetType, "count")
	reply      = actor.Declare[actor.Result[int]](puppetType, "reply")
	note       = actor.Declare[actor.Result[any]](puppetType, "note")
	try        = actor.DeclareAsk[func(*puppet, *actor.Context) (any, error), any](puppetType, "try")
	value      = actor.DeclareAsk[struct{}, int](puppetType, "value")
	_          = puppetType.Table(do.Handle((*puppet).Do), count.Handle((*puppet).Count),
		reply.Handle((*puppet).Reply),
		note.Handle((*puppet).Note), try.Handle((*puppet).Try), value.Handle((*puppet).Value))

	// A slow one has a batch of one: it is overloaded as soon as mail waits.
	slowType = actor.NewType[puppet]("slow", actor.WithBatch(1))
	slowDo   = actor.Declare[deed](slowType, "do")
	slowTry  = actor.DeclareAsk[func(*puppet, *actor.Context) (any, error), any](slowType, "try")
	_        = slowType.Table(slowDo.Handle((*puppet).Do), slowTry.Handle((*puppet).Try))

	pinnedType = actor.NewType[puppet]("pinned", actor.WithPinnedThread())
	pinnedDo   = actor.Declare[deed](pinnedType, "do")
	pinnedNote = actor.Declare[actor.Result[any]](pinnedType, "note")
	pinnedTry  = actor.DeclareAsk[func(*puppet, *actor.Context) (any, error), any](pinnedType, "try")
	_          = pinnedType.Table(pinnedDo.Handle((*puppet).Do), pinnedNote.Handle((*puppet).Note),
		pinnedTry.Handle((*puppet).Try))
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
