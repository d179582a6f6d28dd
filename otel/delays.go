package otel

import (
	"context"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/observe"
)

// Types beyond so many are together under one name.
const (
	maxTypes = 200
	others   = "other"
)

// RecordMailboxDelays records how long messages wait in mailboxes, as [observe.MailboxDelays] measures it
// once a second: the histogram gallop.mailbox.delay in seconds, with the attribute gallop.type.
// Types beyond the 200th are together as "other". Call it before the first spawn. stop ends the
// measuring, and may be called again. It panics if sys or p is nil. An error is one of the
// provider's.
func RecordMailboxDelays(sys *actor.System, p metric.MeterProvider, opts ...MetricOption) (
	stop func(), err error) {
	return recordMailboxDelays(sys, 0, p, opts...)
}

func recordMailboxDelays(sys *actor.System, every time.Duration, p metric.MeterProvider,
	opts ...MetricOption) (stop func(), err error) {
	if sys == nil || p == nil {
		panic("gallop: otel: RecordMailboxDelays with a nil System or MeterProvider")
	}
	m := &meter{}
	for _, opt := range opts {
		opt(m)
	}
	d := &delays{of: m.of, types: map[string]metric.MeasurementOption{}}
	d.histogram, err = p.Meter(scope).Float64Histogram("gallop.mailbox.delay",
		metric.WithUnit("s"),
		metric.WithDescription("How long messages wait in mailboxes, by probes; 10 s is that or more."),
		metric.WithExplicitBucketBoundaries(0.0001, 0.001, 0.01, 0.1, 1, 2.5, 5, 9.9))
	if err != nil {
		return nil, err
	}
	return observe.MailboxDelays(sys, every, d.record), nil
}

// delays records delays.
type delays struct {
	of        []attribute.KeyValue // of all metrics
	histogram metric.Float64Histogram

	mu    sync.Mutex
	types map[string]metric.MeasurementOption // guarded by mu
}

func (d *delays) record(typ string, took time.Duration) {
	d.histogram.Record(context.Background(), took.Seconds(), d.attributes(typ))
}

// attributes returns the attributes of a type.
func (d *delays) attributes(typ string) metric.MeasurementOption {
	typ = strings.ToValidUTF8(typ, "?")
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.types[typ] == nil && len(d.types) >= maxTypes {
		typ = others
	}
	of, ok := d.types[typ]
	if !ok {
		of = metric.WithAttributeSet(attribute.NewSet(
			append([]attribute.KeyValue{attribute.String("gallop.type", typ)}, d.of...)...))
		d.types[typ] = of
	}
	return of
}
