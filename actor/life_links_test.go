package actor_test

import (
	"runtime"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// in runs f in a behaviour of r and waits for it.
func in(t testing.TB, r actor.Ref[mortal], f act) {
	t.Helper()
	_, err := fetchIn.Ask(soon(t), r, f)
	must(t, err)
}

// TestLink: "when one of them ends for a reason that is not nil, the other ends for the same
// reason", whichever called Link, and at once if the other has ended long ago.
func TestLink(t *testing.T) {
	for _, c := range []struct {
		name   string
		end    func(sys *actor.System, r actor.Ref[mortal])
		reason string // "": the other lives
	}{
		{"Normal", func(sys *actor.System, r actor.Ref[mortal]) {
			doAct.Send(sys, r, func(_ *mortal, c *actor.Context) { c.Stop() })
		}, ""},
		{"Exit", func(sys *actor.System, r actor.Ref[mortal]) {
			doAct.Send(sys, r, func(_ *mortal, c *actor.Context) { c.Exit(errUser) })
		}, errUser.Error()},
		{"Panic", func(sys *actor.System, r actor.Ref[mortal]) {
			doAct.Send(sys, r, func(*mortal, *actor.Context) { panic(1) })
		}, "panic"},
		{"Goexit", func(sys *actor.System, r actor.Ref[mortal]) {
			doAct.Send(sys, r, func(*mortal, *actor.Context) { runtime.Goexit() })
		}, "panic"},
		{"Stop", func(sys *actor.System, r actor.Ref[mortal]) { actor.Stop(sys, r) }, "shutdown"},
		{"Drain", func(sys *actor.System, r actor.Ref[mortal]) { actor.Drain(sys, r) }, "shutdown"},
		{"Kill", func(sys *actor.System, r actor.Ref[mortal]) { actor.Kill(sys, r) }, "killed"},
	} {
		for _, forward := range []bool{true, false} {
			for _, late := range []bool{true, false} {
				sys := start(t, actor.WithWorkers(2))
				a, b := mortalType.Spawn(sys, mortal{name: "a"}), mortalType.Spawn(sys, mortal{name: "b"})
				third := mortalType.Spawn(sys, mortal{name: "third"})
				in(t, b, func(_ *mortal, ctx *actor.Context) { actor.Link(ctx, third) })
				tie := func() {
					from, to := a, b
					if !forward && !late {
						from, to = b, a
					}
					in(t, from, func(_ *mortal, ctx *actor.Context) {
						actor.Link(ctx, to)
						actor.Link(ctx, to)
						actor.Link(ctx, from)
					})
				}
				if !late {
					tie()
				}
				c.end(sys, b)
				quiet(t, sys)
				if late {
					tie()
					quiet(t, sys)
				}
				for _, r := range []actor.Ref[mortal]{a, third} {
					if err := say.TrySend(sys, r, ""); c.reason == "" {
						must(t, err)
					} else {
						if err == nil {
							t.Fatalf("%s forward=%v late=%v: %v lives", c.name, forward, late, r)
						}
						wants(t, err, actor.ErrStopped)
						equal(t, c.name+": reason", brief(joined(t, r)), c.reason)
					}
				}
			}
		}
	}
}

// TestTrapExit: "the ends of linked actors, normal ones too, come as messages".
func TestTrapExit(t *testing.T) {
	var d diary
	sys := start(t, actor.WithWorkers(2))
	a := mortalType.Spawn(sys, mortal{name: "a", diary: &d})
	in(t, a, func(_ *mortal, c *actor.Context) { actor.TrapExit(c, onExit) })
	for _, end := range []act{
		func(_ *mortal, c *actor.Context) { c.Stop() },
		func(_ *mortal, c *actor.Context) { c.Exit(errUser) },
		func(_ *mortal, c *actor.Context) { panic(1) },
		func(_ *mortal, c *actor.Context) { actor.Kill(c, actor.Self[mortal](c)) },
	} {
		b := mortalType.Spawn(sys, mortal{name: "b"})
		in(t, a, func(_ *mortal, c *actor.Context) { actor.Link(c, b) })
		doAct.Send(sys, b, end)
		quiet(t, sys)
	}
	d.says(t, "a: start", "a: exit normal", "a: exit "+errUser.Error(), "a: exit panic",
		"a: exit killed")
	in(t, a, func(_ *mortal, c *actor.Context) {
		actor.UntrapExit(c)
		b := mortalType.Spawn(c, mortal{name: "b"})
		actor.Link(c, b)
		actor.Kill(c, b)
	})
	equal(t, "reason without a trap", brief(joined(t, a)), "killed")
}

// TestUnlink: "When Unlink returns, the end of t no longer affects the running actor, even if t has
// ended already and the news is on its way."
func TestUnlink(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	for _, forward := range []bool{true, false} {
		a, b := mortalType.Spawn(sys, mortal{}), mortalType.Spawn(sys, mortal{})
		from, to := a, b
		if !forward {
			from, to = b, a
		}
		in(t, from, func(_ *mortal, c *actor.Context) { actor.Link(c, to) })
		quiet(t, sys)
		in(t, a, func(_ *mortal, c *actor.Context) {
			actor.Kill(sys, b)
			eventually(t, "b has ended", func() bool { return say.TrySend(c, b, "") != nil })
			actor.Unlink(c, b) // the signal of b's end is in a's system queue, or will be
			actor.Unlink(c, b)
		})
		quiet(t, sys)
		must(t, say.TrySend(sys, a, ""))
		c, d := mortalType.Spawn(sys, mortal{}), mortalType.Spawn(sys, mortal{})
		in(t, c, func(_ *mortal, ctx *actor.Context) { actor.Link(ctx, d); actor.Unlink(ctx, d) })
		in(t, d, func(_ *mortal, ctx *actor.Context) { actor.Unlink(ctx, c) })
		must(t, actor.KillWait(soon(t), c))
		quiet(t, sys)
		must(t, say.TrySend(sys, d, ""))
	}
}

// TestWatch: "once for each call of Watch. If t has ended long ago, the message is sent now, with
// the reason that t had. Watching does not affect t."
func TestWatch(t *testing.T) {
	var d diary
	sys, far := start(t, actor.WithWorkers(2)), start(t)
	for name, b := range map[string]actor.Ref[mortal]{
		"Near": mortalType.Spawn(sys, mortal{name: "b"}), "Far": mortalType.Spawn(far, mortal{name: "b"}),
	} {
		t.Run(name, func(t *testing.T) {
			d.lines = nil
			a := mortalType.Spawn(sys, mortal{name: "a", diary: &d})
			var first actor.Monitor
			in(t, a, func(m *mortal, c *actor.Context) {
				first = actor.Watch(c, b, onDown)
				actor.Watch(c, b.Any(), onDown)
				m.onDown = func(_ *mortal, _ *actor.Context, down actor.Down) {
					if down.ActorID != b.ID() || down.Type != "mortal" {
						t.Errorf("%+v", down)
					}
				}
			})
			quiet(t, far)
			doAct.Send(sys, b, func(_ *mortal, c *actor.Context) { c.Exit(errUser) })
			quiet(t, far) // b has ended, and has sent its reports
			quiet(t, sys)
			line := "a: down " + errUser.Error()
			d.says(t, "a: start", line, line)
			in(t, a, func(_ *mortal, c *actor.Context) {
				actor.Watch(c, b, onDown)
				actor.Unwatch(c, actor.Watch(c, b, onDown)) // even if "the message is on its way"
				actor.Unwatch(c, first)
				actor.Unwatch(c, actor.Monitor{})
			})
			quiet(t, sys)
			d.says(t, "a: start", line, line, line)
			inside(t, sys, func(c *actor.Context) {
				panics(t, "another actor's", func() { actor.Unwatch(c, first) })
			})
		})
	}
}

// TestUnwatch: no message comes after Unwatch, whether it is called before the end or after it.
func TestUnwatch(t *testing.T) {
	var d diary
	sys := start(t, actor.WithWorkers(2))
	a, b := mortalType.Spawn(sys, mortal{name: "a", diary: &d}), mortalType.Spawn(sys, mortal{})
	var m actor.Monitor
	in(t, a, func(_ *mortal, c *actor.Context) { m = actor.Watch(c, b, onDown) })
	in(t, a, func(_ *mortal, c *actor.Context) { actor.Unwatch(c, m); actor.Unwatch(c, m) })
	quiet(t, sys)
	must(t, actor.KillWait(soon(t), b))
	quiet(t, sys)
	d.says(t, "a: start")
}

// TestWatch_OfStoppedSystem: an actor watches an actor of another system, which stops. It is told,
// at the latest when it calls Watch again.
func TestWatch_OfStoppedSystem(t *testing.T) {
	var d diary
	sys, far := start(t), start(t)
	a, b := mortalType.Spawn(sys, mortal{name: "a", diary: &d}), puppetType.Spawn(far, puppet{})
	far.Stop()
	in(t, a, func(_ *mortal, c *actor.Context) { actor.Watch(c, b, onDown) })
	quiet(t, sys)
	d.says(t, "a: start", "a: down "+actor.ErrSystemStopped.Error())
}

// TestMisuse_OfLife: each misuse panics with an explanation.
func TestMisuse_OfLife(t *testing.T) {
	sys := start(t)
	var none actor.Ref[mortal]
	r := mortalType.Spawn(sys, mortal{})
	for call, f := range map[string]func(c *actor.Context){
		"Stop of a zero Ref":     func(c *actor.Context) { actor.Stop(c, none) },
		"StopWith of a zero Ref": func(c *actor.Context) { actor.StopWith(c, none, nil) },
		"Drain of a zero Ref":    func(c *actor.Context) { actor.Drain(c, actor.AnyRef{}) },
		"Kill of a zero Ref":     func(c *actor.Context) { actor.Kill(c, nil) },
		"Link of a zero Ref":     func(c *actor.Context) { actor.Link(c, none) },
		"Unlink of a zero Ref":   func(c *actor.Context) { actor.Unlink(c, none) },
		"Watch of a zero Ref":    func(c *actor.Context) { actor.Watch(c, none, onDown) },
		"Join of a zero Ref":     func(c *actor.Context) { _, _ = actor.Join(soon(t), none) },
		"Join called from":       func(c *actor.Context) { _, _ = actor.Join(soon(t), r) },
		"Restart: mortal":        func(c *actor.Context) { actor.Restart(c, r) },
		"Suspend: mortal":        func(c *actor.Context) { actor.Suspend(c, r) },
		"mortal":                 func(c *actor.Context) { actor.TrapExit(c, onExit) },
		"mortal.down":            func(c *actor.Context) { actor.Watch(c, r, onDown) },
		"mortal.fell": func(c *actor.Context) {
			actor.SpawnSupervised(c, mortalType, func(*mortal) {}, onFell)
		},
		"cannot become": func(c *actor.Context) { actor.Become(c, mortalType.Variant()) },
		"not what runs": func(c *actor.Context) { count.Stash(c, 1) },
	} {
		inside(t, sys, func(c *actor.Context) { panics(t, call, func() { f(c) }) })
	}
	in(t, r, func(_ *mortal, c *actor.Context) {
		panics(t, "nil function", func() { actor.SpawnSupervised(c, mortalType, nil, onFell) })
	})
	panics(t, "nil option", func() { actor.Declare[int](actor.NewType[int]("x"), "y", nil) })
	panics(t, "nil function", func() { actor.NewType[int]("x").OnStart(nil) })
	panics(t, "set twice", func() {
		actor.NewType[int]("x").OnStop(func(*int, *actor.Context, error) {}).OnStop(func(*int,
			*actor.Context, error) {
		})
	})
	panics(t, "after the first spawn", func() { mortalType.OnStop((*mortal).End) })
	panics(t, "declared for another type", func() { puppetType.Variant(slowDo.Handle((*puppet).Do)) })
	panics(t, "two methods", func() {
		mortalType.Variant(say.Handle((*mortal).Say), say.Handle((*mortal).Say))
	})
	panics(t, "without a behaviour", func() { mortalType.Variant(actor.Entry[mortal]{}) })
}

// TestAcross_EndsAreHeard: an actor is linked to, or watches, an actor of another system. It is
// told when that system stops, whether that actor has mail then or not. Nothing is left of an actor
// that has stopped with its system.
func TestAcross_EndsAreHeard(t *testing.T) {
	taken := actor.ErrSystemStopped.Error()
	for name, c := range map[string]struct {
		tie   func(c *actor.Context, to actor.Ref[mortal]) // in a, which lives on
		back  func(c *actor.Context, to actor.Ref[mortal]) // in b, whose system stops
		again bool                                         // tie is called again, after it was undone
		says  []string
	}{
		"watch": {tie: func(c *actor.Context, to actor.Ref[mortal]) {
			actor.Watch(c, to, onDown)
		}, says: []string{"a: down " + taken}},
		"link": {tie: func(c *actor.Context, to actor.Ref[mortal]) {
			actor.Link(c, to)
		}, says: []string{"a: exit " + taken}},
		"linked": {back: func(c *actor.Context, to actor.Ref[mortal]) {
			actor.Link(c, to)
		}, says: []string{"a: exit " + taken}},
		"watched": {back: func(c *actor.Context, to actor.Ref[mortal]) {
			actor.Watch(c, to, onDown)
		}},
		"unlinked": {tie: func(c *actor.Context, to actor.Ref[mortal]) {
			actor.Link(c, to)
			actor.Unlink(c, to)
		}},
		"unlinked back": {tie: func(c *actor.Context, to actor.Ref[mortal]) {
			actor.Link(c, to)
		}, back: func(c *actor.Context, to actor.Ref[mortal]) {
			actor.Unlink(c, to)
		}},
		"unwatched": {tie: func(c *actor.Context, to actor.Ref[mortal]) {
			actor.Unwatch(c, actor.Watch(c, to, onDown))
		}},
		"twice": {tie: func(c *actor.Context, to actor.Ref[mortal]) {
			actor.Unlink(c, to)
			actor.Link(c, to)
			actor.Watch(c, to, onDown)
		}, again: true, says: []string{"a: exit " + taken, "a: down " + taken, "a: down " + taken}},
	} {
		t.Run(name, func(t *testing.T) {
			var d diary
			sys, far := start(t), start(t)
			a, b := mortalType.Spawn(sys, mortal{name: "a", diary: &d}), mortalType.Spawn(far,
				mortal{name: "b", diary: new(diary)})
			in(t, a, func(m *mortal, c *actor.Context) { actor.TrapExit(c, onExit) })
			quiet(t, far)
			for range 2 {
				if c.tie != nil {
					in(t, a, func(_ *mortal, ctx *actor.Context) { c.tie(ctx, b) })
				}
				quiet(t, far)
				if !c.again {
					break
				}
			}
			if c.back != nil {
				in(t, b, func(_ *mortal, ctx *actor.Context) { c.back(ctx, a) })
			}
			quiet(t, sys)
			quiet(t, far)
			far.Stop()
			quiet(t, sys)
			d.says(t, append([]string{"a: start"}, c.says...)...)
			equal(t, "status", b.Status(), actor.StatusEnded)
			equal(t, "links and monitors that are left", actor.TiesOf(a), 0)
			equal(t, "what is left of it", actor.LeftoversOf(sys), actor.Leftovers{})
		})
	}
}
