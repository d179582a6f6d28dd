package actor_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/heap"
)

// These tests combine several features. A user of both features has found each of the bugs.

// tool is an actor that runs the function in a message, from ordinary or from urgent mail.
type (
	tool struct{ sums []int }
	job  = func(*tool, *actor.Context)
)

// tools is a type of tool actors with its behaviours.
type tools struct {
	typ       *actor.Type[tool]
	do, hurry actor.Behaviour[tool, job]
	add       actor.Behaviour[tool, int]
	addSoon   actor.Behaviour[tool, int] // urgent
}

func newTools(opts ...actor.TypeOption) *tools {
	k := &tools{typ: actor.NewType[tool]("tool", opts...)}
	k.do = actor.Declare[job](k.typ, "do")
	k.hurry = actor.Declare[job](k.typ, "hurry", actor.Urgent())
	k.add = actor.Declare[int](k.typ, "add")
	k.addSoon = actor.Declare[int](k.typ, "addSoon", actor.Urgent())
	run := func(s *tool, c *actor.Context, j job) { j(s, c) }
	add := func(s *tool, _ *actor.Context, n int) { s.sums = append(s.sums, n) }
	k.typ.Table(k.do.Handle(run), k.hurry.Handle(run), k.add.Handle(add), k.addSoon.Handle(add))
	return k
}

// squeeze makes an actor apply pressure. relax makes it release the pressure.
func squeeze(t *testing.T, sys *actor.System, k *tools, r actor.Ref[tool]) {
	k.do.Send(sys, r, func(_ *tool, c *actor.Context) { c.ApplyPressure() })
	quiet(t, sys)
}

func relax(sys *actor.System, k *tools, r actor.Ref[tool]) {
	k.do.Send(sys, r, func(_ *tool, c *actor.Context) { c.ReleasePressure() })
}

// TestWatermark_MutedByTheLastMessage: an actor that counts its mail is muted after it has run all
// the mail that it had taken out. The mail that comes in meanwhile is counted anew.
func TestWatermark_MutedByTheLastMessage(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	k, slow := newTools(actor.WithWatermarks(20, 5), actor.WithBatch(10)), newTools()
	s, r := slow.typ.Spawn(sys, tool{}), k.typ.Spawn(sys, tool{})
	squeeze(t, sys, slow, s)
	do.Send(sys, puppetType.Spawn(sys, puppet{}), func(_ *puppet, c *actor.Context) {
		for range 14 {
			k.add.Send(c, r, 1)
		}
		k.do.Send(c, r, func(_ *tool, c *actor.Context) { slow.add.Send(c, s, 1) })
	})
	awaitStatus(t, sys, r, actor.StatusOverloaded)
	k.add.Send(sys, r, 1)
	relax(sys, slow, s)
	quiet(t, sys)
	equal(t, "dead letters", sys.Stats().DeadLetters, 0)
}

// TestWatermark_Drain: the count of mail does not outlive the mailbox.
func TestWatermark_Drain(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	k := newTools(actor.WithWatermarks(20, 5), actor.WithBatch(10))
	r := k.typ.Spawn(sys, tool{})
	do.Send(sys, puppetType.Spawn(sys, puppet{}), func(_ *puppet, c *actor.Context) {
		for i := range 100 {
			if i == 35 {
				k.do.Send(c, r, func(_ *tool, c *actor.Context) { actor.Drain(c, r) })
			}
			k.add.Send(c, r, i)
		}
	})
	quiet(t, sys)
	st := sys.Stats()
	equal(t, "messages run and dead letters", st.Messages+st.DeadLetters, 102)
}

// TestWatermark_Unstashed: unstashed messages count against the watermarks.
func TestWatermark_Unstashed(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	typ := actor.NewType[puppet]("stasher", actor.WithWatermarks(100, 50), actor.WithBatch(10))
	some, open := actor.Declare[int](typ, "some"), actor.Declare[struct{}](typ, "open")
	idle := actor.Declare[struct{}](typ, "idle")
	opened, over := false, 0
	typ.Table(some.Handle(func(_ *puppet, c *actor.Context, n int) {
		if !opened {
			some.Stash(c, n)
		} else if actor.Self[puppet](c).Status() == actor.StatusOverloaded {
			over++
		}
	}), open.Handle(func(_ *puppet, c *actor.Context, _ struct{}) {
		opened = true
		actor.UnstashAll(c)
	}), idle.Handle(func(*puppet, *actor.Context, struct{}) {}))
	r := typ.Spawn(sys, puppet{})
	for i := range 1000 {
		some.Send(sys, r, i)
	}
	quiet(t, sys)
	do.Send(sys, puppetType.Spawn(sys, puppet{}), func(_ *puppet, c *actor.Context) {
		for i := range 20 { // more than a batch, so that it counts
			if i == 14 {
				open.Send(c, r, struct{}{})
			}
			idle.Send(c, r, struct{}{})
		}
	})
	quiet(t, sys)
	if over < 800 {
		t.Errorf("of 1000 messages from the stash %d found their actor overloaded", over)
	}
}

// TestMute_NotTwice: the urgent mail of a muted actor may send, and does not mute the actor for a
// second receiver. Otherwise a circle of muted actors would close, in which no actor could run.
func TestMute_NotTwice(t *testing.T) {
	// No watch: it would release actors that wait for long for an actor under pressure.
	sys := start(t, actor.WithWorkers(1), actor.Leeway(1), actor.DeadlockEvery(time.Hour))
	k := newTools()
	a, b, c := k.typ.Spawn(sys, tool{}), k.typ.Spawn(sys, tool{}), k.typ.Spawn(sys, tool{})
	sendTo := func(to actor.Ref[tool]) job {
		return func(_ *tool, x *actor.Context) { k.add.Send(x, to, 1) }
	}
	squeeze(t, sys, k, c)
	k.do.Send(sys, b, sendTo(c))
	awaitStatus(t, sys, b, actor.StatusOverloaded) // muted for c
	k.do.Send(sys, a, sendTo(b))
	awaitStatus(t, sys, a, actor.StatusOverloaded) // muted for b
	ran := make(chan struct{})
	k.hurry.Send(sys, b, func(_ *tool, x *actor.Context) {
		k.add.Send(x, a, 1)
		close(ran)
	})
	<-ran
	relax(sys, k, c)
	quiet(t, sys)
	equal(t, "dead letters", sys.Stats().DeadLetters, 0)
}

// awaitStatus waits until an actor has the given status.
func awaitStatus(t *testing.T, sys *actor.System, r actor.Ref[tool], want actor.Status) {
	t.Helper()
	ctx := soon(t)
	for r.Status() != want {
		if ctx.Err() != nil {
			t.Fatalf("it stands %v, want %v", r.Status(), want)
		}
		_ = sys.Stats()
	}
}

// TestPressure_OnStop: an actor that has ended keeps no sender waiting.
func TestPressure_OnStop(t *testing.T) {
	sys := start(t)
	k := newTools()
	k.typ.OnStop(func(_ *tool, c *actor.Context, _ error) { c.ApplyPressure() })
	r := k.typ.Spawn(sys, tool{})
	k.do.Send(sys, r, func(_ *tool, c *actor.Context) { c.Stop() })
	quiet(t, sys)
	for what, err := range map[string]error{"TrySend": k.add.TrySend(sys, r, 1),
		"SendWait": k.add.SendWait(soon(t), r, 1)} {
		if !errors.Is(err, actor.ErrStopped) {
			t.Errorf("%s: %v, want %v", what, err, actor.ErrStopped)
		}
	}
	other := k.typ.Spawn(sys, tool{})
	k.do.Send(sys, other, func(_ *tool, c *actor.Context) { k.add.Send(c, r, 1) })
	quiet(t, sys)
	equal(t, "mutes", sys.Stats().Mutes, 0)
}

// TestTimer_UrgentBehaviour: a timer's message is ordinary mail, whatever its behaviour.
func TestTimer_UrgentBehaviour(t *testing.T) {
	sys := start(t)
	k := newTools()
	r := k.typ.Spawn(sys, tool{})
	ran := make(chan struct{})
	var sums []int
	k.do.Send(sys, r, func(_ *tool, c *actor.Context) {
		actor.After(c, time.Microsecond, k.addSoon, 1)
		actor.After(c, 2*time.Millisecond, k.hurry, func(s *tool, _ *actor.Context) {
			sums = s.sums
			close(ran)
		})
	})
	<-ran
	quiet(t, sys)
	equal(t, "messages", fmt.Sprint(sums), "[1]")
}

// TestYield_BeforeTheStash: a yielded message is the very next message.
func TestYield_BeforeTheStash(t *testing.T) {
	sys := start(t)
	typ := actor.NewType[puppet]("stasher")
	note, open := actor.Declare[int](typ, "note"), actor.Declare[struct{}](typ, "open")
	opened, got := false, []int(nil)
	typ.Table(note.Handle(func(_ *puppet, c *actor.Context, n int) {
		if !opened {
			note.Stash(c, n)
			return
		}
		got = append(got, n)
	}), open.Handle(func(_ *puppet, c *actor.Context, _ struct{}) {
		opened = true
		actor.UnstashAll(c)
		actor.Yield(c, note, 99)
	}))
	r := typ.Spawn(sys, puppet{})
	note.Send(sys, r, 1)
	open.Send(sys, r, struct{}{})
	quiet(t, sys)
	equal(t, "order", fmt.Sprint(got), "[99 1]")
}

// TestShutdown_OfAStoppedSystem: "it returns nil if the system has stopped already",
// whatever the context says.
func TestShutdown_OfAStoppedSystem(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for range 50 {
		sys := start(t)
		sys.Stop()
		must(t, sys.Shutdown(ctx))
	}
}

// TestLongTurn_Carried: a long turn for a message with a context is reported like any other.
func TestLongTurn_Carried(t *testing.T) {
	typ := actor.NewType[puppet]("carrier")
	b := actor.Declare[chan struct{}](typ, "carried")
	typ.Table(b.Handle(func(_ *puppet, _ *actor.Context, reported chan struct{}) {
		for ctx := soon(t); ctx.Err() == nil; { // it spins until its turn was reported
			select {
			case <-reported:
				return
			default:
			}
		}
		t.Error("no report")
	}))
	reported := make(chan struct{})
	sys := start(t, actor.WithLongTurn(10*time.Millisecond),
		actor.WithHooks(actor.Hooks{LongTurn: func(r actor.LongTurnReport) {
			if r.Behaviour == "carried" {
				close(reported)
			}
		}}))
	b.Send(sys.With(t.Context()), typ.Spawn(sys, puppet{}), reported)
	quiet(t, sys)
}

// TestExit_SystemStoppedOfAnother: an actor exits with ErrSystemStopped as its reason, because
// another system has stopped. Callers are told that the actor has ended, and its own system goes
// on.
func TestExit_SystemStoppedOfAnother(t *testing.T) {
	other := start(t)
	far := newTools().typ.Spawn(other, tool{})
	other.Stop()
	_, stopped := other.Hold()
	wants(t, stopped, actor.ErrSystemStopped)
	for name, end := range map[string]func(sys *actor.System, k *tools, r actor.Ref[tool]){
		"Exit": func(sys *actor.System, k *tools, r actor.Ref[tool]) {
			k.do.Send(sys, r, func(_ *tool, c *actor.Context) { c.Exit(stopped) })
		},
		"Exit, urgent": func(sys *actor.System, k *tools, r actor.Ref[tool]) {
			k.hurry.Send(sys, r, func(_ *tool, c *actor.Context) { c.Exit(stopped) })
		},
		"StopWith": func(sys *actor.System, _ *tools, r actor.Ref[tool]) {
			actor.StopWith(sys, r, stopped)
		},
		"Link": func(sys *actor.System, k *tools, r actor.Ref[tool]) {
			k.do.Send(sys, r, func(_ *tool, c *actor.Context) { actor.Link(c, far) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			var dead letters
			sys := start(t, dead.option())
			k := newTools()
			r := k.typ.Spawn(sys, tool{})
			end(sys, k, r)
			quiet(t, sys)
			endedFor(t, sys, k, r, actor.ErrSystemStopped)
			k.add.Send(sys, r, 1)
			wants(t, dead.last.Load().Reason, actor.ErrStopped)
		})
	}
}

// endedFor fails the test unless an actor has ended for that reason, by Join, StopWait, TrySend and
// SendWait.
func endedFor(t *testing.T, sys *actor.System, k *tools, r actor.Ref[tool], why error) {
	t.Helper()
	down, err := actor.Join(soon(t), r)
	equal(t, "error of Join", err, nil)
	equal(t, "reason", down.Reason, why)
	equal(t, "error of StopWait", actor.StopWait(soon(t), r), nil)
	for what, err := range map[string]error{
		"TrySend":        k.add.TrySend(sys, r, 1),
		"SendWait":       k.add.SendWait(soon(t), r, 1),
		"urgent TrySend": k.addSoon.TrySend(sys, r, 1),
	} {
		if !errors.Is(err, actor.ErrStopped) || !errors.Is(err, why) {
			t.Errorf("%s: %v, want %v and %v", what, err, actor.ErrStopped, why)
		}
	}
}

// TestExit_MailLeft: an actor ends for the reason that another system has stopped. The mail that it
// leaves becomes dead letters for the end of the actor, and not for the end of its system.
func TestExit_MailLeft(t *testing.T) {
	var dead letters
	sys := start(t, actor.WithWorkers(1), dead.option())
	k := newTools()
	r := k.typ.Spawn(sys, tool{})
	do.Send(sys, puppetType.Spawn(sys, puppet{}), func(_ *puppet, c *actor.Context) {
		k.do.Send(c, r, func(_ *tool, c *actor.Context) { c.Exit(actor.ErrSystemStopped) })
		k.add.Send(c, r, 1)
	})
	quiet(t, sys)
	equal(t, "dead letters", dead.n.Load(), 1)
	wants(t, dead.last.Load().Reason, actor.ErrStopped)
}

// TestJoin_SystemStops: "ErrSystemStopped if the system of t stops first", with mail left. It makes
// no difference whether the actor has an OnStop or other work at its end.
func TestJoin_SystemStops(t *testing.T) {
	for name, live := range map[string]job{
		"plain":   func(*tool, *actor.Context) {},
		"a child": func(_ *tool, c *actor.Context) { puppetType.SpawnChild(c, puppet{}) },
	} {
		t.Run(name, func(t *testing.T) {
			sys := start(t)
			k := newTools()
			r := k.typ.Spawn(sys, tool{})
			k.do.Send(sys, r, live)
			quiet(t, sys)
			var again job
			again = func(_ *tool, c *actor.Context) { k.do.Send(c, r, again) }
			k.do.Send(sys, r, again)
			sys.Stop()
			_, err := actor.Join(soon(t), r)
			wants(t, err, actor.ErrSystemStopped)
			wants(t, k.add.TrySend(sys, r, 1), actor.ErrSystemStopped)
		})
	}
}

// TestPanicReport_Misuse: "Frame is the user's own frame", even if gallop itself has panicked.
func TestPanicReport_Misuse(t *testing.T) {
	for name, f := range map[string]job{
		"Yield": func(_ *tool, c *actor.Context) { twiceYielded(c) },
		"Gas":   func(_ *tool, c *actor.Context) { wrongGas(c) },
		"Heap":  func(_ *tool, c *actor.Context) { tooLarge(c) },
		"within": func(_ *tool, c *actor.Context) {
			c.Shield(func() { wrongGas(c) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			reports := make(chan actor.PanicReport, 1)
			sys := start(t, actor.WithHooks(actor.Hooks{Panic: func(p actor.PanicReport) { reports <- p }}))
			misused.do.Send(sys, misused.typ.Spawn(sys, tool{}), f)
			quiet(t, sys)
			p := receive(t, "the report", reports)
			what, where, _ := strings.Cut(p.Frame, " ")
			if what, _ := strings.CutPrefix(what,
				"github.com/gallop-go/gallop/actor_test."); what != "twiceYielded" && what != "wrongGas" &&
				what != "tooLarge" || !strings.Contains(where, "edges_test.go:") {
				t.Errorf("frame %q of\n%s", p.Frame, p.Stack)
			}
		})
	}
}

//go:noinline
func twiceYielded(c *actor.Context) {
	actor.Yield(c, misused.add, 1)
	actor.Yield(c, misused.add, 1)
}

var misused = newTools()

//go:noinline
func wrongGas(c *actor.Context) { c.Gas(-1) }

//go:noinline
func tooLarge(c *actor.Context) { heap.MakeSlice[byte](c.Heap(), -1) }
