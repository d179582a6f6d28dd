package actor_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/heap"
)

// hearing returns an actor that sends its marked outcomes to heard.
func hearing(sys *actor.System, b ctxBehaviours) (r actor.Ref[ctxActor],
	heard <-chan actor.Reply[any, string]) {
	out := make(chan actor.Reply[any, string], 100)
	return b.typ.Spawn(sys, ctxActor{hear: func(_ *actor.Context, r actor.Reply[any, string]) {
		out <- r
	}}), out
}

// TestAskToWith: "The mark comes back with every outcome, also with an error."
func TestAskToWith(t *testing.T) {
	for class, b := range map[string]ctxBehaviours{"plain": ctxs, "bounded": ctxsBounded} {
		for _, limited := range []bool{false, true} {
			t.Run(fmt.Sprint(class, " within: ", limited), func(t *testing.T) {
				sys, far := start(t, actor.WithWorkers(2)), start(t)
				r, heard := hearing(sys, b)
				ended := b.typ.Spawn(sys, ctxActor{})
				must(t, actor.StopWait(soon(t), ended))
				to, other := b.typ.Spawn(sys, ctxActor{}), b.typ.Spawn(far, ctxActor{})
				var opts []actor.AskOption
				if limited {
					opts = append(opts, actor.AskOption{}, actor.Within(time.Hour), actor.AskOption{})
				}
				for mark, c := range map[string]struct {
					to   actor.Ref[ctxActor]
					f    ctxAsk
					v    any
					want error
				}{
					"value": {to, func(*ctxActor, *actor.Context) (any, error) { return 7, nil }, 7, nil},
					"error": {to, func(*ctxActor, *actor.Context) (any, error) {
						return nil, errUser
					}, nil, errUser},
					"ended": {ended, nil, nil, actor.ErrStopped},
					"panic": {b.typ.Spawn(sys, ctxActor{}), func(*ctxActor, *actor.Context) (any, error) {
						panic(1)
					}, nil, actor.ErrPanicked},
					"other system": {other, func(*ctxActor, *actor.Context) (any, error) {
						return 8, nil
					}, 8, nil},
					"put off": {to, func(_ *ctxActor, c *actor.Context) (any, error) {
						d := actor.Defer(c, b.try)
						go d.Reply(c.System(), 9, nil)
						return nil, nil
					}, 9, nil},
				} {
					b.do.Send(sys, r, func(_ *ctxActor, ctx *actor.Context) {
						actor.AskToWith(ctx, b.try, c.to, c.f, b.heardBy, mark, opts...)
					})
					got := receive(t, mark, heard)
					equal(t, "mark", got.Mark, mark)
					equal(t, "value", got.Value, c.v)
					if !errors.Is(got.Err, c.want) {
						t.Errorf("%s: %v, want %v", mark, got.Err, c.want)
					}
				}
			})
		}
	}
}

// TestAskToWith_Overloaded: the outcome of a request that is refused has the mark.
func TestAskToWith_Overloaded(t *testing.T) {
	full := newCtxType(actor.WithBound(1, actor.OverflowRefuse))
	sys := start(t, actor.WithWorkers(2))
	at, stay := make(chan struct{}), make(chan struct{})
	to := full.typ.Spawn(sys, ctxActor{})
	full.do.Send(sys, to, func(*ctxActor, *actor.Context) { close(at); <-stay })
	receive(t, "the behaviour", at)
	full.show.Send(sys, to, 1)
	r, heard := hearing(sys, ctxs)
	ctxs.do.Send(sys, r, func(_ *ctxActor, c *actor.Context) {
		actor.AskToWith(c, full.try, to, nil, ctxs.heardBy, "refused")
	})
	got := receive(t, "the outcome", heard)
	wants(t, got.Err, actor.ErrOverloaded)
	equal(t, "mark", got.Mark, "refused")
	close(stay)
}

// TestAskToWith_Late: "If d passes on the runtime's clock before the caller has come to the
// outcome, the outcome is [ErrNoReply] … Its late reply becomes a dead letter", and both have the
// mark.
func TestAskToWith_Late(t *testing.T) {
	clock := actor.NewVirtualClock(time.Unix(0, 0))
	var dead letters
	sys := start(t, actor.WithWorkers(2), actor.WithClock(clock), dead.option())
	r, heard := hearing(sys, ctxs)
	var d actor.Deferred[any]
	to := ctxs.typ.Spawn(sys, ctxActor{})
	ctxs.do.Send(sys, r, func(_ *ctxActor, c *actor.Context) {
		c.SetContext(traced("trace"))
		actor.AskToWith(c, ctxs.try, to, func(_ *ctxActor, c *actor.Context) (any, error) {
			d = actor.Defer(c, ctxs.try)
			return nil, nil
		}, ctxs.heardBy, "late", actor.Within(time.Second))
	})
	quiet(t, sys)
	clock.Jump(time.Second)
	got := receive(t, "the outcome", heard)
	wants(t, got.Err, actor.ErrNoReply)
	equal(t, "mark", got.Mark, "late")
	d.Reply(sys, 7, nil)
	quiet(t, sys)
	l := dead.last.Load()
	wants(t, l.Reason, actor.ErrNoReply)
	equal(t, "message", l.Message.(actor.Reply[any, string]),
		actor.Reply[any, string]{Value: 7, Mark: "late"})
	equal(t, "dead letters", dead.n.Load(), 1)
}

// TestReply_BeginsAsAResult: the outcome is written through a pointer to a Result.
func TestReply_BeginsAsAResult(t *testing.T) {
	var r actor.Reply[byte, string]
	var big actor.Reply[[3]int64, int]
	if unsafe.Offsetof(r.Value) != unsafe.Offsetof(actor.Result[byte]{}.Value) ||
		unsafe.Offsetof(r.Err) != unsafe.Offsetof(actor.Result[byte]{}.Err) ||
		unsafe.Offsetof(big.Err) != unsafe.Offsetof(actor.Result[[3]int64]{}.Err) {
		t.Error("a Reply does not begin as a Result does")
	}
}

// TestPipeWith: the mark comes back with the results of the function, and with its panic.
func TestPipeWith(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	r, heard := hearing(sys, ctxs)
	ctxs.do.Send(sys, r, func(_ *ctxActor, c *actor.Context) {
		actor.PipeWith(c, ctxs.heardBy, "value", func(context.Context) (any, error) { return 7, nil })
		actor.PipeWith(c, ctxs.heardBy, "error", func(context.Context) (any, error) {
			return nil, errUser
		})
		actor.PipeWith(c, ctxs.heardBy, "panic", func(context.Context) (any, error) { panic(1) })
		panics(t, "Pipe: a nil function", func() { actor.PipeWith(c, ctxs.heardBy, "nil", nil) })
	})
	var marks []string
	for range 3 {
		got := receive(t, "an outcome", heard)
		marks = append(marks, got.Mark)
		switch got.Mark {
		case "value":
			equal(t, "value", got.Value, any(7))
		case "error":
			wants(t, got.Err, errUser)
		case "panic":
			wants(t, got.Err, actor.ErrPanicked)
		}
	}
	slices.Sort(marks)
	equal(t, "marks", fmt.Sprint(marks), "[error panic value]")
}

// TestAskToWith_Parcels: if the outcome becomes a dead letter, the parcels of the reply are
// discarded.
func TestAskToWith_Parcels(t *testing.T) {
	typ := actor.NewType[puppet]("owner")
	want := actor.DeclareAsk[struct{}, heap.Parcel](typ, "want")
	heardBy := actor.Declare[actor.Reply[heap.Parcel, int]](typ, "heardBy")
	act := actor.Declare[deed](typ, "act")
	typ.Table(want.Handle(func(*puppet, *actor.Context, struct{}) (heap.Parcel,
		error) {
		return heap.NewParcel("x"), nil
	}),
		heardBy.Handle(func(_ *puppet, _ *actor.Context, r actor.Reply[heap.Parcel, int]) {
			t.Error("it was heard")
		}), act.Handle((*puppet).Do))
	before := heap.Blobs().Live
	sys := start(t, actor.WithWorkers(1))
	r, to := typ.Spawn(sys, puppet{}), typ.Spawn(sys, puppet{})
	act.Send(sys, r, func(_ *puppet, c *actor.Context) {
		actor.AskToWith(c, want, to, struct{}{}, heardBy, 1)
		c.Stop()
	})
	quiet(t, sys)
	equal(t, "blobs left", heap.Blobs().Live, before)
	equal(t, "dead letters", sys.Stats().DeadLetters, 1)
}

// TestAsker_Double: "a test double can take the place of an actor in code that knows only an
// Asker".
func TestAsker_Double(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	r, got := ctxs.typ.Spawn(sys, ctxActor{}), make(chan any, 1)
	ctxs.do.Send(sys, r, func(a *ctxActor, _ *actor.Context) { a.got = got })
	seven := func(*ctxActor, *actor.Context) (any, error) { return nil, errUser }
	for name, a := range map[string]actor.Asker[ctxAsk, any]{
		"actor":  ctxs.try.To(ctxs.typ.Spawn(sys, ctxActor{})),
		"double": failing{errUser},
	} {
		_, err := a.Ask(soon(t), seven)
		wants(t, err, errUser)
		ctxs.do.Send(sys, r, func(_ *ctxActor, c *actor.Context) {
			a.AskTo(c, seven, ctxs.heard.To(actor.Self[ctxActor](c)))
		})
		equal(t, name, receive(t, "the outcome", got), any(errUser))
	}
	// The outcome goes to another actor, and to another kind of Handler.
	var n atomic.Int64
	inside(t, sys, func(c *actor.Context) {
		ask := ctxs.try.To(ctxs.typ.Spawn(c, ctxActor{}))
		ask.AskTo(c, seven, ctxs.heard.To(r))
		ask.AskTo(c, seven, counting{&n})
		panics(t, "AskTo: a nil reply for ctx.try", func() { ask.AskTo(c, seven, nil) })
	})
	equal(t, "another actor", receive(t, "the outcome", got), any(errUser))
	quiet(t, sys)
	equal(t, "heard", n.Load(), 1)
	panics(t, "ctx.try sent to a zero Ref", func() { ctxs.try.To(actor.Ref[ctxActor]{}) })
	panics(t, "a zero AskBehaviour", func() { actor.AskBehaviour[ctxActor, int, int]{}.To(r) })
}

// failing is a double that answers each request with an error.
type failing struct{ err error }

func (f failing) Ask(context.Context, ctxAsk) (any, error) { return nil, f.err }
func (f failing) AskTo(c *actor.Context, _ ctxAsk, reply actor.Handler[actor.Result[any]]) {
	reply.Send(c, actor.Result[any]{Err: f.err})
}

type counting struct{ n *atomic.Int64 }

func (x counting) Send(actor.Sender, actor.Result[any])          { x.n.Add(1) }
func (x counting) TrySend(actor.Sender, actor.Result[any]) error { x.n.Add(1); return nil }
