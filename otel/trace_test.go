package otel_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/baggage"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/otel"
	"github.com/gallop-go/gallop/supervise"
)

// passOn runs f behind "the usual call".
func passOn(f func(c *actor.Context)) func(*desk, *actor.Context) {
	return func(_ *desk, c *actor.Context) {
		c.SetContext(c.Context())
		f(c)
	}
}

// TestInterceptor: "A request, and the outcome of a request or of a Pipe, is a child of the span
// that it came with … Any other message begins a trace of its own with a link to that span".
func TestInterceptor(t *testing.T) {
	for name, c := range map[string]struct {
		run  func(w *world)
		want string
	}{
		"ask": {func(w *world) {
			_, _ = price.Ask(w.ctx, w.store, "tea")
		}, `
			price store(consumer) <root`},
		"ask fails": {func(w *world) {
			_, _ = price.Ask(w.ctx, w.store, "unicorn")
		}, `
			price store(consumer) <root !Error no such thing`},
		"ask panics": {func(w *world) {
			_, _ = price.Ask(w.ctx, w.store, "dragon")
		}, `
			price store(consumer) <root !Error the behaviour has panicked`},
		"send": {func(w *world) {
			note.Send(w.sys.With(w.ctx), w.store, 1)
		}, `
			note store(consumer) ~root`},
		"fan-out": {func(w *world) {
			w.do(passOn(func(c *actor.Context) {
				for n := range 3 {
					note.Send(c, w.store, n)
				}
			}))
		}, `
			do desk(consumer) ~root
			note store(consumer) ~do desk
			note store(consumer) ~do desk
			note store(consumer) ~do desk`},
		"not passed on": {func(w *world) {
			w.do(func(_ *desk, c *actor.Context) { note.Send(c, w.store, 1) })
		}, `
			do desk(consumer) ~root`},
		"sent with": {func(w *world) {
			w.do(func(_ *desk, c *actor.Context) { note.Send(c.With(c.Context()), w.store, 1) })
		}, `
			do desk(consumer) ~root
			note store(consumer) ~do desk`},
		"AskTo": {func(w *world) {
			w.do(passOn(func(c *actor.Context) { actor.AskTo(c, price, w.store, "tea", priced) }))
		}, `
			do desk(consumer) ~root
			price store(consumer) <do desk
			priced desk(consumer) <do desk`},
		"AskToWith, Within": {func(w *world) {
			w.do(passOn(func(c *actor.Context) {
				actor.AskToWith(c, price, w.store, "tea", marked,
					then(func(c *actor.Context, _ int) {
						c.SetContext(c.Context())
						note.Send(c, w.store, 1)
					}), actor.Within(time.Hour))
			}))
		}, `
			do desk(consumer) ~root
			price store(consumer) <do desk
			marked desk(consumer) <do desk
			note store(consumer) ~marked desk`},
		"Pipe": {func(w *world) {
			w.do(passOn(func(c *actor.Context) {
				actor.Pipe(c, priced, func(ctx context.Context) (int, error) {
					_, span := w.rec.tracer.Start(ctx, "query")
					span.End()
					return 1, nil
				})
			}))
		}, `
			do desk(consumer) ~root
			query(internal) <do desk
			priced desk(consumer) <do desk`},
		"timer": {func(w *world) {
			w.do(passOn(func(c *actor.Context) {
				actor.After(c, time.Minute, do, func(*desk, *actor.Context) {})
			}))
		}, `
			do desk(consumer) ~root
			do desk(consumer) ~do desk`},
		"in a behaviour": {func(w *world) {
			w.do(func(_ *desk, c *actor.Context) {
				_, span := w.rec.tracer.Start(c.Context(), "compute")
				span.End()
				_, _ = price.Ask(c.Context(), w.store, "tea")
			})
		}, `
			do desk(consumer) ~root
			compute(internal) <do desk
			price store(consumer) <do desk`},
		"stash": {func(w *world) {
			note.Send(w.sys.With(w.ctx), w.store, 14)
		}, `
			note store(consumer) ~root aside`},
		"Defer": {func(w *world) {
			_, _ = try.Ask(w.ctx, w.desk, func(_ *desk, c *actor.Context) (int, error) {
				c.SetContext(c.Context())
				actor.AskToWith(c, price, w.store, "tea", marked, later(actor.Defer(c, try)))
				return 0, nil
			})
		}, `
			try desk(consumer) <root aside
			price store(consumer) <try desk
			marked desk(consumer) <try desk`},
		"no trace": {func(w *world) {
			note.Send(w.sys, w.store, 1)
			_, _ = price.Ask(context.Background(), w.store, "tea")
		}, ``},
	} {
		t.Run(name, func(t *testing.T) { golden(t, c.run, c.want) })
	}
}

// later replies with its argument.
func later(d actor.Deferred[int]) then {
	return func(c *actor.Context, n int) { d.Reply(c, n, nil) }
}

// golden compares the spans under a root with the expected ones.
func golden(t *testing.T, run func(*world), want string, opts ...otel.TraceOption) {
	t.Helper()
	rec := newRecorder(t)
	w := newWorld(t, rec, actor.WithInterceptor(otel.Interceptor(rec, opts...)))
	run(w)
	w.wait()
	w.root.End()
	same(t, rec.tree(), "root(internal)"+want)
}

// same compares two texts, line by line and without their indentation.
func same(t *testing.T, got, want string) {
	t.Helper()
	plain := func(s string) string {
		lines := strings.Split(strings.TrimSpace(s), "\n")
		for i := range lines {
			lines[i] = strings.TrimSpace(lines[i])
		}
		return strings.Join(lines, "\n")
	}
	if got, want = plain(got), plain(want); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestInterceptor_Restart: a supervised actor panics over a traced message and is restarted. The
// mail behind it keeps its context.
func TestInterceptor_Restart(t *testing.T) {
	golden(t, func(w *world) {
		root := supervise.Start(w.sys, supervise.Spec{Name: "app", Children: []supervise.Child{
			supervise.Worker[store]{Name: "s", Type: storeType}}})
		w.wait()
		s, err := supervise.Find[store](context.Background(), root, "s")
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{1, 13, 2} {
			note.Send(w.sys.With(w.ctx), s, n)
		}
		w.wait()
	}, `
		note store(consumer) ~root
		note store(consumer) ~root !Error the behaviour has panicked
		note store(consumer) ~root`)
}

// TestWithParent: "makes those children too".
func TestWithParent(t *testing.T) {
	golden(t, func(w *world) {
		w.do(passOn(func(c *actor.Context) {
			note.Send(c, w.store, 1)
			actor.After(c, time.Minute, do, func(*desk, *actor.Context) {})
		}))
	}, `
		do desk(consumer) <root
		note store(consumer) <do desk
		do desk(consumer) <do desk`, otel.WithParent())
}

// TestWithPropagation: "the span and the baggage, but no deadline, no end and no other values".
func TestWithPropagation(t *testing.T) {
	type key struct{}
	golden(t, func(w *world) {
		member, _ := baggage.NewMember("tenant", "7")
		bag, _ := baggage.New(member)
		ctx, cancel := context.WithTimeout(
			baggage.ContextWithBaggage(context.WithValue(w.ctx, key{}, 1), bag), time.Hour)
		do.Send(w.sys.With(ctx), w.desk, func(_ *desk, c *actor.Context) {
			if _, limited := c.Context().Deadline(); !limited || c.Context().Value(key{}) != 1 {
				t.Error("the behaviour lacks the context of its message")
			}
			cancel() // a context that travelled would have ended now
			do.Send(c, w.desk, func(_ *desk, c *actor.Context) {
				_, limited := c.Context().Deadline()
				if limited || c.Context().Value(key{}) != nil || c.Context().Err() != nil {
					t.Error("more than the trace has travelled")
				}
				if baggage.FromContext(c.Context()).Member("tenant").Value() != "7" {
					t.Error("the baggage has not travelled")
				}
				actor.AskTo(c, price, w.store, "tea", priced)
			})
		})
		w.wait()
	}, `
		do desk(consumer) ~root
		do desk(consumer) ~do desk
		price store(consumer) <do desk
		priced desk(consumer) <do desk`, otel.WithPropagation())
}

// TestWithPropagation_SetContext: "Where the behaviour calls SetContext, that context travels
// instead."
func TestWithPropagation_SetContext(t *testing.T) {
	golden(t, func(w *world) {
		w.do(func(_ *desk, c *actor.Context) {
			c.SetContext(context.Background())
			note.Send(c, w.store, 1)
		})
	}, `
		do desk(consumer) ~root`, otel.WithPropagation())
}

// TestInterceptor_Refused: the status is an error "if a later interceptor refuses the message".
func TestInterceptor_Refused(t *testing.T) {
	rec := newRecorder(t)
	w := newWorld(t, rec, actor.WithInterceptor(otel.Interceptor(rec)),
		actor.WithInterceptor(actor.Interceptor{
			Before: func(*actor.Context, *actor.Invocation) error { return errRefused }}))
	note.Send(w.sys.With(w.ctx), w.store, 1)
	w.wait()
	w.root.End()
	same(t, rec.tree(), `root(internal)
		note store(consumer) ~root !Error not today`)
}

// TestDeadLetters: a message that did not run is in the trace of the span that it came with. next
// is called for every letter.
func TestDeadLetters(t *testing.T) {
	rec := newRecorder(t)
	letters := 0
	w := newWorld(t, rec, actor.WithInterceptor(otel.Interceptor(rec)), actor.WithHooks(actor.Hooks{
		DeadLetter: otel.DeadLetters(rec, func(actor.DeadLetter) { letters++ })}))
	note.Send(w.sys.With(w.ctx), w.store, 15) // it stops
	w.wait()
	note.Send(w.sys, w.store, 1) // without a trace
	w.do(passOn(func(c *actor.Context) { note.Send(c, w.store, 1) }))
	_, _ = price.Ask(w.ctx, w.store, "tea")
	w.root.End()
	same(t, rec.tree(), `root(internal)
		note store(consumer) ~root
		do desk(consumer) ~root
		note store(consumer) <do desk !Error gallop: actor stopped
		price store(consumer) <root !Error gallop: actor stopped`)
	if letters != 3 {
		t.Errorf("next was called %d times, want 3", letters)
	}
}

// TestInterceptor_Attributes: they are "the attributes of the semantic conventions for messaging …
// and two more".
func TestInterceptor_Attributes(t *testing.T) {
	rec := newRecorder(t)
	w := newWorld(t, rec, actor.WithInterceptor(otel.Interceptor(rec)))
	if _, err := price.Ask(w.ctx, w.store, "unicorn"); err == nil {
		t.Fatal("no error")
	}
	s := rec.kept.GetSpans()[0]
	var got []string
	for _, a := range s.Attributes {
		got = append(got, fmt.Sprintf("%s=%v", a.Key, a.Value.String()))
	}
	slices.Sort(got)
	same(t, strings.Join(got, "\n"), fmt.Sprintf(`error.type=*errors.errorString
		gallop.actor=%d
		messaging.destination.name=store
		messaging.operation.name=price
		messaging.operation.type=process
		messaging.system=gallop`, w.store.ID()))
	if len(s.Events) != 1 || s.Events[0].Name != "exception" {
		t.Errorf("the error is no event of the span: %v", s.Events)
	}
}

// TestInterceptor_NotSampled: a trace that is not sampled costs no spans further on.
func TestInterceptor_NotSampled(t *testing.T) {
	starts := 0
	rec := newRecorder(t, sdktrace.WithSampler(counting{sdktrace.NeverSample(), &starts}))
	w := newWorld(t, rec, actor.WithInterceptor(otel.Interceptor(rec)))
	starts = 0
	note.Send(w.sys.With(w.ctx), w.store, 1)
	if w.wait(); starts != 0 {
		t.Errorf("%d spans were begun in a trace that is not sampled", starts)
	}
}

type counting struct {
	sdktrace.Sampler
	n *int
}

func (c counting) ShouldSample(p sdktrace.SamplingParameters) sdktrace.SamplingResult {
	*c.n++
	return c.Sampler.ShouldSample(p)
}

// TestInterceptor_Remote: a span of another process is a parent as well.
func TestInterceptor_Remote(t *testing.T) {
	rec := newRecorder(t)
	w := newWorld(t, rec, actor.WithInterceptor(otel.Interceptor(rec)))
	remote := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1},
		SpanID: trace.SpanID{2}, TraceFlags: trace.FlagsSampled, Remote: true})
	ctx := trace.ContextWithRemoteSpanContext(context.Background(), remote)
	if _, err := price.Ask(ctx, w.store, "tea"); err != nil {
		t.Fatal(err)
	}
	if s := rec.kept.GetSpans()[0]; s.Parent.SpanID() != remote.SpanID() {
		t.Errorf("the parent is %v", s.Parent)
	}
}

// depth is a context that looks how deep below others it is.
type depth struct {
	context.Context
	most int
}

func (d *depth) Value(key any) any {
	var calls [1000]uintptr
	d.most = max(d.most, runtime.Callers(0, calls[:]))
	return d.Context.Value(key)
}

// TestInterceptor_Long: a context that is passed on and on does not grow.
func TestInterceptor_Long(t *testing.T) {
	const hops = 1000
	rec := newRecorder(t)
	w := newWorld(t, rec, actor.WithInterceptor(otel.Interceptor(rec)))
	d := &depth{Context: w.ctx}
	over := make(chan struct{}, 1)
	p := playerType.Spawn(w.sys, player{over})
	pass.Send(w.sys.With(d), p, hops)
	w.wait()
	<-over
	if d.most > 100 {
		t.Errorf("after %d behaviours a question to the context is %d calls deep", hops, d.most)
	}
	if n := len(rec.kept.GetSpans()); n != hops+1 {
		t.Errorf("%d spans, want %d", n, hops+1)
	}
}

// TestMisuse: invalid arguments panic at the call.
func TestMisuse(t *testing.T) {
	for want, f := range map[string]func(){
		"Interceptor with a nil TracerProvider": func() { otel.Interceptor(nil) },
		"WithSystem: empty name":                func() { otel.WithSystem("") },
		"DeadLetters with a nil function":       func() { otel.DeadLetters(newRecorder(t), nil) },
		"DeadLetters with a nil TracerProvider": func() { otel.DeadLetters(nil, nil) },
		"RegisterMetrics with a nil System or MeterProvider": func() {
			_, _ = otel.RegisterMetrics(nil, nil)
		},
	} {
		func() {
			defer func() {
				if r := recover(); r != "gallop: otel: "+want {
					t.Errorf("got %v, want %q", r, want)
				}
			}()
			f()
		}()
	}
}
