package actor_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// Tests of every panic and every error that a doc comment promises.

type blank struct{}

func (*blank) None(*actor.Context, struct{})                {}
func (*blank) Ask(*actor.Context, struct{}) (string, error) { return "", nil }

// TestMisuse_OfTypes: "It panics if …" of NewType, Declare, Do and Table.
func TestMisuse_OfTypes(t *testing.T) {
	sys := start(t)
	sealed := actor.NewType[blank]("sealed")
	early := actor.Declare[struct{}](sealed, "early")
	sealed.Table(early.Handle((*blank).None))
	sealed.Spawn(sys, blank{})

	open := actor.NewType[blank]("open")
	one := actor.Declare[struct{}](open, "one")
	two := actor.Declare[struct{}](open, "two")
	open.Table(one.Handle((*blank).None))
	other := actor.Declare[struct{}](actor.NewType[blank]("other"), "foreign")

	for _, c := range []struct {
		name, words string
		f           func()
	}{
		{"EmptyName", "empty name", func() { actor.NewType[blank]("") }},
		{"NilTypeOption", "a nil option", func() { actor.NewType[blank]("x", nil) }},
		{"TypeBatchZero", "WithBatch(0)", func() { actor.NewType[blank]("x", actor.WithBatch(0)) }},
		{"TypeBatchNegative", "WithBatch(-1)", func() { actor.NewType[blank]("x", actor.WithBatch(-1)) }},
		{"EmptyBehaviourName", "without a name", func() { actor.Declare[int](open, "") }},
		{"EmptyAskName", "without a name", func() { actor.DeclareAsk[int, int](open, "") }},
		{"DuplicateName", "open.one was declared twice", func() { actor.Declare[int](open, "one") }},
		{"DuplicateNameOfAsk", "open.one was declared twice", func() {
			actor.DeclareAsk[int, int](open, "one")
		}},
		{"DeclareAfterSpawn", "sealed.late was declared after the first spawn", func() {
			actor.Declare[int](sealed, "late")
		}},
		{"FillAfterSpawn", "after the first spawn", func() { sealed.Table(early.Handle((*blank).None)) }},
		{"FilledTwice", "open.one got two methods", func() { open.Table(one.Handle((*blank).None)) }},
		{"OtherTypesEntry", "other.foreign was declared for another type", func() {
			open.Table(other.Handle((*blank).None))
		}},
		{"ZeroEntry", "an entry without a behaviour", func() { open.Table(actor.Entry[blank]{}) }},
		{"NilMethod", "a nil method for open.two", func() { two.Handle(nil) }},
		{"NilAskMethod", "a nil method for fresh.ask", func() {
			actor.DeclareAsk[int, int](actor.NewType[blank]("fresh"), "ask").Handle(nil)
		}},
		{"GapInTable", "open.two has no method: give it one with open.Table", func() {
			open.Spawn(sys, blank{})
		}},
		{"GapInTableSpawnFunc", "open.two has no method", func() {
			open.SpawnFunc(sys, func(*blank) {})
		}},
		{"ZeroBehaviour", "a zero Behaviour", func() {
			actor.Behaviour[blank, int]{}.Handle(func(*blank, *actor.Context, int) {})
		}},
		{"ZeroAskBehaviour", "a zero AskBehaviour", func() {
			actor.AskBehaviour[blank, int, int]{}.Handle(func(*blank, *actor.Context, int) (int, error) {
				return 0, nil
			})
		}},
		{"SpawnFuncNil", "SpawnFunc: a nil function", func() { puppetType.SpawnFunc(sys, nil) }},
		{"NilType", "a nil or zero Type", func() { (*actor.Type[blank])(nil).Spawn(sys, blank{}) }},
		{"SpawnNilSender", "a nil sender", func() { puppetType.Spawn(nil, puppet{}) }},
	} {
		t.Run(c.name, func(t *testing.T) { panics(t, c.words, c.f) })
	}
	// The failed spawn does no damage: after the missing method is given, the type can be spawned.
	open.Table(two.Handle((*blank).None))
	two.Send(sys, open.Spawn(sys, blank{}), struct{}{})
	quiet(t, sys)
	equal(t, "name", open.Name(), "open")
}

// TestMisuse_OfSends: zero refs, nil senders and zero behaviours, from inside and
// from outside.
func TestMisuse_OfSends(t *testing.T) {
	sys := start(t)
	good := puppetType.Spawn(sys, puppet{})
	var none actor.Ref[puppet]
	ctx := context.Background()
	var zero actor.Behaviour[puppet, int]
	var zeroAsk actor.AskBehaviour[puppet, struct{}, int]
	for _, c := range []struct {
		name, words string
		f           func(from actor.Sender)
	}{
		{"Send", "puppet.count sent to a zero Ref", func(from actor.Sender) {
			count.Send(from, none, 1)
		}},
		{"TrySend", "puppet.count sent to a zero Ref", func(from actor.Sender) {
			_ = count.TrySend(from, none, 1)
		}},
		{"SendWait", "puppet.count sent to a zero Ref", func(actor.Sender) {
			_ = count.SendWait(ctx, none, 1)
		}},
		{"Ask", "puppet.value sent to a zero Ref", func(actor.Sender) {
			_, _ = value.Ask(ctx, none, struct{}{})
		}},
		{"To", "puppet.count sent to a zero Ref", func(actor.Sender) { count.To(none) }},
		{"Stop", "Stop of a zero Ref", func(from actor.Sender) { actor.Stop(from, none) }},
		{"NilSender", "a nil sender", func(actor.Sender) { count.Send(nil, good, 1) }},
		{"NilContext", "a nil sender", func(actor.Sender) { count.Send((*actor.Context)(nil), good, 1) }},
		{"NilSystem", "a nil sender", func(actor.Sender) { count.Send((*actor.System)(nil), good, 1) }},
		{"TrySendNilSender", "a nil sender", func(actor.Sender) { _ = count.TrySend(nil, good, 1) }},
		{"StopNilSender", "a nil sender", func(actor.Sender) { actor.Stop(nil, good) }},
		{"ZeroBehaviour", "a zero Behaviour", func(from actor.Sender) { zero.Send(from, good, 1) }},
		{"ZeroBehaviourTrySend", "a zero Behaviour", func(from actor.Sender) {
			_ = zero.TrySend(from, good, 1)
		}},
		{"ZeroBehaviourSendWait", "a zero Behaviour", func(actor.Sender) {
			_ = zero.SendWait(ctx, good, 1)
		}},
		{"ZeroBehaviourTo", "a zero Behaviour", func(from actor.Sender) { zero.To(good).Send(from, 1) }},
		{"ZeroAsk", "a zero AskBehaviour", func(actor.Sender) {
			_, _ = zeroAsk.Ask(ctx, good, struct{}{})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			panics(t, c.words, func() { c.f(sys) })
			inside(t, sys, func(ctx *actor.Context) { panics(t, c.words, func() { c.f(ctx) }) })
		})
	}
	equal(t, "dead letters", sys.Stats().DeadLetters, 0)
}

// TestMisuse_Inside: the calls that a behaviour must not make.
func TestMisuse_Inside(t *testing.T) {
	sys := start(t)
	var none actor.Ref[puppet]
	good := puppetType.Spawn(sys, puppet{})
	background := context.Background()
	foreign := actor.Declare[actor.Result[int]](actor.NewType[puppet]("same state"), "reply")
	var zeroAsk actor.AskBehaviour[puppet, struct{}, int]
	var zeroReply actor.Behaviour[puppet, actor.Result[int]]
	fetch := func(context.Context) (int, error) { return 0, nil }
	for _, c := range []struct {
		name, words string
		f           func(c *actor.Context)
	}{
		{"SelfWrongType", "not actor_test.blank", func(c *actor.Context) { actor.Self[blank](c) }},
		{"AskToZeroRef", "puppet.value sent to a zero Ref", func(c *actor.Context) {
			actor.AskTo(c, value, none, struct{}{}, reply)
		}},
		{"AskToForeignReply", "same state.reply is not one of puppet#", func(c *actor.Context) {
			actor.AskTo(c, value, good, struct{}{}, foreign)
		}},
		{"AskToZeroBehaviour", "a zero AskBehaviour", func(c *actor.Context) {
			actor.AskTo(c, zeroAsk, good, struct{}{}, reply)
		}},
		{"AskToZeroReply", "a zero Behaviour", func(c *actor.Context) {
			actor.AskTo(c, value, good, struct{}{}, zeroReply)
		}},
		{"PipeForeignReply", "same state.reply is not one of puppet#", func(c *actor.Context) {
			actor.Pipe(c, foreign, fetch)
		}},
		{"PipeZeroReply", "a zero Behaviour", func(c *actor.Context) { actor.Pipe(c, zeroReply, fetch) }},
		{"PipeNil", "a nil function", func(c *actor.Context) { actor.Pipe(c, reply, nil) }},
		{"Wait", "Wait called from a behaviour", func(*actor.Context) { _ = sys.Wait(background) }},
		{"Run", "Run called from a behaviour", func(*actor.Context) { _ = sys.Run() }},
		{"Shutdown", "Shutdown called from a behaviour", func(*actor.Context) {
			_ = sys.Shutdown(background)
		}},
		{"SystemStop", "Stop called from a behaviour", func(*actor.Context) { sys.Stop() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			inside(t, sys, func(ctx *actor.Context) { panics(t, c.words, func() { c.f(ctx) }) })
			p := pinnedType.Spawn(sys, puppet{})
			_, err := pinnedTry.Ask(soon(t), p, func(_ *puppet, ctx *actor.Context) (any, error) {
				if strings.Contains(c.words, "behaviour, which") ||
					strings.HasSuffix(c.words, "from a behaviour") {
					panics(t, c.words, func() { c.f(ctx) })
				}
				return nil, nil
			})
			must(t, err)
		})
	}
	// None of them has done damage.
	count.Send(sys, good, 1)
	quiet(t, sys)
	equal(t, "dead letters", sys.Stats().DeadLetters, 0)
	equal(t, "panics", sys.Stats().Panics, 0)
}

// TestMisuse_OfOptions: "If options are bad it panics, and the panic lists all mistakes."
func TestMisuse_OfOptions(t *testing.T) {
	for _, c := range []struct {
		name  string
		words []string
		opts  []actor.Option
	}{
		{"Nil", []string{"a nil option"}, []actor.Option{nil}},
		{"NoWorkers", []string{"WithWorkers(0): want 1 to 1024"}, []actor.Option{actor.WithWorkers(0)}},
		{"NegativeWorkers", []string{"WithWorkers(-2)"}, []actor.Option{actor.WithWorkers(-2)}},
		{"FewestWorkers", []string{"WithWorkers(-"}, []actor.Option{actor.WithWorkers(math.MinInt)}},
		{"FewestWorkersOfASeed", []string{"WithWorkers(-"},
			[]actor.Option{actor.WithDeterministic(1), actor.WithWorkers(math.MinInt)}},
		{"Fewest", []string{"WithBatch(-", "WithGas(-", "WithMaxBlocked(-", "WithLongTurn(-"},
			[]actor.Option{actor.WithBatch(math.MinInt),
				actor.WithGas(math.MinInt), actor.WithMaxBlocked(math.MinInt), actor.WithLongTurn(
					math.MinInt64)}},
		{"TooManyWorkers", []string{"WithWorkers(1025)"}, []actor.Option{actor.WithWorkers(1025)}},
		{"NoBatch", []string{"WithBatch(0): want at least 1"}, []actor.Option{actor.WithBatch(0)}},
		{"NilLogger", []string{"WithLogger(nil)"}, []actor.Option{actor.WithLogger(nil)}},
		{"NoHooks", []string{"WithHooks without a function"},
			[]actor.Option{actor.WithHooks(actor.Hooks{})}},
		{"Together", []string{"WithWorkers(-1)", "WithBatch(-5)", "WithLogger(nil)", "WithHooks without"},
			[]actor.Option{actor.WithWorkers(-1), actor.WithBatch(-5), actor.WithLogger(nil),
				actor.WithHooks(actor.Hooks{Panic: nil})}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, w := range c.words {
				panics(t, w, func() { actor.Start(c.opts...) })
			}
		})
	}
}

// TestOptions_Extremes: the largest and smallest values of options that are allowed work.
func TestOptions_Extremes(t *testing.T) {
	for _, c := range []struct {
		name string
		opts []actor.Option
	}{
		{"OneWorker", []actor.Option{actor.WithWorkers(1)}},
		{"AllWorkers", []actor.Option{actor.WithWorkers(1024)}},
		{"BatchOfOne", []actor.Option{actor.WithBatch(1)}},
		{"NoBatchToSpeakOf", []actor.Option{actor.WithBatch(math.MaxInt), actor.WithWorkers(1)}},
		{"BatchOf32Bits", []actor.Option{actor.WithBatch(math.MaxInt/2 + 2), actor.WithWorkers(1)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := start(t, c.opts...)
			p := puppetType.Spawn(sys, puppet{})
			do.Send(sys, p, func(_ *puppet, c *actor.Context) {
				for range 1000 {
					count.Send(c, actor.Self[puppet](c), 1)
				}
			})
			quiet(t, sys)
			n, err := value.Ask(soon(t), p, struct{}{})
			must(t, err)
			equal(t, "messages", n, 1000)
			if strings.Contains(c.name, "atchTo") || strings.Contains(c.name, "32Bits") {
				if turns := sys.Stats().Turns; turns > 10 {
					t.Errorf("%d turns for 1,000 messages that were there at once", turns)
				}
			}
		})
	}
}

// TestTypeBatch: "instead of the system's": a type's own batch replaces that of the system, and
// decides the number of turns for a full mailbox.
func TestTypeBatch(t *testing.T) {
	sys := start(t, actor.WithWorkers(1), actor.WithBatch(50))
	release := make(chan struct{})
	a, b := slowType.Spawn(sys, puppet{}), puppetType.Spawn(sys, puppet{})
	hold := func(*puppet, *actor.Context) { <-release }
	nothing := func(*puppet, *actor.Context) {}
	slowDo.Send(sys, a, hold)
	do.Send(sys, b, hold)
	for range 100 {
		slowDo.Send(sys, a, nothing)
		do.Send(sys, b, nothing)
	}
	close(release)
	quiet(t, sys)
	// 101 turns of one message; 101 messages in turns of 50, the first of them
	// alone, and a look or two that finds nothing.
	if turns := sys.Stats().Turns; turns < 104 || turns > 110 {
		t.Errorf("%d turns, want about 104", turns)
	}
}

// TestStoppedActor: "It is returned by TrySend, SendWait and asks, and is the reason of
// dead letters".
func TestStoppedActor(t *testing.T) {
	var dead letters
	sys := start(t, dead.option())
	ended := puppetType.Spawn(sys, puppet{})
	actor.Stop(sys, ended)
	quiet(t, sys)
	actor.Stop(sys, ended) // "Stopping an actor that has ended does nothing"

	count.Send(sys, ended, 5)
	l := dead.last.Load()
	wants(t, l.Reason, actor.ErrStopped)
	wants(t, l.Reason, actor.ErrShutdown) // and why
	equal(t, "dead letter", *l, actor.DeadLetter{ActorID: ended.ID(), Type: "puppet",
		Behaviour: "count", Message: 5, Reason: l.Reason})
	wants(t, count.TrySend(sys, ended, 6), actor.ErrStopped)
	wants(t, count.SendWait(soon(t), ended, 7), actor.ErrStopped)
	wants(t, count.To(ended).TrySend(sys, 8), actor.ErrStopped)
	equal(t, "dead letters, refused ones not among them", dead.n.Load(), 1)
	_, err := value.Ask(soon(t), ended, struct{}{})
	wants(t, err, actor.ErrStopped)
	equal(t, "dead letters with the request", dead.n.Load(), 2)

	sender := puppetType.Spawn(sys, puppet{})
	do.Send(sys, sender, func(_ *puppet, c *actor.Context) {
		count.Send(c, ended, 9)
		wants(t, count.TrySend(c, ended, 10), actor.ErrStopped)
		actor.Stop(c, ended)
	})
	quiet(t, sys)
	l = dead.last.Load()
	equal(t, "from", l.From, sender.ID())
	equal(t, "message", l.Message, any(9))
	st := sys.Stats()
	equal(t, "Stats.DeadLetters", st.DeadLetters, 3)
	equal(t, "Stats.Stopped", st.Stopped, 1)
}

// TestStoppedSystem: "Send → dead letter, TrySend, SendWait and asks → named
// error, Spawn → an actor that has ended".
func TestStoppedSystem(t *testing.T) {
	for name, stop := range map[string]func(sys *actor.System){
		"Stop":     func(sys *actor.System) { sys.Stop() },
		"Run":      func(sys *actor.System) { must(t, sys.Run()) },
		"Shutdown": func(sys *actor.System) { must(t, sys.Shutdown(context.Background())) },
	} {
		t.Run(name, func(t *testing.T) {
			var dead letters
			sys := start(t, dead.option())
			before := puppetType.Spawn(sys, puppet{})
			count.Send(sys, before, 1)
			quiet(t, sys)
			stop(sys)
			after, pinned := puppetType.Spawn(sys, puppet{}), pinnedType.Spawn(sys, puppet{})
			for _, r := range []actor.Ref[puppet]{before, after} {
				n := dead.n.Load()
				count.Send(sys, r, 1)
				equal(t, "dead letters", dead.n.Load(), n+1)
				wants(t, dead.last.Load().Reason, actor.ErrSystemStopped)
				wants(t, count.TrySend(sys, r, 1), actor.ErrSystemStopped)
				wants(t, count.SendWait(soon(t), r, 1), actor.ErrSystemStopped)
				_, err := value.Ask(soon(t), r, struct{}{})
				wants(t, err, actor.ErrSystemStopped)
				actor.Stop(sys, r)
			}
			wants(t, pinnedDo.TrySend(sys, pinned, nil), actor.ErrSystemStopped)
			wants(t, sys.Wait(soon(t)), actor.ErrSystemStopped)
			wants(t, sys.Run(), actor.ErrSystemStopped)
			must(t, sys.Shutdown(soon(t))) // "nil if the system has stopped already"
			sys.Stop()
			release, err := sys.Hold()
			wants(t, err, actor.ErrSystemStopped)
			release()
			release()
			equal(t, "messages run", sys.Stats().Messages, 1)
		})
	}
}

// TestRef: zero value, comparison, number and name.
func TestRef(t *testing.T) {
	var none actor.Ref[puppet]
	equal(t, "zero", none.IsZero(), true)
	equal(t, "zero's ID", none.ID(), 0)
	equal(t, "zero's name", none.String(), "none")
	sys := start(t)
	seen := map[uint64]bool{}
	for range 10 {
		r := puppetType.Spawn(sys, puppet{})
		var inner actor.Ref[puppet]
		inside(t, sys, func(c *actor.Context) { inner = puppetType.Spawn(c, puppet{}) })
		for _, r := range []actor.Ref[puppet]{r, inner} {
			if r.IsZero() || r.ID() == 0 || seen[r.ID()] || !strings.HasPrefix(r.String(), "puppet#") {
				t.Errorf("%v: zero %v, ID %d, seen %v", r, r.IsZero(), r.ID(), seen[r.ID()])
			}
			seen[r.ID()] = true
		}
		do.Send(sys, r, func(_ *puppet, c *actor.Context) {
			equal(t, "Self", actor.Self[puppet](c), r)
			equal(t, "ActorID", c.ActorID(), r.ID())
			equal(t, "System", c.System(), sys)
		})
	}
	quiet(t, sys)
}

// TestSpawnFunc: "init is called once, with the zero state in its final place".
func TestSpawnFunc(t *testing.T) {
	sys := start(t)
	var at *puppet
	r := puppetType.SpawnFunc(sys, func(p *puppet) { at, p.n = p, 41 })
	do.Send(sys, r, func(p *puppet, _ *actor.Context) {
		if p != at {
			t.Errorf("state at %p, was initialised at %p", p, at)
		}
		p.n++
	})
	n, err := value.Ask(soon(t), r, struct{}{})
	must(t, err)
	equal(t, "state", n, 42)
}

// TestSpawnFunc_Panics: "If init panics, so does SpawnFunc, and there is no actor": none is counted
// that would never end.
func TestSpawnFunc_Panics(t *testing.T) {
	sys := start(t)
	spawn := func(from actor.Sender) {
		defer func() { equal(t, "panic", recover(), any(errUser)) }()
		puppetType.SpawnFunc(from, func(*puppet) { panic(errUser) })
	}
	spawn(sys)
	inside(t, sys, func(c *actor.Context) { spawn(c) }) // inside itself spawns one actor
	quiet(t, sys)
	equal(t, "actors spawned", sys.Stats().Spawned, 1)
}

// TestHandler: "anything that handles messages of type M".
func TestHandler(t *testing.T) {
	var dead letters
	sys := start(t, dead.option())
	typ := actor.NewType[sink[int]]("other state")
	take := actor.Declare[int](typ, "take")
	typ.Table(take.Handle((*sink[int]).Take))
	a := puppetType.Spawn(sys, puppet{})
	b := typ.Spawn(sys, sink[int]{ok: func(n int) bool { return n == 3 }})
	for _, h := range []actor.Handler[int]{count.To(a), take.To(b)} {
		h.Send(sys, 3)
		must(t, h.TrySend(sys, 3))
		inside(t, sys, func(c *actor.Context) { h.Send(c, 3) })
	}
	n, err := value.Ask(soon(t), a, struct{}{})
	must(t, err)
	equal(t, "sum", n, 9)
	quiet(t, sys)
	equal(t, "same handler", count.To(a) == count.To(a), true)
}

// TestRand_IsSeeded: "WithRandSeed seeds [Context.Rand]": on one worker the same seed gives the
// same numbers, and another seed gives others.
func TestRand_IsSeeded(t *testing.T) {
	draw := func(seed uint64) (got [5]uint64) {
		sys := start(t, actor.WithWorkers(1), actor.WithRandSeed(seed))
		inside(t, sys, func(c *actor.Context) {
			for i := range got {
				got[i] = c.Rand().Uint64()
			}
		})
		sys.Stop()
		return got
	}
	equal(t, "the same seed", draw(1), draw(1))
	if draw(1) == draw(2) {
		t.Error("another seed, the same numbers")
	}
}

// TestSystems_Several: "A process may have several". Sends, asks and stops work across systems.
// When one system stops, the other goes on.
func TestSystems_Several(t *testing.T) {
	var deadA, deadB letters
	a, b := start(t, deadA.option()), start(t, deadB.option())
	ra, rb := puppetType.Spawn(a, puppet{}), puppetType.Spawn(b, puppet{})
	got := make(chan actor.Result[any], 1)
	do.Send(a, ra, func(p *puppet, c *actor.Context) {
		count.Send(c, rb, 1)
		must(t, count.TrySend(c, rb, 2))
		p.note = func(_ *actor.Context, r actor.Result[any]) { got <- r }
		actor.AskTo(c, try, rb, func(p *puppet, c *actor.Context) (any, error) {
			count.Send(c, ra, 10)
			return p.n, nil
		}, note)
		equal(t, "spawned there", puppetType.Spawn(b, puppet{}).IsZero(), false)
	})
	count.Send(b, ra, 20) // a system is a sender for any other
	equal(t, "reply", receive(t, "the reply", got).Value, any(3))
	quiet(t, b)
	quiet(t, a)
	n, err := value.Ask(soon(t), ra, struct{}{})
	must(t, err)
	equal(t, "state in a", n, 30)

	b.Stop()
	do.Send(a, ra, func(p *puppet, c *actor.Context) {
		count.Send(c, rb, 1)
		wants(t, count.TrySend(c, rb, 2), actor.ErrSystemStopped)
		actor.Stop(c, rb)
		actor.AskTo(c, value, rb, struct{}{}, reply)
	})
	quiet(t, a)
	equal(t, "dead letters in a", deadA.n.Load(), 0)
	equal(t, "dead letters in b", deadB.n.Load(), 2)
	v, err := try.Ask(soon(t), ra, func(p *puppet, _ *actor.Context) (any, error) {
		return p.note, nil
	})
	must(t, err)
	wants(t, v.(actor.Result[int]).Err, actor.ErrSystemStopped)
}

// TestStartStopStart: "start, drain, stop, start again".
func TestStartStopStart(t *testing.T) {
	for i := range scaled(200) {
		sys := actor.Start(actor.WithWorkers(1 + i%3))
		r := puppetType.Spawn(sys, puppet{})
		count.Send(sys, r, i)
		n, err := value.Ask(soon(t), r, struct{}{})
		if n != i || err != nil {
			t.Fatal(n, err)
		}
		if i%2 == 0 {
			must(t, sys.Shutdown(soon(t)))
		}
		sys.Stop()
	}
}
