package actor_test

import (
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// TestEvery_Drain: a tick that is in the mailbox when its actor is told to drain runs, as all mail
// there does. It is the last tick, and leaves nothing. (It used to look for its shard, which the
// drain had taken away.)
func TestEvery_Drain(t *testing.T) {
	sys, clock := onVirtualTime(t, actor.WithWorkers(2))
	b := bellType.Spawn(sys, bell{})
	onBell(t, b, func(_ *bell, c *actor.Context) {
		actor.Every(c, time.Second, chime, 1)
		actor.After(c, time.Second, sayAt, "once")
		canceled := actor.Every(c, time.Second, chime, 2)
		actor.Every(c, time.Minute, chime, 3)
		clock.Jump(time.Second)
		eventually(t, "three to be in the mailbox", func() bool { return actor.Incoming(c) == 3 })
		inTurn.Send(c, b, func(*bell, *actor.Context) {}) // it comes after mail, and wakes no actor
		canceled.Cancel(c)
		actor.Drain(c, actor.Self[bell](c))
	})
	if _, err := actor.Join(soon(t), b); err != nil {
		t.Fatal(err)
	}
	advance(t, clock, time.Hour)
	equal(t, "messages: the ask, a tick, the timer and the last", sys.Stats().Messages, 4)
	equal(t, "dead letters", sys.Stats().DeadLetters, 0)
	equal(t, "left over", actor.LeftoversOf(sys), actor.Leftovers{})
}

// TestEvery_LastTickIsOver: the last tick of an actor that drains has ended after it has run. So a
// Cancel in OnStop does not cancel another timer in its place.
func TestEvery_LastTickIsOver(t *testing.T) {
	sys, clock := onVirtualTime(t, actor.WithWorkers(2))
	var tick actor.Timer
	var tooLate, inTime bool
	r := mortalType.Spawn(sys, mortal{onStop: func(_ *mortal, c *actor.Context) {
		next := actor.After(c, time.Second, say, "in its place")
		tooLate, inTime = tick.Cancel(c), next.Cancel(c)
	}})
	in(t, r, func(_ *mortal, c *actor.Context) {
		tick = actor.Every(c, time.Second, say, "")
		clock.Jump(time.Second)
		eventually(t, "it to be in the mailbox", func() bool { return actor.Incoming(c) == 1 })
		actor.Drain(c, actor.Self[mortal](c))
	})
	quiet(t, sys)
	equal(t, "Cancel of the last tick", tooLate, false)
	equal(t, "Cancel of the next timer", inTime, true)
	equal(t, "left over", actor.LeftoversOf(sys), actor.Leftovers{})
}

// TestTimer_ForTheDead: a timer that had been taken from the wheel when its actor ended leaves
// nothing.
func TestTimer_ForTheDead(t *testing.T) {
	sys, _ := onVirtualTime(t)
	dead := mortalType.Spawn(sys, mortal{})
	must(t, actor.KillWait(soon(t), dead))
	inside(t, sys, func(c *actor.Context) { actor.FireAt(c, dead) })
	quiet(t, sys)
	equal(t, "left over", actor.LeftoversOf(sys), actor.Leftovers{})
}

// TestTimer_CancelInOnStop: "Timers end with their actor". In OnStop it is too late for a Cancel,
// of a timer in the wheel, on its way or over, and the Cancel does no harm. A timer that OnStop
// arms ends with the actor too.
func TestTimer_CancelInOnStop(t *testing.T) {
	for name, end := range map[string]func(actor.Sender, actor.Target){"Stop": actor.Stop,
		"Drain": actor.Drain} {
		t.Run(name, func(t *testing.T) {
			sys, clock := onVirtualTime(t, actor.WithWorkers(2))
			var timers []actor.Timer
			stopped := false
			r := mortalType.Spawn(sys, mortal{onStop: func(_ *mortal, c *actor.Context) {
				for i, tm := range timers {
					// Taken from the wheel, and perhaps not yet sent: either answer is right.
					onItsWay := i >= 2
					if tm.Cancel(c) && !onItsWay {
						t.Errorf("timer %d was canceled in OnStop", i)
					}
				}
				inTime := actor.After(c, time.Second, say, "too late")
				equal(t, "Cancel of one that OnStop has armed", inTime.Cancel(c), true)
				actor.Every(c, time.Second, say, "too late")
				actor.After(c, 0, say, "too late")
				stopped = true
			}})
			in(t, r, func(_ *mortal, c *actor.Context) {
				tick, once := actor.Every(c, time.Second, say, ""), actor.After(c, time.Second, say, "")
				timers = []actor.Timer{actor.After(c, time.Hour, say, ""), actor.Every(c, time.Hour, say, ""),
					tick, once}
				clock.Jump(time.Second)
				eventually(t, "two to be on their way", func() bool {
					return tick.OnItsWay() && once.OnItsWay()
				})
				end(c, actor.Self[mortal](c))
			})
			quiet(t, sys)
			advance(t, clock, 2*time.Hour)
			equal(t, "OnStop has run", stopped, true)
			equal(t, "left over", actor.LeftoversOf(sys), actor.Leftovers{})
		})
	}
}

// tally counts ticks.
type tally struct{ ticks int }

func (t *tally) tick(*actor.Context, int) { t.ticks++ }

func (t *tally) arm(c *actor.Context, n int) {
	for i := range n {
		actor.After(c, time.Hour+time.Duration(i), tick, i)
	}
}

var (
	tallyType = actor.NewType[tally]("tally")
	tick      = actor.Declare[int](tallyType, "tick")
	armMany   = actor.Declare[int](tallyType, "arm")
	_         = tallyType.Table(tick.Handle((*tally).tick), armMany.Handle((*tally).arm))
)

// TestTimer_BurstFiresAtOnce: thousands of timers that are due together have fired when the first
// of them runs. They do not come in one batch per round of all other actors. The number is limited.
func TestTimer_BurstFiresAtOnce(t *testing.T) {
	const batch, most = actor.FireBatch, actor.FireBatch * actor.FireTurn
	for _, c := range []struct{ timers, left int }{{3, 0}, {batch, 0}, {10*batch + 3, 0}, {most, 0},
		{most + batch, batch}} {
		sys := start(t, actor.WithWorkers(1), actor.WithDeterministic(1))
		left := -1
		do.Send(sys, puppetType.Spawn(sys, puppet{}), func(_ *puppet, c2 *actor.Context) {
			for range c.timers {
				actor.After(c2, time.Second, do, func(*puppet, *actor.Context) {
					if left < 0 {
						left = actor.LeftoversOf(sys).Armed
					}
				})
			}
		})
		quiet(t, sys)
		if left != c.left {
			t.Errorf("of %d timers %d had not fired when the first one ran, want %d", c.timers, left, c.left)
		}
	}
}

// TestTimer_BurstIsLetGo: the memory of many timers is released when all have ended. A Timer that
// was kept does not refer to a new timer in its place.
func TestTimer_BurstIsLetGo(t *testing.T) {
	n := scaled(100_000)
	sys, _ := onVirtualTime(t, actor.WithWorkers(1))
	b := bellType.Spawn(sys, bell{})
	burst := func() {
		onBell(t, b, func(_ *bell, c *actor.Context) {
			old := make([]actor.Timer, n)
			for i := range old {
				old[i] = actor.After(c, time.Hour+time.Duration(i), chime, i)
			}
			for i, o := range old {
				if !o.Cancel(c) {
					t.Fatalf("timer %d could not be canceled", i)
				}
			}
			newBlock := actor.After(c, time.Hour, chime, 1)
			for i, o := range old {
				if o.Cancel(c) {
					t.Fatalf("timer %d was canceled twice, in the place of another one", i)
				}
			}
			equal(t, "Cancel of the new one", newBlock.Cancel(c), true)
		})
	}
	before, _ := heapInUse()
	burst()
	burst()
	after, _ := heapInUse()
	// The actor keeps its list of them. A timer in use takes 64 bytes.
	if kept := after - before; figures && kept > 128<<10+int64(n)*24 {
		t.Errorf("%d bytes are kept of %d timers", kept, n)
	}
	equal(t, "left over", actor.LeftoversOf(sys), actor.Leftovers{})
}

// TestCancel_OfTheEnded: Cancel returns false "if the timer has ended because its actor drains,
// runs its OnStop …".
func TestCancel_OfTheEnded(t *testing.T) {
	sys := start(t, actor.WithDeterministic(1))
	var d diary
	var once, again actor.Timer
	inTime := 0
	look := func(_ *mortal, c *actor.Context) {
		for _, timer := range []actor.Timer{once, again} {
			if timer.Cancel(c) {
				inTime++
			}
		}
	}
	r := mortalType.Spawn(sys, mortal{name: "a", diary: &d, onStop: look})
	doAct.Send(sys, r, func(_ *mortal, c *actor.Context) {
		once, again = actor.After(c, time.Hour, say, "once"), actor.Every(c, time.Hour, say, "again")
		doAct.Send(c, actor.Self[mortal](c), look)
		actor.Drain(c, actor.Self[mortal](c))
	})
	quiet(t, sys)
	d.says(t, "a: start", "a: stop shutdown")
	equal(t, "timers canceled in time", inTime, 0)
}

// TestCancel_ArmedTooLate: "A timer that is armed while its actor drains or runs its OnStop never
// runs. Cancel returns true for it until it is due", once. The timer that is not canceled ends with
// the actor, due or not.
func TestCancel_ArmedTooLate(t *testing.T) {
	for _, period := range []time.Duration{0, time.Minute} {
		sys, clock := onVirtualTime(t)
		var d diary
		r := mortalType.Spawn(sys, mortal{name: "a", diary: &d, born: true})
		arm := func(c *actor.Context) actor.Timer {
			if period > 0 {
				return actor.Every(c, period, say, "never")
			}
			return actor.After(c, time.Minute, say, "never")
		}
		doAct.Send(sys, r, func(_ *mortal, c *actor.Context) {
			doAct.Send(c, actor.Self[mortal](c), func(_ *mortal, c *actor.Context) {
				left, canceled := arm(c), arm(c)
				equal(t, "canceled in time", canceled.Cancel(c), true)
				equal(t, "canceled twice", canceled.Cancel(c), false)
				equal(t, "the other one is armed", left == canceled, false)
				clock.Jump(time.Hour) // it is sent to a closed mailbox
			})
			actor.Drain(c, actor.Self[mortal](c))
		})
		quiet(t, sys)
		d.says(t, "a: stop shutdown")
		equal(t, "left over", actor.LeftoversOf(sys), actor.Leftovers{})
	}
}
