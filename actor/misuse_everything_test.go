package actor_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/misuse"
)

// TestMisuse_Everything: each exported function and method, with each zero or nil argument,
// panics and names the fault, or takes the argument as documented. Nothing fails later.
func TestMisuse_Everything(t *testing.T) {
	const bare = "panics in Go's own words, if at all, as the comment of Context says"
	table := misuse.Table{
		Dir: ".",
		Funcs: map[string]any{
			"DeclareAsk": actor.DeclareAsk[struct{}, int, puppet],
			"Defer":      actor.Defer[puppet, struct{}, int], "WithFinishAsks": actor.WithFinishAsks,
			"AskTo":  actor.AskTo[puppet, struct{}, int, puppet],
			"Within": actor.Within, "Become": actor.Become[puppet], "Unbecome": actor.Unbecome,
			"AskToWith": actor.AskToWith[puppet, struct{}, int, puppet, string],
			"Declare":   actor.Declare[int, puppet], "Urgent": actor.Urgent,
			"WaitForRoom":    actor.WaitForRoom,
			"DropOnOverload": actor.DropOnOverload, "StatusOf": actor.StatusOf,
			"WithMaxBlocked": actor.WithMaxBlocked,
			"As":             actor.As[puppet], "NewVirtualClock": actor.NewVirtualClock,
			"WithClock": actor.WithClock, "Sleep": actor.Sleep, "Self": actor.Self[puppet],
			"BestEffort": actor.BestEffort, "WithDeterministic": actor.WithDeterministic,
			"Normal": actor.Normal, "IsNormal": actor.IsNormal, "Yield": actor.Yield[puppet, int],
			"WithInterceptor": actor.WithInterceptor, "SystemOf": actor.SystemOf, "Link": actor.Link,
			"Unlink": actor.Unlink, "TrapExit": actor.TrapExit[puppet], "UntrapExit": actor.UntrapExit,
			"Watch": actor.Watch[puppet], "Unwatch": actor.Unwatch, "Join": actor.Join,
			"WithKeep": actor.WithKeep[puppet], "Stop": actor.Stop,
			"StopWith": actor.StopWith, "Drain": actor.Drain, "Kill": actor.Kill,
			"StopWait": actor.StopWait, "DrainWait": actor.DrainWait, "KillWait": actor.KillWait,
			"WithLongTurn": actor.WithLongTurn, "Lookup": actor.Lookup[puppet],
			"WithWorkers": actor.WithWorkers, "WithBatch": actor.WithBatch, "WithGas": actor.WithGas,
			"WithRandSeed": actor.WithRandSeed, "WithLogger": actor.WithLogger,
			"WithHooks": actor.WithHooks, "WithCPUBinding": actor.WithCPUBinding,
			"Pipe": actor.Pipe[puppet, int], "PipeWith": actor.PipeWith[puppet, int, string],
			"WithWatermarks": actor.WithWatermarks, "WithBound": actor.WithBound,
			"WithStashLimit": actor.WithStashLimit,
			"StashLen":       actor.StashLen, "UnstashAll": actor.UnstashAll, "Unstash": actor.Unstash,
			"Start": func(opts ...actor.Option) { actor.Start(opts...).Stop() },
			"After": actor.After[puppet, int], "Every": actor.Every[puppet, int],
			"WithPinnedThread": actor.WithPinnedThread, "NewType": actor.NewType[puppet],
		},
		Types: []any{actor.AskBehaviour[puppet, struct{}, int]{}, actor.Deferred[int]{},
			actor.Behaviour[puppet, int]{}, actor.VirtualClock{}, actor.NormalError{}, actor.Invocation{},
			actor.ActorName{}, actor.PressureDeadlock{}, actor.WaitEdge{}, actor.Ref[puppet]{},
			actor.AnyRef{}, actor.Status(0), actor.PanicError{}, (*actor.System)(nil), actor.Timer{},
			(*actor.Type[puppet])(nil), actor.Holder{}, actor.ShutdownError{}, (*actor.Context)(nil)},
		Inside: []any{(*actor.Context)(nil)},
		Odd: []any{(*actor.System)(nil), new(actor.System), (*actor.Context)(nil), new(actor.Context),
			actor.Ref[puppet]{}, actor.AnyRef{}, (*absent)(nil), (*nilFault)(nil), []int{},
			actor.PanicError{}},
		Left: map[string]string{
			"Context.System": bare, "Context.ActorID": bare, "Context.Now": bare, "Context.Rand": bare,
			"Context.Gas": bare, "Context.ShouldYield": bare, "Context.Checkpoint": bare,
			"Context.Stopping": bare,
		},
		Over: []string{"Join"},
		New:  newMisuseWorld,
	}
	t.Logf("%d calls", table.Run(t))
}

var misuseMarked = actor.NewType[puppet]("marked")

var (
	misuseReply = actor.Declare[actor.Reply[int, string]](misuseMarked, "reply")
	misuseGiven = actor.Declare[actor.Result[int]](misuseMarked, "given")
	misuseExit  = actor.Declare[actor.Exit](misuseMarked, "exit")
	misuseDown  = actor.Declare[actor.Down](misuseMarked, "down")
	misuseFell  = actor.Declare[actor.ChildDown](misuseMarked, "fell")
	misuseCount = actor.Declare[int](misuseMarked, "count")
	misuseDo    = actor.Declare[deed](misuseMarked, "do")
	misuseValue = actor.DeclareAsk[struct{}, int](misuseMarked, "value")
	_           = misuseMarked.Table(misuseReply.Handle(func(*puppet, *actor.Context,
		actor.Reply[int, string]) {
	}), misuseGiven.Handle((*puppet).Reply), misuseExit.Handle(func(*puppet, *actor.Context, actor.Exit) {
	}), misuseDown.Handle(func(*puppet, *actor.Context, actor.Down) {
	}), misuseFell.Handle(func(*puppet, *actor.Context, actor.ChildDown) {
	}), misuseCount.Handle((*puppet).Count), misuseDo.Handle((*puppet).Do),
		misuseValue.Handle((*puppet).Value))
)

func newMisuseWorld() *misuse.World {
	var late error
	sys := actor.Start(actor.WithLogger(silent), actor.WithHooks(actor.Hooks{
		Panic: func(r actor.PanicReport) {
			if _, is := r.Value.(error); is {
				late = fmt.Errorf("%v in %s.%s\n%s", r.Value, r.Type, r.Behaviour, r.Stack)
			}
		}}))
	to, me := misuseMarked.Spawn(sys, puppet{}), misuseMarked.Spawn(sys, puppet{})
	clock := actor.NewVirtualClock(time.Unix(1, 0))
	w := &misuse.World{Args: []any{context.Background(), to, []actor.Ref[puppet]{to}, misuseMarked,
		misuseReply, misuseGiven, misuseExit, misuseDown, misuseFell, misuseCount, misuseValue,
		time.Millisecond, error(errUser), clock, silent,
		actor.Hooks{Panic: func(actor.PanicReport) {}}}}
	w.Close = func() error {
		_, _ = misuseValue.Ask(context.Background(), me, struct{}{})
		_, _ = misuseValue.Ask(context.Background(), to, struct{}{})
		sys.Stop()
		return late
	}
	w.Inside = func(f func()) {
		done := make(chan struct{})
		misuseDo.Send(sys, me, func(_ *puppet, c *actor.Context) {
			defer close(done)
			w.Args = append(w.Args, c)
			f()
		})
		<-done
	}
	w.Args = append(w.Args, sys) // after the Context
	return w
}

// absent is a context whose embedded context is nil.
type absent struct{ context.Context }

// nilFault is an error whose Error method panics for a nil pointer.
type nilFault struct{ text string }

func (e *nilFault) Error() string { return e.text }
