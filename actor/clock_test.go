package actor_test

import (
	"context"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// TestClock: systems on a virtual clock show its time, and may share it; Advance "waits
// until the systems are quiescent, goes on to the next moment at which a timer is due,
// and so on", also where the systems send to each other.
func TestClock(t *testing.T) {
	clock := actor.NewVirtualClock(epoch)
	one, two := start(t, actor.Clock(clock)), start(t, actor.Clock(clock))
	b := bellType.Spawn(two, bell{})
	p := puppetType.Spawn(one, puppet{})
	do.Send(one, p, func(_ *puppet, c *actor.Context) {
		actor.After(c, time.Second, do, func(_ *puppet, c *actor.Context) {
			inTurn.Send(c, b, func(_ *bell, c *actor.Context) { actor.After(c, time.Second, chime, 1) })
		})
	})
	advance(t, clock, time.Hour)
	rings(t, two, b, ring{1, 2 * time.Second})
	if now := clock.Now(); !now.Equal(epoch.Add(time.Hour)) {
		t.Errorf("it is %v", now)
	}
}

// TestClock_HoldsNobody: "on a virtual clock Wait returns though timers are armed, when
// only time could bring more, and Run ends the system there"; a system that has ended
// is waited for no more.
func TestClock_HoldsNobody(t *testing.T) {
	sys, clock := onVirtualTime(t)
	inside(t, sys, func(c *actor.Context) { actor.After(c, time.Second, count, 1) })
	quiet(t, sys)
	must(t, sys.Run())
	advance(t, clock, time.Hour)
	equal(t, "messages", sys.Stats().Messages, 1)
}

// TestClock_AdvanceGivesUp: "If ctx ends before, it returns ctx's error, and the clock
// stands where it had come to."
func TestClock_AdvanceGivesUp(t *testing.T) {
	sys, clock := onVirtualTime(t)
	release, err := sys.Hold()
	must(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	wants(t, clock.Advance(ctx, time.Hour), context.Canceled)
	if now := clock.Now(); !now.Equal(epoch) {
		t.Errorf("it is %v", now)
	}
	release()
	advance(t, clock, time.Hour)
}
