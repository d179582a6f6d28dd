package actor_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// TestSleep_VirtualTime: "There it waits in virtual time if the system is deterministic …: the
// system goes on meanwhile, and time jumps on when nothing else can happen".
func TestSleep_VirtualTime(t *testing.T) {
	for seed := range uint64(10) {
		sys := start(t, actor.WithDeterministic(seed))
		var began time.Time
		var slept []time.Duration
		p := puppetType.Spawn(sys, puppet{note: func(c *actor.Context, r actor.Result[any]) {
			must(t, r.Err)
			slept = append(slept, c.Now().Sub(began))
		}})
		do.Send(sys, p, func(_ *puppet, c *actor.Context) {
			began = c.Now()
			for _, d := range []time.Duration{3 * time.Hour, time.Hour, 2 * time.Hour, 0, -1} {
				actor.Pipe(c, note, func(ctx context.Context) (any, error) { return nil, actor.Sleep(ctx, d) })
			}
		})
		quiet(t, sys)
		equal(t, "outcomes", len(slept), 5)
		for i, want := range []time.Duration{0, 0, time.Hour, 2 * time.Hour, 3 * time.Hour} {
			equal(t, "slept", slept[i], want)
		}
		sys.Stop()
	}
}

// TestSleep_Ends: "or ctx ends, whose error it returns then", and "If the system stops before,
// Sleep returns ctx's error or ErrSystemStopped".
func TestSleep_Ends(t *testing.T) {
	sys, clock := onVirtualTime(t, actor.WithDeterministic(1))
	errs := map[string]error{}
	ended, cancel := context.WithCancel(context.Background())
	p := puppetType.Spawn(sys, puppet{})
	do.Send(sys, p, func(_ *puppet, c *actor.Context) {
		for name, ctx := range map[string]context.Context{"of its own": ended,
			"none": context.Background(), "that of Pipe": nil} {
			actor.Pipe(c, note, func(of context.Context) (any, error) {
				if ctx == nil {
					ctx = of
				}
				errs[name] = actor.Sleep(ctx, time.Hour)
				return nil, nil
			})
		}
		actor.After(c, time.Minute, do, func(*puppet, *actor.Context) { cancel() })
	})
	must(t, clock.Advance(context.Background(), time.Minute))
	equal(t, "that have ended", len(errs), 1)
	wants(t, errs["of its own"], context.Canceled)
	wants(t, actor.Sleep(ended, time.Hour), context.Canceled)
	sys.Stop()
	equal(t, "that have ended", len(errs), 3)
	wants(t, errs["none"], actor.ErrSystemStopped)
	wants(t, errs["that of Pipe"], context.Canceled)
}

func ExampleSleep() {
	sys := actor.Start(actor.WithDeterministic(1))
	defer sys.Stop()
	var began time.Time
	p := puppetType.Spawn(sys, puppet{note: func(c *actor.Context, r actor.Result[any]) {
		fmt.Println(r.Value, c.Now().Sub(began))
	}})
	do.Send(sys, p, func(_ *puppet, c *actor.Context) {
		began = c.Now()
		actor.Pipe(c, note, func(ctx context.Context) (any, error) { // a slow query
			return "rows", actor.Sleep(ctx, time.Hour)
		})
	})
	_ = sys.Wait(context.Background())
	// Output:
	// rows 1h0m0s
}

// TestSleep_MachinesTime: "In any other system, and in goroutines of the program's own, it waits by
// the machine's clock", here that of a bubble.
func TestSleep_MachinesTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		must(t, actor.Sleep(ctx, 59*time.Second))
		equal(t, "slept", time.Since(began), 59*time.Second)
		wants(t, actor.Sleep(ctx, time.Hour), context.DeadlineExceeded)
		equal(t, "slept", time.Since(began), time.Minute)
	})
}
