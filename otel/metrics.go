package otel

import (
	"context"
	"errors"
	"strconv"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/observe"
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

// WithWhy adds gallop.holders: the number of holders by kind, as [actor.System.Why] names them, with
// the kind as the attribute gallop.kind. A collection then calls Why, which takes about 100 ns for
// each timer and for each actor that waits.
func WithWhy() MetricOption { return func(m *meter) { m.why = true } }

// WithProfiler adds gallop.looks and gallop.busy_looks: how many looks at the system's workers the
// profiler had, and how many found a turn. The ratio of their rates is the share of the workers' time
// in use. The program begins the profiler ([observe.Profile]) and stops it. It panics if p is nil.
func WithProfiler(p *observe.Profiler) MetricOption {
	if p == nil {
		panic("gallop: otel: WithProfiler of a nil Profiler")
	}
	return func(m *meter) { m.profiler = p }
}

// RegisterMetrics registers asynchronous instruments for the figures of a system: 16 for the system
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
	gauges  []metric.Int64Observable
	perW    []metric.Int64Observable
	holders metric.Int64Observable
	looks   []metric.Int64Observable

	why      bool
	profiler *observe.Profiler // nil: none

	mu      sync.Mutex
	workers map[string]metric.MeasurementOption // guarded by mu; by their names
	kinds   map[string]metric.MeasurementOption // guarded by mu; by the kinds of holders
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
	for _, f := range gauges {
		i, err := in.Int64ObservableUpDownCounter(f.name, metric.WithUnit(f.unit),
			metric.WithDescription(f.help))
		keep(&m.gauges, i, err)
	}
	for _, f := range workerFigures {
		i, err := in.Int64ObservableCounter(f.name, metric.WithUnit(f.unit),
			metric.WithDescription(f.help))
		keep(&m.perW, i, err)
	}
	if m.profiler != nil {
		for _, f := range profileFigures {
			i, err := in.Int64ObservableCounter(f.name, metric.WithUnit(f.unit),
				metric.WithDescription(f.help))
			keep(&m.looks, i, err)
		}
	}
	if m.why {
		var one []metric.Int64Observable
		i, err := in.Int64ObservableUpDownCounter("gallop.holders", metric.WithUnit("{holder}"),
			metric.WithDescription("Reasons why the system is not quiescent, and waits, by their kinds."))
		keep(&one, i, err)
		m.holders = one[0]
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
	for i, f := range gauges {
		o.ObserveInt64(m.gauges[i], int64(f.value(&state{m.sys, &st})), of)
	}
	for i, looks := range m.looks {
		o.ObserveInt64(looks, int64(profileFigures[i].value(m.profiler)), of)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.holders != nil {
		m.observeHolders(o)
	}
	var l labeller
	for w := range st.Workers {
		of := m.named(&m.workers, "gallop.worker", l.next(&st.Workers[w]))
		for i, f := range workerFigures {
			o.ObserveInt64(m.perW[i], int64(f.value(&st.Workers[w])), of)
		}
	}
	return nil
}

// observeHolders reports a 0 for each kind that was there before. The caller holds mu.
func (m *meter) observeHolders(o metric.Observer) {
	sums := map[string]int64{}
	for kind := range m.kinds {
		sums[kind] = 0
	}
	for _, h := range m.sys.Why() {
		sums[h.What] += int64(h.Count)
	}
	for kind, n := range sums {
		o.ObserveInt64(m.holders, n, m.named(&m.kinds, "gallop.kind", kind))
	}
}

// named returns the attributes with one more, from a map of those that were made. The caller holds
// mu.
func (m *meter) named(made *map[string]metric.MeasurementOption, key attribute.Key,
	name string) metric.MeasurementOption {
	of, ok := (*made)[name]
	if !ok {
		if *made == nil {
			*made = map[string]metric.MeasurementOption{}
		}
		of = metric.WithAttributeSet(attribute.NewSet(
			append([]attribute.KeyValue{key.String(name)}, m.of...)...))
		(*made)[name] = of
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
