package actor_test

import (
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// TestBug_K37_ManyWorkersUnderPressure: a system has the greatest number of workers, far more than
// there are processors, and all send to one slow actor. In each round the system is not quiescent
// before the last message has run.
func TestBug_K37_ManyWorkersUnderPressure(t *testing.T) {
	const senders, each = 60, 5
	sys := start(t, actor.WithWorkers(56))
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

// TestBug_K43_NoControlMessages: while actors begin, are muted, are released and end, exactly the
// messages that were sent run, and no other message.
func TestBug_K43_NoControlMessages(t *testing.T) {
	const senders, each = 20, 200
	sys := start(t, actor.WithWorkers(2), actor.WithBatch(10))
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
