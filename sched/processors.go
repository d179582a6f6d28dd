package sched

import (
	"runtime"
	"runtime/metrics"

	"github.com/gallop-go/gallop/internal/nocmp"
)

// processors reads the state of Go's processors from Go's scheduler. Owned by the monitor, or by
// the worker that has made it.
type processors struct {
	_        nocmp.Field
	n        uint64 // the number of processors
	sample   [2]metrics.Sample
	runnable uint64 // goroutines that waited for a processor at the last look
	running  uint64 // goroutines that had one
	fixed    bool   // the figures are a test's
}

const (
	goTimeslice = 10_000_000 // ns after which Go takes a processor from a goroutine
	// ns. A goroutine that waits for longer counts as blocked, even if the queue is longer.
	maxRound = 100_000_000
)

// look reads the figures. About 0.1 µs.
func (p *processors) look() {
	if p.fixed {
		return
	}
	p.sample[0].Name = "/sched/goroutines/runnable:goroutines"
	p.sample[1].Name = "/sched/goroutines/running:goroutines"
	metrics.Read(p.sample[:])
	p.runnable, p.running = p.sample[0].Value.Uint64(), p.sample[1].Value.Uint64()
}

// idle reports whether a processor was idle. If so, a late goroutine is blocked. Otherwise it may
// merely wait for a processor, for example after one of the GC's goroutines, and another worker
// would wait there too.
func (p *processors) idle() bool { return p.runnable == 0 && p.running < p.n }

// active returns the number of other goroutines that had a processor, or waited for one.
func (p *processors) active() uint64 { return p.runnable + max(p.running, 1) - 1 }

// round is the longest time that an unblocked goroutine waits for a processor when at least as many
// wait as there are processors: until all before it have had theirs.
func (p *processors) round() int64 {
	if p.runnable < p.n {
		return 0
	}
	return int64(min(p.runnable*goTimeslice/p.n, maxRound))
}

// earned returns the time for which a goroutine may run after it had no processor for gone
// nanoseconds. Its competitors are the goroutines that wait for a processor or have one of the
// others. The time is three quarters of the time that each competitor had meanwhile on average, and
// at most goTimeslice.
//
// earned returns 0 if no goroutine waits for a processor. yields is the number of yields of other
// workers meanwhile. If it is at least the number of competitors, earned returns 0, too. In that
// case all competitors are workers, of any system: the machine has caused the long wait, and
// workers that ran for longer would only stretch each other's turns.
func (p *processors) earned(gone int64, yields uint64) int64 {
	competitors := p.runnable + p.n - 1
	if yields >= competitors || p.runnable == 0 {
		return 0
	}
	return min(gone*int64(p.n)/int64(competitors)*3/4, goTimeslice)
}

// goProcessors returns GOMAXPROCS. A program may change it, and Go itself does when a container
// gets more or less of the machine. Some 15 ns, with a lock of Go's scheduler. It is not inlined,
// which keeps small programs small.
//
//go:noinline
func goProcessors() uint64 { return uint64(runtime.GOMAXPROCS(0)) }
