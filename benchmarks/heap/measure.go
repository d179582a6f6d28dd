package main

import (
	"context"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// population is very many actors of one kind.
type population struct {
	touch func(i int)                     // sends a message that adds up the state of actor i
	renew func(ctx *actor.Context, i int) // sends one that makes it anew
}

// measure does one kind.
func measure(c config) result {
	sys := actor.Start()
	defer sys.Stop()
	begin := time.Now()
	pop := kinds[c.kind](sys, c)
	_ = sys.Wait(context.Background())
	r := result{Kind: c.kind, BuildMs: ms(time.Since(begin))}
	r.collections(c.cycles)
	r.memory()
	r.delays(sys, pop, c)
	return r
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// markCPU is the seconds that Go's collector has spent marking, on whatever processor.
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

// delays measures how late a probe runs that should every 200 µs, while the rest of the
// process makes garbage and so has Go's collector run now and then. What makes a probe due
// comes through a pipe from another process, as requests come through sockets: a timer of
// this one would be late by itself, since processors that mark for want of anything better
// look for work but not for timers. Counted from when the other process should have
// written: what keeps anybody from anything is in the figure.
func (r *result) delays(sys *actor.System, pop population, c config) {
	var stop atomic.Bool
	done := make(chan struct{})
	go litter(c.garbage<<20, &stop, done)
	if c.renew > 0 {
		who := renewerType.Spawn(sys, renewer{pop, min(c.hot, c.actors), c.renew << 20 / 1000 / (c.nodes * 32)})
		renewSome.Send(sys, who, actor.None{})
		_ = sys.Wait(context.Background())
		renewAlways.Send(sys, who, actor.None{})
	}
	p := probeType.Spawn(sys, probe{make([]int64, 0, c.probe/every+1)}) // to grow it would be to help Go's collector
	cycles := collected()
	from := startTicker(c.probe)
	var due [8]byte
	for {
		if _, err := io.ReadFull(from, due[:]); err != nil {
			break
		}
		probeHit.Send(sys, p, int64(binary.NativeEndian.Uint64(due[:])))
		pop.touch(rand.IntN(c.actors))
		r.Touches++
	}
	r.CyclesSeen = collected() - cycles
	stop.Store(true)
	<-done
	all, _ := probeAll.Ask(context.Background(), sys, p, actor.None{})
	slices.Sort(all)
	at := func(q float64) float64 { return float64(all[int(q*float64(len(all)-1))]) / 1000 }
	r.P50, r.P99, r.P999, r.Max = at(0.5), at(0.99), at(0.999), at(1)
}

// every is how often the probe is due.
const every = 200 * time.Microsecond

// startTicker starts the other process and returns where it writes to.
func startTicker(d time.Duration) io.Reader {
	cmd := exec.Command(os.Args[0], "-kind", "ticker", "-probe", d.String())
	cmd.Stderr = os.Stderr
	from, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		panic(err)
	}
	return from
}

// tick is the other process: every 200 µs it writes when that should have been. It sleeps
// without Go's timers, which are good for a millisecond.
func tick(d time.Duration) {
	runtime.LockOSThread()
	begin := time.Now()
	for due := begin; due.Sub(begin) < d; due = due.Add(every) {
		if wait := time.Until(due); wait > 0 {
			t := syscall.NsecToTimespec(int64(wait))
			_ = syscall.Nanosleep(&t, nil)
		}
		var b [8]byte
		binary.NativeEndian.PutUint64(b[:], uint64(due.UnixNano()))
		if _, err := os.Stdout.Write(b[:]); err != nil {
			return
		}
	}
}

// collected returns how many cycles Go's collector has finished.
func collected() int {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.NumGC)
}

// litter makes garbage, so many bytes a second.
func litter(rate int, stop *atomic.Bool, done chan<- struct{}) {
	for due := time.Now(); !stop.Load(); due = due.Add(time.Millisecond) {
		for left := rate / 1000; left > 0; left -= 4096 {
			litterSink = make([]byte, 4096)
		}
		time.Sleep(time.Until(due))
	}
	close(done)
}

var litterSink []byte

// A renewer has some of the actors make their states anew, so many each millisecond.
type renewer struct {
	pop  population
	hot  int // these, the first of all, are busy; the others are there
	each int
}

// some makes each of them come to its own collections at its own time: otherwise all
// would begin alike, and collect in the same tenths of a second.
func (r *renewer) some(c *actor.Context, _ actor.None) {
	for i := range r.hot {
		for range c.Rand().IntN(64) {
			r.pop.renew(c, i)
		}
	}
}

func (r *renewer) always(c *actor.Context, _ actor.None) {
	actor.Every(c, time.Millisecond, renewNow, actor.None{})
}

func (r *renewer) now(c *actor.Context, _ actor.None) {
	for range r.each {
		r.pop.renew(c, c.Rand().IntN(r.hot))
	}
}

var (
	renewerType = actor.NewType[renewer]("renewer")
	renewSome   = actor.Declare[actor.None](renewerType, "some")
	renewAlways = actor.Declare[actor.None](renewerType, "always")
	renewNow    = actor.Declare[actor.None](renewerType, "now")
	_           = renewerType.Table(renewSome.Do((*renewer).some), renewAlways.Do((*renewer).always), renewNow.Do((*renewer).now))
)

// A probe notes how long its messages were on their way, in nanoseconds.
type probe struct{ delays []int64 }

var (
	probeType = actor.NewType[probe]("probe")
	probeHit  = actor.Declare[int64](probeType, "hit")
	probeAll  = actor.DeclareAsk[actor.None, []int64](probeType, "all")
	_         = probeType.Table(
		probeHit.Do(func(p *probe, _ *actor.Context, sent int64) { p.delays = append(p.delays, time.Now().UnixNano()-sent) }),
		probeAll.Do(func(p *probe, _ *actor.Context, _ actor.None) ([]int64, error) { return p.delays, nil }))
)
