package group_test

import (
	"context"
	"io"
	"log/slog"
	"slices"
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

// sink is an actor that keeps its messages.
type sink struct{ got []int }

func (s *sink) Put(_ *actor.Context, n int)                        { s.got = append(s.got, n) }
func (s *sink) Do(c *actor.Context, f func(*sink, *actor.Context)) { f(s, c) }
func (s *sink) Got(*actor.Context, struct{}) ([]int, error)        { return s.got, nil }

var (
	sinkType = actor.NewType[sink]("sink")
	put      = actor.Declare[int](sinkType, "put")
	do       = actor.Declare[func(*sink, *actor.Context)](sinkType, "do")
	got      = actor.DeclareAsk[struct{}, []int](sinkType, "got")
	_        = sinkType.Table(put.Handle((*sink).Put), do.Handle((*sink).Do), got.Handle((*sink).Got))

	// A slow one is overloaded as soon as mail waits.
	slowType = actor.NewType[sink]("slow", actor.WithBatch(1))
	slowPut  = actor.Declare[int](slowType, "put")
	slowDo   = actor.Declare[func(*sink, *actor.Context)](slowType, "do")
	slowGot  = actor.DeclareAsk[struct{}, []int](slowType, "got")
	_        = slowType.Table(slowPut.Handle((*sink).Put), slowDo.Handle((*sink).Do),
		slowGot.Handle((*sink).Got))

	boundedType = actor.NewType[sink]("bounded", actor.WithBound(100, actor.OverflowRefuse))
	boundedPut  = actor.Declare[int](boundedType, "put")
	boundedGot  = actor.DeclareAsk[struct{}, []int](boundedType, "got")
	_           = boundedType.Table(boundedPut.Handle((*sink).Put), boundedGot.Handle((*sink).Got))
)

func start(t testing.TB, opts ...actor.Option) *actor.System {
	t.Helper()
	sys := actor.Start(append([]actor.Option{actor.WithLogger(slog.New(slog.NewTextHandler(io.Discard,
		nil)))}, opts...)...)
	t.Cleanup(sys.Stop)
	return sys
}

// hangTimeout is how long nothing may happen before that is a hang: long, because a busy
// machine may halt a whole process for a minute.
const hangTimeout = 3 * time.Minute

func soon(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), hangTimeout)
	t.Cleanup(cancel)
	return ctx
}

func quiet(t testing.TB, sys *actor.System) {
	t.Helper()
	if err := sys.Wait(soon(t)); err != nil {
		t.Fatal(err)
	}
}

// wantGot fails the test if an actor has not been given just that.
func wantGot(t testing.TB, r actor.Ref[sink], want ...int) {
	t.Helper()
	n, err := got.Ask(soon(t), r, struct{}{})
	if err != nil || !slices.Equal(n, want) {
		t.Fatalf("it got %v, %v; want %v", n, err, want)
	}
}

// passing yields n actors, one after the other. Each has ended before the next one is there.
func passing(t testing.TB, sys *actor.System, n int) func(yield func(actor.Handler[int]) bool) {
	return func(yield func(actor.Handler[int]) bool) {
		for range n {
			a := sinkType.Spawn(sys, sink{})
			yield(put.To(a))
			actor.Stop(sys, a)
			quiet(t, sys)
		}
	}
}

// count fails the test unless f, which is Subscribers or Members, returns want.
func count(t testing.TB, f func(context.Context) (int, error), want int) {
	t.Helper()
	if n, err := f(soon(t)); err != nil || n != want {
		t.Fatalf("%d of them, %v; want %d", n, err, want)
	}
}

// panics fails the test if f does not panic with these words.
func panics(t testing.TB, words string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if s, _ := recover().(string); !strings.HasPrefix(s, "gallop: group: ") ||
			!strings.Contains(s, words) {
			t.Errorf("panic %q, want one with %q", s, words)
		}
	}()
	f()
}

// double is a handler of a test's own making.
type double struct{ n atomic.Int64 }

func (d *double) Send(_ actor.Sender, m int)          { d.n.Add(int64(m)) }
func (d *double) TrySend(_ actor.Sender, m int) error { d.n.Add(int64(m)); return nil }

// odd is a handler that cannot be compared.
type odd struct{ f func() }

func (odd) Send(actor.Sender, int)          {}
func (odd) TrySend(actor.Sender, int) error { return nil }

// holder is a handler that can be compared if its content can.
type holder struct{ held any }

func (holder) Send(actor.Sender, int)          {}
func (holder) TrySend(actor.Sender, int) error { return nil }

// stuck makes a slow actor that is overloaded until release is called.
func stuck(t testing.TB, sys *actor.System) (r actor.Ref[sink], release func()) {
	r = slowType.Spawn(sys, sink{})
	first, at, stay := make(chan struct{}), make(chan struct{}), make(chan struct{})
	slowDo.Send(sys, r, func(*sink, *actor.Context) { <-first })
	slowDo.Send(sys, r, func(*sink, *actor.Context) { close(at); <-stay })
	slowDo.Send(sys, r, func(*sink, *actor.Context) {})
	close(first)
	<-at
	if r.Status() != actor.StatusOverloaded {
		t.Fatalf("it is %v", r.Status())
	}
	release = sync.OnceFunc(func() { close(stay) })
	t.Cleanup(release)
	return r, release
}
