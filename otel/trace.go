package otel

import (
	"context"
	"fmt"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/gallop-go/gallop/actor"
)

const scope = "github.com/gallop-go/gallop/otel"

// Span attributes that the semantic conventions do not have.
const (
	actorKey    = attribute.Key("gallop.actor")     // the number of the actor
	putAsideKey = attribute.Key("gallop.put_aside") // stashed, or its reply deferred
)

// TraceOption is an option of [Interceptor].
type TraceOption func(*tracer)

// WithParent makes the span of every message a child of the span that the message came with. By
// default the spans of one-way messages and of timers have a link to it.
func WithParent() TraceOption { return func(t *tracer) { t.parent = true } }

// WithPropagation passes the trace on with everything that a traced behaviour sends, asks, arms
// and pipes, also without [actor.Context.SetContext]: the span and the baggage, but no deadline,
// no end and no other values. Where the behaviour calls SetContext, that context travels instead.
func WithPropagation() TraceOption { return func(t *tracer) { t.propagates = true } }

// Interceptor returns an interceptor that makes spans, for [actor.WithInterceptor]. Put it before
// other interceptors of the system, so that their work and their refusals are in the span. It
// panics if p is nil.
func Interceptor(p trace.TracerProvider, opts ...TraceOption) actor.Interceptor {
	t := newTracer("Interceptor", p, opts)
	return actor.Interceptor{Before: t.before, After: t.after}
}

type tracer struct {
	trace.Tracer
	parent, propagates bool
	// By behaviourKey, the spanStart of each behaviour that was traced.
	starts sync.Map
}

func newTracer(call string, p trace.TracerProvider, opts []TraceOption) *tracer {
	if p == nil {
		panic("gallop: otel: " + call + " with a nil TracerProvider")
	}
	t := &tracer{Tracer: p.Tracer(scope, trace.WithSchemaURL(semconv.SchemaURL))}
	for _, opt := range opts {
		opt(t)
	}
	return t
}

// behaviourKey names a behaviour. Two types of the same name have the same spans.
type behaviourKey struct{ typ, behaviour string }

// spanStart has the constant parts of the spans of a behaviour.
type spanStart struct {
	name  string
	attrs []attribute.KeyValue
}

// startOf returns the spanStart of a behaviour, and makes it at first. Any goroutine.
func (t *tracer) startOf(typ, behaviour string) *spanStart {
	key := behaviourKey{typ, behaviour}
	if s, ok := t.starts.Load(key); ok {
		return s.(*spanStart)
	}
	s, _ := t.starts.LoadOrStore(key, &spanStart{behaviour + " " + typ, []attribute.KeyValue{
		semconv.MessagingSystemKey.String("gallop"),
		semconv.MessagingDestinationName(typ),
		semconv.MessagingOperationName(behaviour),
		semconv.MessagingOperationTypeProcess,
	}})
	return s.(*spanStart)
}

// Options of all spans, and of spans with a link.
var (
	asConsumer = trace.WithSpanKind(trace.SpanKindConsumer)
	asRoot     = trace.WithNewRoot()
)

// start begins the span of a message that came with ctx.
func (t *tracer) start(ctx context.Context, typ, behaviour string, id uint64, isChild bool) (
	context.Context, trace.Span) {
	s := t.startOf(typ, behaviour)
	// One slice for all attributes: each option with attributes is copied, and the list grows.
	attrs := make([]attribute.KeyValue, len(s.attrs)+1)
	attrs[copy(attrs, s.attrs)] = actorKey.Int64(int64(id))
	if isChild {
		return t.Start(ctx, s.name, asConsumer, trace.WithAttributes(attrs...))
	}
	return t.Start(ctx, s.name, asConsumer, trace.WithAttributes(attrs...), asRoot,
		trace.WithLinks(trace.Link{SpanContext: trace.SpanContextFromContext(ctx)}))
}

// before is Interceptor.Before. The span that a message came with has ended, as a rule, and does
// not record any more: so the question is whether it was sampled.
func (t *tracer) before(c *actor.Context, in *actor.Invocation) error {
	ctx := in.Context()
	if !trace.SpanContextFromContext(ctx).IsSampled() {
		return nil
	}
	isChild := t.parent || in.IsRequest() || in.IsOutcome()
	base, ctx := apart(ctx)
	ctx, span := t.start(ctx, in.Type(), in.Behaviour(), c.ActorID(), isChild)
	if t.propagates {
		c.SetContext(traceOf(ctx))
	}
	in.SetContext(withSpan(ctx, base))
	in.Value = span
	return nil
}

// spanBase keeps, in the context of a behaviour with a span, the context from before the span.
// Without it a message that is passed on and on would get a layer more at each behaviour.
type spanBase struct {
	base  context.Context
	whole context.Context // with the span, and this
}

type spanBaseKey struct{}

// withSpan returns the context of a behaviour: ctx is base, and the span. It is one of package
// context's, which the runtime asks without a guard.
func withSpan(ctx, base context.Context) context.Context {
	s := &spanBase{base: base}
	s.whole = context.WithValue(ctx, spanBaseKey{}, s)
	return s.whole
}

// apart returns the context that a message came with, and the same context without older spans that
// were left behind.
func apart(ctx context.Context) (base, short context.Context) {
	in, ok := ctx.Value(spanBaseKey{}).(*spanBase)
	if !ok || in.whole != ctx {
		return ctx, ctx
	}
	return in.base, trace.ContextWithSpan(in.base, trace.SpanFromContext(ctx))
}

// traceOf returns a context with the trace and the baggage of ctx, and nothing else of it.
func traceOf(ctx context.Context) context.Context {
	out := trace.ContextWithSpan(context.Background(), trace.SpanFromContext(ctx))
	if b := baggage.FromContext(ctx); b.Len() > 0 {
		out = baggage.ContextWithBaggage(out, b)
	}
	return out
}

// after is Interceptor.After.
func (t *tracer) after(_ *actor.Context, in *actor.Invocation, out actor.Outcome) {
	span, ok := in.Value.(trace.Span)
	if !ok {
		return
	}
	switch {
	case out.Err != nil:
		fail(span, out.Err)
	case out.Crashed:
		span.SetStatus(codes.Error, "the behaviour has panicked")
		span.SetAttributes(semconv.ErrorTypeKey.String("panic"))
	case out.PutAside:
		span.SetAttributes(putAsideKey.Bool(true))
	}
	span.End()
}

func fail(span trace.Span, err error) {
	span.SetStatus(codes.Error, textOf(err))
	defer func() { _ = recover() }() // an error whose text panics is recorded by its status alone
	span.RecordError(err)
	span.SetAttributes(semconv.ErrorType(err))
}

// textOf is the text of an error, which may panic.
func textOf(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("a %T whose text panics", err)
		}
	}()
	return err.Error()
}
