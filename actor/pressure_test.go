package actor_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gallop-go/gallop/actor"
)

// press makes an actor that applies pressure.
func press(t testing.TB, sys *actor.System) actor.Ref[puppet] {
	t.Helper()
	r := puppetType.Spawn(sys, puppet{})
	done := make(chan struct{})
	do.Send(sys, r, func(_ *puppet, c *actor.Context) { c.ApplyPressure(); close(done) })
	receive(t, "pressure", done)
	return r
}

// deadlocks collects the reports of a system.
type deadlocks chan actor.PressureDeadlock

func (s deadlocks) option() actor.Option {
	return actor.WithHooks(actor.Hooks{PressureDeadlock: func(r actor.PressureDeadlock) {
		select {
		case s <- r:
		default:
		}
	}})
}

// TestPressure: an actor that sends to an actor under pressure is muted until the pressure is
// released or the receiver ends. The receiver goes on, and is not muted itself.
func TestPressure(t *testing.T) {
	for name, end := range map[string]deed{
		"released": func(_ *puppet, c *actor.Context) { c.ReleasePressure(); c.ReleasePressure() },
		"stops":    func(_ *puppet, c *actor.Context) { c.Stop() },
		"panics":   func(*puppet, *actor.Context) { panic("end") },
	} {
		t.Run(name, func(t *testing.T) {
			sys := start(t, actor.WithWorkers(2))
			release, err := sys.Hold() // as a goroutine that waits for a socket does
			must(t, err)
			r := press(t, sys)
			m := muteOn(t, sys, func(c *actor.Context) { count.Send(c, r, 1) })
			wants(t, count.TrySend(sys, r, 1), actor.ErrOverloaded)
			other := press(t, sys)
			ran := make(chan struct{})
			do.Send(sys, r, func(_ *puppet, c *actor.Context) { c.ApplyPressure(); count.Send(c, other, 1) })
			do.Send(sys, r, func(*puppet, *actor.Context) { close(ran) })
			receive(t, "the actor under pressure to run", ran)
			equal(t, "it is muted", actor.Muted(r), false)
			do.Send(sys, r, end)
			eventually(t, "the sender goes on", func() bool { return !actor.Muted(m) })
			do.Send(sys, other, func(_ *puppet, c *actor.Context) { c.ReleasePressure() })
			release()
			allUnmuted(t, sys)
			equal(t, "let go", sys.Stats().Exempted, 0)
		})
	}
}

// TestPressure_MutedNever: an actor that has met a gate and then applies pressure in the same
// behaviour is not muted, because others may wait for it already.
func TestPressure_MutedNever(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	a := press(t, sys)
	ran := make(chan struct{})
	b := puppetType.Spawn(sys, puppet{})
	do.Send(sys, b, func(_ *puppet, c *actor.Context) { count.Send(c, a, 1); c.ApplyPressure() })
	do.Send(sys, b, func(_ *puppet, c *actor.Context) { c.ReleasePressure(); close(ran) })
	receive(t, "it to run", ran)
	do.Send(sys, a, func(_ *puppet, c *actor.Context) { c.ReleasePressure() })
	quiet(t, sys)
	equal(t, "mutes", sys.Stats().Mutes, 0)
}

// TestPressureDeadlock_3382 is the program of ponyc#3382 (K34). A sink applies pressure until it
// gets an answer from a source that it has asked. The source had sent it data and is muted. The
// deadlock is found, reported with names, and broken, and everything runs.
func TestPressureDeadlock_3382(t *testing.T) {
	reports := make(deadlocks, 10)
	sys := start(t, actor.WithWorkers(2), reports.option())
	sink, source := puppetType.Spawn(sys, puppet{}), puppetType.Spawn(sys, puppet{})
	var begun time.Time
	do.Send(sys, sink, func(_ *puppet, c *actor.Context) {
		c.ApplyPressure()
		do.Send(c, source, func(_ *puppet, c *actor.Context) {
			count.Send(c, sink, 1) // data: mutes the source, before the sink has run it
		})
		do.Send(c, source, func(_ *puppet, c *actor.Context) { // the question
			do.Send(c, sink, func(_ *puppet, c *actor.Context) { c.ReleasePressure() })
		})
		begun = time.Now()
	})
	watchdog(t, sys)
	r := onlyReport(t, reports)
	t.Logf("after %v: %v", time.Since(begun).Round(time.Millisecond), r)
	want := fmt.Sprintf("%v is under pressure; %v waits for %v with 1 messages, among them do from "+
		"%v", sink, source, sink, sink)
	equal(t, "report", r.String(), want)
	equal(t, "deadlock", r.Deadlock(), true)
	st := sys.Stats()
	equal(t, "let go", st.Exempted, 1)
	equal(t, "deadlocks", st.PressureDeadlocks, 1)
	equal(t, "unmutes", st.Unmutes, st.Mutes)
}

// onlyReport returns the report of a quiescent system. It fails the test if there are several.
func onlyReport(t testing.TB, reports deadlocks) actor.PressureDeadlock {
	t.Helper()
	equal(t, "reports", len(reports), 1)
	return <-reports
}

// TestPressureDeadlock_Seeded: an actor under pressure would end the pressure by itself after an
// hour. Its waiting actors are released long before, each time later than the time before. The run
// has its own clock, so the test does not hang if they are not released.
func TestPressureDeadlock_Seeded(t *testing.T) {
	for seed := range uint64(5) {
		reports := make(deadlocks, 10)
		sys := start(t, actor.WithDeterministic(seed), reports.option())
		sink, source := puppetType.Spawn(sys, puppet{}), puppetType.Spawn(sys, puppet{})
		var answered time.Duration
		do.Send(sys, sink, func(_ *puppet, c *actor.Context) {
			c.ApplyPressure()
			begun := c.Now()
			actor.After(c, time.Hour, do, func(_ *puppet, c *actor.Context) { c.ReleasePressure() })
			do.Send(c, source, func(_ *puppet, c *actor.Context) { count.Send(c, sink, 1) }) // muted
			do.Send(c, source, func(_ *puppet, c *actor.Context) {
				do.Send(c, sink, func(_ *puppet, c *actor.Context) { answered = c.Now().Sub(begun) })
			})
		})
		watchdog(t, sys)
		if r := onlyReport(t, reports); !r.Closed || r.Idle || answered <= 0 || answered > time.Minute {
			t.Errorf("seed %d: answered after %v; %+v", seed, answered, r)
		}
		equal(t, "deadlocks", sys.Stats().PressureDeadlocks, 1)
	}
}

// watchdog waits until the system is quiescent. If that takes too long, it says which actors wait
// for which.
func watchdog(t testing.TB, sys *actor.System) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testLimit)
	defer cancel()
	if err := sys.Wait(ctx); err != nil {
		t.Fatalf("no progress: %v\n%s", err, strings.Join(actor.WhoWaits(sys), "\n"))
	}
}

// TestPressureDeadlock_Relay: the answer has to come through a third actor. So no message from the
// actor under pressure is in the mailbox of an actor that waits for it.
func TestPressureDeadlock_Relay(t *testing.T) {
	reports := make(deadlocks, 10)
	sys := start(t, actor.WithWorkers(2), reports.option())
	sink, relay, source := puppetType.Spawn(sys, puppet{}), puppetType.Spawn(sys,
		puppet{}), puppetType.Spawn(sys, puppet{})
	do.Send(sys, sink, func(_ *puppet, c *actor.Context) {
		c.ApplyPressure()
		do.Send(c, source, func(_ *puppet, c *actor.Context) { count.Send(c, sink, 1) })
		do.Send(c, relay, func(_ *puppet, c *actor.Context) {
			do.Send(c, source, func(_ *puppet, c *actor.Context) {
				do.Send(c, sink, func(_ *puppet, c *actor.Context) { c.ReleasePressure() })
			})
		})
	})
	watchdog(t, sys)
	r := onlyReport(t, reports)
	equal(t, "idle", r.Idle, true)
	equal(t, "closed", r.Closed, false)
}

// TestPressureDeadlock_ChainIsNamed: an actor that waits for the actor under pressure through
// another one may have a message from it. The report names the sender of that message, and has no
// word that could mean the actor in between.
func TestPressureDeadlock_ChainIsNamed(t *testing.T) {
	reports := make(deadlocks, 10)
	sys := start(t, actor.WithDeterministic(1), actor.Leeway(1), reports.option())
	sink, middle, last := puppetType.Spawn(sys, puppet{}), puppetType.Spawn(sys,
		puppet{}), puppetType.Spawn(sys, puppet{})
	release := func(_ *puppet, c *actor.Context) { c.ReleasePressure() }
	ask := func(_ *puppet, c *actor.Context) {
		do.Send(c, last, func(_ *puppet, c *actor.Context) { do.Send(c, sink, release) })
	}
	do.Send(sys, sink, func(_ *puppet, c *actor.Context) {
		c.ApplyPressure()
		do.Send(c, middle, func(_ *puppet, c *actor.Context) {
			count.Send(c, sink, 1)
			do.Send(c, last, func(_ *puppet, c *actor.Context) { count.Send(c, middle, 1) })
		})
		actor.After(c, time.Millisecond, do, ask)
	})
	watchdog(t, sys)
	want := fmt.Sprintf("%[1]v is under pressure; %[2]v waits for %[1]v with 1 messages; "+
		"%[3]v waits for %[2]v with 1 messages, among them do from %[1]v", sink, middle, last)
	equal(t, "report", onlyReport(t, reports).String(), want)
}

// TestPressureDeadlock_RingOfMutualPressure: every actor of a ring applies pressure, and releases
// it when its neighbour says so. The neighbour is muted because it has sent before.
func TestPressureDeadlock_RingOfMutualPressure(t *testing.T) {
	const ring = 5
	reports := make(deadlocks, 1000)
	sys := start(t, actor.WithWorkers(2), reports.option())
	var all, writers []actor.Ref[puppet]
	for i := range ring {
		all, writers = append(all, press(t, sys)), append(writers, puppetType.Spawn(sys, puppet{}))
		do.Send(sys, writers[i], func(_ *puppet, c *actor.Context) { count.Send(c, all[i], 1) })
		awaitMuted(t, writers[i])
	}
	// Each actor is released by a message of the writer that waits for the next actor.
	for i := range ring {
		do.Send(sys, all[i], func(_ *puppet, c *actor.Context) {
			do.Send(c, writers[(i+1)%ring], func(_ *puppet, c *actor.Context) {
				do.Send(c, all[i], func(_ *puppet, c *actor.Context) { c.ReleasePressure() })
			})
		})
	}
	watchdog(t, sys)
	st := sys.Stats()
	t.Logf("%d mutes, %d let go, %d reports", st.Mutes, st.Exempted, st.PressureDeadlocks)
	equal(t, "unmutes", st.Unmutes, st.Mutes)
	if st.Exempted < 1 || st.PressureDeadlocks < 1 {
		t.Error("nobody was let go")
	}
}

// TestPressureDeadlock_NotWithoutNeed: pressure that is released soon, or for which no actor waits,
// is not a deadlock. Nor is lasting pressure while the system is held for news from outside: it is
// not reported, and the waiting actors are released at ever longer intervals.
func TestPressureDeadlock_NotWithoutNeed(t *testing.T) {
	reports := make(deadlocks, 10)
	sys := start(t, actor.WithWorkers(2), reports.option())
	release, err := sys.Hold()
	must(t, err)
	r := press(t, sys)
	var written atomic.Int64
	w := puppetType.Spawn(sys, puppet{})
	var write deed
	write = func(p *puppet, c *actor.Context) {
		written.Add(1)
		count.Send(c, r, 1)
		if p.note == nil {
			do.Send(c, w, write)
		}
	}
	do.Send(sys, w, write)
	eventually(t, "the writer was let go twice", func() bool { return written.Load() >= 3 })
	do.Send(sys, r, func(_ *puppet, c *actor.Context) { c.ReleasePressure() })
	do.Send(sys, w, func(p *puppet, _ *actor.Context) { p.note = true })
	release()
	watchdog(t, sys)
	equal(t, "reports", len(reports), 0)
	if st := sys.Stats(); st.Exempted == 0 || st.Exempted > 20 {
		t.Errorf("%d times let go", st.Exempted)
	}
}

// TestPressureDeadlock_SlowSender: "If the pressure lasts, it does so again, each time after twice as
// long", also when the actor has no message after its release, so that none waits for a while.
func TestPressureDeadlock_SlowSender(t *testing.T) {
	sys := start(t, actor.WithDeterministic(1))
	r, w := puppetType.Spawn(sys, puppet{}), puppetType.Spawn(sys, puppet{})
	do.Send(sys, r, func(_ *puppet, c *actor.Context) {
		c.ApplyPressure()
		actor.After(c, 10*time.Second, do, func(_ *puppet, c *actor.Context) {
			c.ReleasePressure()
			actor.Stop(c, w)
		})
	})
	do.Send(sys, w, func(_ *puppet, c *actor.Context) {
		actor.Every(c, 100*time.Millisecond, do, func(_ *puppet, c *actor.Context) { count.Send(c, r, 1) })
	})
	must(t, sys.Run())
	if n := sys.Stats().Exempted; n < 5 || n > 10 {
		t.Errorf("let go %d times in 10 s", n)
	}
}

// TestPressureDeadlock_StopEndsAll: a system stops while actors wait for an idle actor under
// pressure. Their mail becomes dead letters, and goroutines that wait are told.
func TestPressureDeadlock_StopEndsAll(t *testing.T) {
	var dead letters
	sys := start(t, actor.WithWorkers(2), actor.Leeway(1), dead.option())
	r := press(t, sys)
	m := muteOn(t, sys, func(c *actor.Context) { count.Send(c, r, 1) })
	behind := muteOn(t, sys, func(c *actor.Context) { count.Send(c, m, 1) })
	count.Send(sys, behind, 1)
	errs := make(chan error, 1)
	go func() { errs <- count.SendWait(soon(t), r, 1) }()
	eventually(t, "it waits", func() bool { return actor.Waiting(r) == 1 })
	sys.Stop()
	wants(t, receive(t, "SendWait", errs), actor.ErrSystemStopped)
	st := sys.Stats()
	equal(t, "unmutes", st.Unmutes, st.Mutes)
	equal(t, "messages", st.Messages+uint64(dead.n.Load()), 3+3)
}

// muteGraph is a random program in which actors apply pressure, send to each other, and release the
// pressure when an answer of another actor comes.
type muteGraph struct {
	actors         []actor.Ref[puppet]
	ran, sent, bad atomic.Int64
}

// sway is one step of an actor. All steps are drawn before the run.
type sway struct {
	class  int // 0: send on, 1: press and ask, 2: press a while, 3: burst
	at, to int
	next   []sway
}

func (g *muteGraph) do(a sway) deed {
	return func(p *puppet, c *actor.Context) {
		g.ran.Add(1)
		to := g.actors[a.to]
		send := func(to actor.Ref[puppet], f deed) { g.sent.Add(1); do.Send(c, to, f) }
		me := actor.Self[puppet](c)
		switch a.class {
		case 1:
			c.ApplyPressure()
			send(to, func(_ *puppet, c *actor.Context) {
				g.ran.Add(1)
				g.sent.Add(1)
				do.Send(c, me, func(*puppet, *actor.Context) { g.ran.Add(1) }) // it is muted
			})
			send(to, func(_ *puppet, c *actor.Context) {
				g.ran.Add(1)
				g.sent.Add(1)
				do.Send(c, me, func(_ *puppet, c *actor.Context) { g.ran.Add(1); c.ReleasePressure() })
			})
		case 2:
			c.ApplyPressure()
			send(me, func(_ *puppet, c *actor.Context) { g.ran.Add(1); c.ReleasePressure() })
		case 3:
			for range 5 {
				send(to, func(*puppet, *actor.Context) { g.ran.Add(1) })
			}
		}
		for _, n := range a.next {
			send(g.actors[n.at], g.do(n))
		}
	}
}

// drawAct draws a step and its following steps.
func drawAct(t *rapid.T, actors, depth int) sway {
	pick := func(what string) int { return rapid.IntRange(0, actors-1).Draw(t, what) }
	a := sway{class: rapid.IntRange(0, 3).Draw(t, "class"), at: pick("at"), to: pick("to")}
	if depth > 0 {
		for range rapid.IntRange(0, 2).Draw(t, "next") {
			a.next = append(a.next, drawAct(t, actors, depth-1))
		}
	}
	return a
}

// TestPressureDeadlock_RandomGraphs: a thousand random mute graphs "never hang": every message
// runs, and no actor stays muted. The watchdog says which actors wait for which.
func TestPressureDeadlock_RandomGraphs(t *testing.T) {
	var released, reports uint64
	defer func() { t.Logf("%d let go, %d reports", released, reports) }()
	graph := func(t *rapid.T) {
		sys := actor.Start(actor.WithWorkers(rapid.IntRange(1, 3).Draw(t, "workers")),
			actor.WithLogger(silent), make(deadlocks, 1).option(),
			actor.DeadlockEvery(time.Millisecond/2))
		defer sys.Stop()
		var g muteGraph
		types := []*actor.Type[puppet]{puppetType}
		for range rapid.IntRange(2, 4).Draw(t, "actors") {
			g.actors = append(g.actors, types[0].Spawn(sys, puppet{}))
		}
		for range rapid.IntRange(1, 6).Draw(t, "roots") {
			a := drawAct(t, len(g.actors), 3)
			g.sent.Add(1)
			do.Send(sys, g.actors[a.at], g.do(a))
		}
		ctx, cancel := context.WithTimeout(context.Background(), testLimit)
		defer cancel()
		if err := sys.Wait(ctx); err != nil {
			t.Fatalf("no progress: %v\n%s", err, strings.Join(actor.WhoWaits(sys), "\n"))
		}
		st := sys.Stats()
		released, reports = released+st.Exempted, reports+st.PressureDeadlocks
		if g.ran.Load() != g.sent.Load() || st.Mutes != st.Unmutes {
			t.Fatalf("%d of %d ran, %d mutes, %d unmutes", g.ran.Load(), g.sent.Load(), st.Mutes, st.Unmutes)
		}
	}
	for range scaled(10) { // of 100 each
		rapid.Check(t, graph)
	}
}

// TestPressureDeadlock_Log: without a hook the report is logged, with names.
func TestPressureDeadlock_Log(t *testing.T) {
	var log lines
	sys := start(t, actor.WithWorkers(1), actor.WithLogger(log.logger()))
	r := press(t, sys)
	m := muteOn(t, sys, func(c *actor.Context) { count.Send(c, r, 1) })
	eventually(t, "a line", func() bool {
		return slices.ContainsFunc(log.all(), func(l string) bool {
			return strings.Contains(l, m.String()+" waits for "+r.String())
		})
	})
	do.Send(sys, r, func(_ *puppet, c *actor.Context) { c.ReleasePressure() })
	watchdog(t, sys)
}

// lines records the lines of a log.
type lines struct {
	mu  sync.Mutex
	got []string
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.got = append(l.got, string(b))
	return len(b), nil
}

func (l *lines) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.got)
}

func (l *lines) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }
