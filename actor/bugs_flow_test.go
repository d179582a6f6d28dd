package actor_test

import (
	"sync/atomic"
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

// TestBug_3382_ToChan: the reader of a channel of ToChan asks the actor that sends to it, before it
// reads on, and that actor is muted because the channel is full: "no actor is muted for ever".
func TestBug_3382_ToChan(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	ch := make(chan int)
	out := actor.ToChan(sys, ch)
	a := puppetType.Spawn(sys, puppet{})
	var sent atomic.Int64
	var send deed
	send = func(_ *puppet, c *actor.Context) {
		out.Send(c, int(sent.Add(1)))
		if sent.Load() < 1000 {
			do.Send(c, actor.Self[puppet](c), send)
		}
	}
	const before = 70 // more than the 64 that may wait
	for range before {
		out.Send(sys, int(sent.Add(1)))
	}
	eventually(t, "senders to be held up", func() bool { return sys.Stats().Messages >= before })
	do.Send(sys, a, send)
	eventually(t, "the sender to be muted", func() bool { return sys.Stats().Mutes > 0 })
	if _, err := value.Ask(soon(t), a, struct{}{}); err != nil {
		t.Errorf("the question: %v", err)
	}
	for i := range 1000 {
		equal(t, "value", receive(t, "a value", ch), i+1)
	}
	quiet(t, sys)
	st := sys.Stats()
	equal(t, "unmutes", st.Unmutes, st.Mutes)
}

// TestToChan_PressedAgain: the signal that there is room comes when there is none any more. Senders
// are muted all the same. The signal does not count as a message of the user's.
func TestToChan_PressedAgain(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	ch := make(chan int)
	out := actor.ToChan(sys, ch)
	for i := range 70 {
		out.Send(sys, i)
	}
	eventually(t, "senders to be held up", func() bool { return sys.Stats().Messages >= 70 })
	actor.TellOfRoom(sys, out) // late, as if pressure had been applied again
	w := puppetType.Spawn(sys, puppet{})
	var goesOn atomic.Bool
	do.Send(sys, w, func(_ *puppet, c *actor.Context) { out.Send(c, 70) })
	do.Send(sys, w, func(*puppet, *actor.Context) { goesOn.Store(true) })
	eventually(t, "the sender to be muted, or not", func() bool {
		return goesOn.Load() || sys.Stats().Mutes >= 1
	})
	equal(t, "the sender goes on", goesOn.Load(), false)
	for range 71 {
		receive(t, "a value", ch)
	}
	quiet(t, sys)
	equal(t, "messages", sys.Stats().Messages, 71+2)
}
