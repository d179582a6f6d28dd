package prom

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/observe"
)

// maxTypes is for how many types a metric has a series. The others are in one series.
const (
	maxTypes = 200
	others   = "other"
)

// WithPopulation adds estimates of how many actors there are, in all and for each type, from the
// sample of [observe.Population]: so actors that the GC has taken do not count, although they never
// stopped. NewCollector begins with the sample: call it before the first spawn. A scrape looks at each
// actor of the sample, about a microsecond for each thousand actors that live. Types beyond the
// 200th are together in the series with the type "other".
func WithPopulation() Option { return func(o *options) { o.population = true } }

// WithProfiler adds, for each type, at how many of the profiler's looks at a worker a turn of that
// type ran, and how many looks there were: the ratio of their rates is the share of the workers'
// time that the type takes. The program begins the profiler ([observe.Profile]) and stops it. Types
// beyond the 200th are together in the series with the type "other". It panics if p is nil.
func WithProfiler(p *observe.Profiler) Option {
	if p == nil {
		panic("gallop: prom: WithProfiler of a nil Profiler")
	}
	return func(o *options) { o.profiler = p }
}

// sampled describes the figures of [WithPopulation] and [WithProfiler], or is nil where these were
// not given.
type sampled struct {
	actors, typeActors *prometheus.Desc
	looks, typeLooks   *prometheus.Desc

	mu    sync.Mutex
	known map[string]bool // guarded by mu: the types with a series of their own
}

func newSampled(o *options) *sampled {
	s := &sampled{known: map[string]bool{}}
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, labels, o.labels)
	}
	if o.population {
		s.actors = desc("gallop_actors_estimate", "Living actors, estimated from a sample.")
		s.typeActors = desc("gallop_type_actors_estimate",
			"Living actors of a type, estimated from a sample.", "type")
	}
	if o.profiler != nil {
		s.looks = desc("gallop_looks_total", "Times that the profiler has looked at a worker.")
		s.typeLooks = desc("gallop_type_busy_looks_total",
			"Times that the profiler has seen a worker run a turn of the type.", "type")
	}
	return s
}

// all lists the descriptions that there are.
func (s *sampled) all() []*prometheus.Desc {
	return slices.DeleteFunc([]*prometheus.Desc{s.actors, s.typeActors, s.looks, s.typeLooks},
		func(d *prometheus.Desc) bool { return d == nil })
}

// collect sends the figures.
func (s *sampled) collect(sys *actor.System, p *observe.Profiler, to chan<- prometheus.Metric) {
	if s.actors != nil {
		living := observe.Population(sys)
		all := uint64(0)
		for _, n := range living {
			all += n
		}
		to <- prometheus.MustNewConstMetric(s.actors, prometheus.GaugeValue, float64(all))
		send(s.bySeries(living), s.typeActors, prometheus.GaugeValue, to)
	}
	if p != nil {
		looks, byType := p.Looks()
		to <- prometheus.MustNewConstMetric(s.looks, prometheus.CounterValue, float64(looks))
		send(s.bySeries(byType), s.typeLooks, prometheus.CounterValue, to)
	}
}

// bySeries adds up the figures of types that are in one series. Types with the highest figures get a
// series first.
func (s *sampled) bySeries(byType map[string]uint64) map[string]uint64 {
	sums := map[string]uint64{}
	for _, typ := range slices.SortedFunc(maps.Keys(byType), func(a, b string) int {
		return cmp.Or(cmp.Compare(byType[b], byType[a]), cmp.Compare(a, b))
	}) {
		sums[s.seriesOf(typ)] += byType[typ]
	}
	return sums
}

// seriesOf returns the label of a type: its own, for the first ones that were seen, or that of all
// others. It is the same at each scrape, so that no counter goes down. The caller is collect.
func (s *sampled) seriesOf(typ string) string {
	typ = strings.ToValidUTF8(typ, "?")
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.known[typ] {
		if len(s.known) >= maxTypes {
			return others
		}
		s.known[typ] = true
	}
	return typ
}

// send sends a metric of types.
func send(byType map[string]uint64, d *prometheus.Desc, typ prometheus.ValueType,
	to chan<- prometheus.Metric) {
	for label, n := range byType {
		to <- prometheus.MustNewConstMetric(d, typ, float64(n), label)
	}
}
