package actor_test

import (
	"context"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// asker asks, and adds up the replies.
type asker struct {
	sum, heard int
	tell       chan actor.Result[int] // gets the outcomes; may be nil
}

type askerBehaviours struct {
	typ    *actor.Type[asker]
	do     actor.Behaviour[asker, func(*asker, *actor.Context)]
	answer actor.Behaviour[asker, actor.Result[int]]
	marked actor.Behaviour[asker, actor.Reply[int, string]]
}

func newAskerType(opts ...actor.TypeOption) *askerBehaviours {
	b := &askerBehaviours{typ: actor.NewType[asker]("asker", opts...)}
	b.do = actor.Declare[func(*asker, *actor.Context)](b.typ, "do")
	b.answer = actor.Declare[actor.Result[int]](b.typ, "answer")
	b.marked = actor.Declare[actor.Reply[int, string]](b.typ, "marked")
	b.typ.Table(
		b.do.Handle(func(a *asker, c *actor.Context, f func(*asker, *actor.Context)) { f(a, c) }),
		b.answer.Handle(func(a *asker, _ *actor.Context, r actor.Result[int]) { a.hear(r.Value, r.Err) }),
		b.marked.Handle(func(a *asker, _ *actor.Context, r actor.Reply[int, string]) {
			a.hear(r.Value, r.Err)
		}))
	return b
}

func (a *asker) hear(v int, err error) {
	a.heard++
	a.sum += v
	if a.tell != nil {
		a.tell <- actor.Result[int]{Value: v, Err: err}
	}
}

// scribe answers 1 to everything, sooner or later.
type scribe struct{ by actor.Ref[scribe] }

var (
	scribeType = actor.NewType[scribe]("scribe")
	answer1    = actor.DeclareAsk[int, int](scribeType, "answer")
	answerOff  = actor.DeclareAsk[int, int](scribeType, "put off")
	answerBy   = actor.DeclareAsk[int, int](scribeType, "hand over")
	stashIt    = actor.DeclareAsk[int, int](scribeType, "stash")
	takeOver   = actor.Declare[actor.Deferred[int]](scribeType, "take over")
	takeBack   = actor.Declare[struct{}](scribeType, "take back")
	_          = scribeType.Table(
		answer1.Handle(func(*scribe, *actor.Context, int) (int, error) { return 1, nil }),
		answerOff.Handle(func(k *scribe, c *actor.Context, _ int) (int, error) {
			takeOver.Send(c, k.by, actor.Defer(c, answerOff))
			return 0, nil
		}),
		answerBy.Handle(func(k *scribe, c *actor.Context, _ int) (int, error) {
			d := actor.Defer(c, answerBy)
			d.HandOver(c, k.by)
			takeOver.Send(c, k.by, d)
			return 0, nil
		}),
		stashIt.Handle(func(k *scribe, c *actor.Context, n int) (int, error) {
			if n < 0 {
				return 1, nil
			}
			takeBack.Send(c, actor.Self[scribe](c), struct{}{})
			return stashIt.Stash(c, -1)
		}),
		takeOver.Handle(func(_ *scribe, c *actor.Context, d actor.Deferred[int]) { d.Reply(c, 1, nil) }),
		takeBack.Handle(func(_ *scribe, c *actor.Context, _ struct{}) { actor.UnstashAll(c) }),
	)
)

// TestAnswer_MutesNobody: messages for which a receiver has asked are accepted in spite of its
// pressure, its load and its bound. All answers come and mute no sender, for all ways to ask and to
// reply. So no pressure deadlock is reported.
func TestAnswer_MutesNobody(t *testing.T) {
	const asks = 30
	ways := map[string]func(c *actor.Context, b *askerBehaviours, to actor.Ref[scribe]){
		"AskTo": func(c *actor.Context, b *askerBehaviours, to actor.Ref[scribe]) {
			actor.AskTo(c, answer1, to, 0, b.answer)
		},
		"AskToWith": func(c *actor.Context, b *askerBehaviours, to actor.Ref[scribe]) {
			actor.AskToWith(c, answer1, to, 0, b.marked, "mark")
		},
		"Within": func(c *actor.Context, b *askerBehaviours, to actor.Ref[scribe]) {
			actor.AskTo(c, answer1, to, 0, b.answer, actor.Within(time.Hour))
		},
		"with a context": func(c *actor.Context, b *askerBehaviours, to actor.Ref[scribe]) {
			c.SetContext(context.WithValue(context.Background(), ctxKey{}, 1))
			actor.AskTo(c, answer1, to, 0, b.answer)
		},
		"Asker": func(c *actor.Context, b *askerBehaviours, to actor.Ref[scribe]) {
			answer1.To(to).AskTo(c, 0, b.answer.To(actor.Self[asker](c)))
		},
		"put off": func(c *actor.Context, b *askerBehaviours, to actor.Ref[scribe]) {
			actor.AskTo(c, answerOff, to, 0, b.answer)
		},
		"handed over": func(c *actor.Context, b *askerBehaviours, to actor.Ref[scribe]) {
			actor.AskTo(c, answerBy, to, 0, b.answer)
		},
		"stashed": func(c *actor.Context, b *askerBehaviours, to actor.Ref[scribe]) {
			actor.AskTo(c, stashIt, to, 0, b.answer)
		},
		"Pipe": func(c *actor.Context, b *askerBehaviours, _ actor.Ref[scribe]) {
			actor.Pipe(c, b.answer, func(context.Context) (int, error) { return 1, nil })
		},
	}
	for state, s := range map[string]struct {
		opts  []actor.TypeOption
		begin func(c *actor.Context)
	}{
		"pressed":    {begin: func(c *actor.Context) { c.ApplyPressure() }},
		"overloaded": {opts: []actor.TypeOption{actor.WithBatch(1)}},
		"mute":       {opts: []actor.TypeOption{actor.WithBound(2, actor.OverflowMute)}},
		"refuse":     {opts: []actor.TypeOption{actor.WithBound(2, actor.OverflowRefuse)}},
		"drop":       {opts: []actor.TypeOption{actor.WithBound(2, actor.OverflowDropOldest)}},
		"mute and pressed": {opts: []actor.TypeOption{actor.WithBound(2, actor.OverflowMute)},
			begin: func(c *actor.Context) { c.ApplyPressure() }},
	} {
		b := newAskerType(s.opts...)
		for way, ask := range ways {
			t.Run(state+"/"+way, func(t *testing.T) {
				var dead letters
				var alarms int
				sys := start(t, actor.WithWorkers(2), actor.WithHooks(actor.Hooks{
					DeadLetter:       func(actor.DeadLetter) { dead.n.Add(1) },
					PressureDeadlock: func(actor.PressureDeadlock) { alarms++ }}))
				r := b.typ.Spawn(sys, asker{})
				by := scribeType.Spawn(sys, scribe{})
				to := scribeType.Spawn(sys, scribe{by: by})
				first, asked, stay := make(chan struct{}), make(chan struct{}), make(chan struct{})
				nothing := func(*asker, *actor.Context) {}
				b.do.Send(sys, r, func(*asker, *actor.Context) { <-first })
				b.do.Send(sys, r, func(_ *asker, c *actor.Context) {
					if s.begin != nil {
						s.begin(c)
					}
					for range asks {
						ask(c, b, to)
					}
					close(asked)
					c.Blocking(func() { <-stay })
				})
				b.do.Send(sys, r, nothing) // the batch of one is spent, and this is left
				close(first)
				receive(t, "the requests to be sent", asked)
				// All are answered while the asker is busy: a scribe works in order.
				for _, k := range []actor.Ref[scribe]{to, by, to, to} {
					_, err := answer1.Ask(soon(t), k, 0)
					must(t, err)
				}
				equal(t, "mutes", sys.Stats().Mutes, 0)
				if state == "drop" {
					b.do.Send(sys, r, nothing) // these give way to others, but not to answers
				}
				lost := dead.n.Load()
				close(stay)
				quiet(t, sys)
				state := make(chan asker, 1)
				b.do.Send(sys, r, func(a *asker, c *actor.Context) { c.ReleasePressure(); state <- *a })
				a := receive(t, "the sum", state)
				equal(t, "answers and their sum", [2]int{a.heard, a.sum}, [2]int{asks, asks})
				quiet(t, sys)
				st := sys.Stats()
				equal(t, "mutes", st.Mutes, 0)
				equal(t, "pressure deadlocks", [2]int{alarms, int(st.PressureDeadlocks)}, [2]int{})
				equal(t, "dead letters", dead.n.Load(), lost)
			})
		}
	}
}

// TestAnswer_OfMuted: the answers to an actor that is muted, and whose mailbox is at the watermark,
// mute no sender either.
func TestAnswer_OfMuted(t *testing.T) {
	b := newAskerType()
	sys := start(t, actor.WithWorkers(2), actor.Leeway(1))
	o := overload(t, sys)
	r, to := b.typ.Spawn(sys, asker{}), scribeType.Spawn(sys, scribe{})
	b.do.Send(sys, r, func(_ *asker, c *actor.Context) {
		slowDo.Send(c, o.ref, noop)
		for range 30 {
			actor.AskTo(c, answer1, to, 0, b.answer)
		}
	})
	eventually(t, "the asker is muted", func() bool { return actor.Muted(r) })
	_, err := answer1.Ask(soon(t), to, 0)
	must(t, err)
	equal(t, "mutes", sys.Stats().Mutes, 1)
	o.release()
	allUnmuted(t, sys)
}

// TestAnswer_Buffer: a buffer in front of a database is full, applies pressure, and releases it
// when the database has answered. The database is not muted by its answer, and no pressure deadlock
// is reported.
func TestAnswer_Buffer(t *testing.T) {
	const asks = 30
	type buffer struct{ left int }
	typ := actor.NewType[buffer]("buffer")
	begin := actor.Declare[int](typ, "begin")
	written := actor.Declare[actor.Result[int]](typ, "written")
	sys := start(t, actor.WithWorkers(1))
	store := scribeType.Spawn(sys, scribe{})
	typ.Table(
		begin.Handle(func(b *buffer, c *actor.Context, n int) {
			b.left = n
			c.ApplyPressure()
			actor.AskTo(c, answer1, store, n, written)
		}),
		written.Handle(func(b *buffer, c *actor.Context, _ actor.Result[int]) {
			if b.left--; b.left > 0 {
				actor.AskTo(c, answer1, store, b.left, written)
				return
			}
			c.ReleasePressure()
		}))
	begin.Send(sys, typ.Spawn(sys, buffer{}), asks)
	quiet(t, sys)
	st := sys.Stats()
	equal(t, "messages", st.Messages, 1+2*asks)
	equal(t, "mutes and pressure deadlocks", [2]uint64{st.Mutes, st.PressureDeadlocks}, [2]uint64{})
}
