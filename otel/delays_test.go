package otel

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	api "go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/gallop-go/gallop/actor"
)

type clerk struct{}

// TestRecordMailboxDelays: an actor that is probed is in the histogram of its type. Types beyond
// the 200th are together.
func TestRecordMailboxDelays(t *testing.T) {
	sys := actor.Start()
	defer sys.Stop()
	typ := actor.NewType[clerk]("clerk")
	do := actor.Declare[int](typ, "do")
	typ.Table(do.Handle(func(*clerk, *actor.Context, int) {}))
	if _, err := typ.SpawnNamed(sys, "one", clerk{}); err != nil {
		t.Fatal(err)
	}
	r := metric.NewManualReader()
	p := metric.NewMeterProvider(metric.WithReader(r))
	stop, err := recordMailboxDelays(sys, 10*time.Millisecond, p, WithSystem("a"))
	if err != nil {
		t.Fatal(err)
	}
	var all metricdata.ResourceMetrics
	for len(all.ScopeMetrics) == 0 {
		runtime.Gosched()
		if err := r.Collect(context.Background(), &all); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	m := all.ScopeMetrics[0].Metrics[0]
	point := m.Data.(metricdata.Histogram[float64]).DataPoints[0]
	if m.Name != "gallop.mailbox.delay" || m.Unit != "s" || point.Count == 0 {
		t.Errorf("%+v", m)
	}
	name, _ := point.Attributes.Value("gallop.type")
	of, _ := point.Attributes.Value("gallop.system")
	if name.AsString() != "clerk" || of.AsString() != "a" {
		t.Errorf("the type is %v, the system %v", name, of)
	}
	d := &delays{types: map[string]api.MeasurementOption{}}
	for i := range 300 {
		d.attributes(fmt.Sprint("type ", i))
	}
	if len(d.types) != maxTypes+1 {
		t.Errorf("%d types", len(d.types))
	}
}
