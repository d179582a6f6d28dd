package actor_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// piper stops its system from a Pipe.
type piper struct{ stopped bool }

var (
	piperType = actor.NewType[piper]("piper")
	piperGo   = actor.Declare[func()](piperType, "go")
	piperDone = actor.Declare[actor.Result[int]](piperType, "done")
	_         = piperType.Table(piperGo.Handle((*piper).start), piperDone.Handle((*piper).done))
)

func (p *piper) start(c *actor.Context, f func()) {
	actor.Pipe(c, piperDone, func(context.Context) (int, error) { f(); return 1, nil })
}

func (p *piper) done(*actor.Context, actor.Result[int]) {}

// TestSystem_StopFromAPipe: Stop "does not wait for functions that Pipe runs", so one of them may
// call it.
func TestSystem_StopFromAPipe(t *testing.T) {
	for name, opt := range map[string]actor.Option{"plain": actor.WithWorkers(2),
		"deterministic": actor.WithDeterministic(3)} {
		letters := make(chan actor.DeadLetter, 1)
		sys := start(t, opt, actor.WithHooks(actor.Hooks{DeadLetter: func(d actor.DeadLetter) {
			letters <- d
		}}))
		over := make(chan struct{})
		p := piperType.Spawn(sys, piper{})
		piperGo.Send(sys, p, func() { sys.Stop(); close(over) })
		if err := sys.Wait(context.Background()); !errors.Is(err, actor.ErrSystemStopped) {
			t.Errorf("%s: %v", name, err)
		}
		sys.Stop()
		<-over
		// The outcome of the function.
		equal(t, name+": the dead letter", (<-letters).Behaviour, "done")
	}
}

// TestDeterministic_SeveralGoroutines: a deterministic system serves several goroutines at once, in
// an order that does not repeat itself, and one of them may stop it.
func TestDeterministic_SeveralGoroutines(t *testing.T) {
	const callers, each = 4, 50
	sys := start(t, actor.WithDeterministic(1))
	release, err := sys.Hold()
	must(t, err)
	refs := make([]actor.Ref[stroller], 3)
	for i := range refs {
		refs[i] = strollerType.Spawn(sys, stroller{})
	}
	for _, r := range refs {
		strollMeet.Send(sys, r, refs)
	}
	var asking, waiting sync.WaitGroup
	waiting.Go(func() {
		if err := sys.Wait(context.Background()); !errors.Is(err, actor.ErrSystemStopped) {
			t.Errorf("Wait: %v", err)
		}
	})
	for i := range callers {
		asking.Go(func() {
			for range each {
				n, err := strollCount.Ask(context.Background(), refs[1+i%2], 0)
				if n != 1 || err != nil {
					t.Errorf("Ask: %d, %v", n, err)
				}
			}
		})
	}
	asking.Wait()
	sys.Stop()
	waiting.Wait()
	release()
	equal(t, "messages", sys.Stats().Messages, 3+callers*each)
}

// TestSystem_WaitsWithAnEndedContext: a wait with a context that has ended returns nil if its
// condition holds already, and the context's error otherwise. This holds for deterministic and for
// other systems.
func TestSystem_WaitsWithAnEndedContext(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for name, opt := range map[string]actor.Option{"plain": actor.WithWorkers(1),
		"deterministic": actor.WithDeterministic(1)} {
		for range 20 {
			sys := start(t, opt)
			must(t, sys.Wait(ended))
			release, err := sys.Hold()
			must(t, err)
			if err := sys.Wait(ended); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", name, err)
			}
			release()
			sys.Stop()
		}
	}
}

var droppingOne = newBounded("dropping one", 1, actor.OverflowDropOldest)

// TestDeterministic_TwoSystems: an actor of one deterministic system asks an actor of another one,
// whose bound drops the oldest requests. If the asking system stands still in the middle of that,
// because no caller waits for it, the other system still becomes quiescent.
func TestDeterministic_TwoSystems(t *testing.T) {
	const asks = 30
	dropped := 0
	for seed := range uint64(30) {
		here, there := start(t, actor.WithDeterministic(seed)), start(t, actor.WithDeterministic(seed))
		outcomes := 0
		caller := puppetType.Spawn(here, puppet{note: func(_ *actor.Context, r actor.Result[any]) {
			if outcomes++; errors.Is(r.Err, actor.ErrDropped) {
				dropped++
			}
		}})
		to := droppingOne.typ.Spawn(there, puppet{})
		do.Send(here, caller, func(_ *puppet, c *actor.Context) {
			for range asks {
				actor.AskTo(c, droppingOne.try, to, justReply, note)
			}
		})
		for range asks {
			do.Send(here, caller, noop) // this lets the caller go on for a moment
			quiet(t, there)
		}
		for range asks {
			quiet(t, here)
			quiet(t, there)
		}
		equal(t, "outcomes", outcomes, asks)
	}
	if dropped == 0 {
		t.Error("no request had to make room")
	}
}

// TestDeterministic_PipesAcross: functions of Pipe of two deterministic systems ask actors of the
// other system. None keeps either system from going on. A send to a system lets it go on for a
// moment.
func TestDeterministic_PipesAcross(t *testing.T) {
	const asks = 3
	for seed := range uint64(20) {
		outcomes, systems := 0, []*actor.System{start(t, actor.WithDeterministic(seed)),
			start(t, actor.WithDeterministic(seed))}
		var callers, asked []actor.Ref[puppet]
		for _, sys := range systems {
			callers = append(callers, puppetType.Spawn(sys,
				puppet{note: func(_ *actor.Context, r actor.Result[any]) {
					must(t, r.Err)
					outcomes++
				}}))
			asked = append(asked, puppetType.Spawn(sys, puppet{}))
		}
		for i := range systems {
			do.Send(systems[i], asked[i], func(_ *puppet, c *actor.Context) {
				for range asks {
					do.Send(c, callers[1-i], func(_ *puppet, c *actor.Context) {
						actor.Pipe(c, note, func(ctx context.Context) (any, error) {
							return try.Ask(ctx, asked[i], justReply)
						})
					})
				}
			})
		}
		for range 2 * asks {
			quiet(t, systems[0])
			quiet(t, systems[1])
		}
		equal(t, "outcomes", outcomes, 2*asks)
	}
}
