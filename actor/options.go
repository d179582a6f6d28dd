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
type Option func(*options)

type options struct {
	workers        int
	counted        bool // Workers was given
	batch          int
	gas            int
	spares         int
	seed           uint64
	seeded         bool // by Seed, which alone decides then
	bind           bool
	clock          seam.Clock
	hooks          *sim.Hooks    // nil: not deterministic
	virtual        *VirtualClock // nil: the machine's clock, or one that flows
	log            logSink
	onDeadLetter   func(DeadLetter)
	interceptors   []Interceptor // the outermost first
	onPanic        func(PanicReport)
	onDeadlock     func(StallReport)
	deadlockPeriod time.Duration
	leeway         uint32 // see mute_limits.go
	longTurn       time.Duration
	onLongTurn     func(LongTurnReport)
	wrong          []string // what options have found wrong themselves
}

// Workers sets the number of workers, from 1 to 56. The default is GOMAXPROCS, but at
// most 56; in a system with a [Seed] it is 4.
func Workers(n int) Option { return func(o *options) { o.workers, o.counted = n, true } }

// Batch sets how many messages an actor handles in one turn before others have theirs:
// at least 1, [DefaultBatch] by default. [TypeBatch] overrides it for one type.
func Batch(n int) Option { return func(o *options) { o.batch = min(n, maxBatch) } }

// Gas sets how many reductions an actor may spend in one turn before others have
// theirs: one for each message, and what [Context.Gas] adds. It is at least 1,
// [DefaultGas] by default. [TypeGas] overrides it for one type. A batch that is larger
// than the gas is cut to it.
func Gas(n int) Option { return func(o *options) { o.gas = min(n, maxBatch) } }

// RandSeed starts [Context.Rand], and whatever else the runtime leaves to chance, with
// n. It does not make a run repeat itself, since workers race: [Seed] does. Together
// with Seed, RandSeed does nothing.
func RandSeed(n uint64) Option {
	return func(o *options) {
		if !o.seeded {
			o.seed = n
		}
	}
}

// Logger sets where the system logs. The default is the standard logger of package log,
// which slog.SetDefault redirects. The system logs
//
//   - what has no function set for it: panics of behaviours ([OnPanic]), dead letters
//     ([OnDeadLetter]), long turns ([OnLongTurn]), and actors that wait for one under
//     pressure ([OnStall]);
//   - panics in these functions;
//   - that all [Spares] are in use.
//
// Of the system's dead letters the 1st, 2nd, 4th, 8th and so on are logged, each with
// how many there were so far, so that they do not flood the log. [System.Stats] counts
// all of them. [OnDeadLetter] sees each of them, and then none is logged.
func Logger(l *slog.Logger) Option {
	return func(o *options) {
		if o.log = (slogSink{l}); l == nil {
			o.wrong = append(o.wrong, "Logger(nil)")
		}
	}
}

// OnDeadLetter sets a function that sees every dead letter. f runs where the letter
// dies, on a worker or in a goroutine that sends, and possibly in several at once. It
// must be quick and must not wait for the system.
//
// A panic or a runtime.Goexit in f is logged and ignored. For that, each call has a
// goroutine of its own, which its caller waits for. This costs about a microsecond per
// dead letter.
//
// A function that sends may cause dead letters itself, and is told of these too: by a
// message to an actor that has ended, and by what [OverflowDropOldest] drops. Let it send
// only to actors that outlive the others, and ignore the letters of its own. At most 1,000
// calls go on at a time: beyond that dead letters are logged instead.
func OnDeadLetter(f func(DeadLetter)) Option {
	return func(o *options) {
		if o.onDeadLetter = f; f == nil {
			o.wrong = append(o.wrong, "OnDeadLetter(nil)")
		}
	}
}

// OnPanic sets a function that sees every panic of a behaviour. The terms are those of
// [OnDeadLetter].
func OnPanic(f func(PanicReport)) Option {
	return func(o *options) {
		if o.onPanic = f; f == nil {
			o.wrong = append(o.wrong, "OnPanic(nil)")
		}
	}
}

// OnStall sets a function that sees every [StallReport]. The terms are those of
// [OnDeadLetter]. Without such a function the 1st, 2nd, 4th, 8th … report is logged.
func OnStall(f func(StallReport)) Option {
	return func(o *options) {
		if o.onDeadlock = f; f == nil {
			o.wrong = append(o.wrong, "OnStall(nil)")
		}
	}
}

// BindCPUs binds every worker to a processor of its own. That helps a process that has
// the machine to itself and harms one that has not: docs/guarantees.md says what it
// costs the process's other goroutines. Linux only.
func BindCPUs() Option { return func(o *options) { o.bind = true } }

func defaultOptions() options {
	return options{
		batch:          DefaultBatch,
		gas:            DefaultGas,
		deadlockPeriod: deadlockPeriod,
		leeway:         defaultLeeway,
		spares:         sched.DefaultMaxDetached,
		longTurn:       DefaultLongTurn,
		clock:          seam.SystemClock{},
		log:            plainSink{},
	}
}

// settle decides what was left open, and makes the simulation of a system that is to be
// deterministic.
func (o *options) settle() (s *simulation) {
	if o.hooks != nil {
		s = o.simulation(o.hooks)
	}
	o.defaultWorkers(min(runtime.GOMAXPROCS(0), sched.MaxWorkers))
	return s
}

// defaultWorkers sets the number of workers if nobody has.
func (o *options) defaultWorkers(n int) {
	if !o.counted {
		o.workers, o.counted = n, true
	}
}

// check returns everything that is wrong, not only the first; nothing if all is well.
func (o *options) check() (wrong string) {
	o.demand(o.workers >= 1 && o.workers <= sched.MaxWorkers, "Workers", o.workers, fmt.Sprint("1 to ", sched.MaxWorkers))
	o.demand(o.batch >= 1, "Batch", o.batch, "at least 1")
	o.demand(o.gas >= 1, "Gas", o.gas, "at least 1")
	o.demand(o.spares >= 1, "Spares", o.spares, "at least 1")
	o.demand(o.longTurn >= time.Millisecond, "LongTurn", o.longTurn, "at least 1ms")
	return strings.Join(o.wrong, "\n")
}

// demand notes what is wrong with an option.
func (o *options) demand(ok bool, option string, got any, want string) {
	if !ok {
		o.wrong = append(o.wrong, fmt.Sprintf("%s(%v): want %s", option, got, want))
	}
}
