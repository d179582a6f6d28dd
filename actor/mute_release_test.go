package actor_test

import (
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// muteMany has so many senders send to one receiver in a system of one worker, which mutes most of
// them. look is called in each turn of an actor beside them, until it returns false.
func muteMany(sys *actor.System, senders int, look func(actor.Stats) (goOn bool)) {
	slow, beside := slowType.Spawn(sys, puppet{}), puppetType.Spawn(sys, puppet{})
	var again deed
	again = func(_ *puppet, c *actor.Context) {
		if look(sys.Stats()) {
			do.Send(c, beside, again)
		}
	}
	do.Send(sys, puppetType.Spawn(sys, puppet{}), func(_ *puppet, c *actor.Context) {
		for range 2 {
			slowDo.Send(c, slow, func(*puppet, *actor.Context) {})
		}
		for range senders {
			do.Send(c, puppetType.Spawn(c, puppet{}), func(_ *puppet, c *actor.Context) {
				slowDo.Send(c, slow, func(*puppet, *actor.Context) {})
			})
		}
		do.Send(c, beside, again)
	})
}

// TestMute_ReleasedInParts: when a receiver for which very many are muted recovers, other actors
// have their turns before all of these are released.
func TestMute_ReleasedInParts(t *testing.T) {
	const senders = 2000
	sys := start(t, actor.WithWorkers(1))
	last, most := uint64(0), uint64(0)
	muteMany(sys, senders, func(st actor.Stats) bool {
		most = max(most, st.Unmutes-last)
		last = st.Unmutes
		return st.Mutes < senders/2 || last < st.Mutes
	})
	allUnmuted(t, sys)
	if st := sys.Stats(); st.Mutes < senders/2 || most > senders/4 {
		t.Errorf("%d mutes, and %d were released between two turns of another actor", st.Mutes, most)
	}
}
