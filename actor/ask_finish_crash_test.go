package actor_test

import (
	"context"
	"errors"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// TestFinishAsks_InterceptorCrashes: if an interceptor panics over an outcome, the outcome no
// longer counts as under way, so a drain of the actor does not wait for it.
func TestFinishAsks_InterceptorCrashes(t *testing.T) {
	crash := true
	typ := actor.NewType[struct{}]("finisher", actor.WithFinishAsks(),
		actor.WithInterceptor(actor.Interceptor{
			Before: func(_ *actor.Context, in *actor.Invocation) error {
				if in.Behaviour() == "out" && crash {
					crash = false
					panic(errors.New("the interceptor"))
				}
				return nil
			},
		}))
	begin := actor.Declare[struct{}](typ, "begin")
	out := actor.Declare[actor.Result[int]](typ, "out")
	typ.Table(begin.Handle(func(_ *struct{}, c *actor.Context, _ struct{}) {
		actor.Pipe(c, out, func(context.Context) (int, error) { return 1, nil })
	}), out.Handle(func(*struct{}, *actor.Context, actor.Result[int]) {}))

	sys := start(t, actor.WithWorkers(1),
		actor.WithHooks(actor.Hooks{Panic: func(actor.PanicReport) {}}))
	parent := wardenType.Spawn(sys, warden{diary: new(diary)})
	var child actor.Ref[struct{}]
	wardenIn(t, sys, parent, func(_ *warden, c *actor.Context) {
		child = actor.SpawnUnder(c, typ, func(*struct{}) {}, actor.Care[warden]{Fell: wardenFell,
			Decide: func(error) actor.Decision { return actor.DecideResume }})
	})
	begin.Send(sys, child, struct{}{})
	if err := sys.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := actor.DrainWait(t.Context(), child); err != nil {
		t.Fatal(err)
	}
}
