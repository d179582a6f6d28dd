package actor_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// boss watches talkers, or traps their exits, and records the messages that it runs.
type boss struct {
	heard []string
	diary *[]string
	mon   actor.Monitor
}

func (b *boss) note(s string) {
	b.heard = append(b.heard, s)
	if b.diary != nil {
		*b.diary = append(*b.diary, s)
	}
}

type bossBehaviours struct {
	typ  *actor.Type[boss]
	do   actor.Behaviour[boss, func(*boss, *actor.Context)]
	word actor.Behaviour[boss, string]
	down actor.Behaviour[boss, actor.Down]
	exit actor.Behaviour[boss, actor.Exit]
	soon actor.Behaviour[boss, actor.Down] // urgent
	rush actor.Behaviour[boss, actor.Exit] // urgent
}

func newBossType(opts ...actor.TypeOption) *bossBehaviours {
	b := &bossBehaviours{typ: actor.NewType[boss]("boss", opts...)}
	b.do = actor.Declare[func(*boss, *actor.Context)](b.typ, "do")
	b.word = actor.Declare[string](b.typ, "word")
	b.down = actor.Declare[actor.Down](b.typ, "down")
	b.exit = actor.Declare[actor.Exit](b.typ, "exit")
	b.soon = actor.Declare[actor.Down](b.typ, "soon", actor.Urgent())
	b.rush = actor.Declare[actor.Exit](b.typ, "rush", actor.Urgent())
	down := func(b *boss, _ *actor.Context, d actor.Down) { b.note("down " + brief(d.Reason)) }
	exit := func(b *boss, _ *actor.Context, e actor.Exit) { b.note("exit " + brief(e.Reason)) }
	b.typ.Table(
		b.do.Handle(func(b *boss, c *actor.Context, f func(*boss, *actor.Context)) { f(b, c) }),
		b.word.Handle(func(b *boss, _ *actor.Context, s string) { b.note(s) }),
		b.down.Handle(down), b.soon.Handle(down), b.exit.Handle(exit), b.rush.Handle(exit))
	return b
}

var bossTypes = map[string]*bossBehaviours{
	"plain":      newBossType(),
	"batch of 1": newBossType(actor.WithBatch(1)),
	"watermarks": newBossType(actor.WithWatermarks(2, 1)),
	"mute":       newBossType(actor.WithBound(2, actor.OverflowMute)),
	"refuse":     newBossType(actor.WithBound(3, actor.OverflowRefuse)),
	"drop":       newBossType(actor.WithBound(3, actor.OverflowDropOldest)),
	"finishes":   newBossType(actor.WithFinishAsks()),
}

// talk makes an actor send three words to the boss and end. It returns after the end.
func talk(t *testing.T, sys *actor.System, b *bossBehaviours, to actor.Ref[boss],
	end func(c *actor.Context)) {
	t.Helper()
	r := puppetType.Spawn(sys, puppet{})
	ready := make(chan struct{})
	b.do.Send(sys, to, func(x *boss, c *actor.Context) {
		x.mon = actor.Watch(c, r, b.down)
		actor.Link(c, r)
		actor.TrapExit(c, b.exit)
		close(ready)
	})
	receive(t, "the watch", ready)
	stay, busy := make(chan struct{}), make(chan struct{})
	b.do.Send(sys, to, func(*boss, *actor.Context) { close(busy); <-stay })
	receive(t, "the boss to be busy", busy)
	do.Send(sys, r, func(_ *puppet, c *actor.Context) {
		for _, w := range []string{"a", "b", "c"} {
			b.word.Send(c, to, w)
		}
		end(c)
	})
	_, err := actor.Join(soon(t), r)
	must(t, err)
	// The news has been sent: the talker's worker sends it before it runs this behaviour.
	inside(t, sys, func(*actor.Context) {})
	close(stay)
}

// TestLastWord: the messages that an actor has sent to its watcher arrive before its Down and its
// Exit, however it ends, and for every kind of mailbox of the watcher.
func TestLastWord(t *testing.T) {
	for name, b := range bossTypes {
		for reason, end := range map[string]func(c *actor.Context){
			"normal": func(c *actor.Context) { c.Stop() },
			"user":   func(c *actor.Context) { c.Exit(errUser) },
			"panic":  func(*actor.Context) { panic(1) },
		} {
			t.Run(name+"/"+reason, func(t *testing.T) {
				sys := start(t, actor.WithWorkers(2),
					actor.WithHooks(actor.Hooks{Panic: func(actor.PanicReport) {}}))
				r := b.typ.Spawn(sys, boss{})
				talk(t, sys, b, r, end)
				quiet(t, sys)
				heard := b.hears(t, sys, r)
				if len(heard) != 5 || !slices.Equal(heard[:3], []string{"a", "b", "c"}) {
					t.Errorf("heard %q", heard)
				}
			})
		}
	}
}

func (b *bossBehaviours) hears(t *testing.T, sys *actor.System, r actor.Ref[boss]) []string {
	heard := make(chan []string, 1)
	b.do.Send(sys, r, func(b *boss, _ *actor.Context) { heard <- b.heard })
	return receive(t, "what it has heard", heard)
}

// TestLastWord_Urgent: a watcher that must be told at once declares its behaviour urgent. It is
// then told ahead of its mail, also while it is muted. Any other watcher is told after its earlier
// mail.
func TestLastWord_Urgent(t *testing.T) {
	for _, urgent := range []bool{false, true} {
		sys, b := start(t, actor.WithWorkers(2)), bossTypes["plain"]
		o := overload(t, sys)
		var diary []string
		r := b.typ.Spawn(sys, boss{diary: &diary})
		dead := puppetType.Spawn(sys, puppet{})
		b.do.Send(sys, r, func(_ *boss, c *actor.Context) {
			if actor.Link(c, dead); urgent {
				actor.Watch(c, dead, b.soon)
				actor.TrapExit(c, b.rush)
			} else {
				actor.Watch(c, dead, b.down)
				actor.TrapExit(c, b.exit)
			}
			slowDo.Send(c, o.ref, noop)
		})
		eventually(t, "the watcher is muted", func() bool { return actor.Muted(r) })
		b.word.Send(sys, r, "word")
		actor.Stop(sys, dead)
		_, err := actor.Join(soon(t), dead)
		must(t, err)
		o.release()
		allUnmuted(t, sys)
		slices.Sort(diary[:2])
		want := []string{"down shutdown", "exit shutdown", "word"}
		if !urgent {
			slices.Sort(diary)
			want = []string{"down shutdown", "exit shutdown", "word"}
		}
		heard := b.hears(t, sys, r)
		if urgent != (heard[2] == "word") || len(diary) != 3 || !slices.Equal(diary, want) {
			t.Errorf("urgent: %v: heard %q", urgent, heard)
		}
	}
}

// TestLastWord_Drains: a watcher that drains is told of the end after its remaining mail, and
// before its own end.
func TestLastWord_Drains(t *testing.T) {
	for name, b := range bossTypes {
		t.Run(name, func(t *testing.T) {
			sys := start(t, actor.WithWorkers(2))
			var diary []string
			r := b.typ.Spawn(sys, boss{diary: &diary})
			talk(t, sys, b, r, func(c *actor.Context) { actor.Drain(c, r); c.Stop() })
			_, err := actor.Join(soon(t), r)
			must(t, err)
			quiet(t, sys)
			if len(diary) != 5 || !slices.Equal(diary[:3], []string{"a", "b", "c"}) {
				t.Errorf("heard %q", diary)
			}
		})
	}
}

// TestLastWord_TakenBack: after Unwatch and Unlink no news arrives, even if it waits after the
// mail. And "an exit is trapped if TrapExit is in force at the message's turn".
func TestLastWord_TakenBack(t *testing.T) {
	b := bossTypes["plain"]
	for name, c := range map[string]struct {
		takes func(x *boss, c *actor.Context, talker actor.Ref[puppet])
		want  []string
		ends  error
	}{
		"Unwatch": {func(x *boss, c *actor.Context, _ actor.Ref[puppet]) { actor.Unwatch(c, x.mon) },
			[]string{"exit " + errUser.Error()}, nil},
		"Unlink": {func(_ *boss, c *actor.Context, r actor.Ref[puppet]) { actor.Unlink(c, r) },
			[]string{"down " + errUser.Error()}, nil},
		"UntrapExit": {func(_ *boss, c *actor.Context, _ actor.Ref[puppet]) { actor.UntrapExit(c) },
			[]string{"down " + errUser.Error()}, errUser},
	} {
		t.Run(name, func(t *testing.T) {
			sys := start(t, actor.WithWorkers(2))
			var diary []string
			r, talker := b.typ.Spawn(sys, boss{diary: &diary}), puppetType.Spawn(sys, puppet{})
			stay, busy := make(chan struct{}), make(chan struct{})
			b.do.Send(sys, r, func(x *boss, c *actor.Context) {
				x.mon = actor.Watch(c, talker, b.down)
				actor.Link(c, talker)
				actor.TrapExit(c, b.exit)
			})
			quiet(t, sys)
			b.do.Send(sys, r, func(*boss, *actor.Context) { close(busy); <-stay })
			receive(t, "the boss to be busy", busy)
			actor.StopWith(sys, talker, errUser)
			_, err := actor.Join(soon(t), talker)
			must(t, err)
			inside(t, sys, func(*actor.Context) {})
			// This comes after the running behaviour and before the news, which is put after this
			// message.
			b.do.Send(sys, r, func(x *boss, a *actor.Context) { c.takes(x, a, talker) })
			close(stay)
			quiet(t, sys)
			if c.ends != nil {
				d, err := actor.Join(soon(t), r)
				must(t, err)
				if !errors.Is(d.Reason, c.ends) {
					t.Errorf("ended for %v", d.Reason)
				}
			} else if !slices.Equal(diary, c.want) {
				t.Errorf("heard %q, want %q", diary, c.want)
			}
		})
	}
}

// TestLastWord_Stash: the news can be stashed like any message, and runs after Unstash.
func TestLastWord_Stash(t *testing.T) {
	typ := actor.NewType[boss]("stashing boss")
	begin := actor.Declare[actor.Ref[puppet]](typ, "begin")
	goOn := actor.Declare[struct{}](typ, "go on")
	down := actor.Declare[actor.Down](typ, "down")
	var heard []string
	typ.Table(
		begin.Handle(func(_ *boss, c *actor.Context, r actor.Ref[puppet]) { actor.Watch(c, r, down) }),
		goOn.Handle(func(_ *boss, c *actor.Context, _ struct{}) {
			heard = append(heard, "go on")
			actor.UnstashAll(c)
		}),
		down.Handle(func(_ *boss, c *actor.Context, d actor.Down) {
			if len(heard) == 0 {
				down.Stash(c, d)
				return
			}
			heard = append(heard, "down "+brief(d.Reason))
		}))
	sys := start(t, actor.WithWorkers(1))
	r, dead := typ.Spawn(sys, boss{}), puppetType.Spawn(sys, puppet{})
	begin.Send(sys, r, dead)
	actor.Stop(sys, dead)
	quiet(t, sys)
	goOn.Send(sys, r, struct{}{})
	quiet(t, sys)
	equal(t, "heard", len(heard), 2)
	equal(t, "heard last", heard[len(heard)-1], "down shutdown")
}

// TestLastWord_Panics: a watcher that panics over the news ends for that, or is restarted and is
// not told again. The report names its behaviour.
func TestLastWord_Panics(t *testing.T) {
	typ := actor.NewType[boss]("weak boss")
	begin := actor.Declare[actor.Ref[puppet]](typ, "begin")
	down := actor.Declare[actor.Down](typ, "down")
	typ.Table(
		begin.Handle(func(_ *boss, c *actor.Context, r actor.Ref[puppet]) { actor.Watch(c, r, down) }),
		down.Handle(func(*boss, *actor.Context, actor.Down) { panic(1) }))
	reports := make(chan actor.PanicReport, 2)
	sys := start(t, actor.WithWorkers(1),
		actor.WithHooks(actor.Hooks{Panic: func(p actor.PanicReport) { reports <- p }}))
	r, dead := typ.Spawn(sys, boss{}), puppetType.Spawn(sys, puppet{})
	begin.Send(sys, r, dead)
	actor.Stop(sys, dead)
	p := receive(t, "the report", reports)
	equal(t, "behaviour", p.Behaviour, "down")
	d, err := actor.Join(soon(t), r)
	must(t, err)
	wants(t, d.Reason, actor.ErrPanicked)
	quiet(t, sys)
	equal(t, "reports", len(reports), 0)
}
