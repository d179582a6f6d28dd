package actor_test

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// TestClock: systems on a virtual clock show its time, and may share it. Advance "waits until
// nothing more can happen in the clock's systems at the present time, and then moves the clock to
// the time of the next timer", also if the systems send to each other.
func TestClock(t *testing.T) {
	clock := actor.NewVirtualClock(epoch)
	one, two := start(t, actor.WithClock(clock)), start(t, actor.WithClock(clock))
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

// TestClock_HoldsNone: "When nothing can happen until the clock moves, System.Wait returns although
// timers are armed, and System.Run ends the system". Advance does not wait for a system that has
// ended.
func TestClock_HoldsNone(t *testing.T) {
	sys, clock := onVirtualTime(t)
	inside(t, sys, func(c *actor.Context) { actor.After(c, time.Second, count, 1) })
	quiet(t, sys)
	must(t, sys.Run())
	advance(t, clock, time.Hour)
	equal(t, "messages", sys.Stats().Messages, 1)
}

// TestClock_AdvanceGivesUp: "If ctx ends first, Advance returns ctx's error, and the clock stays at
// the time of the last step." It waits for everything that holds the system.
func TestClock_AdvanceGivesUp(t *testing.T) {
	for name, opts := range map[string][]actor.Option{"workers": nil,
		"Seed": {actor.WithDeterministic(1)}} {
		t.Run(name, func(t *testing.T) {
			sys, clock := onVirtualTime(t, opts...)
			release, err := sys.Hold()
			must(t, err)
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			wants(t, clock.Advance(ctx, time.Hour), context.Canceled)
			if now := clock.Now(); !now.Equal(epoch) {
				t.Errorf("it is %v", now)
			}
			release()
			release()
			advance(t, clock, time.Hour)
		})
	}
}

// TestClock_OneAdvanceAtATime: "If ctx ends first, Advance returns ctx's error", also while another
// Advance goes on.
func TestClock_OneAdvanceAtATime(t *testing.T) {
	_, clock, end := advancing(t)
	ctx, cancel := context.WithCancel(notSoLong(t))
	second, waits := make(chan error, 1), &inUse{Context: ctx, asked: make(chan struct{})}
	go func() { second <- clock.Advance(waits, time.Hour) }()
	select {
	case <-waits.asked:
		cancel()
		wants(t, <-second, context.Canceled)
	case <-ctx.Done():
		t.Error("it waits for the other one, whatever its context says")
	}
	cancel()
	end()
}

// advancing returns a system and its clock while an Advance by an hour goes on. end lets the
// Advance finish.
func advancing(t *testing.T) (sys *actor.System, clock *actor.VirtualClock, end func()) {
	t.Helper()
	sys, clock = onVirtualTime(t)
	release, err := sys.Hold()
	must(t, err)
	first, ended := &inUse{Context: soon(t), asked: make(chan struct{})}, make(chan error)
	go func() { ended <- clock.Advance(first, time.Hour) }()
	<-first.asked
	return sys, clock, func() { release(); must(t, <-ended) }
}

// inUse is a context that tells when a goroutine waits with it. By then the first Advance has
// begun.
type inUse struct {
	context.Context
	once  sync.Once
	asked chan struct{}
}

func (c *inUse) Done() <-chan struct{} {
	c.once.Do(func() { close(c.asked) })
	return c.Context.Done()
}

// TestClock_EndsAsItsTurnComes: "If ctx ends first, Advance returns ctx's error, and the clock
// stays", also if the other Advance ends at that moment. select chooses by chance between two ready
// cases, so the test tries more than once.
func TestClock_EndsAsItsTurnComes(t *testing.T) {
	for range 40 {
		sys, clock, end := advancing(t)
		ctx, cancel := context.WithCancel(t.Context())
		wants(t, clock.Advance(&endsAsked{ctx, func() {
			end()
			sys.Stop()
			cancel()
		}}, time.Hour), context.Canceled)
		if now := clock.Now(); !now.Equal(epoch.Add(time.Hour)) {
			t.Fatalf("it is %v", now)
		}
	}
}

// endsAsked is a context that ends when its Done is called.
type endsAsked struct {
	context.Context
	end func()
}

func (c *endsAsked) Done() <-chan struct{} {
	c.end()
	c.end = func() {}
	return c.Context.Done()
}

// TestClock_Waiting: "When it returns nil, everything that is due within d has happened". Advance
// does not wait for actors that "cannot go on by themselves": an actor that is muted for an actor
// that is down until a timer fires, an actor that is muted for the first one, and an actor whose
// supervisor has not called Postpone.
func TestClock_Waiting(t *testing.T) {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	for name, opts := range map[string][]actor.Option{"1": {actor.WithWorkers(1)},
		"4": {actor.WithWorkers(4)}, "Seed": {actor.WithDeterministic(1)}} {
		for _, says := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/%v", name, says), func(t *testing.T) {
				sys, clock := onVirtualTime(t, append(opts, actor.Leeway(1))...)
				w := wardenType.Spawn(sys, warden{diary: new(diary),
					fell: func(c *actor.Context, f actor.ChildDown) {
						if says {
							actor.Standby(c, f.Ref)
						}
						actor.After(c, time.Minute, wardenWake, f.Ref)
					}})
				var child actor.Ref[mortal]
				_, err := wardenDo.Ask(soon(t), w, func(w *warden, c *actor.Context) {
					child = w.spawn(c, "child", actor.Care[warden]{}, nil)
				})
				must(t, err)
				first, second := puppetType.Spawn(sys, puppet{}), puppetType.Spawn(sys, puppet{})
				must(t, clock.Advance(soon(t), 0))
				doAct.Send(sys, child, func(*mortal, *actor.Context) { panic(1) })
				must(t, clock.Advance(soon(t), 0))
				do.Send(sys, first, func(_ *puppet, c *actor.Context) { say.Send(c, child, "") })
				must(t, clock.Advance(soon(t), 0))
				do.Send(sys, second, func(_ *puppet, c *actor.Context) { count.Send(c, first, 1) })
				count.Send(sys, second, 1)
				must(t, clock.Advance(soon(t), time.Minute-1))
				equal(t, "those who wait", sys.Stats().Mutes-sys.Stats().Unmutes, 2)
				if says {
					quiet(t, sys)
				} else {
					wants(t, sys.Wait(over), context.Canceled)
				}
				must(t, clock.Advance(soon(t), 1))
				equal(t, "those who wait", sys.Stats().Mutes-sys.Stats().Unmutes, 0)
				quiet(t, sys)
			})
		}
	}
}

// postponed spawns an actor whose restart is put off for a minute when it falls.
func postponed(t *testing.T, sys *actor.System) (child actor.Ref[mortal]) {
	w := wardenType.Spawn(sys, warden{diary: new(diary),
		fell: func(c *actor.Context, f actor.ChildDown) {
			actor.Standby(c, f.Ref)
			actor.After(c, time.Minute, wardenWake, f.Ref)
		}})
	_, err := wardenDo.Ask(soon(t), w, func(w *warden, c *actor.Context) {
		child = w.spawn(c, "child", actor.Care[warden]{}, nil)
	})
	must(t, err)
	return child
}

// awaitsRestart makes a puppet that has mail and is muted for an actor whose restart is put off for
// a minute. also runs before that, in the same behaviour.
func awaitsRestart(t *testing.T, sys *actor.System, also deed) (muted actor.Ref[puppet]) {
	child := postponed(t, sys)
	quiet(t, sys)
	doAct.Send(sys, child, func(*mortal, *actor.Context) { panic(1) })
	quiet(t, sys)
	muted = puppetType.Spawn(sys, puppet{})
	do.Send(sys, muted, func(p *puppet, c *actor.Context) { also(p, c); say.Send(c, child, "") })
	awaitMuted(t, muted)
	count.Send(sys, muted, 1)
	return muted
}

// TestClock_NotForTime: if no timer is armed, actors that are muted for an actor in a back-off wait
// for a goroutine outside, and so does Wait.
func TestClock_NotForTime(t *testing.T) {
	sys, clock := onVirtualTime(t, actor.WithWorkers(2))
	w := wardenType.Spawn(sys, warden{diary: new(diary),
		fell: func(c *actor.Context, f actor.ChildDown) {
			actor.Standby(c, f.Ref)
		}})
	var child actor.Ref[mortal]
	_, err := wardenDo.Ask(soon(t), w, func(w *warden, c *actor.Context) {
		child = w.spawn(c, "child", actor.Care[warden]{}, nil)
	})
	must(t, err)
	quiet(t, sys)
	doAct.Send(sys, child, func(*mortal, *actor.Context) { panic(1) })
	quiet(t, sys)
	m := puppetType.Spawn(sys, puppet{})
	do.Send(sys, m, func(_ *puppet, c *actor.Context) { say.Send(c, child, "") })
	awaitMuted(t, m)
	advance(t, clock, 0)
	over, cancel := context.WithCancel(context.Background())
	cancel()
	wants(t, sys.Wait(over), context.Canceled)
	actor.Restart(sys, child)
	quiet(t, sys)
	equal(t, "it is muted", actor.Muted(m), false)
}

// TestClock_EndsThere: "System.Run ends the system. Nor do these hold it: actors that are muted for
// an actor whose restart is put off". Their mail becomes dead letters then.
func TestClock_EndsThere(t *testing.T) {
	for name, end := range map[string]func(*actor.System) error{
		"Wait":     func(s *actor.System) error { err := s.Wait(soon(t)); s.Stop(); return err },
		"Run":      (*actor.System).Run,
		"Shutdown": func(s *actor.System) error { return s.Shutdown(soon(t)) },
	} {
		t.Run(name, func(t *testing.T) {
			var dead letters
			sys, _ := onVirtualTime(t, actor.WithWorkers(2), dead.option())
			awaitsRestart(t, sys, func(*puppet, *actor.Context) {})
			ended := make(chan error, 1)
			go func() { ended <- end(sys) }()
			must(t, receive(t, "the end", ended))
			equal(t, "dead letters", dead.n.Load(), 2)
		})
	}
}

// TestClock_WaitsForPressure: Wait does wait for an actor that is also muted for an actor under
// pressure, until it is released.
func TestClock_WaitsForPressure(t *testing.T) {
	sys, _ := onVirtualTime(t, actor.WithWorkers(2), actor.WithLogger(slog.New(slog.DiscardHandler)))
	r := press(t, sys)
	awaitsRestart(t, sys, func(_ *puppet, c *actor.Context) { count.Send(c, r, 1) })
	m := puppetType.Spawn(sys, puppet{})
	do.Send(sys, m, func(_ *puppet, c *actor.Context) { count.Send(c, r, 1) })
	awaitMuted(t, m)
	do.Send(sys, m, func(_ *puppet, c *actor.Context) {})
	quiet(t, sys)
	equal(t, "let go", sys.Stats().Exempted > 0, true)
	equal(t, "it is muted", actor.Muted(m), false)
}

// noticed is a context that tells when a goroutine waits for it.
type noticed struct {
	context.Context
	waits chan struct{}
}

func (n noticed) Done() <-chan struct{} {
	select {
	case n.waits <- struct{}{}:
	default:
	}
	return n.Context.Done()
}

// TestClock_WaitsBesideAMove: Wait returns although all activity after a timer was over before the
// alarm was set for the next timer, that of the restart.
func TestClock_WaitsBesideAMove(t *testing.T) {
	sys, clock := onVirtualTime(t, actor.WithWorkers(2))
	awaitsRestart(t, sys, func(*puppet, *actor.Context) {})
	quiet(t, sys)
	armed := make(chan struct{}, 2)
	var both sync.WaitGroup
	both.Add(2)
	for range 2 { // on two workers; one of them has the timer of the restart
		do.Send(sys, puppetType.Spawn(sys, puppet{}), func(_ *puppet, c *actor.Context) {
			both.Done()
			both.Wait()
			if !actor.HasTimers(c) {
				actor.After(c, time.Second, do, noop)
				armed <- struct{}{}
			}
		})
	}
	quiet(t, sys)
	receive(t, "a timer of another worker", armed)
	hold, err := sys.Hold()
	must(t, err)
	ended := make(chan error, 1)
	w := noticed{notSoLong(t), make(chan struct{}, 1)}
	go func() { ended <- sys.Wait(w) }()
	receive(t, "Wait to wait", w.waits)
	actor.BehindStarts(sys, func() {
		hold()
		eventually(t, "all to sleep", func() bool { return actor.OnlyMuted(sys) })
	})
	clock.Jump(time.Second)
	must(t, receive(t, "the end", ended))
}

// TestClock_HeldByOthers: a System.Hold keeps Advance waiting until it is released, and no longer,
// although an actor is muted for an actor that waits for a timer.
func TestClock_HeldByOthers(t *testing.T) {
	for name, opts := range map[string][]actor.Option{"2": {actor.WithWorkers(2)},
		"Seed": {actor.WithDeterministic(1)}} {
		for _, mutes := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/%v", name, mutes), func(t *testing.T) {
				sys, clock := onVirtualTime(t, opts...)
				child := postponed(t, sys)
				advance(t, clock, 0)
				if mutes {
					doAct.Send(sys, child, func(*mortal, *actor.Context) { panic(1) })
					advance(t, clock, 0)
					m := puppetType.Spawn(sys, puppet{})
					do.Send(sys, m, func(_ *puppet, c *actor.Context) { say.Send(c, child, "") })
					advance(t, clock, 0)
				}
				release, err := sys.Hold()
				must(t, err)
				advanced := make(chan error, 1)
				go func() { advanced <- clock.Advance(soon(t), time.Second) }()
				runtime.Gosched()
				select {
				case <-advanced:
					t.Error("Advance has not waited for one who holds")
				default:
				}
				release()
				must(t, receive(t, "Advance", advanced))
			})
		}
	}
}

// TestClock_LetGoAgainAndAgain: an actor that sends to an actor under pressure again after each
// release is released again and again. Advance still reaches the time at which the pressure ends.
func TestClock_LetGoAgainAndAgain(t *testing.T) {
	sys, clock := onVirtualTime(t, actor.WithWorkers(2), actor.DeadlockEvery(time.Millisecond),
		actor.WithLogger(slog.New(slog.DiscardHandler)))
	r := puppetType.Spawn(sys, puppet{})
	inRun := make(chan struct{})
	var released atomic.Bool
	do.Send(sys, r, func(_ *puppet, c *actor.Context) {
		c.ApplyPressure()
		actor.After(c, time.Minute, do, func(_ *puppet, c *actor.Context) {
			c.ReleasePressure()
			released.Store(true)
		})
		close(inRun)
	})
	receive(t, "pressure", inRun)
	m := puppetType.Spawn(sys, puppet{})
	var again deed
	again = func(_ *puppet, c *actor.Context) {
		do.Send(c, r, func(*puppet, *actor.Context) {})
		if !released.Load() {
			do.Send(c, m, again)
		}
	}
	do.Send(sys, m, again)
	advance(t, clock, time.Minute)
	quiet(t, sys)
	equal(t, "released", released.Load(), true)
}

// TestClock_PressureIsLetGo: the watch over actors under pressure releases actors by the machine's
// time. Advance waits for that all the same.
func TestClock_PressureIsLetGo(t *testing.T) {
	sys, clock := onVirtualTime(t, actor.WithWorkers(2),
		actor.WithLogger(slog.New(slog.DiscardHandler)))
	r := press(t, sys)
	m := puppetType.Spawn(sys, puppet{})
	do.Send(sys, m, func(_ *puppet, c *actor.Context) { count.Send(c, r, 1) })
	count.Send(sys, m, 1)
	advance(t, clock, time.Second)
	equal(t, "those who wait", sys.Stats().Mutes-sys.Stats().Unmutes, 0)
}

// TestClock_EndedBefore: "If ctx ends first, Advance returns ctx's error, and the clock stays".
func TestClock_EndedBefore(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, opts := range [][]actor.Option{nil, {actor.WithDeterministic(1)}} {
		_, clock := onVirtualTime(t, opts...)
		before := clock.Now()
		wants(t, clock.Advance(ended, time.Hour), context.Canceled)
		equal(t, "the time", clock.Now(), before)
	}
}
