package otel_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/goleak"

	"github.com/gallop-go/gallop/actor"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The actors of the tests: a desk, which runs the functions that it is sent, and a store, which has
// a price.

type desk struct{}

func (d *desk) Do(c *actor.Context, f func(*desk, *actor.Context)) { f(d, c) }

func (d *desk) Try(c *actor.Context, f func(*desk, *actor.Context) (int, error)) (int, error) {
	return f(d, c)
}

func (d *desk) Priced(*actor.Context, actor.Result[int])          {}
func (d *desk) Marked(c *actor.Context, r actor.Reply[int, then]) { r.Mark(c, r.Value) }

// then is called with a reply.
type then func(*actor.Context, int)

type store struct{}

func (s *store) Price(c *actor.Context, item string) (int, error) {
	switch item {
	case "unicorn":
		return 0, errNone
	case "dragon":
		panic("fire")
	}
	return 12, nil
}

func (s *store) Note(c *actor.Context, n int) {
	switch n {
	case 13:
		panic("thirteen")
	case 14:
		note.Stash(c, 1)
	case 15:
		c.Stop()
	}
}

var (
	errNone    = errors.New("no such thing")
	errRefused = errors.New("not today")

	deskType = actor.NewType[desk]("desk")
	do       = actor.Declare[func(*desk, *actor.Context)](deskType, "do")
	try      = actor.DeclareAsk[func(*desk, *actor.Context) (int, error), int](deskType, "try")
	priced   = actor.Declare[actor.Result[int]](deskType, "priced")
	marked   = actor.Declare[actor.Reply[int, then]](deskType, "marked")

	ended = actor.Declare[actor.Down](deskType, "ended")

	storeType = actor.NewType[store]("store")
	price     = actor.DeclareAsk[string, int](storeType, "price")
	note      = actor.Declare[int](storeType, "note")
)

func init() {
	deskType.Table(do.Handle((*desk).Do), try.Handle((*desk).Try), priced.Handle((*desk).Priced),
		marked.Handle((*desk).Marked), ended.Handle(func(*desk, *actor.Context, actor.Down) {}))
	storeType.Table(price.Handle((*store).Price), note.Handle((*store).Note))
}

// recorder is a provider that keeps its spans, and a tracer of the test's own.
type recorder struct {
	*sdktrace.TracerProvider
	tracer trace.Tracer
	kept   *tracetest.InMemoryExporter
}

func newRecorder(t testing.TB, opts ...sdktrace.TracerProviderOption) *recorder {
	kept := tracetest.NewInMemoryExporter()
	p := sdktrace.NewTracerProvider(append(opts, sdktrace.WithSyncer(kept))...)
	t.Cleanup(func() { _ = p.Shutdown(context.Background()) })
	return &recorder{p, p.Tracer("test"), kept}
}

// tree writes the spans, each as "name(kind) <parent ~link !status", in the order of their starts.
func (r *recorder) tree() string {
	spans := r.kept.GetSpans()
	slices.SortStableFunc(spans, func(a, b tracetest.SpanStub) int {
		return a.StartTime.Compare(b.StartTime)
	})
	names := map[trace.SpanID]string{}
	for _, s := range spans {
		names[s.SpanContext.SpanID()] = s.Name
	}
	var out strings.Builder
	for _, s := range spans {
		fmt.Fprintf(&out, "%s(%s)", s.Name, s.SpanKind)
		if s.Parent.IsValid() {
			fmt.Fprintf(&out, " <%s", names[s.Parent.SpanID()])
		}
		for _, l := range s.Links {
			fmt.Fprintf(&out, " ~%s", names[l.SpanContext.SpanID()])
		}
		if s.Status.Code != codes.Unset {
			fmt.Fprintf(&out, " !%v %s", s.Status.Code, s.Status.Description)
		}
		for _, a := range s.Attributes {
			if a.Key == "gallop.put_aside" {
				out.WriteString(" aside")
			}
		}
		out.WriteByte('\n')
	}
	return out.String()
}

// world is a deterministic system with a recorder, under a root span of the test.
type world struct {
	*testing.T
	rec   *recorder
	sys   *actor.System
	ctx   context.Context // has the span "root"
	root  trace.Span
	desk  actor.Ref[desk]
	store actor.Ref[store]
}

func newWorld(t *testing.T, rec *recorder, opts ...actor.Option) *world {
	quiet := actor.WithHooks(actor.Hooks{
		Panic: func(actor.PanicReport) {}, DeadLetter: func(actor.DeadLetter) {}})
	sys := actor.Start(append([]actor.Option{actor.WithDeterministic(1), quiet}, opts...)...)
	t.Cleanup(sys.Stop)
	w := &world{T: t, rec: rec, sys: sys}
	w.ctx, w.root = rec.tracer.Start(context.Background(), "root")
	w.desk = deskType.Spawn(sys, desk{})
	w.store = storeType.Spawn(sys, store{})
	return w
}

func (w *world) wait() {
	w.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	if err := w.sys.Wait(ctx); err != nil {
		w.Fatal(err)
	}
}

// do runs f in a behaviour of the desk, whose message comes with the root span.
func (w *world) do(f func(*desk, *actor.Context)) {
	do.Send(w.sys.With(w.ctx), w.desk, f)
	w.wait()
}
