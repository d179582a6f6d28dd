package actor_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// TestUrgent_MutedDrivenBySelf: a muted actor that drives itself by urgent messages may send 10,000
// more messages. Then its urgent mail waits, too, until it is unmuted. No message is lost, and they
// keep their order.
func TestUrgent_MutedDrivenBySelf(t *testing.T) {
	sys := start(t, actor.WithWorkers(2), actor.DeadlockEvery(time.Hour))
	p := press(t, sys)
	r := mortalType.Spawn(sys, mortal{})
	const each, steps = 100, 300
	var sent, next atomic.Int64
	var step act
	step = func(_ *mortal, c *actor.Context) {
		for range each {
			count.Send(c, p, 1)
		}
		sent.Add(each)
		if next.Add(1) < steps {
			rush.Send(c, actor.Self[mortal](c), step)
		}
	}
	rush.Send(sys, r, step)
	eventually(t, "it waits", func() bool { return actor.Muted(r) && actor.OnlyMuted(sys) })
	if got := sent.Load(); got > leeway+2*each {
		t.Errorf("a muted actor has sent %d messages", got)
	}
	var order []int
	for i := range 5 { // these messages wait after the others
		rush.Send(sys, r, func(_ *mortal, c *actor.Context) { order = append(order, i) })
	}
	eventually(t, "it waits", func() bool { return actor.OnlyMuted(sys) })
	equal(t, "messages that ran", len(order), 0)
	do.Send(sys, p, func(_ *puppet, c *actor.Context) { c.ReleasePressure() })
	allUnmuted(t, sys)
	equal(t, "messages sent", sent.Load(), each*steps)
	for i, got := range order {
		equal(t, "the next urgent message", got, i)
	}
	equal(t, "messages that ran", len(order), 5)
}

// TestUrgent_ExemptDrivenBySelf: an actor that is released because of pressure, to run "the mail
// that it has", is muted again although it drives itself by urgent messages.
func TestUrgent_ExemptDrivenBySelf(t *testing.T) {
	sys := start(t, actor.WithWorkers(2), actor.DeadlockEvery(time.Millisecond), actor.Leeway(100))
	p := press(t, sys)
	r := mortalType.Spawn(sys, mortal{})
	left := 1000
	var over atomic.Bool
	var step act
	step = func(_ *mortal, c *actor.Context) {
		for range 10 {
			count.Send(c, p, 1)
		}
		if left--; left > 0 && sys.Stats().Mutes < 4 {
			rush.Send(c, actor.Self[mortal](c), step)
		} else {
			over.Store(true)
		}
	}
	rush.Send(sys, r, step)
	eventually(t, "it is let go, and muted again", func() bool {
		return over.Load() || sys.Stats().Mutes >= 4
	})
	do.Send(sys, p, func(_ *puppet, c *actor.Context) { c.ReleasePressure() })
	allUnmuted(t, sys)
	if st := sys.Stats(); st.Mutes < 4 {
		t.Errorf("%d mutes, and %d steps left", st.Mutes, left)
	}
}

// TestUrgent_OverloadedDrivenBySelf: the urgent mail waits for one turn of the other mail. An
// overloaded actor that drives itself by urgent messages runs its other mail, and is muted then.
func TestUrgent_OverloadedDrivenBySelf(t *testing.T) {
	sys := start(t, actor.WithWorkers(2), actor.DeadlockEvery(time.Hour))
	p := press(t, sys)
	r := mortalType.Spawn(sys, mortal{})
	const steps = 3000
	ran := 0
	var step act
	step = func(_ *mortal, c *actor.Context) {
		count.Send(c, p, 1)
		if ran++; ran < steps {
			rush.Send(c, actor.Self[mortal](c), step)
		}
	}
	begun, stay := make(chan struct{}), make(chan struct{})
	doAct.Send(sys, r, func(*mortal, *actor.Context) { close(begun); <-stay })
	receive(t, "it has begun", begun)
	for i := range 300 {
		doAct.Send(sys, r, func(_ *mortal, c *actor.Context) {
			if i == 150 { // it is overloaded by now
				rush.Send(c, actor.Self[mortal](c), step)
			}
		})
	}
	left := 0
	doAct.Send(sys, r, func(*mortal, *actor.Context) { left = steps - ran })
	close(stay)
	eventually(t, "it is muted", func() bool { return actor.Muted(r) && actor.OnlyMuted(sys) })
	do.Send(sys, p, func(_ *puppet, c *actor.Context) { c.ReleasePressure() })
	allUnmuted(t, sys)
	equal(t, "urgent messages run", ran, steps)
	if left < steps/2 {
		t.Errorf("%d of %d urgent messages were left when the other mail had run", left, steps)
	}
}

// TestUrgent_MutedDrivenByOthers: the same holds if another actor sends the urgent messages.
func TestUrgent_MutedDrivenByOthers(t *testing.T) {
	sys := start(t, actor.WithWorkers(2), actor.DeadlockEvery(time.Hour))
	p := press(t, sys)
	a, b := mortalType.Spawn(sys, mortal{}), mortalType.Spawn(sys, mortal{})
	const each, steps = 1000, 30
	var sent, next atomic.Int64
	step := func(to, back actor.Ref[mortal]) (f act) {
		var g act
		f = func(_ *mortal, c *actor.Context) {
			for range each {
				count.Send(c, p, 1)
			}
			sent.Add(each)
			rush.Send(c, to, g)
		}
		g = func(_ *mortal, c *actor.Context) {
			if next.Add(1) < steps {
				rush.Send(c, back, f)
			}
		}
		return f
	}(b, a)
	rush.Send(sys, a, step)
	eventually(t, "it waits", func() bool { return actor.Muted(a) && actor.OnlyMuted(sys) })
	if got := sent.Load(); got > leeway+2*each {
		t.Errorf("a muted actor has sent %d messages", got)
	}
	do.Send(sys, p, func(_ *puppet, c *actor.Context) { c.ReleasePressure() })
	allUnmuted(t, sys)
	equal(t, "messages sent", sent.Load(), each*steps)
}

// TestUrgent_WithheldEnds: signals reach an actor whose urgent mail waits. If it is stopped, that
// mail becomes dead letters. If it is suspended and restarted, the mail runs in its next life.
func TestUrgent_WithheldEnds(t *testing.T) {
	var dead letters
	sys := start(t, actor.WithWorkers(2), actor.DeadlockEvery(time.Hour), actor.Leeway(10),
		dead.option())
	p := press(t, sys)
	withheld := func() actor.Ref[mortal] {
		r := mortalType.Spawn(sys, mortal{})
		for range 3 {
			rush.Send(sys, r, func(_ *mortal, c *actor.Context) {
				for range 10 {
					count.Send(c, p, 1)
				}
			})
		}
		eventually(t, "it waits", func() bool { return actor.Muted(r) && actor.OnlyMuted(sys) })
		rush.Send(sys, r, func(*mortal, *actor.Context) { t.Error("an urgent message ran") })
		return r
	}
	must(t, actor.StopWait(soon(t), withheld()))
	must(t, actor.KillWait(soon(t), withheld()))
	if dead.n.Load() < 2 {
		t.Errorf("%d dead letters", dead.n.Load())
	}
	do.Send(sys, p, func(_ *puppet, c *actor.Context) { c.ReleasePressure() })
	allUnmuted(t, sys)
}

// TestUrgent_ParksFirst: an actor that meets a gate in an urgent behaviour is muted before it runs
// the next one.
func TestUrgent_ParksFirst(t *testing.T) {
	sys := start(t, actor.WithWorkers(1), actor.DeadlockEvery(time.Hour))
	p := press(t, sys)
	r := mortalType.Spawn(sys, mortal{})
	begun, stay := make(chan struct{}), make(chan struct{})
	rush.Send(sys, r, func(_ *mortal, c *actor.Context) { close(begun); <-stay })
	receive(t, "it has begun", begun)
	var mutes []uint64
	for range 10 { // they come together
		rush.Send(sys, r, func(_ *mortal, c *actor.Context) {
			count.Send(c, p, 1)
			mutes = append(mutes, sys.Stats().Mutes)
		})
	}
	close(stay)
	eventually(t, "it is muted", func() bool { return actor.Muted(r) && actor.OnlyMuted(sys) })
	for i, n := range mutes {
		equal(t, "mutes", n, uint64(min(i, 1)))
	}
	equal(t, "messages that ran", len(mutes), 10)
	do.Send(sys, p, func(_ *puppet, c *actor.Context) { c.ReleasePressure() })
	allUnmuted(t, sys)
}
