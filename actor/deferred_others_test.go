package actor_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// TestDefer_RepliedByOthers: "Any actor may reply, with its *Context, or any goroutine, with the
// *System."
func TestDefer_RepliedByOthers(t *testing.T) {
	for name, give := range map[string]func(t *testing.T, sys *actor.System, d actor.Deferred[int]){
		"a goroutine": func(_ *testing.T, sys *actor.System, d actor.Deferred[int]) {
			d.Reply(sys, 7, nil)
		},
		"an actor": func(t *testing.T, sys *actor.System, d actor.Deferred[int]) {
			inside(t, sys, func(c *actor.Context) { d.Reply(c, 7, nil) })
		},
		"an actor of another system": func(t *testing.T, _ *actor.System, d actor.Deferred[int]) {
			inside(t, start(t), func(c *actor.Context) { d.Reply(c, 7, nil) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			sys := start(t, actor.WithWorkers(2))
			r := clerkType.Spawn(sys, clerk{})
			outcome := wanting(t, r, 3)
			var ds []actor.Deferred[int]
			inClerk(t, r, func(k *clerk, _ *actor.Context) { ds, k.open = k.open, nil })
			for _, d := range ds {
				give(t, sys, d)
				equal(t, "outcome", outcome(), actor.Result[int]{Value: 7})
			}
			quiet(t, sys)
			equal(t, "wards", actor.LeftoversOf(sys).StopList, 0)
		})
	}
}

// TestDefer_Racers: "Of several concurrent calls one gives the reply. The others return false",
// also while the owner hands over, or ends.
func TestDefer_Racers(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	other := clerkType.Spawn(sys, clerk{})
	for round := range scaled(400) {
		r := clerkType.Spawn(sys, clerk{})
		outcome := wanting(t, r, 1)
		var d actor.Deferred[int]
		inClerk(t, r, func(k *clerk, c *actor.Context) {
			if d = k.next(); round%2 == 0 {
				d.HandOver(c, other)
			}
		})
		var won atomic.Int64
		var wg sync.WaitGroup
		for i := range 3 {
			wg.Go(func() {
				if d.Reply(sys, i, nil) {
					won.Add(1)
				}
			})
		}
		wg.Go(func() { actor.Stop(sys, r) })
		got := outcome()
		wg.Wait()
		if (got.Err == nil) != (won.Load() == 1) || won.Load() > 1 {
			t.Fatalf("outcome %v, and %d were first", got, won.Load())
		}
	}
	quiet(t, sys)
	must(t, actor.StopWait(soon(t), other))
	equal(t, "wards", actor.LeftoversOf(sys).StopList, 0)
}

// TestDefer_HandOver: "From then on the end of the running actor does not concern the caller. If to
// ends or is restarted before the reply was given, the caller is told at once; likewise if to has
// ended already, or is down."
func TestDefer_HandOver(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	deferral := func(to actor.Target) (actor.Ref[clerk], actor.Deferred[int],
		func() actor.Result[int]) {
		r := clerkType.Spawn(sys, clerk{})
		outcome := wanting(t, r, 1)
		var d actor.Deferred[int]
		inClerk(t, r, func(k *clerk, c *actor.Context) {
			d = k.next()
			d.HandOver(c, to)
		})
		return r, d, outcome
	}

	heir := clerkType.Spawn(sys, clerk{})
	r, d, outcome := deferral(heir)
	must(t, actor.StopWait(soon(t), r))
	equal(t, "the first", d.Reply(sys, 7, nil), true)
	equal(t, "outcome", outcome(), actor.Result[int]{Value: 7})

	_, _, outcome = deferral(heir)
	must(t, actor.KillWait(soon(t), heir))
	err := outcome().Err
	wants(t, err, actor.ErrStopped)
	wants(t, err, actor.ErrKilled)

	_, d, outcome = deferral(heir) // which has ended
	wants(t, outcome().Err, actor.ErrKilled)
	equal(t, "too late", d.Reply(sys, 7, nil), false)

	child := underCare(t, sys, func(*ctxActor) {})
	_, _, outcome = deferral(child)
	actor.Restart(sys, child)
	wants(t, outcome().Err, actor.ErrStopped)

	next := clerkType.Spawn(sys, clerk{}) // handed on
	r, d, outcome = deferral(next)
	last := clerkType.Spawn(sys, clerk{})
	inClerk(t, next, func(_ *clerk, c *actor.Context) { d.HandOver(c, last) })
	must(t, actor.StopWait(soon(t), next))
	must(t, actor.StopWait(soon(t), r))
	inClerk(t, last, func(_ *clerk, c *actor.Context) {
		equal(t, "the first", d.Reply(c, 8, nil), true)
	})
	equal(t, "outcome", outcome(), actor.Result[int]{Value: 8})

	far := start(t) // the system of the new owner stops
	_, _, outcome = deferral(clerkType.Spawn(far, clerk{}))
	far.Stop()
	wants(t, outcome().Err, actor.ErrSystemStopped)
	quiet(t, sys)
	equal(t, "wards", actor.LeftoversOf(sys).StopList, 0)
}

// TestDefer_HandedOverInMail: the usual way is an actor for each request. It has the Deferred, and
// the caller gets an error if it fails.
func TestDefer_HandedOverInMail(t *testing.T) {
	for _, opt := range []actor.Option{actor.WithWorkers(2), actor.WithDeterministic(5)} {
		sys := start(t, opt)
		desk := ctxs.typ.Spawn(sys, ctxActor{})
		hand := func(work func(c *actor.Context, d actor.Deferred[any])) error {
			_, err := ctxs.try.Ask(context.Background(), desk,
				func(_ *ctxActor, c *actor.Context) (any, error) {
					d, w := actor.Defer(c, ctxs.try), ctxs.typ.Spawn(c, ctxActor{})
					d.HandOver(c, w)
					ctxs.do.Send(c, w, func(_ *ctxActor, c *actor.Context) { work(c, d) })
					return nil, nil
				})
			return err
		}
		wants(t, hand(func(c *actor.Context, d actor.Deferred[any]) {
			d.Reply(c, nil, errUser)
			c.Stop()
		}), errUser)
		wants(t, hand(func(*actor.Context, actor.Deferred[any]) { panic(errUser) }), actor.ErrPanicked)
	}
}
