package actor_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/bridge"
)

// guardian is a supervisor with one child.
type guardian struct {
	sys          *actor.System
	super, child actor.Ref[mortal]
	diary        diary
	generations  int
}

// guard makes a guardian. answer is called when the child has fallen.
func guard(t testing.TB, child mortal, answer func(c *actor.Context, f actor.ChildDown),
	opts ...actor.Option) *guardian {
	t.Helper()
	g := &guardian{sys: start(t, append([]actor.Option{actor.WithWorkers(2)}, opts...)...)}
	g.super = mortalType.Spawn(g.sys, mortal{name: "super", diary: &g.diary,
		onFell: func(_ *mortal, c *actor.Context, f actor.ChildDown) {
			if !f.Final && answer != nil {
				answer(c, f)
			}
		}})
	in(t, g.super, func(_ *mortal, c *actor.Context) {
		g.child = actor.SpawnSupervised(c, mortalType, func(m *mortal) {
			g.generations++
			*m = child
			m.name, m.diary, m.n = "child", &g.diary, g.generations
		}, onFell)
	})
	quiet(t, g.sys)
	g.diary.lines = nil
	return g
}

func restart(c *actor.Context, f actor.ChildDown) { actor.Restart(c, f.Ref) }
func giveUp(c *actor.Context, f actor.ChildDown)  { actor.Stop(c, f.Ref) }

// crashAndSay sends a crash and then three messages, in one behaviour.
func crashAndSay(t testing.TB, g *guardian, crash act) {
	in(t, g.super, func(_ *mortal, c *actor.Context) {
		doAct.Send(c, g.child, crash)
		for _, s := range []string{"1", "2", "3"} {
			say.Send(c, g.child, s)
		}
	})
}

// TestRestart: "Its ref, its mail, its links and its watchers stay. … The message over which it
// fell does not run again."
func TestRestart(t *testing.T) {
	for _, c := range []struct {
		name, reason string
		crash        act
	}{
		{"Panic", "panic", func(*mortal, *actor.Context) { panic(1) }},
		{"Exit", errUser.Error(), func(_ *mortal, c *actor.Context) { c.Exit(errUser) }},
		{"Stop", "normal", func(_ *mortal, c *actor.Context) { c.Stop() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := guard(t, mortal{}, restart)
			crashAndSay(t, g, c.crash)
			quiet(t, g.sys)
			g.diary.says(t, "child: stop "+c.reason, "super: fell "+c.reason+" false", "child: start",
				"child: 1",
				"child: 2", "child: 3")
			n, err := fetch.Ask(soon(t), g.child, func(m *mortal) int { return m.n })
			must(t, err)
			equal(t, "generation", n, 2)
			equal(t, "dead letters", g.sys.Stats().DeadLetters, 0)
			must(t, actor.StopWait(soon(t), g.super))
			quiet(t, g.sys)
			equal(t, "ended", g.sys.Stats().Stopped, 2)
		})
	}
}

// TestSuspended: "the actor is suspended: it keeps its mail, holds the system, and waits for
// Restart or Stop". Stop reaches it (TestBug_K50), and so does the end of its supervisor.
func TestSuspended(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer func(g *guardian)
		reason string
		runs   int
	}{
		{"Restart", func(g *guardian) { actor.Restart(g.sys, g.child) }, "", 3},
		{"Stop", func(g *guardian) { actor.Stop(g.sys, g.child) }, "panic", 0},
		{"Drain", func(g *guardian) { actor.Drain(g.sys, g.child) }, "panic", 0},
		{"Kill", func(g *guardian) { actor.Kill(g.sys, g.child) }, "killed", 0},
		{"SupervisorStops", func(g *guardian) { actor.Stop(g.sys, g.super) }, "panic", 0},
		{"SupervisorKilled", func(g *guardian) { actor.Kill(g.sys, g.super) }, "killed", 0},
		{"SupervisorCrashes", func(g *guardian) {
			doAct.Send(g.sys, g.super, func(*mortal, *actor.Context) { panic(2) })
		}, "panic", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var dead letters
			childDown := make(chan struct{})
			g := guard(t, mortal{}, func(*actor.Context, actor.ChildDown) {
				close(childDown)
			}, dead.option())
			crashAndSay(t, g, func(*mortal, *actor.Context) { panic(1) })
			receive(t, "the fall", childDown)
			ctx, cancel := context.WithCancel(context.Background())
			waited := make(chan error, 1)
			go func() { waited <- g.sys.Wait(ctx) }()
			wants(t, say.TrySend(g.sys, g.child, ""), actor.ErrOverloaded) // its gate is shut
			equal(t, "it holds the system", len(waited), 0)
			cancel()
			wants(t, receive(t, "Wait", waited), context.Canceled)
			c.answer(g)
			quiet(t, g.sys)
			equal(t, "dead letters", int(dead.n.Load()), 3-c.runs)
			if c.reason != "" {
				equal(t, "reason", brief(joined(t, g.child)), c.reason)
			}
		})
	}
}

// TestSuspended_StopsAtOnce: Stop ends a suspended actor at once. It does not wait for the restart,
// which would come an hour later by the run's own clock.
func TestSuspended_StopsAtOnce(t *testing.T) {
	for seed := range uint64(5) {
		var g *guardian
		g = guard(t, mortal{}, func(c *actor.Context, f actor.ChildDown) {
			actor.After(c, time.Hour, doAct, func(_ *mortal, c *actor.Context) { actor.Restart(c, g.child) })
			actor.Stop(c, g.child)
		}, actor.WithDeterministic(seed))
		crashAndSay(t, g, func(*mortal, *actor.Context) { panic(1) })
		quiet(t, g.sys)
		equal(t, "dead letters", g.sys.Stats().DeadLetters, 3)
		equal(t, "reason", brief(joined(t, g.child)), "panic")
	}
}

// TestSuspended_SystemStops: "1,000 left-over messages are … 1,000 dead letters", in an actor that
// would not be restarted any more.
func TestSuspended_SystemStops(t *testing.T) {
	for _, polite := range []bool{true, false} {
		var dead letters
		childDown := make(chan struct{})
		g := guard(t, mortal{}, func(*actor.Context, actor.ChildDown) { close(childDown) }, dead.option())
		in(t, g.super, func(_ *mortal, c *actor.Context) {
			doAct.Send(c, g.child, func(*mortal, *actor.Context) { panic(1) })
			for range 1000 {
				say.Send(c, g.child, "")
			}
		})
		receive(t, "the fall", childDown)
		if polite {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			wants(t, g.sys.Shutdown(ctx), context.Canceled)
		}
		g.sys.Stop()
		equal(t, "dead letters", dead.n.Load(), 1000)
		wants(t, dead.last.Load().Reason, actor.ErrSystemStopped)
	}
}

// TestSuspend: a healthy actor is taken down and brought up. On the way down its children end
// first, and then OnStop runs. Restart does both, and does not tell the supervisor.
func TestSuspend(t *testing.T) {
	child := mortal{onStart: func(m *mortal, c *actor.Context) error {
		mortalType.SpawnChild(c, mortal{name: "grandchild", diary: m.diary, born: true})
		return nil
	}}
	g := guard(t, child, restart)
	in(t, g.super, func(_ *mortal, c *actor.Context) {
		actor.Suspend(c, g.child)
		say.Send(c, g.child, "kept")
	})
	quiet(t, g.sys)
	again := []string{"grandchild: stop shutdown", "child: stop shutdown"}
	g.diary.says(t, concat(again, []string{"super: fell shutdown false", "child: start",
		"child: kept"})...)
	g.diary.lines = nil
	actor.Restart(g.sys, g.child)
	quiet(t, g.sys)
	g.diary.says(t, concat(again, []string{"child: start"})...)
}

func concat(lists ...[]string) (all []string) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// TestRestart_StartFails: "at every start … in the actor's own turn": a panic of init and an error
// of OnStart are falls. They stop when the supervisor gives up.
func TestRestart_StartFails(t *testing.T) {
	for name, fails := range map[string]func() error{
		"Panic": func() error { panic(1) },
		"Error": func() error { return errUser },
	} {
		t.Run(name, func(t *testing.T) {
			falls := 0
			var bad bool
			g := guard(t, mortal{onStart: func(*mortal, *actor.Context) error {
				if bad {
					return fails()
				}
				return nil
			}}, func(c *actor.Context, f actor.ChildDown) {
				if falls++; falls < 5 {
					actor.Restart(c, f.Ref)
				} else {
					giveUp(c, f)
				}
			})
			bad = true
			crashAndSay(t, g, func(*mortal, *actor.Context) { panic(0) })
			quiet(t, g.sys)
			equal(t, "falls", falls, 5)
			equal(t, "starts", g.generations, 5)
			equal(t, "dead letters", g.sys.Stats().DeadLetters, 3)
		})
	}
}

// TestRestart_Forgets: the variant, the trap, the monitors of other actors and the children belong
// to a life. Links, watchers, the stash and urgent mail belong to the actor.
func TestRestart_Forgets(t *testing.T) {
	var childDown actor.ChildDown
	heardBy := make(chan struct{})
	g := guard(t, mortal{}, func(_ *actor.Context, f actor.ChildDown) {
		childDown = f
		close(heardBy)
	})
	other := mortalType.Spawn(g.sys, mortal{name: "other", diary: &g.diary})
	watcher := mortalType.Spawn(g.sys, mortal{name: "watcher", diary: &g.diary})
	in(t, watcher, func(_ *mortal, c *actor.Context) { actor.Watch(c, g.child, onDown) })
	tied := mortalType.Spawn(g.sys, mortal{})
	in(t, g.child, func(_ *mortal, c *actor.Context) {
		actor.Link(c, tied)
		actor.Watch(c, other, onDown)
		actor.TrapExit(c, onExit)
		actor.Become(c, stashing)
	})
	quiet(t, g.sys)
	g.diary.lines = nil
	say.Send(g.sys, g.child, "stashed")
	doAct.Send(g.sys, g.child, func(*mortal, *actor.Context) { panic(1) })
	receive(t, "the fall", heardBy)
	rush.Send(g.sys, g.child, func(m *mortal, _ *actor.Context) { m.note("urgent") })
	must(t, actor.KillWait(soon(t), other))
	actor.Restart(g.sys, childDown.Ref)
	quiet(t, g.sys)
	g.diary.says(t, "child: stop panic", "super: fell panic false", "child: start", "child: urgent",
		"child: stashed")
	g.diary.lines = nil
	must(t, actor.StopWait(soon(t), g.child))
	quiet(t, g.sys)
	equal(t, "reason of the linked one", brief(joined(t, tied)), "shutdown")
	slices.Sort(g.diary.lines)
	g.diary.says(t, "child: stop shutdown", "super: fell shutdown true", "watcher: down shutdown")
}

// TestRestart_ForgetsTimers: timers belong to a life, too. Every is left out: if its timer went on,
// the run's own clock would go on for ever.
func TestRestart_ForgetsTimers(t *testing.T) {
	g := guard(t, mortal{}, restart, actor.WithDeterministic(1))
	doAct.Send(g.sys, g.child, func(_ *mortal, c *actor.Context) {
		actor.After(c, time.Second, say, "in the next life")
		panic(1)
	})
	quiet(t, g.sys)
	g.diary.says(t, "child: stop panic", "super: fell panic false", "child: start")
}

// TestRestart_ForgetsChannels: the sources of FromChan end with the life that opened them, so an
// actor that opens its channels in OnStart has each once. The messages that were taken out still
// run.
func TestRestart_ForgetsChannels(t *testing.T) {
	const lives = 20
	ch := make(chan string)
	var on atomic.Bool
	open := func(_ *mortal, c *actor.Context) error {
		if on.Load() {
			bridge.FromChan(c, ch, say)
		}
		return nil
	}
	g := guard(t, mortal{onStart: open, born: true}, restart)
	on.Store(true)
	for range lives {
		actor.Restart(g.sys, g.child)
		_, err := fetch.Ask(soon(t), g.child, func(*mortal) int { return 0 }) // in the new life
		must(t, err)
		ch <- "hello"
	}
	eventually(t, "the goroutines of former lives to end", func() bool {
		return actor.Bridges(g.sys) == 1
	})
	close(ch)
	quiet(t, g.sys)
	said := 0
	for _, line := range g.diary.lines {
		if line == "child: hello" {
			said++
		}
	}
	equal(t, "messages", said, lives)
}

// stashing stashes all messages of say.
var stashing = mortalType.Variant(say.Handle(func(_ *mortal, c *actor.Context, s string) {
	say.Stash(c, s)
}))
