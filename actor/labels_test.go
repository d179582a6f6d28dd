package actor_test

import (
	"context"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/bridge"
)

// labelled returns the goroutines in code of the runtime that have labels of the test, as a profile
// shows them.
func labelled(t *testing.T) (all []string) {
	t.Helper()
	var b strings.Builder
	must(t, pprof.Lookup("goroutine").WriteTo(&b, 1))
	for one := range strings.SplitSeq(b.String(), "\n\n") {
		if strings.Contains(one, `"request":"42"`) && strings.Contains(one, "gallop/sched.") {
			all = append(all, one)
		}
	}
	return all
}

// TestGoroutinesHaveNoLabels: goroutines of the runtime that outlive the call that starts them
// begin without the labels of the caller. A worker that got labels in a behaviour loses them when
// it sleeps.
func TestGoroutinesHaveNoLabels(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	values := make(chan deed)
	pprof.Do(context.Background(), pprof.Labels("request", "42"), func(context.Context) {
		p, q := puppetType.Spawn(sys, puppet{}), pinnedType.Spawn(sys, puppet{})
		// A worker that has slept has no labels anyway, so the first turn looks.
		first := make(chan []string, 1)
		do.Send(sys, p, func(*puppet, *actor.Context) { first <- labelled(t) })
		if all := <-first; len(all) > 0 {
			t.Errorf("a worker begins with labels of the first sender:\n%s", all[0])
		}
		do.Send(sys, p, func(_ *puppet, c *actor.Context) {
			bridge.FromChan(c, values, do)
			actor.After(c, time.Hour, count, 1)
		})
		do.Send(sys, p, func(_ *puppet, c *actor.Context) { // idle workers
			_, _ = pinnedTry.Ask(c.Context(), q, func(*puppet, *actor.Context) (any, error) {
				return nil, nil
			})
		})
		for range 3 {
			_, err := try.Ask(soon(t), p, func(*puppet, *actor.Context) (any, error) { return nil, nil })
			must(t, err)
		}
	})
	if all := labelled(t); len(all) > 0 {
		t.Errorf("%d goroutines have labels of the first sender:\n%s", len(all), strings.Join(all, "\n\n"))
	}
	close(values)
}

// TestLabelsLeftByABehaviour: the goroutine of a worker loses the labels that a behaviour has left
// when the worker sleeps, or after a while if the worker does not sleep.
func TestLabelsLeftByABehaviour(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	label := func(*puppet, *actor.Context) {
		pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels("request", "42")))
	}
	const enough = 5_000 // each writes a profile, and a worker yields every few of them
	busy := puppetType.Spawn(sys, puppet{})
	left := make(chan int)
	turns := 0
	var look func(*puppet, *actor.Context)
	look = func(_ *puppet, c *actor.Context) {
		if turns++; len(labelled(t)) == 0 || turns == enough {
			left <- turns
			return
		}
		do.Send(c, busy, look) // so the worker does not sleep
	}
	do.Send(sys, busy, label)
	do.Send(sys, busy, look)
	if n := <-left; n == enough {
		t.Errorf("a busy worker has labels after %d turns", n)
	}

	ends := puppetType.Spawn(sys, puppet{})
	do.Send(sys, ends, func(p *puppet, c *actor.Context) {
		label(p, c)
		panic("its labels stay")
	})
	eventually(t, "the end", func() bool { return ends.Status() == actor.StatusEnded })
	eventually(t, "workers without labels", func() bool { return len(labelled(t)) == 0 })
}
