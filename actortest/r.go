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
	scene   *scene
	plan    plan
	sys     *actor.System
	clock   *actor.VirtualClock
	out     outcome
	steps   int
	endless error
	ended   bool      // the scenario has returned
	hits    []hits    // of each fault's row
	luck    *rand.PCG // of the faults
}

var (
	errStuck    = errors.New("gallop: actortest: nothing can happen any more")
	errHopeless = fmt.Errorf("%w, or the context was derived from one of R.Context", errStuck)
	errEndless  = errors.New("gallop: actortest: it does not come to rest")
)

// System returns the system of this run.
func (r *R) System() *actor.System { return r.sys }

// Errorf notes a failure of this run and lets the run go on.
func (r *R) Errorf(format string, args ...any) {
	r.out.failures = append(r.out.failures, fmt.Sprintf(format, args...))
}

// Fatalf notes a failure of this run and ends it. Scenario only.
func (r *R) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	r.FailNow()
}

// FailNow ends this run as failed. Scenario only.
func (r *R) FailNow() {
	if !r.out.failed() {
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
		r.Fatalf("not quiet: %v", err)
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
		r.Fatalf("Advance(%v): %v", d, err)
	}
}

// Context returns a context for an Ask or a SendWait of the scenario. It ends when
// nothing more can happen without time passing, so that no time-out is needed. A
// context that is derived from it, with a time-out or a cancel function, has ended from
// the beginning.
func (r *R) Context() context.Context { return &hope{Context: context.Background(), r: r} }

// hope is a context that ends when Done is asked for, because that happens only when nobody can go
// on.
type hope struct {
	context.Context
	r    *R
	lost bool
}

var over = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

func (h *hope) Done() <-chan struct{} {
	h.lost = true
	return over
}

// Value tells the runtime what sort of context this is: an actor that is asked derives none from it
// that asks for its end.
func (h *hope) Value(key any) any {
	if key == (sim.Hope{}) {
		return h
	}
	return h.Context.Value(key)
}

func (h *hope) Err() error {
	if h.r.endless != nil {
		return h.r.endless
	}
	if h.lost {
		return errHopeless
	}
	return nil
}
