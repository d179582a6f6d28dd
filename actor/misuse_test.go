package actor_test

import (
	"context"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/bridge"
)

// These tests are about misuse that compiles: actors of another type with the same state, nil
// contexts, and values that no constructor has made.

// sibling is the state of two actor types, whose behaviours have the same places in their
// tables and take different payloads.
type sibling struct{}

func (*sibling) Word(*actor.Context, string)                      {}
func (*sibling) Number(*actor.Context, int)                       {}
func (*sibling) Reply(*actor.Context, actor.Result[int])          {}
func (*sibling) Ask(_ *actor.Context, word string) (int, error)   { return len(word), nil }
func (*sibling) Double(_ *actor.Context, number int) (int, error) { return 2 * number, nil }
func (*sibling) Try(c *actor.Context, f func(*actor.Context)) (struct{}, error) {
	f(c)
	return struct{}{}, nil
}

// TestMisuse_TypesOfOneState: a state may have several types. A behaviour of one type must not
// reach an actor of another, which would misread an int as a string.
func TestMisuse_TypesOfOneState(t *testing.T) {
	words, numbers := actor.NewType[sibling]("words"), actor.NewType[sibling]("numbers")
	word := actor.Declare[string](words, "put")
	length := actor.DeclareAsk[string, int](words, "get")
	now := actor.Declare[string](words, "now", actor.Urgent())
	words.Table(word.Handle((*sibling).Word), length.Handle((*sibling).Ask),
		now.Handle((*sibling).Word))
	number := actor.Declare[int](numbers, "put")
	double := actor.DeclareAsk[int, int](numbers, "get")
	urgent := actor.Declare[int](numbers, "now", actor.Urgent())
	reply := actor.Declare[actor.Result[int]](numbers, "reply")
	try := actor.DeclareAsk[func(*actor.Context), struct{}](numbers, "try")
	numbers.Table(number.Handle((*sibling).Number), double.Handle((*sibling).Double),
		urgent.Handle((*sibling).Number),
		reply.Handle((*sibling).Reply), try.Handle((*sibling).Try))

	sys := start(t)
	ctx := soon(t)
	wrong, right := words.Spawn(sys, sibling{}), numbers.Spawn(sys, sibling{})
	both := []actor.Ref[sibling]{right, wrong}
	for name, f := range map[string]func(from actor.Sender){
		"Send":        func(from actor.Sender) { number.Send(from, wrong, 1<<30) },
		"TrySend":     func(from actor.Sender) { _ = number.TrySend(from, wrong, 1<<30) },
		"SendWait":    func(actor.Sender) { _ = number.SendWait(ctx, wrong, 1<<30) },
		"urgent Send": func(from actor.Sender) { urgent.Send(from, wrong, 1<<30) },
		"urgent Try":  func(from actor.Sender) { _ = urgent.TrySend(from, wrong, 1<<30) },
		"To":          func(actor.Sender) { number.To(wrong) },
		"Ask":         func(actor.Sender) { _, _ = double.Ask(ctx, wrong, 1<<30) },
		"AskAll":      func(actor.Sender) { _, _ = bridge.AskAll(ctx, double, both, 1<<30) },
		"AskTo": func(from actor.Sender) {
			if c, inside := from.(*actor.Context); inside {
				actor.AskTo(c, double, wrong, 1<<30, reply)
			}
			panic("gallop: to words#: it has no form for outside")
		},
		"AskToWithin": func(from actor.Sender) {
			if c, inside := from.(*actor.Context); inside {
				actor.AskTo(c, double, wrong, 1<<30, reply, actor.Within(time.Hour))
			}
			panic("gallop: to words#: it has no form for outside")
		},
	} {
		t.Run(name, func(t *testing.T) {
			number.Send(sys, right, 1) // so that the cache has nodes of its size
			panics(t, "to words#", func() { f(sys) })
			_, err := try.Ask(ctx, right, func(c *actor.Context) {
				number.Send(c, right, 2)
				panics(t, "to words#", func() { f(c) })
			})
			must(t, err)
		})
	}
	quiet(t, sys)
	equal(t, "dead letters", sys.Stats().DeadLetters, 0)
}

// TestMisuse_NilContexts: a call panics at once, and not only if it has to wait.
func TestMisuse_NilContexts(t *testing.T) {
	sys := start(t)
	good := puppetType.Spawn(sys, puppet{})
	var none context.Context
	for name, f := range map[string]func(){
		"Ask":      func() { _, _ = value.Ask(none, good, struct{}{}) },
		"AskAll":   func() { _, _ = bridge.AskAll(none, value, []actor.Ref[puppet]{good}, struct{}{}) },
		"Replies":  func() { bridge.Replies(none, value, []actor.Ref[puppet]{good}, struct{}{}) },
		"SendWait": func() { _ = count.SendWait(none, good, 1) },
		"Wait":     func() { _ = sys.Wait(none) },
		"Shutdown": func() { _ = sys.Shutdown(none) },
		"StopWait": func() { _ = actor.StopWait(none, good) },
		"KillWait": func() { _ = actor.KillWait(none, good) },
		"Join":     func() { _, _ = actor.Join(none, good) },
	} {
		t.Run(name, func(t *testing.T) { panics(t, name+" with a nil context", f) })
	}
	must(t, sys.Wait(soon(t)))
	equal(t, "the actor", good.Status(), actor.StatusIdle)
}

// TestMisuse_NotMade: "The zero value is not ready".
func TestMisuse_NotMade(t *testing.T) {
	sys := start(t)
	good := puppetType.Spawn(sys, puppet{})
	var system, noSystem = new(actor.System), (*actor.System)(nil)
	var typ, noType = new(actor.Type[puppet]), (*actor.Type[puppet])(nil)
	for _, c := range []struct {
		words string
		f     func()
	}{
		{"a nil sender, or a zero one", func() { count.Send(system, good, 1) }},
		{"a nil sender, or a zero one", func() { count.Send(new(actor.Context), good, 1) }},
		{"a nil sender, or a zero one", func() { puppetType.Spawn(system, puppet{}) }},
		{"a nil sender, or a zero one", func() { puppetType.SpawnChild(new(actor.Context), puppet{}) }},
		{"a nil sender, or a zero one", func() { actor.Stop(system, good) }},
		{"Wait of a nil or zero System", func() { _ = system.Wait(context.Background()) }},
		{"Wait of a nil or zero System", func() { _ = noSystem.Wait(context.Background()) }},
		{"Run of a nil or zero System", func() { _ = system.Run() }},
		{"Shutdown of a nil or zero System", func() { _ = system.Shutdown(context.Background()) }},
		{"Stop of a nil or zero System", func() { noSystem.Stop() }},
		{"Hold of a nil or zero System", func() { _, _ = system.Hold() }},
		{"Stats of a nil or zero System", func() { system.Stats() }},
		{"Workers of a nil or zero System", func() { system.Workers() }},
		{"Spawn of a nil or zero Type", func() { typ.Spawn(sys, puppet{}) }},
		{"Declare of a nil or zero Type", func() { actor.Declare[int](typ, "x") }},
		{"Declare of a nil or zero Type", func() { actor.Declare[int](noType, "x") }},
		{"DeclareAsk of a nil or zero Type", func() { actor.DeclareAsk[int, int](noType, "x") }},
		{"Table of a nil or zero Type", func() { noType.Table() }},
		{"Variant of a nil or zero Type", func() { typ.Variant() }},
		{"OnStart of a nil or zero Type", func() {
			typ.OnStart(func(*puppet, *actor.Context) error { return nil })
		}},
		{"OnStop of a nil or zero Type", func() {
			noType.OnStop(func(*puppet, *actor.Context, error) {})
		}},
		{"Name of a nil Type", func() { _ = noType.Name() }},
		{"a nil option\nWithClock of a zero VirtualClock: use NewVirtualClock\na nil option", func() {
			actor.Start(nil, actor.WithClock(new(actor.VirtualClock)), nil)
		}},
	} {
		panics(t, c.words, c.f)
	}
}

// TestMisuse_NilFunctions: the call that is given a nil function panics, whether the function would
// run at once or later, and has no other effect.
func TestMisuse_NilFunctions(t *testing.T) {
	sys := start(t)
	inside(t, sys, func(c *actor.Context) {
		panics(t, "Shield: a nil function", func() { c.Shield(nil) })
		panics(t, "Blocking: a nil function", func() { c.Blocking(nil) })
		panics(t, "Become: a nil or zero Variant", func() { actor.Become[puppet](c, nil) })
		panics(t, "Become: a nil or zero Variant", func() { actor.Become(c, new(actor.Variant[puppet])) })
		panics(t, "SpawnFunc: a nil function", func() { puppetType.SpawnFunc(c, nil) })
	})
	equal(t, "spawned", sys.Stats().Spawned, 1)
}

// TestMisuse_SpawnUnder: a nil type, a nil function, or both.
func TestMisuse_SpawnUnder(t *testing.T) {
	var zero, noType = new(actor.Type[puppet]), (*actor.Type[puppet])(nil)
	super := actor.NewType[sibling]("super")
	fell := actor.Declare[actor.ChildDown](super, "fell")
	do := actor.Declare[func(*actor.Context)](super, "do")
	super.Table(fell.Handle(func(*sibling, *actor.Context, actor.ChildDown) {}),
		do.Handle(func(_ *sibling, c *actor.Context, f func(*actor.Context)) {
			f(c)
		}))
	sys := start(t)
	do.Send(sys, super.Spawn(sys, sibling{}), func(c *actor.Context) {
		for _, init := range []func(*puppet){nil, func(*puppet) {}} {
			for _, typ := range []*actor.Type[puppet]{noType, zero} {
				panics(t, "SpawnUnder of a nil or zero Type", func() {
					actor.SpawnSupervised(c, typ, init, fell)
				})
				panics(t, "SpawnUnder of a nil or zero Type", func() {
					actor.SpawnUnder(c, typ, init, actor.Care[sibling]{Fell: fell})
				})
			}
		}
		panics(t, "SpawnUnder: a nil function for puppet", func() {
			actor.SpawnSupervised(c, puppetType, nil, fell)
		})
		panics(t, "SpawnUnder: a nil function for puppet", func() {
			actor.SpawnUnder(c, puppetType, nil, actor.Care[sibling]{Fell: fell})
		})
	})
	quiet(t, sys)
	equal(t, "spawned", sys.Stats().Spawned, 1)
}

// TestMisuse_Clock: methods of a clock that NewVirtualClock has not made, and Advance without a
// context.
func TestMisuse_Clock(t *testing.T) {
	var none context.Context
	for _, c := range []*actor.VirtualClock{nil, new(actor.VirtualClock)} {
		for name, f := range map[string]func(){
			"Now":     func() { c.Now() },
			"Next":    func() { c.Next() },
			"Jump":    func() { c.Jump(1) },
			"Advance": func() { _ = c.Advance(context.Background(), 1) },
		} {
			panics(t, name+" of a nil or zero VirtualClock: use NewVirtualClock", f)
		}
	}
	clock := actor.NewVirtualClock(epoch)
	panics(t, "Advance with a nil context", func() { _ = clock.Advance(none, 1) })
	start(t, actor.WithClock(clock))
	panics(t, "Advance with a nil context", func() { _ = clock.Advance(none, 1) })
	equal(t, "the time", clock.Now(), epoch)
}

// TestMisuse_NoContext: calls for behaviours only, with a Context that no behaviour was given.
// Sends panic with a text of their own.
func TestMisuse_NoContext(t *testing.T) {
	sys := start(t)
	good := puppetType.Spawn(sys, puppet{})
	var armed actor.Timer
	do.Send(sys, good, func(_ *puppet, c *actor.Context) {
		armed = actor.After(c, time.Hour, count, 1)
		armed.Cancel(c)
	})
	quiet(t, sys)
	for _, c := range []*actor.Context{nil, new(actor.Context)} {
		for _, f := range []func(){
			func() { armed.Cancel(c) },
			func() { actor.Self[puppet](c) },
			func() { c.Stop() },
			func() { c.Exit(nil) },
			func() { c.Blocking(func() {}) },
			func() { c.Shield(func() {}) },
			func() { _ = c.Register("x") },
			func() { c.Unregister("x") },
			func() { c.ApplyPressure() },
			func() { c.ReleasePressure() },
			func() { actor.Link(c, good) },
			func() { actor.Unlink(c, good) },
			func() { actor.UntrapExit(c) },
			func() { actor.Unbecome(c) },
			func() { actor.AskTo(c, value, good, struct{}{}, reply) },
			func() { actor.AskTo(c, value, good, struct{}{}, reply, actor.Within(time.Second)) },
			func() { actor.Watch(c, good, onDown) },
			func() { actor.TrapExit(c, onExit) },
			func() { actor.After(c, time.Second, count, 1) },
			func() { actor.Every(c, time.Second, do, nil) },
			func() { actor.Pipe(c, note, func(context.Context) (any, error) { return nil, nil }) },
			func() { bridge.FromChan(c, make(chan int), count) },
			func() { c.Heap() },
			func() { actor.UnstashAll(c) },
			func() { count.Stash(c, 1) },
			func() { _, _ = value.Stash(c, struct{}{}) },
			func() { actor.Yield(c, count, 1) },
		} {
			panics(t, "a nil or zero Context", f)
		}
	}
	quiet(t, sys)
	equal(t, "the actor", good.Status(), actor.StatusIdle)
}
