package actortest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/kernel/sim"
)

// AllowWaiting allows callers to wait at the end of a run for replies that actors or processes of
// these types owe, by name; the type of the caller does not matter. If none is given, any may owe
// one. The type of a process is that of process.WithType, or else "process". Without AllowWaiting, a
// run fails if at its end a caller waits for a reply that was deferred ([actor.Defer]), for one whose
// request is stashed, or for that of a process, and no timer is armed that could change that.
func AllowWaiting(types ...string) Option {
	return func(c *config) {
		if len(types) == 0 {
			c.setup.mayWait = func(string) bool { return true }
			return
		}
		before := c.setup.mayWait
		c.setup.mayWait = func(t string) bool {
			return slices.Contains(types, t) || before != nil && before(t)
		}
	}
}

// waits returns a line for each caller that waits for a reply; "" if there is none.
func (r *R) waits() string {
	var s strings.Builder
	for _, w := range kernel.SystemOf(r.sys).SimCounts().Waits {
		if w.How == sim.Unanswered || r.setup.mayWait == nil || !r.setup.mayWait(w.Type) {
			s.WriteString("\n" + r.describeWait(w))
		}
	}
	return s.String()
}

func (r *R) describeWait(w sim.Wait) string {
	if w.Caller == "" {
		w.Caller = "the scenario"
	}
	question := describe(w.Question, r.hooks.Name)
	if question != "" {
		question = " " + question
	}
	behaviour := ""
	if w.Behaviour != "" {
		behaviour = "." + w.Behaviour
	}
	how := fmt.Sprintf("asked at %v, has not answered", w.Since)
	switch w.How {
	case sim.PutOff:
		how = fmt.Sprintf("put its reply off at %v and has not given it", w.Since)
	case sim.Stashed:
		how = "has the request in its stash"
	case sim.Suspended:
		how = "is suspended"
	case sim.Owed:
		how = "has not answered"
	}
	return fmt.Sprintf("%s waits for %s%s%s: %s %s", w.Caller, w.Callee, behaviour, question, w.Callee,
		how)
}

// waitUntilQuiet is Quiet, but advances the clock for actors that wait for a timer. A run counts as
// endless if a caller waits for ever while other actors re-arm timers without end.
func (r *R) waitUntilQuiet() {
	for {
		err := r.sys.Wait(r.Context())
		if errors.Is(err, actor.ErrSystemStopped) { // stopped by the scenario
			return
		}
		waits := r.waits()
		st := r.sys.Stats()
		switch {
		case err == nil && st.Mutes == st.Unmutes && waits == "":
			return
		case err != nil && !r.timeMayHelp(err):
			r.Fatalf("not quiet: %v%s", err, waits)
		}
		d, armed := r.clock.Next()
		if err == nil && waits != "" && !armed {
			r.Fatalf("a caller waits for ever:%s", waits)
		}
		if r.step(); r.endless != nil {
			r.Fatalf("not quiet: %v%s", r.endless, waits)
		}
		r.Advance(d)
	}
}

// stuck ends a scenario that waits for something that cannot happen.
func (r *R) stuck() {
	waits := r.waits()
	if waits == "" {
		waits = " only a goroutine outside of the run could change that"
	}
	if _, armed := r.clock.Next(); armed {
		r.Fatalf("the scenario waits, and nothing can happen any more until time passes, as in "+
			"Advance:%s", waits)
	}
	r.Fatalf("the scenario waits, and nothing can happen any more:%s", waits)
}
