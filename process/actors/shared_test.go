package actors_test

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/process/actors"
)

// TestBlocking: a process that declares that it blocks keeps neither actors nor processes of the
// single worker from running. The monitor finds an undeclared one.
func TestBlocking(t *testing.T) {
	sys := actor.Start(actor.WithWorkers(1))
	defer sys.Stop()
	r, procs := puppetType.Spawn(sys, puppet{}), actors.Join(sys)
	for _, says := range []bool{true, false} {
		var mu sync.Mutex
		mu.Lock()
		locked := process.Go(procs, func(p *process.Proc) {
			if says {
				p.Blocking(mu.Lock)
			} else {
				mu.Lock()
			}
		})
		other := make(chan struct{})
		process.Go(procs, func(*process.Proc) { close(other) })
		if v, err := double.Ask(t.Context(), r, 1); v != 2 || err != nil {
			t.Error(v, err)
		}
		<-other
		if _, over := locked.Result(); over {
			t.Error("it was not locked")
		}
		mu.Unlock()
		if err := sys.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestGas: a process that never waits, and calls Gas, lets actors and processes of its worker run.
func TestGas(t *testing.T) {
	onEach(t, func(t *testing.T, sys *actor.System) {
		r, procs := puppetType.Spawn(sys, puppet{}), actors.Join(sys)
		var ran [2]atomic.Bool
		in(sys, r, func(_ *puppet, c *actor.Context) {
			process.Go(actors.Env(c), func(p *process.Proc) {
				process.Go(p, func(*process.Proc) { ran[0].Store(true) })
				do.Send(actors.Sender(p), r, func(*puppet, *actor.Context) { ran[1].Store(true) })
				for n := 0; ; n++ {
					if p.Gas(1); n%1000 == 0 {
						p.Yield()
						if ran[0].Load() && ran[1].Load() || n > 100_000_000 {
							return
						}
					}
				}
			})
		})
		quiet(t, sys)
		equal(t, "the other process ran", ran[0].Load(), true)
		equal(t, "the actor ran", ran[1].Load(), true)
		equal(t, "blocked", len(procs.Blocked()), 0)
	})
}

// TestBlocked: processes that are blocked for ever are named, also those waiting for actors; Run
// returns them.
func TestBlocked(t *testing.T) {
	onEach(t, func(t *testing.T, sys *actor.System) {
		procs, r := actors.Join(sys), deferType.Spawn(sys, deferrer{})
		process.Spawn(procs, func(self *process.Self[int]) {
			if err := process.Register("asks", self.Ref()); err != nil {
				t.Error(err)
			}
			_, _ = actors.Call(self, never, r, 1)
		})
		process.Go(procs, func(p *process.Proc) { process.NewChan[int](0).Recv(p) })
		var on []string
		for _, b := range procs.Run() {
			on = append(on, fmt.Sprint(b.Names, " ", b.On))
		}
		slices.Sort(on)
		equal(t, "blocked", on, []string{"[] channel receive", "[asks] reply of " + r.String()})
		equal(t, "after", len(procs.Blocked()), 0)
	})
}

// deferrer never replies.
type deferrer struct{ owes []actor.Deferred[int] }

var (
	deferType = actor.NewType[deferrer]("deferrer")
	never     = actor.DeclareAsk[int, int](deferType, "never")
)

func init() {
	deferType.Table(never.Handle(func(d *deferrer, c *actor.Context, _ int) (int, error) {
		d.owes = append(d.owes, actor.Defer(c, never))
		return 0, nil
	}))
}

// TestStop_WhileAProxyWaits: a proxy that waits for its process to unwind does not keep the system
// from its end. By a clock that stands, since the proxy would wait for five seconds.
func TestStop_WhileAProxyWaits(t *testing.T) {
	onEach(t, func(t *testing.T, sys *actor.System) {
		unwinds := make(chan struct{})
		p := process.Spawn(actors.Join(sys), func(self *process.Self[int]) {
			defer func() {
				close(unwinds)
				process.Select(self)
			}()
			idle(self)
		})
		ref := actors.Ref(sys, p.Process)
		quiet(t, sys)
		actor.Stop(sys, ref)
		if t.Name() == "TestStop_WhileAProxyWaits/deterministic" {
			sys.Stop() // nothing runs before a goroutine waits
			return
		}
		<-unwinds
		sys.Stop()
		reason, over := p.Result()
		equal(t, "over", over, true)
		equal(t, "reason", reason, process.ErrStopped)
	}, actor.WithClock(actor.NewVirtualClock(time.Unix(0, 0))))
}

// TestVirtualClock: processes go by the clock of the system, which a test moves. While it stands,
// an armed timer holds nothing.
func TestVirtualClock(t *testing.T) {
	clock := actor.NewVirtualClock(time.Unix(0, 0))
	sys := actor.Start(actor.WithClock(clock))
	defer sys.Stop()
	var woken []time.Time
	process.Go(actors.Join(sys), func(p *process.Proc) {
		for range 3 {
			p.Sleep(time.Second)
			woken = append(woken, clock.Now())
		}
	})
	if err := sys.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	equal(t, "woken", len(woken), 0)
	if err := clock.Advance(t.Context(), 2500*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	equal(t, "woken", woken, []time.Time{time.Unix(1, 0), time.Unix(2, 0)})
}
