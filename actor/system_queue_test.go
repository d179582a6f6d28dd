package actor_test

import (
	"errors"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// TestUrgent: "makes the messages of a behaviour overtake ordinary ones"; "Urgent
// messages from one sender to one receiver keep their order".
func TestUrgent(t *testing.T) {
	var d diary
	sys := start(t, actor.WithWorkers(2))
	r, release := busy(t, sys, mortal{name: "a", diary: &d})
	noting := func(s string) act { return func(m *mortal, _ *actor.Context) { m.note("%s", s) } }
	inside(t, sys, func(c *actor.Context) {
		say.Send(c, r, "1")
		say.Send(c, r, "2")
		rush.Send(c, r, noting("urgent 1"))
		must(t, rush.TrySend(c, r, noting("urgent 2")))
	})
	must(t, rush.SendWait(soon(t), r, noting("urgent 3")))
	rush.To(r).Send(sys, noting("urgent 4"))
	release()
	quiet(t, sys)
	d.says(t, "a: start", "a: urgent 1", "a: urgent 2", "a: urgent 3", "a: urgent 4", "a: 1", "a: 2")
	rush.Send(sys, r, func(_ *mortal, c *actor.Context) { c.Exit(errUser) })
	equal(t, "reason", joined(t, r), errUser)
	wants(t, rush.TrySend(sys, r, noting("late")), actor.ErrStopped)
	rush.Send(sys, r, noting("late"))
	equal(t, "dead letters", sys.Stats().DeadLetters, 1)
	sys.Stop()
	wants(t, rush.TrySend(sys, r, noting("late")), actor.ErrSystemStopped)
}

// TestUrgent_MoreThanABatch: a flood of urgent messages is served in several turns, all of it
// before the mail.
func TestUrgent_MoreThanABatch(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	r, release := busy(t, sys, mortal{})
	inside(t, sys, func(c *actor.Context) {
		doAct.Send(c, r, func(m *mortal, _ *actor.Context) { equal(t, "urgent ones before", m.n, 1050) })
		for i := range 1050 {
			rush.Send(c, r, func(m *mortal, _ *actor.Context) {
				equal(t, "urgent ones before", m.n, i)
				m.n++
			})
		}
	})
	release()
	quiet(t, sys)
	equal(t, "messages", sys.Stats().Messages, 1+1+1+1050)
}

// TestUrgent_BatchOfOne: two urgent messages come at once to an actor whose turns have one message
// each. It once answered its own reminders for ever. The swarm found that with seed 7, when it got
// its supervised children.
func TestUrgent_BatchOfOne(t *testing.T) {
	sys := start(t, actor.WithWorkers(1), actor.WithBatch(1))
	r := mortalType.Spawn(sys, mortal{})
	inside(t, sys, func(c *actor.Context) {
		for range 3 {
			rush.Send(c, r, func(m *mortal, _ *actor.Context) { m.n++ })
		}
	})
	quiet(t, sys)
	equal(t, "messages", sys.Stats().Messages, 1+3)
}

// TestUrgent_Crash: a panic in an urgent message is like any other panic.
func TestUrgent_Crash(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	r, release := busy(t, sys, mortal{})
	rush.Send(sys, r, func(*mortal, *actor.Context) { panic(1) })
	rush.Send(sys, r, func(*mortal, *actor.Context) { t.Error("it ran on a broken state") })
	say.Send(sys, r, "")
	release()
	quiet(t, sys)
	equal(t, "dead letters", sys.Stats().DeadLetters, 2)
	equal(t, "reason", brief(joined(t, r)), "panic")
}

// TestSignals_ReachAll: an order reaches an idle, an overloaded, a muted and a busy
// actor ahead of its mail.
func TestSignals_ReachAll(t *testing.T) {
	t.Run("Idle", func(t *testing.T) {
		sys := start(t)
		r := puppetType.Spawn(sys, puppet{})
		must(t, actor.StopWait(soon(t), r))
	})
	t.Run("Muted", func(t *testing.T) {
		var dead letters
		sys := start(t, actor.WithWorkers(2), dead.option())
		o := overload(t, sys)
		m, m2 := o.mute(t, sys), o.mute(t, sys)
		do.Send(sys, m, func(*puppet, *actor.Context) { t.Error("a stopped actor ran") })
		must(t, actor.StopWait(soon(t), m)) // although o has not recovered
		wants(t, dead.last.Load().Reason, actor.ErrShutdown)
		watcher := mortalType.Spawn(sys, mortal{})
		in(t, watcher, func(_ *mortal, c *actor.Context) { actor.Link(c, m2); c.Exit(errUser) })
		equal(t, "reason", joined(t, m2), errUser)
		o.release()
		quiet(t, sys)
		st := sys.Stats()
		equal(t, "unmutes", st.Unmutes, st.Mutes)
	})
	t.Run("MutedAndLetGo", func(t *testing.T) {
		sys := start(t, actor.WithWorkers(2))
		o := overload(t, sys)
		m := o.mute(t, sys)
		ran := make(chan struct{}, 1)
		do.Send(sys, m, func(*puppet, *actor.Context) { ran <- struct{}{} })
		w := mortalType.Spawn(sys, mortal{})
		// The muted actor is told of both, and stays muted.
		in(t, w, func(_ *mortal, c *actor.Context) { actor.Unwatch(c, actor.Watch(c, m, onDown)) })
		in(t, w, func(*mortal, *actor.Context) {})
		equal(t, "messages run by a muted actor", len(ran), 0)
		o.release()
		receive(t, "its mail to run", ran)
		quiet(t, sys)
		st := sys.Stats()
		equal(t, "unmutes", st.Unmutes, st.Mutes)
	})
	t.Run("Busy", func(t *testing.T) {
		sys := start(t, actor.WithWorkers(2))
		r := puppetType.Spawn(sys, puppet{})
		begun := make(chan struct{})
		do.Send(sys, r, func(_ *puppet, c *actor.Context) {
			close(begun)
			for !c.Stopping() {
			}
		})
		do.Send(sys, r, func(*puppet, *actor.Context) { t.Error("mail ran before the order") })
		receive(t, "the behaviour", begun)
		must(t, actor.StopWait(soon(t), r))
	})
}

// TestShield: "A Kill that comes meanwhile, … takes effect when the outermost Shield of the
// behaviour returns. Deferred functions run then".
func TestShield(t *testing.T) {
	var d diary
	sys := start(t, actor.WithWorkers(2))
	r := mortalType.Spawn(sys, mortal{name: "a", diary: &d})
	begun := make(chan struct{})
	asked := make(chan error, 1)
	go func() {
		_, err := fetchIn.Ask(soon(t), r, func(m *mortal, c *actor.Context) {
			defer m.note("deferred")
			c.Checkpoint()
			c.Shield(func() {
				c.Shield(func() {
					close(begun)
					for !c.Stopping() {
					}
					c.Checkpoint()
					m.note("inner")
				})
				c.Checkpoint()
				m.note("outer")
			})
			m.note("never")
		})
		asked <- err
	}()
	receive(t, "the behaviour", begun)
	must(t, actor.KillWait(soon(t), r))
	d.says(t, "a: start", "a: inner", "a: outer", "a: deferred")
	err := receive(t, "the caller to be told", asked)
	if !errors.Is(err, actor.ErrStopped) || !errors.Is(err, actor.ErrKilled) ||
		errors.Is(err, actor.ErrPanicked) {
		t.Errorf("the caller was told %v", err)
	}
	equal(t, "panics", sys.Stats().Panics, 0)
}

// TestShield_Stop: "An order to stop takes effect after the message, as always."
func TestShield_Stop(t *testing.T) {
	var d diary
	sys := start(t, actor.WithWorkers(2))
	r := mortalType.Spawn(sys, mortal{name: "a", diary: &d})
	begun := make(chan struct{})
	doAct.Send(sys, r, func(m *mortal, c *actor.Context) {
		c.Shield(func() {
			close(begun)
			for !c.Stopping() {
			}
		})
		c.Checkpoint()
		m.note("to the end")
	})
	say.Send(sys, r, "never")
	receive(t, "the behaviour", begun)
	must(t, actor.StopWait(soon(t), r))
	d.says(t, "a: start", "a: to the end", "a: stop shutdown")
}

// TestShield_Panic: after a panic has left a shield, the shield has no effect.
func TestShield_Panic(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	r := mortalType.Spawn(sys, mortal{})
	_, err := fetchIn.Ask(soon(t), r, func(_ *mortal, c *actor.Context) {
		func() {
			defer func() { _ = recover() }()
			c.Shield(func() { panic(1) })
		}()
		actor.Kill(c, actor.Self[mortal](c))
		c.Checkpoint()
		t.Error("a killed behaviour went on")
	})
	wants(t, err, actor.ErrKilled)
}

// TestKill_BehindAPanic: "If a behaviour panics while a Kill is pending, in a Context.Shield or
// not, the panic comes first". Everyone sees the same result.
func TestKill_BehindAPanic(t *testing.T) {
	for _, c := range []struct {
		name              string
		supervised, child bool
		reason            string   // the reason that all are told in the end
		own, fell         []string // the reasons of its OnStop, and of its supervisor
	}{
		{"Alone", false, false, "panic", []string{"r: stop panic"}, nil},
		{"Parent", false, true, "killed", nil, nil},
		{"Supervised", true, false, "killed", []string{"r: stop panic"},
			[]string{"super: fell panic false", "super: fell killed true"}},
		{"SupervisedParent", true, true, "killed", nil, []string{"super: fell killed true"}},
	} {
		for _, opt := range []actor.Option{actor.WithWorkers(2), actor.WithDeterministic(1),
			actor.WithDeterministic(2), actor.WithDeterministic(3)} {
			for _, shielded := range []bool{true, false} {
				t.Run(c.name, func(t *testing.T) {
					v := newVictim(t, start(t, opt), c.supervised, c.child)
					_, err := fetchIn.Ask(soon(t), v.ref, func(_ *mortal, c *actor.Context) {
						fail := func() { actor.Kill(c, actor.Self[mortal](c)); panic(1) }
						if shielded {
							c.Shield(fail)
						}
						fail()
					})
					wants(t, err, actor.ErrPanicked)
					quiet(t, v.sys)
					v.link.says(t, "link: exit "+c.reason)
					v.watcher.says(t, "watcher: down "+c.reason)
					v.super.says(t, c.fell...)
					v.own.says(t, c.own...)
					equal(t, "reason", brief(joined(t, v.ref)), c.reason)
					equal(t, "panics", v.sys.Stats().Panics, 1)
				})
			}
		}
	}
}

// victim is an actor, with the records of the actors that observe it.
type victim struct {
	sys                       *actor.System
	ref                       actor.Ref[mortal]
	own, link, watcher, super diary
}

func newVictim(t *testing.T, sys *actor.System, supervised, child bool) *victim {
	v := &victim{sys: sys}
	born := func(name string, d *diary) mortal { return mortal{name: name, diary: d, born: true} }
	if v.ref = mortalType.Spawn(sys, born("r", &v.own)); supervised {
		in(t, mortalType.Spawn(sys, born("super", &v.super)), func(m *mortal, c *actor.Context) {
			// The supervisor restarts it, too late.
			m.onFell = func(_ *mortal, c *actor.Context, f actor.ChildDown) { actor.Restart(c, f.Ref) }
			v.ref = actor.SpawnSupervised(c, mortalType, func(m *mortal) { *m = born("r", &v.own) }, onFell)
		})
	}
	in(t, mortalType.Spawn(sys, born("link", &v.link)), func(_ *mortal, c *actor.Context) {
		actor.TrapExit(c, onExit)
		actor.Link(c, v.ref)
	})
	in(t, mortalType.Spawn(sys, born("watcher", &v.watcher)), func(_ *mortal, c *actor.Context) {
		actor.Watch(c, v.ref, onDown)
	})
	in(t, v.ref, func(_ *mortal, c *actor.Context) {
		if child {
			mortalType.SpawnChild(c, mortal{})
		}
	})
	return v
}
