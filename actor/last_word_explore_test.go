//go:build gallop_explore

package actor

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
)

// wake is a stage with a talker, which says two words and ends, and a hearer, which watches the
// talker and traps its exit.
type wake struct {
	stage
	b        *hearers
	to       Ref[hearer]
	talker   Ref[mayfly]
	log      []string // the messages that the hearer has run
	dead     int      // words
	monitor  Monitor
	overLate bool // the hearer may end before the news comes
}

type hearer struct{ w *wake }

// hearers is a type of hearers with its behaviours.
type hearers struct {
	typ  *Type[hearer]
	say  Behaviour[hearer, string]
	act  Behaviour[hearer, func(*Context)]
	down Behaviour[hearer, Down]
	exit Behaviour[hearer, Exit]
}

func newHearers(opts ...TypeOption) *hearers {
	b := &hearers{typ: NewType[hearer]("hearer", opts...)}
	b.say = Declare[string](b.typ, "say")
	b.act = Declare[func(*Context)](b.typ, "act")
	b.down = Declare[Down](b.typ, "down")
	b.exit = Declare[Exit](b.typ, "exit")
	b.typ.Table(
		b.say.Handle(func(l *hearer, _ *Context, s string) { l.hear(s) }),
		b.act.Handle(func(_ *hearer, c *Context, f func(*Context)) { f(c) }),
		b.down.Handle(func(l *hearer, _ *Context, _ Down) { l.hear("down") }),
		b.exit.Handle(func(l *hearer, _ *Context, _ Exit) { l.hear("exit") }))
	return b
}

func (l *hearer) hear(s string) { l.w.log = append(l.w.log, s) }

var hearerTypes = map[string]*hearers{
	"plain":   newHearers(),
	"bounded": newHearers(WithBound(8, OverflowMute)),
	// The mailbox is full when the news comes.
	"refuses": newHearers(WithBound(1, OverflowRefuse)),
	"drops":   newHearers(WithBound(1, OverflowDropOldest)),
}

func newWake(p *explore.Program, b *hearers) *wake {
	w := &wake{b: b}
	w.stage = newStage(p, WithHooks(Hooks{DeadLetter: func(d DeadLetter) {
		switch {
		case d.Behaviour == "say":
			w.dead++
		case d.Type == "mayfly": // the drain of the hearer has ended the talker, by their link
			w.dead += 2
		}
	}}))
	w.to, w.talker = b.typ.Spawn(w.sys, hearer{w}), mayflyType.Spawn(w.sys, mayfly{})
	b.act.Send(w.sys, w.to, func(c *Context) {
		w.monitor = Watch(c, w.talker, b.down)
		TrapExit(c, b.exit)
		Link(c, w.talker)
	})
	w.tidyUp()
	return w
}

// talk has the talker say its words and end.
func (w *wake) talk() {
	mayflyAct.Send(w.sys, w.talker, func(c *Context) {
		w.b.say.Send(c, w.to, "a")
		w.b.say.Send(c, w.to, "b")
		c.Stop()
	})
}

// wakeOps are operations on the hearer that run meanwhile.
var wakeOps = map[string]func(w *wake){
	"send": func(w *wake) { w.b.say.Send(w.sys, w.to, "x") },
	"drain": func(w *wake) {
		w.overLate = true
		Drain(w.sys, w.to)
	},
	"unwatch": func(w *wake) {
		w.overLate = true
		w.b.act.Send(w.sys, w.to, func(c *Context) {
			Unwatch(c, w.monitor)
			Unlink(c, w.talker)
			w.log = append(w.log, "taken back")
		})
	},
}

// judge checks the result when nothing is left to do.
func (w *wake) judge() error {
	if err := w.resting(); err != nil {
		return err
	}
	count := func(s string) (n int) {
		for _, h := range w.log {
			if h == s {
				n++
			}
		}
		return n
	}
	for _, news := range []string{"down", "exit"} {
		n, at := count(news), slices.Index(w.log, news)
		switch {
		case n > 1 || n == 0 && !w.overLate:
			return fmt.Errorf("%q: %s came %d times", w.log, news, n)
		case n == 0:
			continue
		case slices.Contains(w.log[at:], "a") || slices.Contains(w.log[at:], "b"):
			return fmt.Errorf("%q: %s came before a word", w.log, news)
		case slices.Contains(w.log[:at], "taken back"):
			return fmt.Errorf("%q: %s came after it was taken back", w.log, news)
		}
	}
	if n := count("a") + count("b") + count("x") + w.dead; n < 2 {
		return fmt.Errorf("%q, and %d dead: a word is lost", w.log, w.dead)
	}
	w.sys.kernel().Sched.WakeAll()
	Stop(w.sys, w.to)
	w.tidyUp()
	if err := w.resting(); err != nil {
		return err
	}
	if err := w.sys.Shutdown(context.Background()); err != nil {
		return err
	}
	return w.allEnded()
}

// TestLastWord_Explored: an actor sends two words to an actor that watches it and traps exits, and
// ends. Meanwhile the other gets more mail, drains, or takes its watch back. No news of the end
// overtakes a word. No news comes twice, or after the watch was taken back.
//
// Mutants: internal/mutants/life_explored.json.
func TestLastWord_Explored(t *testing.T) {
	for class, b := range hearerTypes {
		for name, op := range wakeOps {
			t.Run(class+"-"+name, func(t *testing.T) {
				explore.PortfolioOf(t, 1200, 250, func(p *explore.Program) {
					w := newWake(p, b)
					p.Go(w.talk)
					p.Go(func() { op(w) })
					w.man()
					p.After(w.judge)
				})
			})
		}
	}
}
