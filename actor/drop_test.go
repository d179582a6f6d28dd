package actor_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// guests is a type with behaviours that drop and behaviours that do not, with a bound or without.
type guests struct {
	typ  *actor.Type[puppet]
	do   actor.Behaviour[puppet, deed]
	drop actor.Behaviour[puppet, int]
	note actor.Behaviour[puppet, actor.Result[int]] // drops too
	ask  actor.AskBehaviour[puppet, struct{}, int]
}

func newGuests(opts ...actor.TypeOption) *guests {
	g := &guests{typ: actor.NewType[puppet]("guest", opts...)}
	g.do = actor.Declare[deed](g.typ, "do")
	g.drop = actor.Declare[int](g.typ, "drop", actor.DropOnOverload())
	g.note = actor.Declare[actor.Result[int]](g.typ, "note", actor.DropOnOverload())
	g.ask = actor.DeclareAsk[struct{}, int](g.typ, "ask", actor.DropOnOverload())
	g.typ.Table(g.do.Handle((*puppet).Do), g.drop.Handle((*puppet).Count),
		g.note.Handle((*puppet).Reply), g.ask.Handle((*puppet).Value))
	return g
}

// TestDrop: "a message that is sent to an actor that does not keep up becomes a dead letter with
// ErrOverloaded, and mutes no sender", from inside and from outside; a request "is answered with
// ErrOverloaded at once". Afterwards messages run again.
func TestDrop(t *testing.T) {
	closed := map[string]func(t *testing.T, sys *actor.System, g *guests,
		r actor.Ref[puppet]) (open func()){
		"overloaded": func(t *testing.T, sys *actor.System, g *guests, r actor.Ref[puppet]) func() {
			begun, stay := make(chan struct{}), make(chan struct{})
			second := make(chan struct{})
			g.do.Send(sys, r, func(*puppet, *actor.Context) { <-begun })
			g.do.Send(sys, r, func(*puppet, *actor.Context) { close(second); <-stay })
			g.do.Send(sys, r, noop)
			close(begun)
			receive(t, "the second", second)
			return func() { close(stay) }
		},
		"pressed": func(t *testing.T, sys *actor.System, g *guests, r actor.Ref[puppet]) func() {
			done := make(chan struct{})
			g.do.Send(sys, r, func(_ *puppet, c *actor.Context) { c.ApplyPressure(); close(done) })
			receive(t, "pressure", done)
			return func() { g.do.Send(sys, r, func(_ *puppet, c *actor.Context) { c.ReleasePressure() }) }
		},
		"muted": func(t *testing.T, sys *actor.System, g *guests, r actor.Ref[puppet]) func() {
			o := overload(t, sys)
			g.do.Send(sys, r, func(_ *puppet, c *actor.Context) { slowDo.Send(c, o.ref, noop) })
			awaitMuted(t, r)
			inside(t, sys, func(c *actor.Context) {
				// Enough for the bound of the one type, and for the leeway of the others.
				for range 8 {
					g.drop.Send(c, r, 0)
				}
			})
			return o.release
		},
	}
	for how, shut := range closed {
		for name, opts := range map[string][]actor.TypeOption{"plain": {actor.WithBatch(1)},
			"bound": {actor.WithBound(8, actor.OverflowMute)}} {
			if how == "overloaded" && name == "bound" {
				// "not overloaded for spending its batch": see TestDrop_AtTheBound.
				continue
			}
			t.Run(how+"/"+name, func(t *testing.T) {
				var dead letters
				sys := start(t, actor.WithWorkers(3), actor.Leeway(9), dead.option())
				g := newGuests(opts...)
				r := g.typ.Spawn(sys, puppet{})
				open := shut(t, sys, g, r)
				before := sys.Stats().Mutes
				if how == "muted" && name == "plain" {
					inside(t, sys, func(c *actor.Context) { _ = g.do.TrySend(c, r, noop) })
				}
				dropped(t, sys, g, r, &dead)
				equal(t, "mutes", sys.Stats().Mutes, before)
				open()
				quiet(t, sys)
				lost := dead.n.Load()
				inside(t, sys, func(c *actor.Context) { g.drop.Send(c, r, 100) })
				quiet(t, sys) // or two messages spend the batch of one
				g.drop.Send(sys, r, 100)
				quiet(t, sys)
				n, err := g.ask.Ask(soon(t), r, struct{}{})
				must(t, err)
				equal(t, "run", n, 200)
				equal(t, "dead letters", dead.n.Load(), lost)
			})
		}
	}
}

// dropped checks that every way to send to r is refused.
func dropped(t *testing.T, sys *actor.System, g *guests, r actor.Ref[puppet], dead *letters) {
	t.Helper()
	caller := puppetType.Spawn(sys, puppet{})
	results := make(chan actor.Result[int], 1)
	ways := map[string]func() error{
		"inside": func() error {
			inside(t, sys, func(c *actor.Context) { g.drop.Send(c, r, 1) })
			return nil
		},
		"handler": func() error {
			inside(t, sys, func(c *actor.Context) { g.drop.To(r).Send(c, 1) })
			return nil
		},
		"outside": func() error { g.drop.Send(sys, r, 1); return nil },
		"ask": func() error {
			_, err := g.ask.Ask(soon(t), r, struct{}{})
			return err
		},
		"AskTo": func() error {
			do.Send(sys, caller, func(p *puppet, c *actor.Context) {
				actor.AskTo(c, g.ask, r, struct{}{}, reply)
				do.Send(c, caller, func(p *puppet, _ *actor.Context) { results <- p.note.(actor.Result[int]) })
			})
			return receive(t, "the answer", results).Err
		},
	}
	for way, send := range ways {
		n := dead.n.Load()
		if err := send(); way == "ask" || way == "AskTo" {
			wants(t, err, actor.ErrOverloaded)
		}
		equal(t, "dead letters by "+way, dead.n.Load()-n, 1)
		wants(t, dead.last.Load().Reason, actor.ErrOverloaded)
	}
	inside(t, sys, func(c *actor.Context) { wants(t, g.drop.TrySend(c, r, 1), actor.ErrOverloaded) })
}

// TestDrop_BehindOthers: a behaviour sends an ordinary message, for which it will be muted, and
// then a message that drops. The second message gives way all the same.
func TestDrop_BehindOthers(t *testing.T) {
	var dead letters
	sys := start(t, actor.WithWorkers(2), dead.option())
	g := newGuests()
	r := g.typ.Spawn(sys, puppet{})
	done := make(chan struct{})
	g.do.Send(sys, r, func(_ *puppet, c *actor.Context) { c.ApplyPressure(); close(done) })
	receive(t, "pressure", done)
	muteOn(t, sys, func(c *actor.Context) {
		g.do.Send(c, r, noop)
		g.drop.Send(c, r, 1)
	})
	equal(t, "dead letters", dead.n.Load(), 1)
	g.do.Send(sys, r, func(_ *puppet, c *actor.Context) { c.ReleasePressure() })
	allUnmuted(t, sys)
}

// TestDrop_AtTheBound: "at the bound of a WithBound, whatever its policy".
func TestDrop_AtTheBound(t *testing.T) {
	for _, o := range []actor.Overflow{actor.OverflowMute, actor.OverflowRefuse,
		actor.OverflowDropOldest} {
		t.Run(fmt.Sprint(o), func(t *testing.T) {
			var dead letters
			sys := start(t, actor.WithWorkers(3), dead.option())
			g := newGuests(actor.WithBound(2, o))
			r := g.typ.Spawn(sys, puppet{})
			in, stay := make(chan struct{}), make(chan struct{})
			g.do.Send(sys, r, func(*puppet, *actor.Context) { close(in); <-stay })
			receive(t, "the actor to get stuck", in)
			g.drop.Send(sys, r, 10)
			inside(t, sys, func(c *actor.Context) { g.drop.Send(c, r, 10) })
			equal(t, "dead letters", dead.n.Load(), 0)
			dropped(t, sys, g, r, &dead)
			equal(t, "mutes", sys.Stats().Mutes, 0)
			close(stay)
			n, err := value2(t, sys, g, r)
			must(t, err)
			equal(t, "run", n, 20)
		})
	}
}

// value2 asks when there is room again.
func value2(t *testing.T, sys *actor.System, g *guests, r actor.Ref[puppet]) (int, error) {
	quiet(t, sys)
	return g.ask.Ask(soon(t), r, struct{}{})
}

// TestDrop_NoRoom: "from outside also while there is no room": 4,096 messages wait, and no more.
func TestDrop_NoRoom(t *testing.T) {
	var dead letters
	sys := start(t, actor.WithWorkers(1), dead.option())
	g := newGuests()
	r := g.typ.Spawn(sys, puppet{})
	in, stay := make(chan struct{}), make(chan struct{})
	g.do.Send(sys, r, func(*puppet, *actor.Context) { close(in); <-stay })
	receive(t, "the actor to get stuck", in)
	for range 5000 {
		g.drop.Send(sys, r, 1)
	}
	equal(t, "dead letters", dead.n.Load(), 5000-4096)
	close(stay)
	n, err := value2(t, sys, g, r)
	must(t, err)
	equal(t, "run", n, 4096)
}

// TestDrop_NotWhatWasAskedFor: "Messages that the receiver itself has asked for are never dropped":
// the answer to AskTo and the result of Pipe come to a caller under pressure, and mute no sender.
func TestDrop_NotWhatWasAskedFor(t *testing.T) {
	var dead letters
	sys := start(t, actor.WithWorkers(2), dead.option())
	g := newGuests()
	r := g.typ.Spawn(sys, puppet{})
	asked := puppetType.Spawn(sys, puppet{n: 7})
	answered := make(chan any, 2)
	g.do.Send(sys, r, func(_ *puppet, c *actor.Context) {
		c.ApplyPressure()
		actor.AskTo(c, value, asked, struct{}{}, g.note)
	})
	quiet(t, sys)
	g.do.Send(sys, r, func(p *puppet, c *actor.Context) {
		answered <- p.note
		actor.Pipe(c, g.note, func(context.Context) (int, error) { return 8, nil })
	})
	quiet(t, sys)
	g.do.Send(sys, r, func(p *puppet, c *actor.Context) { answered <- p.note; c.ReleasePressure() })
	for _, want := range []int{7, 8} {
		equal(t, "answer", receive(t, "an answer", answered), any(actor.Result[int]{Value: want}))
	}
	quiet(t, sys)
	equal(t, "mutes", sys.Stats().Mutes, 0)
	equal(t, "dead letters", dead.n.Load(), 0)
}

// TestDrop_Misuse: an urgent behaviour cannot drop.
func TestDrop_Misuse(t *testing.T) {
	panics(t, "misused.a is urgent and DropOnOverload", func() {
		actor.Declare[int](actor.NewType[puppet]("misused"), "a", actor.Urgent(), actor.DropOnOverload())
	})
	panics(t, "misused.a is urgent and DropOnOverload", func() {
		actor.DeclareAsk[int, int](actor.NewType[puppet]("misused"), "a", actor.DropOnOverload(),
			actor.Urgent())
	})
	panics(t, "a nil option for behaviour a", func() {
		actor.DeclareAsk[int, int](actor.NewType[puppet]("misused"), "a", nil)
	})
}

// A room passes remarks on without waiting for the guests: a guest that does not keep up
// misses some of them.
func ExampleDropOnOverload() {
	type guest struct{}
	typ := actor.NewType[guest]("guest", actor.WithBound(2, actor.OverflowRefuse))
	hear := actor.Declare[string](typ, "hear", actor.DropOnOverload())
	typ.Table(hear.Handle(func(_ *guest, _ *actor.Context, s string) { fmt.Println("hears", s) }))

	sys := actor.Start(actor.WithWorkers(1),
		actor.WithHooks(actor.Hooks{DeadLetter: func(d actor.DeadLetter) {
			fmt.Println("misses", d.Message, errors.Is(d.Reason, actor.ErrOverloaded))
		}}))
	room := actor.NewType[guest]("room")
	say := actor.Declare[[]string](room, "say")
	g := typ.Spawn(sys, guest{})
	room.Table(say.Handle(func(_ *guest, c *actor.Context, all []string) {
		for _, s := range all {
			hear.Send(c, g, s)
		}
	}))
	say.Send(sys, room.Spawn(sys, guest{}), []string{"one", "two", "three"})
	_ = sys.Run()
	// Output:
	// misses three true
	// hears one
	// hears two
}
