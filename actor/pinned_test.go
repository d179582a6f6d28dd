package actor_test

import (
	"runtime"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// longState is an actor that computes in slices.
type longState struct{ steps, slices int }

// long declares a behaviour that computes left more steps, in slices.
func long(typ *actor.Type[longState]) actor.Behaviour[longState, int] {
	long := actor.Declare[int](typ, "long")
	typ.Table(long.Handle(func(s *longState, c *actor.Context, left int) {
		for s.slices++; left > 0 && !c.ShouldYield(); left-- {
			s.steps++
		}
		if left > 0 && s.slices < 1000 {
			actor.Yield(c, long, left)
		}
	}))
	return long
}

// TestPinnedThread_Batch: "run to completion under a batch limit", on a thread of its own too.
func TestPinnedThread_Batch(t *testing.T) {
	const mail = 10_000
	sys := start(t, actor.WithWorkers(1))
	r := pinnedType.Spawn(sys, puppet{})
	ran := 0
	pinnedDo.Send(sys, r, func(_ *puppet, c *actor.Context) {
		for range mail {
			pinnedDo.Send(c, r, func(*puppet, *actor.Context) { ran++ })
		}
	})
	quiet(t, sys)
	equal(t, "ran", ran, mail)
	if st := sys.Stats(); st.Turns > mail/actor.DefaultBatch+2 {
		t.Errorf("%d messages took %d turns", mail, st.Turns)
	}
}

// TestShouldYield_PinnedOrBlocking: if no other actor waits for the worker, ShouldYield does not
// tell a long behaviour to return, so that it makes progress.
func TestShouldYield_PinnedOrBlocking(t *testing.T) {
	const steps = 1_000_000
	sys := start(t, actor.WithWorkers(1))
	pinned := actor.NewType[longState]("long and pinned", actor.WithPinnedThread())
	steady := long(pinned)
	inside(t, sys, func(*actor.Context) {}) // the worker runs
	r := pinned.Spawn(sys, longState{})
	steady.Send(sys, r, steps)
	quiet(t, sys)
	inside(t, sys, func(c *actor.Context) {
		c.Blocking(func() {
			if c.ShouldYield() {
				t.Error("it should yield as soon as it blocks")
			}
			c.Blocking(func() {}) // ends only itself
			if c.ShouldYield() {
				t.Error("it should yield behind a Blocking in another")
			}
		})
	})
	if st := sys.Stats(); st.Turns > 10 {
		t.Errorf("%d steps took %d turns", steps, st.Turns)
	}
}

// TestPinned_ChildOfTheStopping: a child of a pinned type without a thread is spawned while its
// system stops. The child has ended, and its parent writes to no cold state that other actors
// share.
func TestPinned_ChildOfTheStopping(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	late := actor.NewType[puppet]("late", actor.WithPinnedThread())
	began, spawned := make(chan struct{}), make(chan actor.Status, 1)
	do.Send(sys, puppetType.Spawn(sys, puppet{}), func(_ *puppet, c *actor.Context) {
		close(began)
		for !actor.SystemStopping(sys) {
			runtime.Gosched()
		}
		spawned <- late.SpawnChild(c, puppet{}).Status()
	})
	receive(t, "the behaviour", began)
	sys.Stop()
	equal(t, "the child", receive(t, "the child", spawned), actor.StatusEnded)
	equal(t, "nobody has written to what the dead share", actor.TerminatedIsClean(), true)
}
