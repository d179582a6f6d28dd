package actors_test

import (
	"context"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/bridge"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/process/actors"
)

// TestMisuse_WaitsInAProcess: a call that waits for the system or for the end of an actor panics in
// a process, as in a behaviour, whether it would have to wait or not. Calls that wait for the
// system of processes panic in a behaviour as well. SendWait panics if it would have to wait, and
// leaves its place in the line.
func TestMisuse_WaitsInAProcess(t *testing.T) {
	onEach(t, func(t *testing.T, sys *actor.System) {
		procs, r := actors.Join(sys), puppetType.Spawn(sys, puppet{})
		full, ctx := puppetType.Spawn(sys, puppet{}), t.Context()
		in(sys, full, func(_ *puppet, c *actor.Context) { c.ApplyPressure() })
		if _, err := double.Ask(ctx, full, 1); err != nil {
			t.Fatal(err)
		}
		calls := map[string]func(){
			"Wait":      func() { _ = sys.Wait(ctx) },
			"Run":       func() { _ = sys.Run() },
			"Shutdown":  func() { _ = sys.Shutdown(ctx) },
			"Stop":      sys.Stop,
			"Join":      func() { _, _ = actor.Join(ctx, r) },
			"StopWait":  func() { _ = actor.StopWait(ctx, r) },
			"DrainWait": func() { _ = actor.DrainWait(ctx, r) },
			"KillWait":  func() { _ = actor.KillWait(ctx, r) },
			"SendWait":  func() { _ = take.SendWait(ctx, full, 1) },
		}
		own := map[string]func(){
			"Wait": func() { _ = procs.Wait(ctx) }, "Run": func() { procs.Run() }, "Stop": procs.Stop,
		}
		p := process.Go(procs, func(p *process.Proc) {
			for call, f := range calls {
				panics(t, call+" called from a process, which would ", f)
			}
			for call, f := range own {
				panics(t, call+" called from a process, which would ", f)
			}
			p.Blocking(func() {
				panics(t, "Join called from a process", func() { _, _ = actor.Join(ctx, r) })
			})
		})
		for _, over := p.Result(); !over; _, over = p.Result() {
			if _, err := double.Ask(ctx, r, 1); err != nil {
				t.Fatal(err)
			}
		}
		inside, tried := puppetType.Spawn(sys, puppet{}), 0
		in(sys, inside, func(*puppet, *actor.Context) {
			for call, f := range own {
				panics(t, call+" called from a behaviour, which would wait for itself", f)
			}
			tried++
		})
		if _, err := double.Ask(ctx, inside, 1); err != nil || tried != 1 {
			t.Error(err, tried)
		}
		reason, _ := p.Result()
		equal(t, "reason", reason, error(nil))
		quiet(t, sys) // an answer comes before its turn ends
		equal(t, "the actor", r.Status(), actor.StatusIdle)
	})
}

// TestMisuse_AdvanceInAProcess: "Advance panics if d is negative, or if a behaviour" or a process
// "of one of the systems calls it".
func TestMisuse_AdvanceInAProcess(t *testing.T) {
	clock := actor.NewVirtualClock(time.Unix(0, 0))
	sys := actor.Start(actor.WithWorkers(1), actor.WithClock(clock))
	defer sys.Stop()
	p := process.Go(actors.Join(sys), func(*process.Proc) {
		panics(t, "Advance called from a process", func() { _ = clock.Advance(t.Context(), 1) })
	})
	equal(t, "error", sys.Wait(t.Context()), error(nil))
	reason, over := p.Result()
	equal(t, "reason", reason, error(nil))
	equal(t, "over", over, true)
}

// TestAsk_InAProcess: a process that asks by AskBehaviour.Ask, AskAll or Replies is helped as a
// behaviour is: others have its only worker meanwhile, and the stop of its system ends the wait.
func TestAsk_InAProcess(t *testing.T) {
	onEach(t, func(t *testing.T, sys *actor.System) {
		rs := []actor.Ref[puppet]{puppetType.Spawn(sys, puppet{}), puppetType.Spawn(sys, puppet{})}
		ctx := context.Background()
		equal(t, "reason", run(t, sys, func(*process.Proc) {
			for n := range 10 {
				v, err := double.Ask(ctx, rs[0], n)
				equal(t, "reply", v, 2*n)
				equal(t, "error", err, error(nil))
			}
			all, err := bridge.AskAll(ctx, double, rs, 3)
			equal(t, "replies", all, []int{6, 6})
			equal(t, "error", err, error(nil))
		}), error(nil))
	})
}

// TestAsk_InAProcess_Stop: "or the caller is a behaviour, or a process, whose own system stops".
func TestAsk_InAProcess_Stop(t *testing.T) {
	onEach(t, func(t *testing.T, sys *actor.System) {
		r, other := puppetType.Spawn(sys, puppet{}), puppetType.Spawn(sys, puppet{})
		called, errs := make(chan int, 2), make(chan error, 2)
		process.Go(actors.Join(sys), func(*process.Proc) {
			_, err := later.Ask(context.Background(), r, called)
			errs <- err
		})
		process.Go(actors.Join(sys), func(*process.Proc) {
			_, err := bridge.AskAll(context.Background(), later, []actor.Ref[puppet]{r}, called)
			errs <- err
		})
		for len(called) < 2 {
			if _, err := double.Ask(t.Context(), other, 1); err != nil {
				t.Fatal(err)
			}
		}
		sys.Stop()
		equal(t, "error", <-errs, actor.ErrSystemStopped)
		equal(t, "error", <-errs, actor.ErrSystemStopped)
	})
}
