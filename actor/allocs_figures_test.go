//go:build gallop_figures

package actor_test

import (
	"context"
	"math"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/invariant"
)

// allocations returns the number of allocations of a round after some rounds to warm up. It is the
// least mean of several parts: a GC empties pools, and when a worker loses its processor, another
// worker has to fill its own caches.
func allocations(round func()) float64 {
	const parts, rounds = 10, 10
	for range 30 {
		round()
	}
	least := uint64(math.MaxUint64)
	for range parts {
		least = min(least, mallocs(func() {
			for range rounds {
				round()
			}
		}))
	}
	return float64(least) / rounds
}

// TestTimer_AllocatesNothing_InRounds: "It allocates nothing in steady state", also if all timers
// have fired and each had a time of its own. The two waits and the jump of a round make ten
// allocations.
func TestTimer_AllocatesNothing_InRounds(t *testing.T) {
	if invariant.On {
		return // the race detector makes a sync.Pool forget on purpose
	}
	sys, clock := onVirtualTime(t, actor.WithWorkers(1))
	b := puppetType.Spawn(sys, puppet{})
	got := allocations(func() {
		do.Send(sys, b, func(_ *puppet, c *actor.Context) {
			for i := range 200 {
				actor.After(c, time.Duration(1+i)*100*time.Microsecond, count, 1)
			}
		})
		quiet(t, sys)
		clock.Jump(time.Second)
		quiet(t, sys)
	})
	if got > 40 {
		t.Errorf("%.1f allocations for 200 timers", got)
	}
}

// muting sends the messages that mute it, and counts its behaviours.
type muting struct {
	to  actor.Ref[puppet]
	ran *atomic.Uint64
}

func (m *muting) send(c *actor.Context, n int) {
	count.Send(c, m.to, n)
	m.ran.Add(1)
}

// mutingTypes has two types of actors: one whose actors run on the worker of their receiver, and
// one whose actors have a thread of their own. Each function spawns an actor, and returns a
// function that mutes it.
func mutingTypes() map[string]func(*actor.System, actor.Ref[puppet]) func() {
	types := make(map[string]func(*actor.System, actor.Ref[puppet]) func())
	for name, opts := range map[string][]actor.TypeOption{"one worker": nil,
		"two threads": {actor.WithPinnedThread()}} {
		typ := actor.NewType[muting](name, opts...)
		send := actor.Declare[int](typ, "send")
		typ.Table(send.Handle((*muting).send))
		types[name] = func(sys *actor.System, to actor.Ref[puppet]) func() {
			ran := new(atomic.Uint64)
			r := typ.Spawn(sys, muting{to, ran})
			return func() {
				before := ran.Load()
				send.Send(sys, r, 1)
				// Wait until it is muted, or was muted and is released again: this goroutine may have
				// been kept from looking for 30 ms. While it is busy, it is neither.
				for ran.Load() == before || r.Status() == actor.StatusBusy {
					runtime.Gosched()
				}
			}
		}
	}
	return types
}

// TestMute_AllocatesNothing: muting and releasing allocate nothing, for any number of senders, on
// the worker of the receiver or on other threads. The waits of a round make 10 to 30 allocations.
func TestMute_AllocatesNothing(t *testing.T) {
	if invariant.On {
		return // the race detector makes a sync.Pool forget on purpose
	}
	for name, spawn := range mutingTypes() {
		t.Run(name, func(t *testing.T) {
			// With so few, none has to wait so long that it is released, unless the machine is slow.
			muted := 20
			if name == "one worker" {
				muted = 200
			}
			sys := start(t, actor.WithWorkers(1))
			to := puppetType.Spawn(sys, puppet{})
			press := func(_ *puppet, c *actor.Context) { c.ApplyPressure() }
			release := func(_ *puppet, c *actor.Context) { c.ReleasePressure() }
			var all []func()
			for range muted {
				all = append(all, spawn(sys, to))
			}
			got := allocations(func() {
				do.Send(sys, to, press)
				quiet(t, sys)
				for _, mute := range all {
					mute()
				}
				do.Send(sys, to, release)
				quiet(t, sys)
			})
			// On a busy machine the release may come before the last of them has run.
			stats, want := sys.Stats(), uint64(128*muted)
			switch {
			case stats.Exempted > 0:
				t.Logf("%d were let go, so neither the mutes nor what they allocated say anything",
					stats.Exempted)
			case stats.Mutes < want:
				t.Errorf("%d mutes, want %d at least", stats.Mutes, want)
			case got > 38:
				t.Errorf("%.1f allocations for %d mutes", got, muted)
			}
		})
	}
}

// TestSetContext_AllocatesNothing: messages with a context come from the same free lists, and a
// sender without a context pays nothing.
func TestSetContext_AllocatesNothing(t *testing.T) {
	if invariant.On {
		return // the race detector makes a sync.Pool forget on purpose
	}
	sys := start(t, actor.WithWorkers(1))
	r, to := ctxs.typ.Spawn(sys, ctxActor{}), ctxs.typ.Spawn(sys, ctxActor{})
	ctx := traced("trace")
	f := func(_ *ctxActor, c *actor.Context) {
		c.SetContext(ctx)
		for i := range 1000 {
			ctxs.show.Send(c, to, i)
		}
	}
	if got := allocations(func() { ctxs.do.Send(sys, r, f); quiet(t, sys) }); got > 20 {
		t.Errorf("%.1f allocations for 1,000 messages", got)
	}
}

// TestDefer_Allocates: Defer "allocates two objects", and Reply none.
func TestDefer_Allocates(t *testing.T) {
	if invariant.On {
		return // the race detector makes a sync.Pool forget on purpose
	}
	sys := start(t, actor.WithWorkers(1))
	r := clerkType.Spawn(sys, clerk{})
	puts := func(_ *clerk, c *actor.Context) (int, error) {
		actor.Defer(c, clerkTry).Reply(c, 1000, nil)
		return 0, nil
	}
	ctx := soon(t)
	got := allocations(func() {
		for range 100 {
			_, err := clerkTry.Ask(ctx, r, puts)
			must(t, err)
		}
	})
	if got > 230 {
		t.Errorf("%.1f allocations for 100 replies", got)
	}
}

// TestGas_AllocatesNothing: neither does Yield.
func TestGas_AllocatesNothing(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	inside(t, sys, func(c *actor.Context) {
		if n := testing.AllocsPerRun(100, func() { c.Gas(1) }); n != 0 {
			t.Errorf("Gas allocates %v times", n)
		}
	})
}

// mallocs counts the allocations of f.
func mallocs(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs
}

// steadyRounds is the number of rounds after which the state must be steady.
const steadyRounds = 20

// allocatesNothing fails unless an operation soon stops allocating. It allows two allocations in a
// hundred operations: the inject queue takes a new segment every 64 tasks, and the rest of the
// process allocates too. The GC is off meanwhile, since it empties the common cache of nodes. With
// invariants or the race detector built in, other code allocates as well, and nothing is counted.
func allocatesNothing(t *testing.T, ops int, f func()) {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	if invariant.On {
		f()
		return
	}
	var rounds []uint64
	for range steadyRounds {
		n := mallocs(f)
		if rounds = append(rounds, n); n <= uint64(ops/50) {
			return
		}
	}
	t.Errorf("%v allocations in rounds of %d operations, want none in the end", rounds, ops)
}

// TestSend_AllocatesNothing: "0 allocs per send in steady state": numbers and
// strings, from inside and from outside, and asks from both.
func TestSend_AllocatesNothing(t *testing.T) {
	const ops = 20_000
	text := string(make([]byte, ops))
	withWorkers(t, func(t *testing.T, workers int) {
		sys := start(t, actor.WithWorkers(workers))
		x := rallyType.Spawn(sys, rally{})
		y := rallyType.Spawn(sys, rally{x})
		meetPeer.Send(sys, x, y)
		ctx := soon(t)
		wait := func() { must(t, sys.Wait(ctx)) }
		for name, f := range map[string]func(){
			"numbers":  func() { hitNumber.Send(sys, x, ops); wait() },
			"strings":  func() { hitText.Send(sys, x, text); wait() },
			"requests": func() { hitAsk.Send(sys, x, actor.Result[int]{Value: ops}); wait() },
			"asks from outside": func() {
				for range ops {
					_, _ = less.Ask(context.Background(), y, 1)
				}
			},
			"asks with a deadline": func() {
				for range ops {
					_, _ = less.Ask(ctx, y, 1)
				}
			},
			"sends from outside": func() {
				for range ops {
					_ = hitText.SendWait(ctx, y, "") // waits only now and then
				}
				wait() // on one processor the worker may not have begun yet
			},
		} {
			t.Run(name, func(t *testing.T) { allocatesNothing(t, ops, f) })
		}
	})
}

// TestSendWait_AllocatesNothing: SendWait allocates nothing while there is room, except for the
// allocations of any message from outside.
func TestSendWait_AllocatesNothing(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	a := puppetType.Spawn(sys, puppet{})
	ctx := context.Background()
	if n := testing.AllocsPerRun(1000, func() {
		must(t, count.SendWait(ctx, a, 1))
		quiet2(sys)
	}); n > 4 && !invariant.On { // Wait has some; with invariants there are others
		t.Errorf("%v allocations", n)
	}
}

func quiet2(sys *actor.System) { _ = sys.Wait(context.Background()) }

// TestTimer_AllocatesNothing: "It allocates nothing in steady state", nor do a tick and
// a Cancel.
func TestTimer_AllocatesNothing(t *testing.T) {
	if invariant.On {
		return // the race detector makes a sync.Pool forget on purpose
	}
	sys, clock := onVirtualTime(t, actor.WithWorkers(1))
	b := puppetType.Spawn(sys, puppet{})
	inside(t, sys, func(c *actor.Context) {
		for i := range 100 {
			actor.After(c, time.Hour, note, actor.Result[any]{})
			actor.Every(c, time.Hour+time.Duration(i), count, 1).Cancel(c)
		}
	})
	var got uint64
	work := func(_ *puppet, c *actor.Context) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 1000 {
			actor.After(c, time.Second, count, 1)
			actor.After(c, time.Second, note, actor.Result[any]{}).Cancel(c)
		}
		runtime.ReadMemStats(&after)
		got = after.Mallocs - before.Mallocs
	}
	for range 3 {
		do.Send(sys, b, work)
		quiet(t, sys)
		clock.Jump(time.Second)
		quiet(t, sys)
	}
	if got > 20 {
		t.Errorf("%d allocations for 2,000 timers", got)
	}
}

// TestUrgent_AllocatesNothing: "0 for the messages", also if each turn of an actor finds a message
// in its system queue, so that it never comes to its mailbox. An earlier version left a signal in
// the mailbox for each message.
func TestUrgent_AllocatesNothing(t *testing.T) {
	for name, opts := range map[string][]actor.TypeOption{
		"plain": nil, "watermarks": {actor.WithWatermarks(8, 2)}, "bound": {actor.WithBound(8,
			actor.OverflowRefuse)},
	} {
		t.Run(name, func(t *testing.T) {
			typ := actor.NewType[player]("player", opts...)
			hit := actor.Declare[*volley](typ, "hit", actor.Urgent())
			drop := actor.Declare[struct{}](typ, "drop")
			typ.Table(drop.Handle(func(*player, *actor.Context, struct{}) {}),
				hit.Handle(func(_ *player, c *actor.Context, v *volley) {
					if v.left--; v.left > 0 {
						v.to, v.from = v.from, v.to
						hit.Send(c, v.to, v)
					}
				}))
			sys := start(t, actor.WithWorkers(1))
			x, y := typ.Spawn(sys, player{}), typ.Spawn(sys, player{})
			for _, other := range []actor.Ref[player]{x, y} { // itself as well
				rally := func(ops int) uint64 {
					return mallocs(func() {
						hit.Send(sys, x, &volley{to: x, from: other, left: ops})
						quiet(t, sys)
					})
				}
				rally(1000)
				const ops = 100_000 // once: a second run would use the gathered nodes again
				if n := rally(ops); n > ops/10 && !invariant.On {
					t.Errorf("%d allocations for %d messages", n, ops)
				}
				drop.Send(sys, x, struct{}{})
				quiet(t, sys)
			}
			equal(t, "dead letters", sys.Stats().DeadLetters, 0)
		})
	}
}
