package actor_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// passing is an actor whose interceptor reads the context of each message, and adds a value to it.
type passing struct{ d *diary }

func (p *passing) Show(c *actor.Context, n int) {
	p.d.add("show %d with %v and %v", n, c.Context().Value(ctxKey{}), c.Context().Value(ownKey{}))
	switch n {
	case 2:
		passShow.Send(c, actor.Self[passing](c), 0) // Invocation.SetContext does not travel
	case 3:
		c.SetContext(c.Context())
		passShow.Send(c, actor.Self[passing](c), 0)
	case 5:
		actor.AskTo(c, passGet, actor.Self[passing](c), 0, passHeard)
	case 4:
		passShow.Stash(c, 4)
	}
}

func (p *passing) Get(c *actor.Context, n int) (int, error) { p.Show(c, n); return n, nil }

func (p *passing) Heard(c *actor.Context, _ actor.Result[int]) { p.Show(c, -1) }

var (
	passDiary = new(diary)
	passType  = actor.NewType[passing]("passing", actor.WithInterceptor(actor.Interceptor{
		Before: func(c *actor.Context, in *actor.Invocation) error {
			v := in.Context().Value(ctxKey{})
			passDiary.add("came with %v, outcome %v", v, in.IsOutcome())
			if v != nil {
				in.SetContext(context.WithValue(in.Context(), ownKey{}, fmt.Sprint(v, "'s own")))
			}
			return nil
		},
		After: func(_ *actor.Context, in *actor.Invocation, out actor.Outcome) {
			passDiary.add("after: %v, aside %v", in.Context().Value(ownKey{}), out.PutAside)
		},
	}))
	passShow  = actor.Declare[int](passType, "show")
	passGet   = actor.DeclareAsk[int, int](passType, "get")
	passHeard = actor.Declare[actor.Result[int]](passType, "heard")
)

func init() {
	passType.Table(passShow.Handle((*passing).Show), passGet.Handle((*passing).Get),
		passHeard.Handle((*passing).Heard))
}

// TestInvocation_Context: Context returns "the context that the message or the request came with";
// SetContext "does not add ctx to the messages that the behaviour sends". In After, Context returns
// the same context as in Before.
func TestInvocation_Context(t *testing.T) {
	seen := func(n int) []string {
		return []string{"came with v, outcome false", fmt.Sprintf("show %d with v and v's own", n),
			"after: v's own, aside false"}
	}
	none := []string{"came with <nil>, outcome false", "show 0 with <nil> and <nil>",
		"after: <nil>, aside false"}
	for name, c := range map[string]struct {
		do   func(sys *actor.System, r actor.Ref[passing])
		want []string
	}{
		"none": {func(sys *actor.System, r actor.Ref[passing]) {
			passShow.Send(sys, r, 0)
		}, none},
		"carried": {func(sys *actor.System, r actor.Ref[passing]) {
			passShow.Send(sys.With(traced("v")), r, 1)
		}, seen(1)},
		"request": {func(sys *actor.System, r actor.Ref[passing]) {
			_, err := passGet.Ask(traced("v"), r, 1)
			must(t, err)
		}, seen(1)},
		"does not travel": {func(sys *actor.System, r actor.Ref[passing]) {
			passShow.Send(sys.With(traced("v")), r, 2)
		}, append(seen(2), none...)},
		"passed on": {func(sys *actor.System, r actor.Ref[passing]) {
			passShow.Send(sys.With(traced("v")), r, 3)
		}, append(seen(3), seen(0)...)},
		"stashed": {func(sys *actor.System, r actor.Ref[passing]) {
			passShow.Send(sys.With(traced("v")), r, 4)
		}, []string{"came with v, outcome false", "show 4 with v and v's own",
			"after: v's own, aside true"}},
		"outcome": {func(sys *actor.System, r actor.Ref[passing]) {
			passShow.Send(sys, r, 5)
		}, []string{"came with <nil>, outcome false", "show 5 with <nil> and <nil>",
			"after: <nil>, aside false", none[0], none[1], none[2],
			"came with <nil>, outcome true", "show -1 with <nil> and <nil>",
			"after: <nil>, aside false"}},
	} {
		for _, opts := range [][]actor.Option{{actor.WithWorkers(1)}, {actor.WithDeterministic(1)}} {
			t.Run(name, func(t *testing.T) {
				passDiary.lines = nil
				sys := start(t, opts...)
				c.do(sys, passType.Spawn(sys, passing{passDiary}))
				quiet(t, sys)
				passDiary.says(t, c.want...)
			})
		}
	}
}

// TestInvocation_SetContext_Misuse: "It panics if ctx is nil, or in After."
func TestInvocation_SetContext_Misuse(t *testing.T) {
	var got []any
	var none context.Context
	try := func(f func()) {
		defer func() { got = append(got, recover()) }()
		f()
	}
	sys := start(t, actor.WithWorkers(1), actor.WithInterceptor(actor.Interceptor{
		Before: func(_ *actor.Context, in *actor.Invocation) error {
			try(func() { in.SetContext(none) })
			return nil
		},
		After: func(_ *actor.Context, in *actor.Invocation, _ actor.Outcome) {
			try(func() { in.SetContext(context.Background()) })
			equal(t, "context", in.Context(), context.Background())
		},
	}))
	count.Send(sys, puppetType.Spawn(sys, puppet{}), 1)
	quiet(t, sys)
	equal(t, "panics", fmt.Sprint(got...), "gallop: Invocation.SetContext with a nil context: use "+
		"context.Backgroundgallop: Invocation.SetContext behind the behaviour")
}

// TestDeadLetter_Context: Context is the context that the message or the request came with, which
// may have ended, or nil if there was none.
func TestDeadLetter_Context(t *testing.T) {
	refusing := actor.WithInterceptor(actor.Interceptor{
		Before: func(_ *actor.Context, in *actor.Invocation) error {
			if in.Behaviour() == "add" {
				return errRefused
			}
			return nil
		},
	})
	for name, c := range map[string]struct {
		do   func(sys *actor.System, r actor.Ref[gated])
		want any
	}{
		"ended": {func(sys *actor.System, r actor.Ref[gated]) {
			must(t, actor.StopWait(soon(t), r))
			gatedRush.Send(sys.With(traced("v")), r, 1)
		}, "v"},
		"no context": {func(sys *actor.System, r actor.Ref[gated]) {
			must(t, actor.StopWait(soon(t), r))
			gatedRush.Send(sys, r, 1)
		}, nil},
		"request": {func(sys *actor.System, r actor.Ref[gated]) {
			must(t, actor.StopWait(soon(t), r))
			_, err := gatedGet.Ask(traced("v"), r, 1)
			wants(t, err, actor.ErrStopped)
		}, "v"},
		"too late": {func(sys *actor.System, r actor.Ref[gated]) {
			ctx, cancel := context.WithCancel(traced("v"))
			cancel()
			gatedRush.Send(sys.With(ctx), r, 1)
		}, "v"},
		"refused": {func(sys *actor.System, r actor.Ref[gated]) {
			gatedAdd.Send(sys.With(traced("v")), r, 1)
		}, "v"},
	} {
		t.Run(name, func(t *testing.T) {
			var dead letters
			sys := start(t, actor.WithWorkers(1), dead.option(), refusing)
			gatedDiary.lines = nil
			c.do(sys, gatedType.Spawn(sys, gated{}))
			quiet(t, sys)
			equal(t, "dead letters", dead.n.Load(), 1)
			ctx := dead.last.Load().Context
			if equal(t, "has a context", ctx != nil, c.want != nil); ctx != nil {
				equal(t, "value", ctx.Value(ctxKey{}), c.want)
			}
		})
	}
}
