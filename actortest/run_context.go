package actortest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/kernel/sim"
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
	contexts    []*stuckContext // which end with an endless run
	ended       bool            // the scenario has returned
	hits        []hitCount      // for each fault
	faultRand   *rand.PCG       // randomness of the faults
	latencyRand *rand.Rand      // randomness of latencies
	detailed    bool
	departed    bool   // a choice since the last event interrupted a worker
	payload     string // of the next event
	hooks       *sim.Hooks
}

var (
	errStuck   = errors.New("gallop: actortest: nothing can happen any more")
	errEndless = errors.New("gallop: actortest: it does not come to rest")
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

// Quiet runs the actors until nothing more can happen without time passing. It ends the run as
// failed if that does not come to an end, or if an actor still waits then and no timer is armed
// that could wake it.
func (r *R) Quiet() {
	if err := r.sys.Wait(r.Context()); err != nil && !r.timeMayHelp(err) {
		r.Fatalf("not quiet: %v%s", err, r.waits())
	}
}

// timeMayHelp reports whether a waiting actor may be waiting for a timer.
func (r *R) timeMayHelp(err error) bool {
	_, armed := r.clock.Next()
	return armed && errors.Is(err, errStuck)
}

// WhenQuiet calls [R.Quiet] and then f, for assertions.
func (r *R) WhenQuiet(f func()) {
	r.Quiet()
	f()
}

// Advance advances the virtual clock by d and runs the actors, each timer at its time. Otherwise
// time stands still until the scenario has returned: if an actor still waits then, time goes on
// until none does.
func (r *R) Advance(d time.Duration) {
	if err := r.clock.Advance(r.Context(), d); err != nil {
		r.Fatalf("Advance(%v): %v%s", d, err, r.waits())
	}
}

// Context returns a context for an Ask or a SendWait of the scenario, or for the code under test.
// It ends when the scenario waits under it, or under a derived context, and nothing can happen any
// more without time passing. So no time-out is needed. The deadline of a derived context goes by
// the machine's clock, and is not reached in a run that goes well. Events of the virtual clock come
// with [R.Advance].
func (r *R) Context() context.Context {
	ctx := &stuckContext{Context: context.Background(), r: r, over: make(chan struct{})}
	if r.contexts = append(r.contexts, ctx); r.endless != nil {
		ctx.NoProgress()
	}
	return ctx
}

// stuckContext is a context that the runtime ends by NoProgress.
type stuckContext struct {
	context.Context
	r    *R
	over chan struct{}

	mu    sync.Mutex
	done  bool      // guarded by mu
	after []*func() // guarded by mu: called at the end
}

// Own implements guard.Own.
func (*stuckContext) Own(guard.Mark) {}

// Done implements context.Context.
func (h *stuckContext) Done() <-chan struct{} { return h.over }

// NoProgress ends the context: see sim.WaitKey.
func (h *stuckContext) NoProgress() {
	h.mu.Lock()
	after := h.after
	if !h.done {
		h.done = true
		close(h.over)
	}
	h.after = nil
	h.mu.Unlock()
	for _, f := range after {
		(*f)()
	}
}

// AfterFunc has package context call f when the context ends, at once and without a goroutine, so
// that contexts which were derived end at the same point of a run. If it has ended, f has a goroutine
// of its own: package context calls AfterFunc under a lock that f takes.
func (h *stuckContext) AfterFunc(f func()) (stop func() bool) {
	h.mu.Lock()
	done := h.done
	if !done {
		h.after = append(h.after, &f)
	}
	h.mu.Unlock()
	if done {
		go f()
	}
	return func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		i := slices.Index(h.after, &f)
		if i >= 0 {
			h.after = slices.Delete(h.after, i, i+1)
		}
		return i >= 0
	}
}

// Value gives the runtime the context, also from one that was derived.
func (h *stuckContext) Value(key any) any {
	if key == (sim.WaitKey{}) {
		return h
	}
	return h.Context.Value(key)
}

// Err implements context.Context.
func (h *stuckContext) Err() error {
	if h.r.endless != nil {
		return h.r.endless
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.done {
		return errStuck
	}
	return nil
}
