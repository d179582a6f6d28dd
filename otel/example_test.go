package otel_test

import (
	"context"
	"fmt"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/otel"
)

// The order of a caller is followed into the store: the desk passes its context on.
func ExampleInterceptor() {
	spans := tracetest.NewInMemoryExporter()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans)) // an OTLP exporter, say
	sys := actor.Start(actor.WithInterceptor(otel.Interceptor(provider)))
	defer sys.Stop()
	s := storeType.Spawn(sys, store{})
	d := deskType.Spawn(sys, desk{})

	ctx, span := provider.Tracer("shop").Start(context.Background(), "GET /order")
	_, _ = try.Ask(ctx, d, func(_ *desk, c *actor.Context) (int, error) {
		c.SetContext(c.Context())
		actor.AskTo(c, price, s, "tea", priced)
		return 0, nil
	})
	_ = sys.Wait(ctx)
	span.End()

	names := map[any]string{}
	for _, s := range spans.GetSpans() {
		names[s.SpanContext.SpanID()] = s.Name
	}
	for _, s := range spans.GetSpans() {
		fmt.Println(s.Name, "under", names[s.Parent.SpanID()])
	}
	// Unordered output:
	// desk.try under GET /order
	// store.price under desk.try
	// desk.priced under desk.try
	// GET /order under
}

// Metrics are read when the reader collects, and cost nothing before.
func ExampleRegisterMetrics() {
	sys := actor.Start()
	defer sys.Stop()
	reader := sdkmetric.NewManualReader() // a periodic reader with an exporter, say
	provider := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))
	metrics, err := otel.RegisterMetrics(sys, provider)
	if err != nil {
		panic(err)
	}
	defer func() { _ = metrics.Unregister() }()

	note.Send(sys, storeType.Spawn(sys, store{}), 1)
	_ = sys.Wait(context.Background())
	var all metricdata.ResourceMetrics
	_ = reader.Collect(context.Background(), &all)
	for _, m := range all.ScopeMetrics[0].Metrics {
		if m.Name == "gallop.messages" {
			fmt.Println(m.Name, m.Data.(metricdata.Sum[int64]).DataPoints[0].Value)
		}
	}
	// Output: gallop.messages 1
}
