package actor_test

import (
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// TestBug_K37_ManyWorkersUnderPressure: as many workers as there may be, far more than
// processors, and everybody sends to one that is slow: the system is not found
// quiescent before the last message has run, round after round.
func TestBug_K37_ManyWorkersUnderPressure(t *testing.T) {
	const senders, each = 60, 5
	sys := start(t, actor.Workers(56))
	slow := slowType.Spawn(sys, puppet{})
	got := 0
	flood := func(_ *puppet, c *actor.Context) {
		for range each {
			slowDo.Send(c, slow, func(*puppet, *actor.Context) { got++ })
		}
	}
	for round := 1; round <= nightly(100, 5000); round++ {
		for range senders {
			do.Send(sys, puppetType.Spawn(sys, puppet{}), flood)
		}
		quiet(t, sys)
		if want := round * senders * each; got != want {
			t.Fatalf("quiescent in round %d with %d messages run, want %d", round, got, want)
		}
	}
}

// TestBug_K43_NoControlMessages: however actors begin, are muted, are let go and end,
// the messages that run are those that were sent, and not one more.
func TestBug_K43_NoControlMessages(t *testing.T) {
	const senders, each = 20, 200
	sys := start(t, actor.Workers(2), actor.Batch(10))
	slow := slowType.Spawn(sys, puppet{})
	for range senders {
		do.Send(sys, puppetType.Spawn(sys, puppet{}), func(_ *puppet, c *actor.Context) {
			for range each {
				slowDo.Send(c, slow, func(*puppet, *actor.Context) {})
			}
			c.Stop()
		})
	}
	quiet(t, sys)
	st := sys.Stats()
	equal(t, "messages run", st.Messages, senders*(each+1))
	equal(t, "dead letters", st.DeadLetters, 0)
	equal(t, "stopped", st.Stopped, senders)
}
