package otel_test

import (
	"context"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/otel"
)

// player sends itself a ball until it has been hit often enough.
type player struct{ over chan struct{} }

func (p *player) Hit(c *actor.Context, left int) {
	if left == 0 {
		p.over <- struct{}{}
		return
	}
	hit.Send(c, actor.Self[player](c), left-1)
}

// Pass is Hit that passes its context on.
func (p *player) Pass(c *actor.Context, left int) {
	if left == 0 {
		p.over <- struct{}{}
		return
	}
	c.SetContext(c.Context())
	pass.Send(c, actor.Self[player](c), left-1)
}

var (
	playerType = actor.NewType[player]("player")
	hit        = actor.Declare[int](playerType, "hit")
	pass       = actor.Declare[int](playerType, "pass")
)

func init() { playerType.Table(hit.Handle((*player).Hit), pass.Handle((*player).Pass)) }

func rally(b *testing.B, ctx context.Context, ball actor.Behaviour[player, int],
	opts ...actor.Option) {
	sys := start(b, append(opts, actor.WithWorkers(1))...)
	over := make(chan struct{})
	p := playerType.Spawn(sys, player{over})
	b.ReportAllocs()
	b.ResetTimer()
	ball.Send(sys.With(ctx), p, b.N)
	<-over
}

// BenchmarkMessage measures a message:
//
//   - plain: without an interceptor;
//   - empty: with an interceptor that does nothing;
//   - untraced: with the interceptor of this package, without a span;
//   - context: with a context that has no span and is passed on;
//   - traced: with a sampled span at each hop, which is passed on and dropped at its end;
//   - noop: with a provider that makes no spans.
func BenchmarkMessage(b *testing.B) {
	plain, empty := context.Background(), actor.WithInterceptor(actor.Interceptor{
		Before: func(*actor.Context, *actor.Invocation) error { return nil },
		After:  func(*actor.Context, *actor.Invocation, actor.Outcome) {},
	})
	p := sdktrace.NewTracerProvider()
	ctx, span := p.Tracer("test").Start(plain, "root")
	defer span.End()
	traced := actor.WithInterceptor(otel.Interceptor(p))
	type key struct{}
	b.Run("plain", func(b *testing.B) { rally(b, plain, hit) })
	b.Run("empty", func(b *testing.B) { rally(b, plain, hit, empty) })
	b.Run("untraced", func(b *testing.B) { rally(b, plain, hit, traced) })
	b.Run("context", func(b *testing.B) {
		rally(b, context.WithValue(plain, key{}, 1), pass, empty)
	})
	b.Run("traced", func(b *testing.B) { rally(b, ctx, pass, traced) })
	b.Run("propagated", func(b *testing.B) {
		rally(b, ctx, hit, actor.WithInterceptor(otel.Interceptor(p, otel.WithPropagation())))
	})
	b.Run("noop", func(b *testing.B) {
		rally(b, trace.ContextWithSpan(plain, span), pass,
			actor.WithInterceptor(otel.Interceptor(noop.NewTracerProvider())))
	})
}
