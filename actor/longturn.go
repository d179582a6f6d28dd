package actor

import (
	"reflect"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// DefaultLongTurn is how long a behaviour may run before it is reported.
const DefaultLongTurn = 100 * time.Millisecond

// LongTurnReport tells of a behaviour that keeps its worker for long, while it still
// does.
type LongTurnReport struct {
	// Type and Behaviour say which; of two behaviours with one method, one of them.
	Type      string
	Behaviour string
	// Worker is the number of its worker.
	Worker int
	// AtLeast is how long it has run; some milliseconds may be missing.
	AtLeast time.Duration
	// Stack is where it is now: the stack of its goroutine down to the behaviour.
	Stack []byte
}

// LongTurn sets after which time a behaviour that still runs is reported, to the log or
// to [OnLongTurn]; at least a millisecond, [DefaultLongTurn] by default. Its neighbours
// do not wait for it, since others stand in for its worker; but it uses a thread, and
// its own messages wait. Reports are made at most once in a second, because each stops
// the process for some microseconds per goroutine to learn where the behaviour is.
func LongTurn(after time.Duration) Option { return func(o *options) { o.longTurn = after } }

// OnLongTurn sets a function that sees every report of a behaviour that runs for long,
// under the same terms as [OnDeadLetter], and instead of the log.
func OnLongTurn(f func(LongTurnReport)) Option {
	return func(o *options) {
		if o.onLongTurn = f; f == nil {
			o.wrong = append(o.wrong, "OnLongTurn(nil)")
		}
	}
}

// reportGap is the time between two reports.
const reportGap = time.Second

// longTurns limits the rate of reports.
type longTurns struct {
	last   seam.Int64 // when the last one was made, ns; 0: never
	missed seam.Uint64
}

// mayReport tells whether it is time for another report.
func (l *longTurns) mayReport(now int64) bool {
	last := l.last.Load()
	if last != 0 && now-last < int64(reportGap) || !l.last.CompareAndSwap(last, now) {
		l.missed.Add(1)
		return false
	}
	return true
}

// longTurn is sched.Config.OnLongTurn.
func (s *System) longTurn(w *sched.Worker, atLeast time.Duration) {
	if !s.longTurns.mayReport(s.opts.clock.Nanos()) {
		return
	}
	stack := w.Stack()
	d := behaviourIn(stack)
	if d == nil {
		return // it has just returned, or waits for a processor and not for the behaviour
	}
	r := LongTurnReport{Type: d.typ.name, Behaviour: d.name, Worker: w.ID(), AtLeast: atLeast, Stack: userFrames(stack)}
	if s.opts.onLongTurn != nil {
		s.guard("OnLongTurn", func() { s.opts.onLongTurn(r) })
		return
	}
	s.log(func(l logSink) {
		l.warn("gallop: long turn", "type", r.Type, "behaviour", r.Behaviour, "worker", r.Worker,
			"at_least", r.AtLeast, "missed", s.longTurns.missed.Swap(0), "stack", string(r.Stack))
	})
}

// methods are the behaviours by the names of their methods, as stacks have them.
var methods struct {
	mu sync.RWMutex
	of map[string]*declaration
}

// learnMethod remembers which behaviour a method belongs to.
func (d *declaration) learnMethod(method any) {
	f := runtime.FuncForPC(reflect.ValueOf(method).Pointer())
	if f == nil {
		return
	}
	methods.mu.Lock()
	defer methods.mu.Unlock()
	if methods.of == nil {
		methods.of = make(map[string]*declaration)
	}
	methods.of[f.Name()] = d
}

// behaviourIn returns the behaviour whose method is in a stack, the outermost one, or
// nil.
func behaviourIn(stack []byte) (d *declaration) {
	methods.mu.RLock()
	defer methods.mu.RUnlock()
	for text := string(stack); text != ""; {
		line, rest, _ := strings.Cut(text, "\n")
		if i := strings.LastIndexByte(line, '('); i > 0 && line[0] != '\t' {
			if o := methods.of[line[:i]]; o != nil {
				d = o
			}
		}
		text = rest
	}
	return d
}
