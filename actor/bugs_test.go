package actor_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// Tests for defects that other runtimes had. The numbers are from the project's catalogue.

// TestBug_K22_SendDuringStart: all messages that come while an actor starts run after its start.
func TestBug_K22_SendDuringStart(t *testing.T) {
	withWorkers(t, func(t *testing.T, workers int) {
		sys := start(t, actor.WithWorkers(workers))
		for range scaled(200) {
			var started bool // owned by the actor
			r := mortalType.Spawn(sys, mortal{onStart: func(*mortal, *actor.Context) error {
				started = true
				return nil
			}})
			var wg sync.WaitGroup
			for range 3 {
				wg.Go(func() {
					check := func(*mortal, *actor.Context) {
						if !started {
							t.Error("a message ran before the start")
						}
					}
					doAct.Send(sys, r, check)
					rush.Send(sys, r, check)
				})
			}
			wg.Wait()
		}
		quiet(t, sys)
		equal(t, "messages", int(sys.Stats().Messages), 6*scaled(200))
	})
}

// TestBug_K23_StopAgainstSend: each message that is sent while an actor is stopped, drained or
// killed runs or is a dead letter, once (and K25: none twice).
func TestBug_K23_StopAgainstSend(t *testing.T) {
	for name, end := range map[string]func(actor.Sender, actor.Target){"Stop": actor.Stop,
		"Drain": actor.Drain, "Kill": actor.Kill} {
		t.Run(name, func(t *testing.T) {
			var dead letters
			sys := start(t, actor.WithWorkers(3), dead.option())
			const senders, each = 4, 20
			rounds := scaled(200)
			for range rounds {
				r := mortalType.Spawn(sys, mortal{})
				var wg sync.WaitGroup
				for range senders {
					wg.Go(func() {
						for i := range each {
							if i%2 == 0 {
								doAct.Send(sys, r, nothing)
							} else {
								rush.Send(sys, r, nothing)
							}
						}
					})
				}
				wg.Go(func() { end(sys, r) })
				wg.Wait()
			}
			quiet(t, sys)
			st := sys.Stats()
			equal(t, "run or dead", int(st.Messages+st.DeadLetters), rounds*senders*each)
			equal(t, "ended", int(st.Stopped), rounds)
			equal(t, "reported", uint64(dead.n.Load()), st.DeadLetters)
		})
	}
}

// TestBug_K24_SuspendedDoesNotSpin: a suspended actor with mail takes no turns.
func TestBug_K24_SuspendedDoesNotSpin(t *testing.T) {
	childDown := make(chan struct{})
	g := guard(t, mortal{}, func(*actor.Context, actor.ChildDown) { close(childDown) })
	crashAndSay(t, g, func(*mortal, *actor.Context) { panic(1) })
	receive(t, "the fall", childDown)
	for range 100 {
		say.Send(g.sys, g.child, "")
		rush.Send(g.sys, g.child, nothing) // wakes it, once
		in(t, g.super, nothing)
	}
	actor.Restart(g.sys, g.child)
	quiet(t, g.sys)
	if turns := g.sys.Stats().Turns; turns > 400 {
		t.Errorf("%d turns", turns)
	}
}

// TestBug_K24_SuspendedRunsNothing: a suspended actor that is woken runs no mail. An hour later, by
// the run's own clock, it is restarted and runs all of it.
func TestBug_K24_SuspendedRunsNothing(t *testing.T) {
	for seed := range uint64(5) {
		var g *guardian
		g = guard(t, mortal{}, func(c *actor.Context, _ actor.ChildDown) {
			rush.Send(c, g.child, func(m *mortal, _ *actor.Context) { m.note("urgent") })
			actor.After(c, time.Hour, doAct, func(m *mortal, c *actor.Context) {
				m.note("an hour later")
				actor.Restart(c, g.child)
			})
		}, actor.WithDeterministic(seed))
		crashAndSay(t, g, func(*mortal, *actor.Context) { panic(1) })
		quiet(t, g.sys)
		g.diary.says(t, "child: stop panic", "super: fell panic false", "super: an hour later",
			"child: start", "child: urgent", "child: 1", "child: 2", "child: 3")
	}
}

// TestBug_K26_NoSilentDrop: 1,000 messages that are left over are 1,000 runs or 1,000 dead letters,
// for every kind of end of their actor.
func TestBug_K26_NoSilentDrop(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(sys *actor.System, r actor.Ref[mortal])
		dead int
	}{
		"Stop":  {func(sys *actor.System, r actor.Ref[mortal]) { actor.Stop(sys, r) }, 1000},
		"Drain": {func(sys *actor.System, r actor.Ref[mortal]) { actor.Drain(sys, r) }, 0},
		"Kill":  {func(sys *actor.System, r actor.Ref[mortal]) { actor.Kill(sys, r) }, 1000},
		"Panic": {func(sys *actor.System, r actor.Ref[mortal]) {
			rush.Send(sys, r, func(*mortal, *actor.Context) { panic(1) })
		}, 1000},
	} {
		t.Run(name, func(t *testing.T) {
			var dead letters
			sys := start(t, actor.WithWorkers(2), dead.option())
			r, release := busy(t, sys, mortal{})
			for range 1000 {
				say.Send(sys, r, "")
			}
			c.end(sys, r)
			release()
			quiet(t, sys)
			equal(t, "dead letters", int(dead.n.Load()), c.dead)
			if c.dead > 0 {
				wants(t, dead.last.Load().Reason, actor.ErrStopped)
			}
		})
	}
}

// TestBug_K40_ShutdownOfTrees: systems with families in the middle of ending shut down,
// and no goroutine hangs.
func TestBug_K40_ShutdownOfTrees(t *testing.T) {
	for i := range scaled(300) {
		sys := actor.Start(actor.WithWorkers(1+i%3), actor.WithLogger(silent))
		root := mortalType.Spawn(sys, mortal{})
		doAct.Send(sys, root, func(m *mortal, c *actor.Context) {
			m.onFell = func(_ *mortal, c *actor.Context, f actor.ChildDown) { restart(c, f) }
			for range 3 {
				k := actor.SpawnSupervised(c, mortalType, func(*mortal) {}, onFell)
				mortalType.SpawnChild(c, mortal{})
				actor.Watch(c, k, onDown)
				doAct.Send(c, k, func(*mortal, *actor.Context) { panic(1) })
			}
		})
		if i%2 == 0 {
			actor.Stop(sys, root)
		}
		switch i % 3 {
		case 0:
			must(t, sys.Shutdown(soon(t)))
		case 1:
			must(t, sys.Run())
		default:
			sys.Stop()
		}
	}
}

// TestBug_K10_EndStrandsNothing: an actor ends, and its mail and the messages in its system queue
// become dead letters. An actor that it has woken runs meanwhile, even if that takes long. The hook
// of the dead letters waits for the woken actor; programs must not do that.
func TestBug_K10_EndStrandsNothing(t *testing.T) {
	for name, leave := range map[string]func(c *actor.Context){
		"Mail": func(c *actor.Context) {
			do.Send(c, actor.Self[puppet](c), func(*puppet, *actor.Context) {})
		},
		"Lane": func(c *actor.Context) { rush.Send(c, actor.Self[mortal](c), nothing) },
	} {
		t.Run(name, func(t *testing.T) {
			ran, ctx := make(chan struct{}), notSoLong(t)
			sys := start(t, actor.WithWorkers(2),
				actor.WithHooks(actor.Hooks{DeadLetter: func(actor.DeadLetter) {
					select {
					case <-ran:
					case <-ctx.Done():
						t.Error("who was woken by an actor that ends waits for the end of its burial")
					}
				}}))
			woken := puppetType.Spawn(sys, puppet{})
			do.Send(sys, woken, func(*puppet, *actor.Context) {})
			quiet(t, sys)
			last := func(c *actor.Context) {
				do.Send(c, woken, func(*puppet, *actor.Context) { close(ran) })
				leave(c)
				c.Stop()
			}
			if name == "Mail" {
				do.Send(sys, puppetType.Spawn(sys, puppet{}), func(_ *puppet, c *actor.Context) { last(c) })
			} else {
				doAct.Send(sys, mortalType.Spawn(sys, mortal{}), func(_ *mortal, c *actor.Context) { last(c) })
			}
			quiet(t, sys)
		})
	}
}

// TestBug_K49_WaitForTheDead: a wait for an actor that has ended, or was never started, does not
// hang. Callbacks may call any function, since no lock is held.
func TestBug_K49_WaitForTheDead(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	r := mortalType.Spawn(sys, mortal{onStop: func(_ *mortal, c *actor.Context) {
		self := actor.Self[mortal](c)
		actor.Stop(c, self)
		actor.Watch(c, self, onDown)
		mortalType.Spawn(c, mortal{})
	}})
	quiet(t, sys)
	must(t, actor.StopWait(soon(t), r))
	for range 3 {
		equal(t, "reason", joined(t, r), actor.ErrShutdown)
	}
	quiet(t, sys)
	sys.Stop()
	_, err := actor.Join(soon(t), mortalType.Spawn(sys, mortal{}))
	wants(t, err, actor.ErrSystemStopped)
	equal(t, "reason", joined(t, r), actor.ErrShutdown)
}

// TestBug_K50_Storm: supervised actors that are stopped, killed, restarted, suspended and
// crash all at once end once each, and nothing hangs.
func TestBug_K50_Storm(t *testing.T) {
	sys := start(t, actor.WithWorkers(3))
	for range scaled(100) {
		root := mortalType.Spawn(sys, mortal{})
		var child actor.Ref[mortal]
		final := 0 // owned by the supervisor
		in(t, root, func(m *mortal, c *actor.Context) {
			m.onFell = func(_ *mortal, c *actor.Context, f actor.ChildDown) {
				if f.Final {
					final++
				} else {
					restart(c, f)
				}
			}
			child = actor.SpawnSupervised(c, mortalType, func(*mortal) {}, onFell)
		})
		var wg sync.WaitGroup
		for _, f := range []func(){
			func() { actor.Restart(sys, child) },
			func() { actor.Suspend(sys, child) },
			func() { doAct.Send(sys, child, func(*mortal, *actor.Context) { panic(1) }) },
			func() { rush.Send(sys, child, func(_ *mortal, c *actor.Context) { c.Exit(errUser) }) },
			func() { actor.Stop(sys, child) },
			func() { actor.Kill(sys, child) },
		} {
			wg.Go(f)
		}
		wg.Wait()
		_, err := actor.Join(soon(t), child)
		must(t, err)
		quiet(t, sys)
		equal(t, "final words", final, 1)
		must(t, actor.StopWait(soon(t), root))
	}
	quiet(t, sys)
	equal(t, "ended", sys.Stats().Stopped, sys.Stats().Spawned)
}

// TestCallers_HearAtOnce: the caller of an actor that panics, is stopped, is killed or was never
// started gets the reason at once. No reply and no time-out is needed.
func TestCallers_HearAtOnce(t *testing.T) {
	for name, c := range map[string]struct {
		m    mortal
		f    act
		want []error
	}{
		"Panic": {mortal{}, func(*mortal, *actor.Context) {
			panic(errUser)
		}, []error{actor.ErrPanicked, errUser}},
		"Goexit": {mortal{}, func(*mortal, *actor.Context) {
			runtime.Goexit()
		}, []error{actor.ErrPanicked}},
		"Killed": {mortal{}, func(_ *mortal, c *actor.Context) {
			actor.Kill(c, actor.Self[mortal](c))
			c.Checkpoint()
		}, []error{actor.ErrStopped, actor.ErrKilled}},
		"NeverStarted": {mortal{onStart: func(*mortal, *actor.Context) error {
			return errUser
		}}, nothing, []error{actor.ErrStopped, errUser}},
		"StartPanics": {mortal{onStart: func(*mortal, *actor.Context) error {
			panic(errUser)
		}}, nothing, []error{actor.ErrStopped, actor.ErrPanicked, errUser}},
	} {
		t.Run(name, func(t *testing.T) {
			sys := start(t, actor.WithWorkers(1))
			r := mortalType.Spawn(sys, c.m)
			_, err := fetchIn.Ask(context.Background(), r, c.f)
			for _, want := range c.want {
				wants(t, err, want)
			}
			_, late := fetchIn.Ask(context.Background(), r, nothing)
			wants(t, late, actor.ErrStopped)
			for _, want := range c.want {
				wants(t, late, want)
			}
		})
	}
}

// TestPanicReport_UserFrame: "A panic report shows actor, type, behaviour, message id and
// the user's own frame first", also if a function of Go's library panicked.
func TestPanicReport_UserFrame(t *testing.T) {
	for name, f := range map[string]act{
		"Own":     func(*mortal, *actor.Context) { ownFrame() },
		"Library": func(*mortal, *actor.Context) { ownFrame(-1) },
	} {
		t.Run(name, func(t *testing.T) {
			reports := make(chan actor.PanicReport, 1)
			sys := start(t, actor.WithHooks(actor.Hooks{Panic: func(p actor.PanicReport) { reports <- p }}))
			r := mortalType.Spawn(sys, mortal{})
			doAct.Send(sys, r, f)
			p := receive(t, "the report", reports)
			equal(t, "actor", p.ActorID, r.ID())
			equal(t, "where", p.Type+"."+p.Behaviour, "mortal.act")
			equal(t, "message", p.MessageID, 1)
			if !strings.HasPrefix(p.Frame, "github.com/gallop-go/gallop/actor_test.ownFrame ") ||
				!strings.Contains(p.Frame, "bugs_test.go:") {
				t.Errorf("frame %q", p.Frame)
			}
			var e *actor.PanicError
			if !errors.As(joined(t, r), &e) || len(e.Stack) == 0 {
				t.Errorf("the reason has no stack: %+v", e)
			}
		})
	}
}

//go:noinline
func ownFrame(n ...int) {
	for _, n := range n {
		_ = strings.Repeat("x", n)
	}
	panic("own")
}
