package prom

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/observe"
)

// delayBuckets are the bounds of the buckets, in seconds.
var delayBuckets = []float64{0.0001, 0.001, 0.01, 0.1, 1, 2.5, 5, 9.9}

// MailboxDelays is a collector of how long messages wait in mailboxes, by type: the histogram
// gallop_mailbox_delay_seconds. It has eleven series for each of up to 200 types; further types are
// together in the series with the type "other".
type MailboxDelays struct {
	prometheus.Collector
	of   *prometheus.HistogramVec
	stop func()

	series sampled // which types have a series
}

var _ prometheus.Collector = (*MailboxDelays)(nil)

// NewMailboxDelays starts to measure, as [observe.MailboxDelays] does once a second, until
// [MailboxDelays.Stop]. Of the options only [WithSystem] has an effect. The collector is not
// registered anywhere. Call NewMailboxDelays before the first spawn. It panics if sys is nil.
func NewMailboxDelays(sys *actor.System, opts ...Option) *MailboxDelays {
	return newMailboxDelays(sys, 0, opts...)
}

func newMailboxDelays(sys *actor.System, every time.Duration, opts ...Option) *MailboxDelays {
	if sys == nil {
		panic("gallop: prom: NewMailboxDelays of a nil System")
	}
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	of := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "gallop_mailbox_delay_seconds", Buckets: delayBuckets, ConstLabels: o.labels,
		Help: "How long messages wait in mailboxes, by probes; 10 s is that or more.",
	}, []string{"type"})
	d := &MailboxDelays{Collector: of, of: of, series: sampled{known: map[string]bool{}}}
	d.stop = observe.MailboxDelays(sys, every, d.observe)
	return d
}

func (d *MailboxDelays) observe(typ string, took time.Duration) {
	d.of.WithLabelValues(d.series.seriesOf(typ)).Observe(took.Seconds())
}

// Stop ends the measurements. The results stay readable. Stop may be called again.
func (d *MailboxDelays) Stop() { d.stop() }
