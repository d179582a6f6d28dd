package actor_test

import (
	"math"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/invariant"
)

// allocations returns how many of them a round makes once some have gone by: the least mean of
// several parts, since a GC empties pools, and a worker that lost its processor has another one
// fill its own caches.
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

// TestTimer_AllocatesNothing_InRounds: "It allocates nothing in steady state", also where all have
// gone off and each had a time of its own. What a round allocates beside, for two waits and a jump,
// is ten.
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

// muting sends what mutes it, and tells when it has.
type muting struct {
	to  actor.Ref[puppet]
	ran *atomic.Uint64
}

func (m *muting) send(c *actor.Context, n int) {
	count.Send(c, m.to, n)
	m.ran.Add(1)
}

// mutingTypes are one whose actors run where their receiver does, and one whose actors run
// elsewhere. What is returned spawns one and returns a function that has it muted.
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
				// Until it is muted; or let go again already, where the one that looks was kept from it
				// for 30 ms. It is neither while it runs.
				for ran.Load() == before || r.Status() == actor.StatusBusy {
					runtime.Gosched()
				}
			}
		}
	}
	return types
}

// TestMute_AllocatesNothing: being muted, and being let go, however many are, and wherever they
// run. What a round allocates beside, for its waits, is 10 to 30.
func TestMute_AllocatesNothing(t *testing.T) {
	if invariant.On {
		return // the race detector makes a sync.Pool forget on purpose
	}
	for name, spawn := range mutingTypes() {
		t.Run(name, func(t *testing.T) {
			// So few that none are let go, because they wait for long, unless the machine is
			// slow.
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
