package sched

import (
	"runtime/metrics"

	"github.com/gallop-go/gallop/internal/nocmp"
)

// processors asks Go's scheduler what its processors do. Owned by the monitor.
type processors struct {
	_      nocmp.Field
	sample [2]metrics.Sample
}

func (p *processors) init() {
	p.sample[0].Name = "/sched/goroutines/runnable:goroutines"
	p.sample[1].Name = "/sched/goroutines/running:goroutines"
}

// idle tells whether one of n processors has nothing to do. A goroutine that is late
// then is blocked; otherwise it may merely wait for a processor, behind one of the
// collector's, say, and another worker would wait there too. About 0.1 µs.
func (p *processors) idle(n int) bool {
	metrics.Read(p.sample[:])
	return p.sample[0].Value.Uint64() == 0 && p.sample[1].Value.Uint64() < uint64(n)
}
