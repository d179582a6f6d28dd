package actortest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/sim"
)

// R is one run of a scenario. It is valid while the scenario runs, and only in its
// goroutine; Errorf may be called from behaviours too.
type R struct {
	setup       *runSetup
	plan        plan
	sys         *actor.System
	clock       *actor.VirtualClock
	outcome     outcome
	steps       int
	endless     error
	ended       bool       // the scenario has returned
	hits        []hitCount // of each fault's row
	faultRand   *rand.PCG  // of the faults
	latencyRand *rand.Rand // of latencies
	detailed    bool
	departed    bool   // a choice since the last event was not to go on as before
	payload     string // of the event that comes next
	hooks       *sim.Hooks
}

var (
	errStuck      = errors.New("gallop: actortest: nothing can happen any more")
	errNoProgress = fmt.Errorf("%w, or the context was derived from one of R.Context", errStuck)
	errEndless    = errors.New("gallop: actortest: it does not come to rest")
)

// System returns the system of this run.
func (r *R) System() *actor.System { return r.sys }

// Errorf notes a failure of this run and lets the run go on.
func (r *R) Errorf(format string, args ...any) {
	if len(r.outcome.failures) == 0 {
		r.outcome.failedAt = len(r.outcome.trace)
	}
	r.outcome.failures = append(r.outcome.failures, fmt.Sprintf(format, args...))
}

// Fatalf notes a failure of this run and ends it. Scenario only.
func (r *R) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	r.FailNow()
}

// FailNow ends this run as failed. Scenario only.
func (r *R) FailNow() {
	if !r.outcome.failed() {
		r.Errorf("FailNow")
	}
	runtime.Goexit()
}

// Helper does nothing. It is there so that R can be used where a test is expected.
func (r *R) Helper() {}

// Quiet lets everything happen that can happen without time passing. It ends the run as
// failed if that has no end, or if somebody still waits then and no timer is armed that
// might change that.
func (r *R) Quiet() {
	if err := r.sys.Wait(r.Context()); err != nil && !r.timeMayHelp(err) {
		r.Fatalf("not quiet: %v%s", err, r.waits())
	}
}

// timeMayHelp tells whether somebody may be waiting for a timer.
func (r *R) timeMayHelp(err error) bool {
	_, armed := r.clock.Next()
	return armed && errors.Is(err, errStuck)
}

// WhenQuiet calls [R.Quiet] and then f: the place for assertions.
func (r *R) WhenQuiet(f func()) {
	r.Quiet()
	f()
}

// Advance lets d pass: everything happens that happens by itself within d, each timer
// at its time. Otherwise time stands still, until the scenario has returned: if
// somebody still waits then, time goes on until nobody does.
func (r *R) Advance(d time.Duration) {
	if err := r.clock.Advance(r.Context(), d); err != nil {
		r.Fatalf("Advance(%v): %v%s", d, err, r.waits())
	}
}

// Context returns a context for an Ask or a SendWait of the scenario. It ends when
// nothing more can happen without time passing, so that no time-out is needed. A
// context that is derived from it, with a time-out or a cancel function, has ended from
// the beginning.
func (r *R) Context() context.Context { return &stuckContext{Context: context.Background(), r: r} }

// hope is a context that ends when Done is asked for, because that happens only when nobody can go
// on.
type stuckContext struct {
	context.Context
	r    *R
	done bool
}

var closedChan = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

func (h *stuckContext) Done() <-chan struct{} {
	h.done = true
	return closedChan
}

// Value tells the runtime what sort of context this is: an actor that is asked derives none from it
// that asks for its end.
func (h *stuckContext) Value(key any) any {
	if key == (sim.WaitKey{}) {
		return h
	}
	return h.Context.Value(key)
}

func (h *stuckContext) Err() error {
	if h.r.endless != nil {
		return h.r.endless
	}
	if h.done {
		return errNoProgress
	}
	return nil
}
