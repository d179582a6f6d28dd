package sched

import (
	"runtime"
	"runtime/metrics"

	"github.com/gallop-go/gallop/internal/nocmp"
)

// processors asks Go's scheduler what its processors do. Owned by the monitor, or by the worker
// that has made it.
type processors struct {
	_        nocmp.Field
	n        uint64 // of them
	sample   [2]metrics.Sample
	runnable uint64 // goroutines that waited for one at the last look
	running  uint64 // those that had one
	fixed    bool   // the figures are a test's
}

const (
	goTimeslice = 10_000_000 // ns after which Go takes a processor from a goroutine
	// ns. A goroutine that waits for longer is taken for blocked, however many are before it.
	maxRound = 100_000_000
)

// look asks. About 0.1 µs.
func (p *processors) look() {
	if p.fixed {
		return
	}
	p.sample[0].Name = "/sched/goroutines/runnable:goroutines"
	p.sample[1].Name = "/sched/goroutines/running:goroutines"
	metrics.Read(p.sample[:])
	p.runnable, p.running = p.sample[0].Value.Uint64(), p.sample[1].Value.Uint64()
}

// idle reports whether one of the processors had nothing to do. If so, a goroutine that is late is
// blocked. Otherwise it may merely wait for a processor, behind one of the GC's goroutines,
// say, and another worker would wait there too.
func (p *processors) idle() bool { return p.runnable == 0 && p.running < p.n }

// active returns how many goroutines besides the caller's had a processor, or waited for one.
func (p *processors) active() uint64 { return p.runnable + max(p.running, 1) - 1 }

// round is how long a goroutine that is not blocked may have to wait for a processor while as many
// wait as there are processors: until all before it have had theirs.
func (p *processors) round() int64 {
	if p.runnable < p.n {
		return 0
	}
	return int64(min(p.runnable*goTimeslice/p.n, maxRound))
}

// earned is how long a goroutine may run that was without a processor for gone: three quarters of
// what each of its competitors has had on average. It is nothing if as many yields have been made
// meanwhile as there are competitors. Then these are all workers, of whatever system, which would
// stretch each other's turns, and the long wait was the machine's fault.
func (p *processors) earned(gone int64, yields uint64) int64 {
	competitors := p.runnable + p.n - 1
	if yields >= competitors || p.runnable == 0 {
		return 0
	}
	return min(gone*int64(p.n)/int64(competitors)*3/4, goTimeslice)
}

// goProcessors is how many processors Go has now, its GOMAXPROCS. A program may change that, and Go
// itself does when a container is given more or less of the machine. Some 15 ns, with a lock of
// Go's scheduler. It is a call of its own, which keeps a small program small.
//
//go:noinline
func goProcessors() uint64 { return uint64(runtime.GOMAXPROCS(0)) }
