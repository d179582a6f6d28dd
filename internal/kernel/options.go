package kernel

import (
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/gallop-go/gallop/internal/kernel/sim"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// SystemOption sets a property of a system at its start. Options.Apply applies it.
type SystemOption interface{ setSystem(*Options) }

// OptionFunc is a SystemOption that calls the function.
type OptionFunc func(*Options)

func (f OptionFunc) setSystem(o *Options) { f(o) }

// Apply sets the property of an option.
func (o *Options) Apply(opt SystemOption) { opt.setSystem(o) }

// Options are the properties of a system. Read-only once it has started.
type Options struct {
	Workers        int
	Counted        bool // WithWorkers was given
	Batch          int
	Gas            int
	MaxBlocked     int
	Seed           uint64
	Seeded         bool // by WithDeterministic, which alone decides
	Bind           bool
	Clock          seam.Clock
	Hooks          *sim.Hooks    // nil: not deterministic
	RunClock       *VirtualClock // the clock of a run of actortest; nil: any will do
	virtual        *VirtualClock // nil: the machine's clock, or one that flows
	Log            logSink
	OnDeadLetter   func(DeadLetter)
	Interceptors   []Interceptor // the outermost first
	OnPanic        func(PanicReport)
	OnDeadlock     func(PressureDeadlock)
	DeadlockPeriod time.Duration
	Leeway         uint32 // see mute.go
	LongTurn       time.Duration
	OnLongTurn     func(LongTurnReport)
	Wrong          []string // errors that options have found themselves
}

// MustBePositive panics if n, the argument of an option, is less than 1.
func MustBePositive(option string, n int) {
	if n < 1 {
		PanicMisuse(option, fmt.Sprintf("(%d): want at least 1", n))
	}
}

// defaultOptions returns the options of a system that was given none.
func defaultOptions() Options {
	return Options{
		Batch:          DefaultBatch,
		Gas:            DefaultGas,
		DeadlockPeriod: deadlockPeriod,
		Leeway:         defaultLeeway,
		MaxBlocked:     sched.DefaultMaxDetached,
		LongTurn:       defaultLongTurn,
		Clock:          seam.SystemClock{},
		Log:            plainSink{},
	}
}

// complete sets the defaults of options that were not given, and makes the simulation of a
// deterministic system.
func (o *Options) complete() (s *Simulation) {
	if o.Hooks != nil {
		s = o.simulation(o.Hooks)
	}
	o.defaultWorkers(min(runtime.GOMAXPROCS(0), sched.MaxWorkers))
	return s
}

// defaultWorkers sets the number of workers if no option has.
func (o *Options) defaultWorkers(n int) {
	if !o.Counted {
		o.Workers, o.Counted = n, true
	}
}

// check returns all errors, one a line, or "" if there are none.
func (o *Options) check() (wrong string) {
	o.demand(o.Workers >= 1 && o.Workers <= sched.MaxWorkers, "WithWorkers", o.Workers,
		fmt.Sprint("1 to ", sched.MaxWorkers))
	o.demand(o.Batch >= 1, "WithBatch", o.Batch, "at least 1")
	o.demand(o.Gas >= 1, "WithGas", o.Gas, "at least 1")
	o.demand(o.MaxBlocked >= 1, "WithMaxBlocked", o.MaxBlocked, "at least 1")
	o.demand(o.LongTurn >= time.Millisecond, "WithLongTurn", o.LongTurn, "at least 1ms")
	return strings.Join(o.Wrong, "\n")
}

// demand notes an error of an option, unless ok.
func (o *Options) demand(ok bool, option string, got any, want string) {
	if !ok {
		o.Wrong = append(o.Wrong, fmt.Sprintf("%s(%v): want %s", option, got, want))
	}
}
