package actor_test

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// muteMany makes the given number of senders send to one receiver in a system with one worker,
// which mutes most of them. look is called in each turn of another actor, until all their messages
// have run.
func muteMany(sys *actor.System, senders int, look func(actor.Stats)) {
	slow, beside := slowType.Spawn(sys, puppet{}), puppetType.Spawn(sys, puppet{})
	var ran atomic.Int64
	var again deed
	again = func(_ *puppet, c *actor.Context) {
		if look(sys.Stats()); ran.Load() < int64(senders) {
			do.Send(c, beside, again)
		}
	}
	// The sends are in one turn, so that they come together. The receiver makes its senders itself,
	// so that it is overloaded before any of them runs. The order of the senders does not matter.
	do.Send(sys, puppetType.Spawn(sys, puppet{}), func(_ *puppet, c *actor.Context) {
		slowDo.Send(c, slow, func(_ *puppet, c *actor.Context) {
			for range senders {
				do.Send(c, puppetType.Spawn(c, puppet{}), func(_ *puppet, c *actor.Context) {
					slowDo.Send(c, slow, func(*puppet, *actor.Context) { ran.Add(1) })
				})
			}
			do.Send(c, beside, again)
		})
		for range 64 {
			slowDo.Send(c, slow, func(*puppet, *actor.Context) {})
		}
	})
}

// TestMute_ReleasedInParts: when a receiver recovers for which very many senders are muted, other
// actors have turns before all senders are released. If the machine halts the worker at the wrong
// moment, fewer are muted, or more are released between two turns. So one of a few runs must show
// it.
func TestMute_ReleasedInParts(t *testing.T) {
	const senders, runs = 2000, 8
	var mutes, most uint64
	for range runs {
		sys, last := start(t, actor.WithWorkers(1)), uint64(0)
		most = 0
		muteMany(sys, senders, func(st actor.Stats) {
			most = max(most, st.Unmutes-last)
			last = st.Unmutes
		})
		allUnmuted(t, sys)
		if mutes = sys.Stats().Mutes; mutes >= senders/2 && most <= senders/4 {
			return
		}
	}
	t.Errorf("%d mutes, and %d were released between two turns of another actor", mutes, most)
}

// TestMute_StopWhileMany: a system stops while very many actors are muted for one. Their mail
// becomes dead letters, including the mail of senders whose release was left to a later turn.
//
// It finds this mutant: TaskTerminated does nothing.
func TestMute_StopWhileMany(t *testing.T) {
	const senders = 2000
	sys := start(t, actor.WithWorkers(2))
	slow := overload(t, sys)
	for range senders {
		a := puppetType.Spawn(sys, puppet{})
		do.Send(sys, a, func(_ *puppet, c *actor.Context) {
			slowDo.Send(c, slow.ref, func(*puppet, *actor.Context) {})
		})
		do.Send(sys, a, func(*puppet, *actor.Context) {})
	}
	eventually(t, "all to be muted", func() bool { return sys.Stats().Mutes >= senders })
	stopped := make(chan struct{})
	go func() { sys.Stop(); close(stopped) }()
	eventually(t, "the end to begin", func() bool {
		return errors.Is(slowDo.TrySend(sys, slow.ref, nil), actor.ErrSystemStopped)
	})
	slow.release()
	receive(t, "the end", stopped)
	st := sys.Stats()
	equal(t, "messages and dead letters", st.Messages+st.DeadLetters, 3+3*senders)
	equal(t, "unmutes", st.Unmutes, st.Mutes)
}
