package prom

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/observe"
)

// Option is an option of [NewCollector].
type Option func(*options)

type options struct {
	labels     prometheus.Labels
	population bool
	why        bool
	profiler   *observe.Profiler
}

// WithSystem gives all metrics the label system with this value, to tell several systems of a
// process apart. It must differ from system to system in a registry: otherwise, and without
// WithSystem, the registry refuses the second collector. It panics if the name is empty.
func WithSystem(name string) Option {
	if name == "" {
		panic("gallop: prom: WithSystem: empty name")
	}
	return func(o *options) { o.labels = prometheus.Labels{"system": name} }
}

// NewCollector returns a collector of the figures of a system. It panics if sys is nil. It is not
// registered anywhere.
//
// The collector may be used by several registries, and after the system has stopped. It keeps the
// system's memory alive: unregister it when the system is gone. Any goroutine.
func NewCollector(sys *actor.System, opts ...Option) prometheus.Collector {
	if sys == nil {
		panic("gallop: prom: NewCollector of a nil System")
	}
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	c := &collector{sys: sys, sampled: newSampled(&o), profiler: o.profiler}
	if o.population {
		observe.Population(sys) // begins with the sample
	}
	for _, f := range systemFigures {
		c.system = append(c.system, f.desc(o.labels))
	}
	for _, f := range workerFigures {
		c.worker = append(c.worker, f.desc(o.labels))
	}
	return c
}

// collector has the descriptions of the figures, in their order.
type collector struct {
	sys            *actor.System
	system, worker []*prometheus.Desc
	sampled        *sampled
	profiler       *observe.Profiler // nil: none
}

// Describe implements [prometheus.Collector].
func (c *collector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range c.system {
		to <- d
	}
	for _, d := range c.worker {
		to <- d
	}
	for _, d := range c.sampled.all() {
		to <- d
	}
}

// Collect implements [prometheus.Collector].
func (c *collector) Collect(to chan<- prometheus.Metric) {
	st := c.sys.Stats()
	for i, f := range systemFigures {
		to <- prometheus.MustNewConstMetric(c.system[i], f.typ, f.value(c.sys, &st))
	}
	var l labeller
	for w := range st.Workers {
		label := l.next(&st.Workers[w])
		for i, f := range workerFigures {
			to <- prometheus.MustNewConstMetric(c.worker[i], prometheus.CounterValue,
				float64(f.value(&st.Workers[w])), label)
		}
	}
	c.sampled.collect(c.sys, c.profiler, to)
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
