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

// WithWhy adds the number of holders by kind, as [actor.System.Why] names them: timers, Pipes, holds,
// put-off replies and so on. A scrape then calls Why, which takes about 100 ns for each timer and for
// each actor that waits. A kind has a series from the first scrape that has met it.
func WithWhy() Option { return func(o *options) { o.why = true } }

// WithProfiler adds how many looks at the system's workers the profiler had, how many of these found
// a worker in a turn, and how many found a turn of each type: see [observe.Profiler.Saturation] and
// [observe.Profiler.Looks]. The ratio of the rates is the share of the workers' time. The program
// begins the profiler ([observe.Profile]) and stops it. Types beyond the 200th are together in the
// series with the type "other". It panics if p is nil.
func WithProfiler(p *observe.Profiler) Option {
	if p == nil {
		panic("gallop: prom: WithProfiler of a nil Profiler")
	}
	return func(o *options) { o.profiler = p }
}

// sampled describes the figures of [WithPopulation], [WithWhy] and [WithProfiler], or is nil where
// these were not given.
type sampled struct {
	actors, typeActors          *prometheus.Desc
	holders                     *prometheus.Desc
	looks, busyLooks, typeLooks *prometheus.Desc

	mu    sync.Mutex
	known map[string]bool // guarded by mu: the types with a series of their own
	kinds map[string]bool // guarded by mu: the kinds of holders with a series
}

func newSampled(o *options) *sampled {
	s := &sampled{known: map[string]bool{}, kinds: map[string]bool{}}
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, labels, o.labels)
	}
	if o.population {
		s.actors = desc("gallop_actors_estimate", "Living actors, estimated from a sample.")
		s.typeActors = desc("gallop_type_actors_estimate",
			"Living actors of a type, estimated from a sample.", "type")
	}
	if o.why {
		s.holders = desc("gallop_holders",
			"Reasons why the system is not quiescent, and waits, by their kinds.", "kind")
	}
	if o.profiler != nil {
		s.looks = desc("gallop_looks_total",
			"Times that the profiler has looked at one of the system's workers, or at its stand-in.")
		s.busyLooks = desc("gallop_busy_looks_total", "Those of the looks that found a turn.")
		s.typeLooks = desc("gallop_type_busy_looks_total",
			"Times that the profiler has seen a worker run a turn of the type.", "type")
	}
	return s
}

// all lists the descriptions that there are.
func (s *sampled) all() []*prometheus.Desc {
	return slices.DeleteFunc([]*prometheus.Desc{s.actors, s.typeActors, s.holders, s.looks,
		s.busyLooks, s.typeLooks},
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
	if s.holders != nil {
		send(s.byKind(sys.Why()), s.holders, prometheus.GaugeValue, to)
	}
	if p != nil {
		_, byType := p.Looks()
		looks, busy := p.Saturation()
		to <- prometheus.MustNewConstMetric(s.looks, prometheus.CounterValue, float64(looks))
		to <- prometheus.MustNewConstMetric(s.busyLooks, prometheus.CounterValue, float64(busy))
		send(s.bySeries(byType), s.typeLooks, prometheus.CounterValue, to)
	}
}

// byKind adds up holders, and has a 0 for each kind that was there before.
func (s *sampled) byKind(all []actor.Holder) map[string]uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	sums := map[string]uint64{}
	for _, h := range all {
		s.kinds[h.What] = true
		sums[h.What] += uint64(h.Count)
	}
	for kind := range s.kinds {
		sums[kind] += 0
	}
	return sums
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

// send sends a metric with one label.
func send(byLabel map[string]uint64, d *prometheus.Desc, typ prometheus.ValueType,
	to chan<- prometheus.Metric) {
	for label, n := range byLabel {
		to <- prometheus.MustNewConstMetric(d, typ, float64(n), label)
	}
}
