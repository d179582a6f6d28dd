package main

import (
	"context"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// population is very many actors of one class.
type population struct {
	touch   func(i int)                     // sends a message that adds up the state of actor i
	replace func(ctx *actor.Context, i int) // sends one that makes it anew
}

// processBegin is when the process began, to within a millisecond.
var processBegin = time.Now().UnixNano()

// measure does one class.
func measure(c config) result {
	sys := actor.Start()
	defer sys.Stop()
	begin := time.Now()
	pop := kinds[c.class](sys, c)
	_ = sys.Wait(context.Background())
	r := result{Class: c.class, Begin: processBegin, BuildMs: ms(time.Since(begin))}
	r.collections(c.cycles)
	r.memory()
	r.delays(sys, pop, c)
	return r
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// markCPU is the CPU time that the GC has spent marking, in seconds, on all processors.
func markCPU() float64 {
	s := []metrics.Sample{
		{Name: "/cpu/classes/gc/mark/assist:cpu-seconds"},
		{Name: "/cpu/classes/gc/mark/dedicated:cpu-seconds"},
		{Name: "/cpu/classes/gc/mark/idle:cpu-seconds"},
	}
	metrics.Read(s)
	sum := 0.0
	for _, x := range s {
		sum += x.Value.Float64()
	}
	return sum
}

// collections measures forced collections, with nothing else going on.
func (r *result) collections(n int) {
	runtime.GC()
	cpu, begin := markCPU(), time.Now()
	for range n {
		runtime.GC()
	}
	r.CycleMs = ms(time.Since(begin)) / float64(n)
	r.MarkMs = (markCPU() - cpu) * 1000 / float64(n)
}

func (r *result) memory() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	r.HeapMB, r.Objects = float64(m.HeapAlloc)/(1<<20), m.HeapObjects
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "VmRSS:" {
			kb, _ := strconv.ParseFloat(f[1], 64)
			r.RSSMB = kb / 1024
		}
	}
}

// delays measures how late a probe runs that should run every 200 µs. Meanwhile the actors replace
// their states and the rest of the process makes garbage, so that there is something to collect.
// Another process makes the probe due by a write to a pipe, as requests come through sockets. A
// timer of this process would be late by itself, since processors that mark only because they are
// idle look for work but not for timers. Delays count from when the other process should have
// written, so every class of hold-up is in the figure.
func (r *result) delays(sys *actor.System, pop population, c config) {
	var stop atomic.Bool
	var others sync.WaitGroup
	others.Go(func() { litter(c.garbage<<20, &stop) })
	others.Go(func() { force(c.force, &stop) })
	pop.keepRenewing(sys, c)
	// growing it would help the GC
	p := probeType.Spawn(sys, probe{make([]hit, 0, c.probe/every+1)})
	from := startTicker(c.probe)
	before := cpuTime()
	for {
		b, err := readBeat(from)
		if err != nil {
			break
		}
		probeHit.Send(sys, p, b)
		pop.touch(rand.IntN(c.actors))
		r.Touches++
	}
	r.BusyMs = ms(cpuTime() - before)
	stop.Store(true)
	others.Wait()
	r.Hits, _ = probeAll.Ask(context.Background(), p, struct{}{})
}

// keepRenewing has the actors replace their states from now on.
func (pop population) keepRenewing(sys *actor.System, c config) {
	if c.replace == 0 {
		return
	}
	who := renewerType.Spawn(sys,
		renewer{pop, min(c.hot, c.actors), c.replace << 20 / 1000 / (c.nodes * 32)})
	replaceSome.Send(sys, who, struct{}{})
	_ = sys.Wait(context.Background())
	replaceAlways.Send(sys, who, struct{}{})
}

// cpuTime is the processor time of this process, the collector's included.
func cpuTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// force runs the GC again and again, with that pause in between. It does nothing if pause is
// negative.
func force(pause time.Duration, stop *atomic.Bool) {
	for pause >= 0 && !stop.Load() {
		runtime.GC()
		time.Sleep(pause)
	}
}

// litter makes garbage, so many bytes a second.
func litter(rate int, stop *atomic.Bool) {
	for deadline := time.Now(); !stop.Load(); deadline = deadline.Add(time.Millisecond) {
		for left := rate / 1000; left > 0; left -= 4096 {
			litterSink = make([]byte, 4096)
		}
		time.Sleep(time.Until(deadline))
	}
}

var litterSink []byte

// A renewer has some of the actors make their states anew, so many each millisecond.
type renewer struct {
	pop  population
	hot  int // these, the first of all, are busy; the others are there
	each int
}

// some makes each of the actors come to its collections at a time of its own. Otherwise all would
// begin alike, and collect in the same tenths of a second.
func (r *renewer) some(c *actor.Context, _ struct{}) {
	for i := range r.hot {
		for range c.Rand().IntN(64) {
			r.pop.replace(c, i)
		}
	}
}

func (r *renewer) always(c *actor.Context, _ struct{}) {
	actor.Every(c, time.Millisecond, replaceNow, struct{}{})
}

func (r *renewer) now(c *actor.Context, _ struct{}) {
	for range r.each {
		r.pop.replace(c, c.Rand().IntN(r.hot))
	}
}

var (
	renewerType   = actor.NewType[renewer]("renewer")
	replaceSome   = actor.Declare[struct{}](renewerType, "some")
	replaceAlways = actor.Declare[struct{}](renewerType, "always")
	replaceNow    = actor.Declare[struct{}](renewerType, "now")
	_             = renewerType.Table(replaceSome.Handle((*renewer).some),
		replaceAlways.Handle((*renewer).always), replaceNow.Handle((*renewer).now))
)

// A probe records the delays of its messages.
type probe struct{ hits []hit }

func (p *probe) hit(_ *actor.Context, b beat) {
	now := time.Now().UnixNano()
	p.hits = append(p.hits, hit{b.deadline, now - b.deadline, now - b.sent, b.witness})
}

func (p *probe) all(*actor.Context, struct{}) ([]hit, error) { return p.hits, nil }

var (
	probeType = actor.NewType[probe]("probe")
	probeHit  = actor.Declare[beat](probeType, "hit")
	probeAll  = actor.DeclareAsk[struct{}, []hit](probeType, "all")
	_         = probeType.Table(probeHit.Handle((*probe).hit), probeAll.Handle((*probe).all))
)
