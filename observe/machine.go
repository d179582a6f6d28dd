package observe

import (
	"math"
	"runtime/metrics"
	"time"

	"github.com/gallop-go/gallop/internal/inspect"
)

// machine has figures of the Go program and of the processors. Totals are since its start.
type machine struct {
	heap       uint64  // bytes of living objects, as of the last collection
	allocated  uint64  // bytes, in total
	collecting float64 // processor seconds for the garbage collector, in total
	processors int     // that Go uses
	goroutines uint64
	// waited is how long threads of the process have waited for a processor, in all; 0 if unknown.
	waited time.Duration
	// lacked has, for the last seconds, the newest first, the longest that one thread, or one
	// goroutine, was ready to run and had no processor.
	lacked []time.Duration
	begun  bool // this is the first sample, so that lacked is not known
	// allocates and holds are the lines of code that allocate most, in bytes a second, and that hold
	// most, in bytes more than a minute ago. They are looked for only if there is reason.
	allocates, holds []inspect.CodeBytes
	// runs has the lines in which goroutines are, if their number grows.
	runs []inspect.CodeBytes
}

// lackedIn returns how long, at most, one thread was ready and had no processor in the last d.
func (m *machine) lackedIn(d time.Duration) (sum time.Duration) {
	if m.begun {
		return tick
	}
	for i, l := range m.lacked {
		if time.Duration(i-1)*tick >= d { // one more, since seconds and samples do not agree
			break
		}
		sum += l
	}
	return sum
}

const lackedKept = 120

// machineLook samples the machine.
type machineLook struct {
	metrics []metrics.Sample
	threads map[string]time.Duration
	waits   []uint64 // the counts of the histogram of waiting goroutines
	last    machine
	at      time.Time
	code    inspect.Code

	memory, stacks pace // of looks at the code
}

func newMachineLook() *machineLook {
	m := &machineLook{}
	for _, name := range []string{"/gc/heap/live:bytes", "/gc/heap/allocs:bytes",
		"/cpu/classes/gc/total:cpu-seconds", "/sched/gomaxprocs:threads", "/sched/goroutines:goroutines",
		"/sched/latencies:seconds"} {
		m.metrics = append(m.metrics, metrics.Sample{Name: name})
	}
	return m
}

func (l *machineLook) sample(at time.Time) machine {
	metrics.Read(l.metrics)
	m := machine{heap: l.metrics[0].Value.Uint64(), allocated: l.metrics[1].Value.Uint64(),
		collecting: l.metrics[2].Value.Float64(), processors: int(l.metrics[3].Value.Uint64()),
		goroutines: l.metrics[4].Value.Uint64()}
	lacked := max(l.threadsLacked(&m), l.goroutinesLacked(l.metrics[5].Value.Float64Histogram()))
	m.begun = l.at.IsZero()
	if !m.begun {
		lacked = min(lacked, at.Sub(l.at))
		m.lacked = append([]time.Duration{lacked}, l.last.lacked...)
		m.lacked = m.lacked[:min(len(m.lacked), lackedKept)]
		l.lookAtCode(at, &m)
	}
	l.last, l.at = m, at
	return m
}

// threadsLacked returns the longest wait of one thread for a processor since the last call.
func (l *machineLook) threadsLacked(m *machine) (longest time.Duration) {
	now := waitedForProcessor()
	for thread, waited := range now {
		m.waited += waited
		if before, ok := l.threads[thread]; ok {
			longest = max(longest, waited-before)
		}
	}
	l.threads = now
	return longest
}

// goroutinesLacked returns the longest wait of one goroutine for Go's scheduler since the last
// call.
func (l *machineLook) goroutinesLacked(h *metrics.Float64Histogram) (longest time.Duration) {
	for i, n := range h.Counts {
		if l.waits != nil && n > l.waits[i] && !math.IsInf(h.Buckets[i], 0) {
			longest = time.Duration(h.Buckets[i] * float64(time.Second))
		}
	}
	l.waits = append(l.waits[:0], h.Counts...)
	return longest
}

const (
	someGarbage = 4 << 20 // bytes a second, from which the lines that allocate are looked for
	codeAtMost  = 5000    // goroutines whose lines are looked for
)

// lookAtCode looks for the lines of code behind the figures.
func (l *machineLook) lookAtCode(at time.Time, m *machine) {
	rate := float64(m.allocated-l.last.allocated) / max(at.Sub(l.at).Seconds(), 0.001)
	if rate >= someGarbage {
		l.memory.do(at, func() { l.code.Memory(at) })
	}
	m.allocates, m.holds, m.runs = l.code.Allocates, l.code.Holds, l.last.runs
	if m.goroutines > l.last.goroutines && m.goroutines <= codeAtMost {
		l.stacks.do(at, func() { m.runs = inspect.Goroutines() })
	}
}

// muchLacked is the share of time without a processor from which no wait and no turn is blamed on an
// actor.
const muchLacked = 0.5

// lackedShare returns the share of the last seconds in which a thread was ready and had no
// processor.
func (m *machine) lackedShare() float64 {
	last := m.lacked[:min(len(m.lacked), 3)]
	sum := time.Duration(0)
	for _, l := range last {
		sum += l
	}
	return min(1, sum.Seconds()/float64(max(len(last), 1)))
}
