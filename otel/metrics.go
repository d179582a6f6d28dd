package otel

import (
	"context"
	"errors"
	"strconv"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/gallop-go/gallop/actor"
)

// MetricOption is an option of [RegisterMetrics].
type MetricOption func(*meter)

// WithSystem gives all metrics the attribute gallop.system with this value, to tell several systems
// of a process apart. It panics if the name is empty.
func WithSystem(name string) MetricOption {
	if name == "" {
		panic("gallop: otel: WithSystem: empty name")
	}
	return func(m *meter) { m.of = []attribute.KeyValue{attribute.String("gallop.system", name)} }
}

// RegisterMetrics registers asynchronous instruments for the figures of a system: 12 for the system
// and 10 for its workers. It panics if sys or p is nil. An error is one of the provider's.
//
// The registration keeps the system's memory alive until its Unregister.
func RegisterMetrics(sys *actor.System, p metric.MeterProvider, opts ...MetricOption) (
	metric.Registration, error) {
	if sys == nil || p == nil {
		panic("gallop: otel: RegisterMetrics with a nil System or MeterProvider")
	}
	m := &meter{sys: sys}
	for _, opt := range opts {
		opt(m)
	}
	m.system = attribute.NewSet(m.of...)
	in := p.Meter(scope)
	all, err := m.make(in)
	if err != nil {
		return nil, err
	}
	return in.RegisterCallback(m.observe, all...)
}

// meter has the instruments of the figures, in their order.
type meter struct {
	sys     *actor.System
	of      []attribute.KeyValue // of all metrics
	system  attribute.Set
	figures []metric.Int64Observable
	perW    []metric.Int64Observable

	mu      sync.Mutex
	workers map[string]metric.MeasurementOption // guarded by mu; by their names
}

// make makes the instruments.
func (m *meter) make(in metric.Meter) (all []metric.Observable, err error) {
	var wrong []error
	keep := func(to *[]metric.Int64Observable, i metric.Int64Observable, err error) {
		*to, wrong = append(*to, i), append(wrong, err)
		all = append(all, i)
	}
	for _, f := range systemFigures {
		i, err := in.Int64ObservableCounter(f.name, metric.WithUnit(f.unit),
			metric.WithDescription(f.help))
		keep(&m.figures, i, err)
	}
	i, err := in.Int64ObservableUpDownCounter("gallop.workers", metric.WithUnit("{worker}"),
		metric.WithDescription("Workers of the system, without surplus and pinned ones."))
	keep(&m.figures, i, err)
	for _, f := range workerFigures {
		i, err := in.Int64ObservableCounter(f.name, metric.WithUnit(f.unit),
			metric.WithDescription(f.help))
		keep(&m.perW, i, err)
	}
	return all, errors.Join(wrong...)
}

// observe is called for each collection.
func (m *meter) observe(_ context.Context, o metric.Observer) error {
	st := m.sys.Stats()
	of := metric.WithAttributeSet(m.system)
	for i, f := range systemFigures {
		o.ObserveInt64(m.figures[i], int64(f.value(&st)), of)
	}
	o.ObserveInt64(m.figures[len(systemFigures)], int64(m.sys.Workers()), of)
	m.mu.Lock()
	defer m.mu.Unlock()
	var l labeller
	for w := range st.Workers {
		of := m.worker(l.next(&st.Workers[w]))
		for i, f := range workerFigures {
			o.ObserveInt64(m.perW[i], int64(f.value(&st.Workers[w])), of)
		}
	}
	return nil
}

// worker returns the attributes of a worker. The caller holds mu.
func (m *meter) worker(name string) metric.MeasurementOption {
	of, ok := m.workers[name]
	if !ok {
		if m.workers == nil {
			m.workers = map[string]metric.MeasurementOption{}
		}
		of = metric.WithAttributeSet(attribute.NewSet(
			append([]attribute.KeyValue{attribute.String("gallop.worker", name)}, m.of...)...))
		m.workers[name] = of
	}
	return of
}

// labeller names the workers of a [actor.Stats] one after another. A worker has the same name in
// each of them, although the surplus ones may appear only later.
type labeller struct{ workers, pinned int }

func (l *labeller) next(w *actor.WorkerStats) string {
	switch {
	case w.Surplus:
		return "surplus"
	case w.Pinned:
		l.pinned++
		return "pinned" + strconv.Itoa(l.pinned-1)
	}
	l.workers++
	return strconv.Itoa(l.workers - 1)
}
