package actor

import (
	"log/slog"

	"github.com/gallop-go/gallop/internal/kernel"
)

// Option sets a property of a system at its start. [Start] checks all options together.
//
// An option that is a [TypeOption] too applies to all actors of the system, except for those of a
// type that was made with the same option.
type Option interface{ kernel.SystemOption }

// sharedOption is an option of systems and of types.
type sharedOption struct {
	systemOption
	typ func(*kernel.TypeInfo)
}

func (o sharedOption) setType(t *kernel.TypeInfo) { o.typ(t) }

// systemOption is an option of systems alone.
type systemOption = kernel.OptionFunc

// typeOption is an option of types alone.
type typeOption func(*kernel.TypeInfo)

func (f typeOption) setType(t *kernel.TypeInfo) { f(t) }

// WithWorkers sets the number of workers, from 1 to 1,024. The default is GOMAXPROCS, but at
// most 1,024; in a system that is [WithDeterministic] it is 4.
func WithWorkers(n int) Option {
	return systemOption(func(o *kernel.Options) { o.Workers, o.Counted = n, true })
}

// WithBatch sets how many messages an actor handles in one turn before others have theirs: at least
// 1, and 100 by default, as in the Pony runtime.
func WithBatch(n int) interface {
	Option
	TypeOption
} {
	return sharedOption{
		systemOption: func(o *kernel.Options) { o.Batch = min(n, kernel.MaxBatch) },
		typ: func(t *kernel.TypeInfo) {
			kernel.MustBePositive("WithBatch", n)
			t.Batch = min(n, kernel.MaxBatch)
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
		systemOption: func(o *kernel.Options) { o.Gas = min(n, kernel.MaxBatch) },
		typ: func(t *kernel.TypeInfo) {
			kernel.MustBePositive("WithGas", n)
			t.Gas = min(n, kernel.MaxBatch)
		},
	}
}

// WithRandSeed seeds [Context.Rand], and all other random decisions of the runtime, with n. It
// does not make a run repeat itself, since workers race: [WithDeterministic] does. Together
// with WithDeterministic, WithRandSeed does nothing.
func WithRandSeed(n uint64) Option {
	return systemOption(func(o *kernel.Options) {
		if !o.Seeded {
			o.Seed = n
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
	return systemOption(func(o *kernel.Options) {
		if o.Log = (kernel.SlogSink{L: l}); l == nil {
			o.Wrong = append(o.Wrong, "WithLogger(nil)")
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
	return systemOption(func(o *kernel.Options) {
		if h.DeadLetter == nil && h.Panic == nil && h.LongTurn == nil && h.PressureDeadlock == nil {
			o.Wrong = append(o.Wrong, "WithHooks without a function")
		}
		if f := h.DeadLetter; f != nil {
			o.OnDeadLetter = func(l kernel.DeadLetter) { f(DeadLetter(l)) }
		}
		if f := h.Panic; f != nil {
			o.OnPanic = func(r kernel.PanicReport) { f(PanicReport(r)) }
		}
		if f := h.LongTurn; f != nil {
			o.OnLongTurn = func(r kernel.LongTurnReport) { f(LongTurnReport(r)) }
		}
		if f := h.PressureDeadlock; f != nil {
			o.OnDeadlock = func(r kernel.PressureDeadlock) { f(pressureDeadlockOf(r)) }
		}
	})
}

// WithCPUBinding binds every worker to a processor of its own. That helps a process that has
// the machine to itself, and harms one that shares it. docs/guarantees.md gives the cost for the
// process's other goroutines. Such a system cannot be joined with processes (package
// process/actors). Linux only.
func WithCPUBinding() Option { return systemOption(func(o *kernel.Options) { o.Bind = true }) }
