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

// shelf is an actor that knows prices.
type shelf struct{ price int }

func (s *shelf) Quote(_ *actor.Context, item string) (int, error) { return s.price, nil }
func (s *shelf) Label(_ *actor.Context, price int)                { s.price = price }

// clerk is an actor that asks a shelf, with the context of the order that it serves.
type clerk struct{ at actor.Ref[shelf] }

func (k *clerk) Order(c *actor.Context, item string) (int, error) {
	c.SetContext(c.Context())
	actor.AskTo(c, quote, k.at, item, quoted)
	return 0, nil
}

func (k *clerk) Quoted(*actor.Context, actor.Result[int]) {}

var (
	shelfType = actor.NewType[shelf]("shelf")
	quote     = actor.DeclareAsk[string, int](shelfType, "quote")
	label     = actor.Declare[int](shelfType, "label")
	_         = shelfType.Table(quote.Handle((*shelf).Quote), label.Handle((*shelf).Label))

	clerkType = actor.NewType[clerk]("clerk")
	order     = actor.DeclareAsk[string, int](clerkType, "order")
	quoted    = actor.Declare[actor.Result[int]](clerkType, "quoted")
	_         = clerkType.Table(order.Handle((*clerk).Order), quoted.Handle((*clerk).Quoted))
)

// The order of a caller is followed to the shelf.
func ExampleInterceptor() {
	spans := tracetest.NewInMemoryExporter()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans)) // an OTLP exporter, say
	sys := actor.Start(actor.WithInterceptor(otel.Interceptor(provider)))
	defer sys.Stop()
	k := clerkType.Spawn(sys, clerk{at: shelfType.Spawn(sys, shelf{price: 12})})

	ctx, span := provider.Tracer("shop").Start(context.Background(), "GET /order")
	_, _ = order.Ask(ctx, k, "tea")
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
	// order clerk under GET /order
	// quote shelf under order clerk
	// quoted clerk under order clerk
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

	label.Send(sys, shelfType.Spawn(sys, shelf{}), 1)
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
