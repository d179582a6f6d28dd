package actor_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gallop-go/gallop/actor"
)

// TestEvery_OnTime: "when d has passed, when 2d have passed, and so on, until the timer is
// canceled". A Cancel in its own behaviour is in time for the next tick.
func TestEvery_OnTime(t *testing.T) {
	sys, clock := onVirtualTime(t)
	b := bellType.Spawn(sys, bell{})
	var tick actor.Timer
	onBell(t, b, func(_ *bell, c *actor.Context) {
		tick = actor.Every(c, 7*time.Millisecond, chime, 1)
	})
	advance(t, clock, 30*time.Millisecond)
	want := []ring{{1, 7 * time.Millisecond}, {1, 14 * time.Millisecond}, {1, 21 * time.Millisecond},
		{1, 28 * time.Millisecond}}
	rings(t, sys, b, want...)
	onBell(t, b, func(_ *bell, c *actor.Context) {
		equal(t, "Cancel", tick.Cancel(c), true)
		equal(t, "a second Cancel", tick.Cancel(c), false)
		tick = actor.Every(c, time.Second, inTurn, func(b *bell, c *actor.Context) {
			b.rung = append(b.rung, ring{2, c.Now().Sub(epoch)})
			equal(t, "Cancel inside of it", tick.Cancel(c), true)
			equal(t, "a second Cancel inside of it", tick.Cancel(c), false)
		})
	})
	advance(t, clock, time.Hour)
	rings(t, sys, b, append(want, ring{2, time.Second + 30*time.Millisecond})...)
}

func (b *bell) Turn(c *actor.Context, f func(*bell, *actor.Context)) { f(b, c) }

var (
	inTurn = actor.Declare[func(*bell, *actor.Context)](bellType, "turn")
	_      = bellType.Table(inTurn.Handle((*bell).Turn))
)

// TestEvery_NeverPilesUp: "While one tick waits in the mailbox, further ticks are left out. After it
// has run, the next tick comes at its regular time."
func TestEvery_NeverPilesUp(t *testing.T) {
	sys, clock := onVirtualTime(t, actor.WithWorkers(2))
	b := bellType.Spawn(sys, bell{})
	onBell(t, b, func(_ *bell, c *actor.Context) {
		tick := actor.Every(c, time.Second, chime, 1)
		canceled := actor.Every(c, time.Second, chime, 2)
		for range 10 { // a slow actor
			clock.Jump(1250 * time.Millisecond)
		}
		eventually(t, "the ticks to be on their way", func() bool {
			return tick.OnItsWay() && canceled.OnItsWay()
		})
		equal(t, "Cancel of a tick on its way", canceled.Cancel(c), true)
	})
	quiet(t, sys)
	late := ring{1, 12500 * time.Millisecond}
	rings(t, sys, b, late)
	advance(t, clock, 499*time.Millisecond)
	rings(t, sys, b, late)
	advance(t, clock, time.Millisecond)
	rings(t, sys, b, late, ring{1, 13 * time.Second})
}

// TestBug_K46_EndOfTime: a counter that wraps around, or a constant of the wrong size, makes timers
// fire at once or never. A clock near its end behaves like any other, and a timer that is due after
// the end never fires.
func TestBug_K46_EndOfTime(t *testing.T) {
	for _, nanos := range []int64{0, math.MaxUint32 - 10, math.MaxInt64 - 1<<32} {
		t.Run(fmt.Sprint(nanos), func(t *testing.T) {
			clock := actor.NewClockAt(epoch, nanos)
			sys := start(t, actor.WithClock(clock))
			b := bellType.Spawn(sys, bell{})
			onBell(t, b, func(_ *bell, c *actor.Context) {
				actor.After(c, math.MaxInt64, chime, 1)
				actor.Every(c, math.MaxInt64-1, chime, 2)
				actor.After(c, time.Second, chime, 3)
				actor.Every(c, 3*time.Second, chime, 4)
			})
			advance(t, clock, 999*time.Millisecond)
			rings(t, sys, b)
			advance(t, clock, time.Millisecond)
			rings(t, sys, b, ring{3, time.Second})
			advance(t, clock, 3*time.Second)
			rings(t, sys, b, ring{3, time.Second}, ring{4, 3 * time.Second})
			if d := clock.Now().Sub(epoch); d != 4*time.Second {
				t.Errorf("the clock has come to %v", d)
			}
		})
	}
}

// TestClock_EndOfTime: a clock that is sent to the end of time stops just before it. A timer that
// is due at the end or later never fires, and Every does not tick for ever. A timer that is due at
// once fires.
func TestClock_EndOfTime(t *testing.T) {
	for name, opt := range map[string]actor.Option{"Workers": actor.WithWorkers(2),
		"Seed": actor.WithDeterministic(1)} {
		t.Run(name, func(t *testing.T) {
			sys, clock := onVirtualTime(t, opt)
			b := bellType.Spawn(sys, bell{})
			onBell(t, b, func(_ *bell, c *actor.Context) {
				actor.After(c, math.MaxInt64, chime, 1)
				actor.After(c, math.MaxInt64-1, chime, 2)
				actor.Every(c, 1<<62, chime, 3)
			})
			advance(t, clock, math.MaxInt64)
			equal(t, "the clock", clock.Now().Sub(epoch), math.MaxInt64-1)
			onBell(t, b, func(_ *bell, c *actor.Context) {
				actor.After(c, 0, chime, 4)
				actor.After(c, 1, chime, 5)
				actor.Every(c, 1, chime, 6)
			})
			advance(t, clock, math.MaxInt64)
			clock.Jump(math.MaxInt64)
			quiet(t, sys)
			rings(t, sys, b, ring{3, 1 << 62}, ring{2, math.MaxInt64 - 1}, ring{4, math.MaxInt64 - 1})
			_, more := clock.Next()
			equal(t, "more is due", more, false)
		})
	}
}

// dumbTimer is a timer of the model, which is a plain list.
type dumbTimer struct {
	what       int
	armed      int // its place in the order of arming
	at, period time.Duration
	over       bool
}

// timerModel is one actor with timers, and a list of the timers that it has armed.
type timerModel struct {
	t      testing.TB
	sys    *actor.System
	clock  *actor.VirtualClock
	bell   actor.Ref[bell]
	now    time.Duration
	timers []actor.Timer
	dumb   []*dumbTimer
	armed  int
	want   []ring
}

func (m *timerModel) arm(d, period time.Duration) {
	onBell(m.t, m.bell, func(_ *bell, c *actor.Context) {
		n := len(m.timers)
		if period > 0 {
			m.timers = append(m.timers, actor.Every(c, period, chime, n))
		} else {
			m.timers = append(m.timers, actor.After(c, d, chime, n))
		}
	})
	m.armed++
	m.dumb = append(m.dumb, &dumbTimer{what: len(m.dumb), armed: m.armed, at: m.now + max(d, period),
		period: period})
	quiet(m.t, m.sys)
	m.pass(m.now) // timers that take no time
}

func (m *timerModel) cancel(t *rapid.T) {
	if len(m.dumb) == 0 {
		return
	}
	i := rapid.IntRange(0, len(m.dumb)-1).Draw(t, "timer")
	onBell(m.t, m.bell, func(_ *bell, c *actor.Context) {
		if got, want := m.timers[i].Cancel(c), !m.dumb[i].over; got != want {
			t.Fatalf("Cancel of timer %d: %v, want %v", i, got, want)
		}
	})
	m.dumb[i].over = true
}

// pass moves the model's list on to time end.
func (m *timerModel) pass(end time.Duration) {
	for {
		var next *dumbTimer
		for _, d := range m.dumb {
			if !d.over && d.at <= end && (next == nil || d.at < next.at || d.at == next.at &&
				d.armed < next.armed) {
				next = d
			}
		}
		if next == nil {
			m.now = end
			return
		}
		m.want = append(m.want, ring{next.what, next.at})
		next.over = next.period == 0
		next.at += next.period
		m.armed++
		next.armed = m.armed
	}
}

// TestTimer_Model: an actor's timers behave like a list that is searched from the front at every
// nanosecond.
func TestTimer_Model(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		clock := actor.NewVirtualClock(epoch)
		sys := actor.Start(actor.WithLogger(silent), actor.WithClock(clock),
			actor.WithWorkers(rapid.IntRange(1, 3).Draw(r, "workers")))
		defer sys.Stop()
		m := &timerModel{t: t, sys: sys, clock: clock, bell: bellType.Spawn(sys, bell{})}
		some := rapid.Custom(func(r *rapid.T) time.Duration {
			return time.Duration(rapid.IntRange(0, 20).Draw(r,
				"steps")) * rapid.SampledFrom([]time.Duration{1, 100, 1 << 20}).Draw(r, "step")
		})
		r.Repeat(map[string]func(*rapid.T){
			"After":  func(r *rapid.T) { m.arm(some.Draw(r, "d"), 0) },
			"Every":  func(r *rapid.T) { m.arm(0, 1<<18+7*some.Draw(r, "period")) },
			"Cancel": m.cancel,
			"Advance": func(r *rapid.T) {
				d := some.Draw(r, "d")
				advance(t, clock, d)
				m.pass(m.now + d)
			},
			"": func(r *rapid.T) {
				got := rungBy(t, sys, m.bell)
				if !slices.Equal(got, m.want) {
					r.Fatalf("rung %v, want %v", got, m.want)
				}
			},
		})
	})
}
