package actor_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// A vault accepts requests of some people only.
type vault struct{ gold int }

type withdrawal struct {
	By string
	N  int
}

func (v *vault) Withdraw(_ *actor.Context, w withdrawal) (int, error) {
	if w.N > v.gold {
		return 0, errors.New("not so much")
	}
	v.gold -= w.N
	return v.gold, nil
}

var errForbidden = errors.New("forbidden")

// vaultGuard refuses requests of people without access. vaultAudit prints each request with its
// result.
var (
	vaultGuard = actor.Interceptor{Before: func(_ *actor.Context, in *actor.Invocation) error {
		if w, ok := in.Message().(withdrawal); ok && w.By != "ann" {
			return errForbidden
		}
		return nil
	}}
	vaultAudit = actor.Interceptor{After: func(_ *actor.Context, in *actor.Invocation,
		out actor.Outcome) {
		fmt.Println(in.Type(), in.Behaviour(), "refused:", out.Refused, "error:", out.Err)
	}}
	vaultType = actor.NewType[vault]("vault", actor.WithInterceptor(vaultAudit),
		actor.WithInterceptor(vaultGuard))
	vaultWithdraw = actor.DeclareAsk[withdrawal, int](vaultType, "withdraw")
	_             = vaultType.Table(vaultWithdraw.Handle((*vault).Withdraw))
)

// The audit is given before the guard. So it is called for refused messages too.
func ExampleInterceptor() {
	sys := actor.Start()
	r := vaultType.Spawn(sys, vault{gold: 10})
	for _, w := range []withdrawal{{"ann", 4}, {"eve", 1}, {"ann", 40}} {
		left, err := vaultWithdraw.Ask(context.Background(), r, w)
		_ = sys.Wait(context.Background()) // After may run after the reply
		fmt.Println(left, err)
	}
	_ = sys.Run()
	// Output:
	// vault withdraw refused: false error: <nil>
	// 6 <nil>
	// vault withdraw refused: true error: forbidden
	// 0 forbidden
	// vault withdraw refused: false error: not so much
	// 0 not so much
}

// A system can measure all behaviours of all actors. Value takes the time from Before to After.
func ExampleInvocation() {
	clock := actor.NewVirtualClock(time.Unix(0, 0))
	sys := actor.Start(actor.WithClock(clock), actor.WithInterceptor(actor.Interceptor{
		Before: func(c *actor.Context, in *actor.Invocation) error {
			in.Value = c.Now()
			return nil
		},
		After: func(c *actor.Context, in *actor.Invocation, _ actor.Outcome) {
			fmt.Println(in.Type(), in.Behaviour(), "took", c.Now().Sub(in.Value.(time.Time)))
		},
	}))
	typ := actor.NewType[int]("sleeper")
	sleep := actor.Declare[time.Duration](typ, "sleep")
	typ.Table(sleep.Handle(func(_ *int, _ *actor.Context, d time.Duration) { clock.Jump(d) }))
	sleep.Send(sys, typ.Spawn(sys, 0), time.Second)
	_ = sys.Run()
	// Output: sleeper sleep took 1s
}

// An interceptor that counts crashes by behaviour.
func ExampleOutcome() {
	crashes := 0
	typ := actor.NewType[int]("fragile", actor.WithInterceptor(actor.Interceptor{
		After: func(_ *actor.Context, _ *actor.Invocation, out actor.Outcome) {
			if out.Crashed {
				crashes++
			}
		},
	}))
	drop := actor.Declare[struct{}](typ, "drop")
	typ.Table(drop.Handle(func(*int, *actor.Context, struct{}) { panic("broken") }))
	sys := actor.Start(actor.WithHooks(actor.Hooks{Panic: func(actor.PanicReport) {}}))
	drop.Send(sys, typ.Spawn(sys, 0), struct{}{})
	_ = sys.Run()
	fmt.Println(crashes)
	// Output: 1
}

// A nag sends itself a message in an hour.
type nag struct{}

var (
	nagType  = actor.NewType[nag]("nag")
	nagBegin = actor.Declare[struct{}](nagType, "begin")
	nagAgain = actor.Declare[struct{}](nagType, "again")
)

func init() {
	nagType.Table(
		nagBegin.Handle(func(_ *nag, c *actor.Context,
			_ struct{}) {
			actor.After(c, time.Hour, nagAgain, struct{}{})
		}),
		nagAgain.Handle(func(*nag, *actor.Context, struct{}) {}))
}

// A timer keeps the system from being quiescent. Why names it.
func ExampleHolder() {
	sys := actor.Start()
	r, _ := nagType.SpawnNamed(sys, "lunch", nag{})
	nagBegin.Send(sys, r, struct{}{})
	for len(sys.Why()) != 1 || sys.Why()[0].What != "timer" {
		// The message runs.
	}
	for _, h := range sys.Why() {
		fmt.Println(h)
	}
	sys.Stop()
	// Output: 1 timer of nag#1 (lunch)
}

// ShutdownError names the reasons why the system was not quiescent in time.
func ExampleShutdownError() {
	sys := actor.Start()
	r := nagType.Spawn(sys, nag{})
	nagBegin.Send(sys, r, struct{}{})
	for len(sys.Why()) != 1 || sys.Why()[0].What != "timer" {
		// The message runs.
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	err := sys.Shutdown(ctx)
	var why *actor.ShutdownError
	fmt.Println(errors.Is(err, context.DeadlineExceeded), errors.As(err, &why))
	fmt.Println(err)
	// Output:
	// true true
	// gallop: Shutdown: context deadline exceeded: 1 timer of nag#1
}

// The lines of an actor's logger name the actor.
func ExampleContext_Logger() {
	plain := &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}
	sys := actor.Start(actor.WithLogger(slog.New(slog.NewTextHandler(os.Stdout, plain))))
	typ := actor.NewType[int]("room")
	open := actor.Declare[string](typ, "open")
	typ.Table(open.Handle(func(_ *int, c *actor.Context, key string) {
		c.Logger().Info("open", "key", key)
	}))
	r, _ := typ.SpawnNamed(sys, "hall", 0)
	open.Send(sys, r, "k1")
	_ = sys.Run()
	// Output: level=INFO msg=open actor=1 type=room name=hall key=k1
}

// A window serves one customer at a time. The others wait in its stash.
type window struct{ busy bool }

var (
	windowType  = actor.NewType[window]("window", actor.WithStashLimit(100))
	windowServe = actor.Declare[string](windowType, "serve")
	windowReady = actor.Declare[struct{}](windowType, "ready")
)

func init() {
	windowType.Table(
		windowServe.Handle(func(w *window, c *actor.Context, who string) {
			if w.busy {
				windowServe.Stash(c, who)
				fmt.Println(who, "waits,", actor.StashLen(c), "in all")
				return
			}
			w.busy = true
			fmt.Println("serving", who)
			actor.After(c, time.Millisecond, windowReady, struct{}{})
		}),
		windowReady.Handle(func(w *window, c *actor.Context, _ struct{}) {
			w.busy = false
			actor.Unstash(c, 1)
		}))
}

// An actor that waits for an answer to each message stashes the messages that come meanwhile, and
// takes them back one at a time.
func ExampleUnstash() {
	sys := actor.Start(actor.WithDeterministic(1))
	r := windowType.Spawn(sys, window{})
	for _, who := range []string{"ann", "bob", "eve"} {
		windowServe.Send(sys, r, who)
	}
	_ = sys.Run()
	// Unordered output:
	// serving ann
	// bob waits, 1 in all
	// eve waits, 2 in all
	// serving bob
	// serving eve
}

// A normal end may carry information. Actors that watch the actor, and callers of Join, receive it.
func ExampleNormalError() {
	sys := actor.Start()
	defer sys.Stop()
	type shop struct{}
	r := actor.NewType[shop]("shop").Spawn(sys, shop{})
	actor.StopWith(sys, r, actor.Normal(errors.New("sold out")))
	down, _ := actor.Join(context.Background(), r)
	var normal *actor.NormalError
	fmt.Println(errors.As(down.Reason, &normal), normal.Info)
	// Output: true sold out
}
