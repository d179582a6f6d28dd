package actor_test

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/invariant"
)

// epoch is the time at which virtual clocks begin.
var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// onVirtualTime makes a system on a virtual clock.
func onVirtualTime(t testing.TB, opts ...actor.Option) (*actor.System, *actor.VirtualClock) {
	clock := actor.NewVirtualClock(epoch)
	return start(t, append(opts, actor.WithClock(clock))...), clock
}

// advance moves a clock on.
func advance(t testing.TB, clock *actor.VirtualClock, d time.Duration) {
	t.Helper()
	must(t, clock.Advance(soon(t), d))
}

// bell records its rings.
type bell struct {
	rung []ring
	held actor.Timer
}

type ring struct {
	what int
	at   time.Duration // since epoch
}

func (b *bell) Ring(c *actor.Context, what int) {
	b.rung = append(b.rung, ring{what, c.Now().Sub(epoch)})
}

func (b *bell) Say(_ *actor.Context, what string) { b.rung = append(b.rung, ring{what: len(what)}) }

func (b *bell) Do(c *actor.Context, f func(*bell, *actor.Context)) (int, error) {
	f(b, c)
	return len(b.rung), nil
}

var (
	bellType = actor.NewType[bell]("bell")
	chime    = actor.Declare[int](bellType, "ring")
	sayAt    = actor.Declare[string](bellType, "sayAt")
	inBell   = actor.DeclareAsk[func(*bell, *actor.Context), int](bellType, "do")
	_        = bellType.Table(chime.Handle((*bell).Ring), sayAt.Handle((*bell).Say),
		inBell.Handle((*bell).Do))
)

// onBell runs f in a behaviour of a bell.
func onBell(t testing.TB, b actor.Ref[bell], f func(b *bell, c *actor.Context)) {
	t.Helper()
	_, err := inBell.Ask(soon(t), b, f)
	must(t, err)
}

// rungBy returns the rings that a bell has recorded.
func rungBy(t testing.TB, sys *actor.System, b actor.Ref[bell]) (rung []ring) {
	t.Helper()
	onBell(t, b, func(b *bell, _ *actor.Context) { rung = slices.Clone(b.rung) })
	return rung
}

// rings fails the test unless a bell has recorded exactly these rings.
func rings(t testing.TB, sys *actor.System, b actor.Ref[bell], want ...ring) {
	t.Helper()
	if got := rungBy(t, sys, b); !slices.Equal(got, want) {
		t.Fatalf("rung %v, want %v", got, want)
	}
}

// TestTimer_Order: "An actor's timers fire in the order of their times; timers of the same time
// fire in the order in which they were armed. They never fire early." There are a million of them,
// of which half are canceled.
func TestTimer_Order(t *testing.T) {
	n := scaled(1_000_000)
	if invariant.On {
		n /= 10
	}
	sys, clock := onVirtualTime(t)
	b := bellType.Spawn(sys, bell{})
	r := rand.New(rand.NewPCG(3, 4))
	at := make([]time.Duration, n)
	onBell(t, b, func(_ *bell, c *actor.Context) {
		timers := make([]actor.Timer, n)
		for i := range at {
			at[i] = time.Duration(r.IntN(n / 4)) // so that many are equal
			timers[i] = actor.After(c, at[i], chime, i)
		}
		for i := 1; i < n; i += 2 {
			if !timers[i].Cancel(c) {
				t.Fatalf("timer %d could not be canceled", i)
			}
		}
	})
	clock.Jump(time.Duration(n / 8)) // half of the time, all at once
	quiet(t, sys)
	half := len(rungBy(t, sys, b))
	clock.Jump(time.Duration(n))
	quiet(t, sys)
	rung := rungBy(t, sys, b)
	equal(t, "timers that fired", len(rung), n/2)
	for i, x := range rung {
		now := time.Duration(n / 8)
		if i >= half {
			now += time.Duration(n)
		}
		switch {
		case x.what%2 == 1:
			t.Fatalf("timer %d fired, which was canceled", x.what)
		case at[x.what] > now || i >= half && at[x.what] <= time.Duration(n/8):
			t.Fatalf("timer %d of %d fired at %d", x.what, at[x.what], now)
		case i > 0 && (at[rung[i-1].what] > at[x.what] || at[rung[i-1].what] == at[x.what] &&
			rung[i-1].what > x.what):
			t.Fatalf("timer %d of %d fired before %d of %d", rung[i-1].what, at[rung[i-1].what], x.what,
				at[x.what])
		}
	}
}

// TestTimer_Exact: "when d has passed", to the nanosecond; "If d is zero or less, it
// has passed at once".
func TestTimer_Exact(t *testing.T) {
	sys, clock := onVirtualTime(t)
	b := bellType.Spawn(sys, bell{})
	onBell(t, b, func(b *bell, c *actor.Context) {
		chime.Send(c, actor.Self[bell](c), 5) // before the timers: they may fire meanwhile
		actor.After(c, 1500*time.Microsecond, chime, 1)
		actor.After(c, 0, chime, 2)
		actor.After(c, math.MinInt64, chime, 3)
		actor.After(c, 1, sayAt, "four") // has pointers, so its payload is kept in a message
	})
	quiet(t, sys)
	rings(t, sys, b, ring{5, 0}, ring{2, 0}, ring{3, 0})
	if d, ok := clock.Next(); !ok || d != 1 {
		t.Errorf("the next timer is due in %v, %v", d, ok)
	}
	advance(t, clock, 1500*time.Microsecond-1)
	rings(t, sys, b, ring{5, 0}, ring{2, 0}, ring{3, 0}, ring{what: 4})
	advance(t, clock, 1)
	rings(t, sys, b, ring{5, 0}, ring{2, 0}, ring{3, 0}, ring{what: 4},
		ring{1, 1500 * time.Microsecond})
	if _, ok := clock.Next(); ok {
		t.Error("an alarm is set and no timer is armed")
	}
}

// TestTimer_Cancel: "reports whether that was in time. If so, the message … will not run, even if
// it is in the mailbox already".
func TestTimer_Cancel(t *testing.T) {
	sys, clock := onVirtualTime(t, actor.WithWorkers(2))
	b := bellType.Spawn(sys, bell{})
	var early, late, ran, text actor.Timer
	onBell(t, b, func(b *bell, c *actor.Context) {
		early, late = actor.After(c, time.Second, chime, 1), actor.After(c, time.Second, chime, 2)
		text, ran = actor.After(c, time.Second, sayAt, "text"), actor.After(c, time.Second, chime, 3)
		equal(t, "a first Cancel", early.Cancel(c), true)
		equal(t, "a second Cancel", early.Cancel(c), false)
		clock.Jump(time.Second)
		eventually(t, "the messages to be on their way", func() bool {
			return late.OnItsWay() && text.OnItsWay()
		})
		equal(t, "Cancel on its way", late.Cancel(c), true)
		equal(t, "Cancel with a payload on its way", text.Cancel(c), true)
		equal(t, "a second Cancel on its way", late.Cancel(c), false)
		equal(t, "Cancel of none", actor.Timer{}.Cancel(c), false)
	})
	quiet(t, sys)
	rings(t, sys, b, ring{3, time.Second})
	onBell(t, b, func(b *bell, c *actor.Context) {
		equal(t, "Cancel afterwards", ran.Cancel(c), false)
		again := actor.After(c, time.Second, chime, 4) // in memory that an earlier timer has used
		for _, old := range []actor.Timer{early, late, text, ran} {
			equal(t, "Cancel of an old timer", old.Cancel(c), false)
		}
		equal(t, "Cancel of the new one", again.Cancel(c), true)
	})
	quiet(t, sys)                                 // a worker publishes its counters from time to time
	equal(t, "messages", sys.Stats().Messages, 4) // two asks, message 3, and the timer
}

// TestTimer_EndsWithItsActor: "Timers end with their actor. Their messages that have not run by
// then do not run, and are not dead letters." They hold no system.
func TestTimer_EndsWithItsActor(t *testing.T) {
	for name, end := range map[string]func(*actor.Context){
		"stop":  func(c *actor.Context) { c.Stop() },
		"panic": func(*actor.Context) { panic("on purpose") },
	} {
		t.Run(name, func(t *testing.T) {
			var dead letters
			sys := start(t, actor.WithWorkers(2), dead.option())
			b := puppetType.Spawn(sys, puppet{})
			do.Send(sys, b, func(_ *puppet, c *actor.Context) {
				onItsWay := actor.After(c, 0, count, 1)
				tick := actor.Every(c, 1, count, 1)
				for range 1000 {
					actor.After(c, time.Hour, count, 1)
					actor.Every(c, time.Hour, count, 1)
				}
				eventually(t, "two to be on their way", func() bool {
					return onItsWay.OnItsWay() && tick.OnItsWay()
				})
				end(c)
			})
			quiet(t, sys) // an hour has not passed
			equal(t, "dead letters", dead.n.Load(), 0)
			equal(t, "messages", sys.Stats().Messages, 1)
		})
	}
}

// TestTimer_OfTheDraining: if an actor arms its first timer while it drains, or in OnStop, the
// timer ends with the actor like any other.
func TestTimer_OfTheDraining(t *testing.T) {
	for name, end := range map[string]func(sys *actor.System, r actor.Ref[mortal]){
		"drain": func(sys *actor.System, r actor.Ref[mortal]) { actor.Drain(sys, r) },
		"stop":  func(sys *actor.System, r actor.Ref[mortal]) { actor.Stop(sys, r) },
	} {
		t.Run(name, func(t *testing.T) {
			var d diary
			var dead letters
			sys := start(t, actor.WithWorkers(2), dead.option())
			arm := func(_ *mortal, c *actor.Context) {
				actor.After(c, time.Hour, say, "never").Cancel(c)
				actor.After(c, 0, say, "too late")
				c.Blocking(func() { // the other worker fires the timers that are due
					for range 1000 {
						runtime.Gosched()
					}
				})
			}
			r := mortalType.Spawn(sys, mortal{name: "a", diary: &d, onStop: arm})
			in, goOn := make(chan struct{}), make(chan struct{})
			doAct.Send(sys, r, func(*mortal, *actor.Context) { close(in); <-goOn })
			receive(t, "the actor to begin", in)
			for range 20 {
				doAct.Send(sys, r, arm)
			}
			end(sys, r)
			n := dead.n.Load() // dead letters of Stop, which may have come already
			close(goOn)
			quiet(t, sys) // an hour has not passed
			d.says(t, "a: start", "a: stop shutdown")
			if name == "drain" {
				equal(t, "dead letters", dead.n.Load(), n)
			}
			equal(t, "what is left", actor.LeftoversOf(sys), actor.Leftovers{})
		})
	}
}

// TestTimer_Holds: "While time passes by itself, an armed timer keeps the system from being
// quiescent". A timer that has fired or was canceled does not.
func TestTimer_Holds(t *testing.T) {
	sys := start(t)
	b := puppetType.Spawn(sys, puppet{})
	var far actor.Timer
	do.Send(sys, b, func(_ *puppet, c *actor.Context) {
		far = actor.After(c, time.Hour, count, 1)
		actor.After(c, time.Millisecond, count, 1)
	})
	ended := make(chan error, 1)
	go func() { ended <- sys.Run() }()
	fired := func() bool {
		n, err := value.Ask(soon(t), b, struct{}{})
		must(t, err)
		return n == 1
	}
	eventually(t, "the near timer to fire", fired)
	for range 100 {
		fired()
	}
	equal(t, "runs that have ended", len(ended), 0)
	do.Send(sys, b, func(_ *puppet, c *actor.Context) { far.Cancel(c) })
	must(t, receive(t, "Run to return", ended))
}

// TestTimer_OfPinned: pinned actors have timers like others.
func TestTimer_OfPinned(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	ticks := 0
	var tick actor.Timer
	p := pinnedType.Spawn(sys, puppet{})
	pinnedDo.Send(sys, p, func(_ *puppet, c *actor.Context) {
		tick = actor.Every(c, 1, pinnedDo, func(_ *puppet, c *actor.Context) {
			if ticks++; ticks == 10 {
				tick.Cancel(c)
			}
		})
	})
	quiet(t, sys)
	equal(t, "ticks", ticks, 10)
}

// TestTimer_Conservation: many actors arm timers on the machine's clock. Every timer runs once, or
// is canceled and does not run.
func TestTimer_Conservation(t *testing.T) {
	withWorkers(t, func(t *testing.T, workers int) {
		sys := start(t, actor.WithWorkers(workers))
		var armed, canceled, ran atomic.Int64
		for i := range 50 {
			r := rand.New(rand.NewPCG(uint64(workers), uint64(i)))
			left := scaled(2000)
			kept := make([]actor.Timer, 8)
			var work deed
			work = func(_ *puppet, c *actor.Context) {
				ran.Add(1)
				for range r.IntN(4) {
					if left == 0 {
						break
					}
					left--
					armed.Add(1)
					at := r.IntN(len(kept))
					if kept[at].Cancel(c) {
						canceled.Add(1)
					}
					kept[at] = actor.After(c, time.Duration(r.IntN(300_000)), do, work)
				}
			}
			armed.Add(1)
			do.Send(sys, puppetType.Spawn(sys, puppet{}), work)
		}
		quiet(t, sys)
		equal(t, "timers that ran or were canceled", ran.Load()+canceled.Load(), armed.Load())
		equal(t, "messages", sys.Stats().Messages, uint64(ran.Load()))
	})
}

// TestTimer_StopOfMany: a system with many armed timers stops, and none of them fires afterwards.
// BenchmarkTimer_StopOfMany shows that this is quick.
func TestTimer_StopOfMany(t *testing.T) {
	for _, stop := range []func(*actor.System){
		(*actor.System).Stop,
		func(s *actor.System) {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			_ = s.Shutdown(ctx)
			s.Stop()
		},
	} {
		sys, clock := onVirtualTime(t)
		for range 10 {
			inside(t, sys, func(c *actor.Context) {
				for range scaled(10_000) {
					actor.After(c, time.Second, do, func(*puppet, *actor.Context) { t.Error("it fired") })
				}
			})
		}
		stop(sys)
		clock.Jump(time.Hour)
	}
}

// TestTimer_PanicReport: a panic in the behaviour of a timer's message is reported like any other.
func TestTimer_PanicReport(t *testing.T) {
	for _, arm := range []func(*actor.Context, time.Duration, actor.Behaviour[puppet, deed],
		deed) actor.Timer{
		actor.After[puppet, deed], actor.Every[puppet, deed],
	} {
		reports := make(chan actor.PanicReport, 1)
		sys := start(t, actor.WithHooks(actor.Hooks{Panic: func(p actor.PanicReport) { reports <- p }}))
		b := puppetType.Spawn(sys, puppet{})
		do.Send(sys, b, func(_ *puppet, c *actor.Context) {
			arm(c, 1, do, func(*puppet, *actor.Context) { panic("on purpose") })
		})
		p := receive(t, "a report", reports)
		equal(t, "behaviour", p.Behaviour, "do")
		equal(t, "sender", p.From, b.ID())
		quiet(t, sys)
	}
}

// TestMisuse_OfTimers: the panics that the documentation promises.
func TestMisuse_OfTimers(t *testing.T) {
	sys, clock := onVirtualTime(t)
	var foreign actor.Timer
	inside(t, sys, func(c *actor.Context) { foreign = actor.After(c, time.Hour, count, 1) })
	inside(t, sys, func(c *actor.Context) {
		for words, f := range map[string]func(){
			"Every(0s): want a positive":    func() { actor.Every(c, 0, count, 1) },
			"Every(-1s): want a positive":   func() { actor.Every(c, -time.Second, count, 1) },
			"slow.do is not one of puppet#": func() { actor.After(c, 1, slowDo, nil) },
			"a zero Behaviour": func() {
				actor.After(c, 1, actor.Behaviour[puppet, int]{}, 1)
			},
			"a timer of puppet#":                func() { foreign.Cancel(c) },
			"Advance called from a behaviour":   func() { _ = clock.Advance(context.Background(), 1) },
			"Advance(-1ns): time does not go":   func() { _ = clock.Advance(context.Background(), -1) },
			"Jump(-1ns): time does not go back": func() { clock.Jump(-1) },
		} {
			panics(t, words, f)
		}
	})
	panics(t, "WithClock(nil)", func() { actor.Start(actor.WithClock(nil)) })
	equal(t, "panics", sys.Stats().Panics, 0)
}

// drawer keeps the payload that a timer brings.
type drawer[M any] struct{ got *M }

func (d *drawer[M]) arm(c *actor.Context, arm func(*actor.Context)) { arm(c) }
func (d *drawer[M]) keep(_ *actor.Context, m M)                     { *d.got = m }

// arrives fails the test unless a timer brings m unchanged.
func arrives[M comparable](t *testing.T, m M) {
	t.Helper()
	typ := actor.NewType[drawer[M]]("drawer")
	arm, keep := actor.Declare[func(*actor.Context)](typ, "arm"), actor.Declare[M](typ, "keep")
	typ.Table(arm.Handle((*drawer[M]).arm), keep.Handle((*drawer[M]).keep))
	var got M
	sys := start(t)
	arm.Send(sys, typ.Spawn(sys, drawer[M]{&got}), func(c *actor.Context) {
		actor.After(c, 1, keep, m)
	})
	quiet(t, sys)
	equal(t, "payload", got, m)
}

// TestTimer_Payloads: a payload that fits into a timer arrives whole, and so does a larger one.
func TestTimer_Payloads(t *testing.T) {
	arrives(t, byte(1))
	arrives(t, [2]uint64{1, 2})
	arrives(t, [3]uint64{1, 2, 3})
	arrives(t, [4]uint64{1, 2, 3, 4})
	arrives(t, "text")
}
