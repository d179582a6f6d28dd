package actor

import (
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"time"

	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/internal/sim"
	"github.com/gallop-go/gallop/sched"
)

// Option sets a property of a system at its start. [Start] checks all options together.
//
// An option that is a [TypeOption] too applies to all actors of the system, except for those of a
// type that was made with the same option.
type Option interface{ setSystem(*options) }

// sharedOption is an option of systems and of types.
type sharedOption struct {
	system func(*options)
	typ    func(*typeInfo)
}

func (o sharedOption) setSystem(all *options) { o.system(all) }
func (o sharedOption) setType(t *typeInfo)    { o.typ(t) }

// systemOption is an option of systems alone.
type systemOption func(*options)

func (f systemOption) setSystem(o *options) { f(o) }

// typeOption is an option of types alone.
type typeOption func(*typeInfo)

func (f typeOption) setType(t *typeInfo) { f(t) }

type options struct {
	workers        int
	counted        bool // WithWorkers was given
	batch          int
	gas            int
	maxBlocked     int
	seed           uint64
	seeded         bool // by WithDeterministic, which alone decides
	bind           bool
	clock          seam.Clock
	hooks          *sim.Hooks    // nil: not deterministic
	virtual        *VirtualClock // nil: the machine's clock, or one that flows
	log            logSink
	onDeadLetter   func(DeadLetter)
	interceptors   []Interceptor // the outermost first
	onPanic        func(PanicReport)
	onDeadlock     func(PressureDeadlock)
	deadlockPeriod time.Duration
	leeway         uint32 // see mute.go
	longTurn       time.Duration
	onLongTurn     func(LongTurnReport)
	wrong          []string // what options have found wrong themselves
}

// WithWorkers sets the number of workers, from 1 to 1,024. The default is GOMAXPROCS, but at
// most 1,024; in a system that is [WithDeterministic] it is 4.
func WithWorkers(n int) Option {
	return systemOption(func(o *options) { o.workers, o.counted = n, true })
}

// WithBatch sets how many messages an actor handles in one turn before others have theirs: at least
// 1, and 100 by default, as in the Pony runtime.
func WithBatch(n int) interface {
	Option
	TypeOption
} {
	return sharedOption{
		system: func(o *options) { o.batch = min(n, maxBatch) },
		typ: func(t *typeInfo) {
			mustBePositive("WithBatch", n)
			t.batch = min(n, maxBatch)
		},
	}
}

// WithGas sets how many reductions an actor may spend in one turn before others have
// theirs: one for each message, and what [Context.Gas] adds. It is at least 1, and 4,000 by
// default. A batch that is larger than the gas is cut to it.
func WithGas(n int) interface {
	Option
	TypeOption
} {
	return sharedOption{
		system: func(o *options) { o.gas = min(n, maxBatch) },
		typ: func(t *typeInfo) {
			mustBePositive("WithGas", n)
			t.gas = min(n, maxBatch)
		},
	}
}

func mustBePositive(option string, n int) {
	if n < 1 {
		panicMisuse(option, fmt.Sprintf("(%d): want at least 1", n))
	}
}

// WithRandSeed starts [Context.Rand], and whatever else the runtime leaves to chance, with
// n. It does not make a run repeat itself, since workers race: [WithDeterministic] does.
// Together with that, WithRandSeed does nothing.
func WithRandSeed(n uint64) Option {
	return systemOption(func(o *options) {
		if !o.seeded {
			o.seed = n
		}
	})
}

// WithLogger sets where the system logs. The default is the standard logger of package log,
// which slog.SetDefault redirects. The system logs
//
//   - what has no function in [Hooks]: panics of behaviours, dead letters, long turns, and
//     actors that wait for one under pressure;
//   - panics in these functions;
//   - that as many behaviours block as may ([WithMaxBlocked]).
//
// So that many of them do not flood the log, only the 1st, 2nd, 4th, 8th and so on in a minute are
// logged, with how many there were, of the panics of one type in one line of code, of the dead
// letters of one behaviour, and of the panics in one hook. [System.Stats] counts all of them. A
// function in Hooks sees each of them, and then none is logged.
func WithLogger(l *slog.Logger) Option {
	return systemOption(func(o *options) {
		if o.log = (slogSink{l}); l == nil {
			o.wrong = append(o.wrong, "WithLogger(nil)")
		}
	})
}

// Hooks are functions that a system calls when something happens. Each may be nil: then the system
// logs it, see [WithLogger].
//
// A hook runs where the thing happens, on a worker or in a goroutine that sends, and possibly in
// several at once. It must be quick and must not wait for the system. A panic or a runtime.Goexit
// in it is logged and ignored. For that, each call has a goroutine of its own, which its caller
// waits for. This costs about a microsecond per call.
//
// A hook may send. The dead letters that a DeadLetter function causes by that are counted and logged,
// and not told to any such function: messages to an actor that has ended, such as a topic, and what
// [OverflowDropOldest] drops for them. If the function sends to an actor that lives, and that actor
// sends to one that has ended, the function is told of that as of any other letter: let it return at
// once for letters of such behaviours. The function is told of the letters of a goroutine that it
// starts, too: if each letter starts a goroutine that causes another letter, that has no end.
type Hooks struct {
	DeadLetter       func(DeadLetter)       // every dead letter
	Panic            func(PanicReport)      // every panic of a behaviour or of a process
	LongTurn         func(LongTurnReport)   // long turns, as [WithLongTurn] says
	PressureDeadlock func(PressureDeadlock) // every one that the system finds
}

// WithHooks sets the hooks that are not nil. It may be given several times; of two functions for
// the same thing the later one counts.
func WithHooks(h Hooks) Option {
	return systemOption(func(o *options) {
		if h.DeadLetter == nil && h.Panic == nil && h.LongTurn == nil && h.PressureDeadlock == nil {
			o.wrong = append(o.wrong, "WithHooks without a function")
		}
		setHook(&o.onDeadLetter, h.DeadLetter)
		setHook(&o.onPanic, h.Panic)
		setHook(&o.onLongTurn, h.LongTurn)
		setHook(&o.onDeadlock, h.PressureDeadlock)
	})
}

func setHook[R any](at *func(R), f func(R)) {
	if f != nil {
		*at = f
	}
}

// WithCPUBinding binds every worker to a processor of its own. That helps a process that has
// the machine to itself and harms one that has not: docs/guarantees.md says what it
// costs the process's other goroutines. Such a system cannot be joined with processes (package
// process/actors). Linux only.
func WithCPUBinding() Option { return systemOption(func(o *options) { o.bind = true }) }

func defaultOptions() options {
	return options{
		batch:          defaultBatch,
		gas:            defaultGas,
		deadlockPeriod: deadlockPeriod,
		leeway:         defaultLeeway,
		maxBlocked:     sched.DefaultMaxDetached,
		longTurn:       defaultLongTurn,
		clock:          seam.SystemClock{},
		log:            plainSink{},
	}
}

// complete decides what was left open, and makes the simulation of a system that is to be
// deterministic.
func (o *options) complete() (s *simulation) {
	if o.hooks != nil {
		s = o.simulation(o.hooks)
	}
	o.defaultWorkers(min(runtime.GOMAXPROCS(0), sched.MaxWorkers))
	return s
}

// defaultWorkers sets the number of workers if no option has.
func (o *options) defaultWorkers(n int) {
	if !o.counted {
		o.workers, o.counted = n, true
	}
}

// check returns everything that is wrong, not only the first; nothing if all is well.
func (o *options) check() (wrong string) {
	o.demand(o.workers >= 1 && o.workers <= sched.MaxWorkers, "WithWorkers", o.workers,
		fmt.Sprint("1 to ", sched.MaxWorkers))
	o.demand(o.batch >= 1, "WithBatch", o.batch, "at least 1")
	o.demand(o.gas >= 1, "WithGas", o.gas, "at least 1")
	o.demand(o.maxBlocked >= 1, "WithMaxBlocked", o.maxBlocked, "at least 1")
	o.demand(o.longTurn >= time.Millisecond, "WithLongTurn", o.longTurn, "at least 1ms")
	return strings.Join(o.wrong, "\n")
}

// demand notes what is wrong with an option.
func (o *options) demand(ok bool, option string, got any, want string) {
	if !ok {
		o.wrong = append(o.wrong, fmt.Sprintf("%s(%v): want %s", option, got, want))
	}
}
