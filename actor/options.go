package actor

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime"
	"time"

	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/internal/sim"
	"github.com/gallop-go/gallop/sched"
)

// Option sets a property of a system at its start. Start checks all of them
// together.
type Option func(*options)

type options struct {
	workers      int
	batch        int
	spares       int
	seed         uint64
	bind         bool
	clock        seam.Clock
	sim          *sim.Hooks    // not nil: deterministic
	virtual      *VirtualClock // behind clock, if it is one
	log          logSink
	onDeadLetter func(DeadLetter)
	onPanic      func(PanicReport)
	longTurn     time.Duration
	onLongTurn   func(LongTurnReport)
	nilOptions   []string // those that were given nil
}

// Workers sets the number of workers, 1 to 56. The default is GOMAXPROCS, at most
// 56, and 4 in a [Deterministic] system.
func Workers(n int) Option { return func(o *options) { o.workers = n } }

// notGiven is the number of workers before Workers was looked at.
const notGiven = math.MinInt

// Batch sets how many messages an actor handles in one turn before others have
// theirs; at least 1, [DefaultBatch] by default. [TypeBatch] overrides it per type.
func Batch(n int) Option { return func(o *options) { o.batch = min(n, maxBatch) } }

// Seed starts every choice that the runtime leaves to chance, among them
// [Context.Rand].
func Seed(n uint64) Option { return func(o *options) { o.seed = n } }

// Logger sets where the system logs panics and dead letters. The default is the
// standard logger of package log, which slog.SetDefault redirects.
func Logger(l *slog.Logger) Option {
	return func(o *options) {
		if o.log = (slogSink{l}); l == nil {
			o.nilOptions = append(o.nilOptions, "Logger")
		}
	}
}

// OnDeadLetter sets a function that sees every dead letter. It runs where the
// letter dies, on a worker or in a goroutine that sends, possibly in several at
// once; it must be quick and must not wait for the system. A panic or a
// runtime.Goexit in it is logged and ignored.
func OnDeadLetter(f func(DeadLetter)) Option {
	return func(o *options) {
		if o.onDeadLetter = f; f == nil {
			o.nilOptions = append(o.nilOptions, "OnDeadLetter")
		}
	}
}

// OnPanic sets a function that sees every panic of a behaviour, under the same
// terms as [OnDeadLetter].
func OnPanic(f func(PanicReport)) Option {
	return func(o *options) {
		if o.onPanic = f; f == nil {
			o.nilOptions = append(o.nilOptions, "OnPanic")
		}
	}
}

// BindCPUs binds every worker to a processor of its own. It helps a process that
// has the machine to itself and harms one that has not: see docs/guarantees.md for
// what it costs the process's other goroutines. Linux only.
func BindCPUs() Option { return func(o *options) { o.bind = true } }

func defaultOptions() options {
	return options{
		workers:  notGiven,
		batch:    DefaultBatch,
		spares:   sched.DefaultSpares,
		longTurn: DefaultLongTurn,
		clock:    seam.SystemClock{},
		log:      plainSink{},
	}
}

// settle decides what was left open.
func (o *options) settle() {
	switch {
	case o.workers != notGiven:
	case o.sim != nil:
		o.workers = simWorkers
	default:
		o.workers = min(runtime.GOMAXPROCS(0), sched.MaxWorkers)
	}
	if o.sim != nil {
		o.bind = false
		o.flow()
	}
}

// check reports everything that is wrong, not only the first.
func (o *options) check() error {
	var errs []error
	if o.workers < 1 || o.workers > sched.MaxWorkers {
		errs = append(errs, fmt.Errorf("Workers(%d): want 1 to %d", o.workers, sched.MaxWorkers))
	}
	if o.batch < 1 {
		errs = append(errs, fmt.Errorf("Batch(%d): want at least 1", o.batch))
	}
	errs = append(errs, o.checkSpares(), o.checkLongTurn())
	for _, name := range o.nilOptions {
		errs = append(errs, fmt.Errorf("%s(nil)", name))
	}
	return errors.Join(errs...)
}
