//go:build gallop_figures

package otel_test

import (
	"context"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/otel"
)

// TestInterceptor_Untraced: "A message without a sampled span … allocates nothing."
func TestInterceptor_Untraced(t *testing.T) {
	if raced {
		t.Skip("with the race detector a sync.Pool loses what it has") // and messages are made anew
	}
	p := sdktrace.NewTracerProvider()
	got := testing.Benchmark(func(b *testing.B) {
		rally(b, context.Background(), hit, actor.WithInterceptor(otel.Interceptor(p)))
	})
	if n := got.AllocsPerOp(); n != 0 {
		t.Errorf("%d objects are allocated for a message that is not traced", n)
	}
}
