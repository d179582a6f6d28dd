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
	wrong          []string // errors that options have found themselves
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
// theirs: one for each message, and those added by [Context.Gas]. It is at least 1, and
// 4,000 by default. A batch that is larger than the gas is cut to it.
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

// WithRandSeed seeds [Context.Rand], and all other random decisions of the runtime, with n. It
// does not make a run repeat itself, since workers race: [WithDeterministic] does. Together
// with WithDeterministic, WithRandSeed does nothing.
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
//   - events for which [Hooks] has no function: panics of behaviours, dead letters, long turns,
//     and actors that wait for an actor under pressure;
//   - panics in these functions;
//   - that the limit of blocking behaviours is reached ([WithMaxBlocked]).
//
// Similar events do not flood the log: only the 1st, 2nd, 4th, 8th and so on in a minute are
// logged, with their number. Similar are
//
//   - panics of one type in one line of code;
//   - dead letters of one behaviour;
//   - panics in one hook.
//
// [System.Stats] counts all of them. A function in Hooks is called for each event, and then none
// is logged.
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
// A hook is called by the worker or goroutine in which the event happens, and possibly by several
// at once. It must be quick and must not wait for the system. A panic or a runtime.Goexit in it is
// logged and ignored. For that, each call has a goroutine of its own, for which the caller waits.
// This costs about a microsecond per call.
//
// A hook may send. Dead letters that a DeadLetter function causes directly are counted and logged,
// but not reported to a DeadLetter function. These are its messages to an actor that has ended, and
// messages that [OverflowDropOldest] drops for them.
//
// Dead letters that it causes indirectly are reported to it. If it sends to an actor that lives,
// and that actor sends to an actor that has ended, the function should return at once for letters
// of such behaviours. If it starts a goroutine for each letter, and the goroutine causes another
// letter, there is no end.
type Hooks struct {
	DeadLetter       func(DeadLetter)       // called for each dead letter
	Panic            func(PanicReport)      // called for each panic of a behaviour or a process
	LongTurn         func(LongTurnReport)   // called for long turns, as [WithLongTurn] says
	PressureDeadlock func(PressureDeadlock) // called for each pressure deadlock
}

// WithHooks sets the hooks that are not nil. It may be given several times; of two functions for
// the same event the later one is used.
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
// the machine to itself, and harms one that shares it. docs/guarantees.md gives the cost for the
// process's other goroutines. Such a system cannot be joined with processes (package
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

// complete sets the defaults of options that were not given, and makes the simulation of a
// deterministic system.
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

// check returns all errors, one a line, or "" if there are none.
func (o *options) check() (wrong string) {
	o.demand(o.workers >= 1 && o.workers <= sched.MaxWorkers, "WithWorkers", o.workers,
		fmt.Sprint("1 to ", sched.MaxWorkers))
	o.demand(o.batch >= 1, "WithBatch", o.batch, "at least 1")
	o.demand(o.gas >= 1, "WithGas", o.gas, "at least 1")
	o.demand(o.maxBlocked >= 1, "WithMaxBlocked", o.maxBlocked, "at least 1")
	o.demand(o.longTurn >= time.Millisecond, "WithLongTurn", o.longTurn, "at least 1ms")
	return strings.Join(o.wrong, "\n")
}

// demand notes an error of an option, unless ok.
func (o *options) demand(ok bool, option string, got any, want string) {
	if !ok {
		o.wrong = append(o.wrong, fmt.Sprintf("%s(%v): want %s", option, got, want))
	}
}
