package actor_test

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
)

type trick = func(*puppet, *actor.Context) (any, error)

// TestAsk_Outcomes: "The error is that of the behaviour, or one of the following, which is returned
// as soon as its cause arises".
func TestAsk_Outcomes(t *testing.T) {
	for _, c := range []struct {
		name string
		do   trick
		want any
		err  error
	}{
		{"Reply", func(*puppet, *actor.Context) (any, error) { return 42, nil }, 42, nil},
		{"UserError", func(*puppet, *actor.Context) (any, error) { return 7, errUser }, 7, errUser},
		{"Panic", func(*puppet, *actor.Context) (any, error) { panic("boom") }, nil, actor.ErrPanicked},
		{"PanicWithError", func(*puppet, *actor.Context) (any, error) { panic(errUser) }, nil, errUser},
		{"NilDereference", func(*puppet, *actor.Context) (any, error) {
			return *(*int)(nil), nil
		}, nil, actor.ErrPanicked},
		{"Goexit", func(*puppet, *actor.Context) (any, error) {
			runtime.Goexit()
			return nil, nil
		}, nil, actor.ErrPanicked},
		{"StopAndReply", func(_ *puppet, c *actor.Context) (any, error) {
			c.Stop()
			return 1, nil
		}, 1, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, patient := range []bool{true, false} {
				sys := start(t)
				ctx := context.Background()
				if !patient {
					ctx = soon(t)
				}
				r := puppetType.Spawn(sys, puppet{})
				v, err := try.Ask(ctx, r, c.do)
				equal(t, "value", v, c.want)
				wants(t, err, c.err)
				var p *actor.PanicError
				if errors.Is(err, actor.ErrPanicked) && (!errors.As(err, &p) ||
					p.Goexit != (c.name == "Goexit") || p.Error() == "") {
					t.Errorf("%v: no PanicError that fits", err)
				}
			}
		})
	}
}

// TestAsk_StoppedBefore: "ErrStopped if to … ends before it comes to the request";
// every request in the mailbox is answered.
func TestAsk_StoppedBefore(t *testing.T) {
	for name, end := range map[string]func(c *actor.Context){
		"Stop":   func(c *actor.Context) { c.Stop() },
		"Panic":  func(*actor.Context) { panic("end") },
		"Goexit": func(*actor.Context) { runtime.Goexit() },
	} {
		t.Run(name, func(t *testing.T) {
			var dead letters
			sys := start(t, dead.option())
			r := puppetType.Spawn(sys, puppet{})
			release := make(chan struct{})
			do.Send(sys, r, func(_ *puppet, c *actor.Context) { <-release; end(c) })
			const callers = 8
			var wg sync.WaitGroup
			errs := make([]error, callers)
			for i := range callers {
				wg.Go(func() { _, errs[i] = value.Ask(soon(t), r, struct{}{}) })
			}
			runtime.Gosched()
			close(release)
			wg.Wait()
			for _, err := range errs {
				wants(t, err, actor.ErrStopped)
			}
			equal(t, "dead letters", dead.n.Load(), callers)
		})
	}
}

// TestAsk_Self: "ErrDeadlock: … The caller is a behaviour of to itself": at once, and
// the request does not run.
func TestAsk_Self(t *testing.T) {
	var dead letters
	sys := start(t, actor.WithWorkers(1), dead.option())
	for _, spawn := range []func() (actor.Ref[puppet], error){
		func() (actor.Ref[puppet], error) {
			r := puppetType.Spawn(sys, puppet{})
			_, err := try.Ask(soon(t), r, func(p *puppet, c *actor.Context) (any, error) {
				return try.Ask(context.Background(), actor.Self[puppet](c),
					func(p *puppet, _ *actor.Context) (any, error) {
						p.n++
						return nil, nil
					})
			})
			return r, err
		},
		func() (actor.Ref[puppet], error) {
			r := pinnedType.Spawn(sys, puppet{})
			_, err := pinnedTry.Ask(soon(t), r, func(p *puppet, c *actor.Context) (any, error) {
				return pinnedTry.Ask(soon(t), actor.Self[puppet](c),
					func(p *puppet, _ *actor.Context) (any, error) {
						p.n++
						return nil, nil
					})
			})
			return r, err
		},
	} {
		n := dead.n.Load()
		_, err := spawn()
		wants(t, err, actor.ErrDeadlock)
		quiet(t, sys)
		equal(t, "dead letters", dead.n.Load(), n+1)
		wants(t, dead.last.Load().Reason, actor.ErrDeadlock)
	}
	// An ask of another actor closes no circle, nor does an ask of the actor itself by a goroutine.
	r := puppetType.Spawn(sys, puppet{n: 5})
	got := make(chan error, 1)
	inside(t, sys, func(*actor.Context) {
		go func() { _, err := value.Ask(soon(t), r, struct{}{}); got <- err }()
	})
	must(t, receive(t, "an ask from a goroutine", got))
}

// TestAsk_TimeOut: "If ctx ends later, the request runs all the same, … and its reply is
// discarded": it does not reach a later call either, although call objects are reused.
func TestAsk_TimeOut(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	for i := range scaled(200) {
		r := puppetType.Spawn(sys, puppet{})
		release, ran := make(chan struct{}), make(chan int, 1)
		ctx, cancel := context.WithCancelCause(context.Background())
		errs := make(chan error, 1)
		go func() {
			_, err := try.Ask(ctx, r, func(*puppet, *actor.Context) (any, error) {
				cancel(errUser)
				<-release
				ran <- i
				return "late", nil
			})
			errs <- err
		}()
		wants(t, receive(t, "the time-out", errs), context.Canceled)
		// Calls of the same behaviour, before and after the late reply.
		other := puppetType.Spawn(sys, puppet{})
		ask := func() {
			v, err := try.Ask(soon(t), other, func(*puppet, *actor.Context) (any, error) { return i, nil })
			if v != i || err != nil {
				t.Fatalf("%v, %v: not the reply of this call", v, err)
			}
		}
		ask()
		close(release)
		ask()
		equal(t, "run", receive(t, "the request to run", ran), i)
	}
}

// TestAsk_Deadline: the error is ctx's own, for a deadline that passes during the wait and for one
// that has passed before. "If ctx had ended before the call, the request is not sent".
func TestAsk_Deadline(t *testing.T) {
	sys := start(t)
	r := puppetType.Spawn(sys, puppet{})
	runs, release := make(chan struct{}), make(chan struct{})
	do.Send(sys, r, func(*puppet, *actor.Context) { close(runs); <-release })
	receive(t, "it to run", runs)
	ctx := context.Background()
	var err error
	for d := time.Millisecond; actor.InMailbox(r) == 0; d *= 2 { // or it ended too soon
		var cancel func()
		ctx, cancel = context.WithTimeout(context.Background(), d)
		defer cancel()
		_, err = value.Ask(ctx, r, struct{}{})
		wants(t, err, context.DeadlineExceeded)
	}
	close(release)
	quiet(t, sys)
	equal(t, "messages: the abandoned request ran", sys.Stats().Messages, 2)
	for range scaled(200) { // idle, so that a request would be answered at once
		_, err = value.Ask(ctx, r, struct{}{})
		wants(t, err, context.DeadlineExceeded)
	}
	quiet(t, sys)
	equal(t, "messages: what was too late was not sent", sys.Stats().Messages, 2)
}

// TestAsk_OfOverloadedAndMuted: an ask never mutes and is not refused; it waits for
// its turn like any message.
func TestAsk_OfOverloadedAndMuted(t *testing.T) {
	sys := start(t, actor.WithWorkers(3))
	o := overload(t, sys)
	m := o.mute(t, sys)
	answers := make(chan error, 2)
	for _, ask := range []func() (any, error){
		func() (any, error) {
			return slowTry.Ask(soon(t), o.ref, func(*puppet, *actor.Context) (any, error) {
				return nil, nil
			})
		},
		func() (any, error) { return value.Ask(soon(t), m, struct{}{}) },
	} {
		go func() { _, err := ask(); answers <- err }()
	}
	o.release()
	must(t, receive(t, "an answer", answers))
	must(t, receive(t, "an answer", answers))
	quiet(t, sys)
}

// TestAsk_Concurrent: many callers ask one actor and several actors. Every reply reaches its own
// caller.
func TestAsk_Concurrent(t *testing.T) {
	withWorkers(t, func(t *testing.T, workers int) {
		sys := start(t, actor.WithWorkers(workers))
		refs := []actor.Ref[rally]{rallyType.Spawn(sys, rally{}), rallyType.Spawn(sys, rally{}),
			rallyType.Spawn(sys, rally{})}
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Go(func() {
				ctx := context.Background()
				if g%2 == 0 {
					ctx = soon(t)
				}
				for i := range scaled(5000) {
					q := g<<20 + i
					if v, err := less.Ask(ctx, refs[i%len(refs)], q); v != q-1 || err != nil {
						t.Errorf("asked %d: %d, %v", q, v, err)
						return
					}
				}
			})
		}
		wg.Wait()
	})
}

// outcome calls AskTo in a behaviour and returns the outcome that comes as a message.
func outcome(t *testing.T, sys *actor.System, to actor.Ref[puppet], f trick) actor.Result[any] {
	t.Helper()
	got := make(chan actor.Result[any], 2)
	r := puppetType.Spawn(sys, puppet{note: func(_ *actor.Context, r actor.Result[any]) { got <- r }})
	do.Send(sys, r, func(_ *puppet, c *actor.Context) {
		if to.IsZero() {
			to = actor.Self[puppet](c)
		}
		actor.AskTo(c, try, to, f, note)
	})
	quiet(t, sys)
	res := receive(t, "the outcome", got)
	equal(t, "outcomes besides", len(got), 0)
	return res
}

// TestAskTo_Outcomes: "If to ends before it comes to the request, panics over it, …, the outcome
// has the error … and comes at once"; "An actor may ask itself".
func TestAskTo_Outcomes(t *testing.T) {
	sys := start(t)
	answer := func(*puppet, *actor.Context) (any, error) { return 42, nil }
	ended := puppetType.Spawn(sys, puppet{})
	actor.Stop(sys, ended)
	for _, c := range []struct {
		name string
		to   actor.Ref[puppet]
		do   trick
		want any
		err  error
	}{
		{"Reply", puppetType.Spawn(sys, puppet{}), answer, 42, nil},
		{"UserError", puppetType.Spawn(sys, puppet{}), func(*puppet, *actor.Context) (any, error) {
			return nil, errUser
		}, nil, errUser},
		{"Panic", puppetType.Spawn(sys, puppet{}), func(*puppet, *actor.Context) (any, error) {
			panic(errUser)
		}, nil, actor.ErrPanicked},
		{"Goexit", puppetType.Spawn(sys, puppet{}), func(*puppet, *actor.Context) (any, error) {
			runtime.Goexit()
			return nil, nil
		}, nil, actor.ErrPanicked},
		{"Ended", ended, answer, nil, actor.ErrStopped},
		{"Self", actor.Ref[puppet]{}, answer, 42, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			res := outcome(t, sys, c.to, c.do)
			equal(t, "value", res.Value, c.want)
			wants(t, res.Err, c.err)
		})
	}
}

// TestAskTo_CallerEnds: the reply to a caller that has ended is a dead letter.
func TestAskTo_CallerEnds(t *testing.T) {
	var dead letters
	sys := start(t, dead.option())
	to := puppetType.Spawn(sys, puppet{})
	caller := puppetType.Spawn(sys, puppet{})
	do.Send(sys, caller, func(_ *puppet, c *actor.Context) {
		actor.AskTo(c, try, to, func(*puppet, *actor.Context) (any, error) { return 42, nil }, note)
		c.Stop()
	})
	quiet(t, sys)
	equal(t, "dead letters", dead.n.Load(), 1)
	l := dead.last.Load()
	equal(t, "behaviour", l.Behaviour, "note")
	equal(t, "message", l.Message, any(actor.Result[any]{Value: 42}))
	equal(t, "for", l.ActorID, caller.ID())
	equal(t, "from", l.From, to.ID())
}

// TestAskTo_Many: every actor asks every other actor, and each request is answered once.
func TestAskTo_Many(t *testing.T) {
	withWorkers(t, func(t *testing.T, workers int) {
		sys := start(t, actor.WithWorkers(workers))
		const actors, each = 10, 50
		var answered atomic.Int64
		refs := make([]actor.Ref[puppet], actors)
		for i := range refs {
			refs[i] = puppetType.Spawn(sys, puppet{note: func(*actor.Context, actor.Result[any]) {
				answered.Add(1)
			}})
		}
		for _, r := range refs {
			do.Send(sys, r, func(_ *puppet, c *actor.Context) {
				for range each {
					for _, to := range refs {
						actor.AskTo(c, try, to, func(*puppet, *actor.Context) (any, error) { return nil, nil }, note)
					}
				}
			})
		}
		quiet(t, sys)
		equal(t, "answers", answered.Load(), actors*actors*each)
	})
}

// piped calls Pipe in a behaviour and returns the outcome that comes as a message.
func piped(t *testing.T, sys *actor.System, fn func(context.Context) (any,
	error)) actor.Result[any] {
	t.Helper()
	got := make(chan actor.Result[any], 2)
	r := puppetType.Spawn(sys, puppet{note: func(_ *actor.Context, r actor.Result[any]) { got <- r }})
	do.Send(sys, r, func(_ *puppet, c *actor.Context) { actor.Pipe(c, note, fn) })
	quiet(t, sys) // "The system is held until the message is sent"
	equal(t, "outcomes when the system is quiet", len(got), 1)
	return <-got
}

// TestPipe_Outcomes: "sends the result of fn to the running actor"; "A panic in fn comes back as a
// *PanicError".
func TestPipe_Outcomes(t *testing.T) {
	sys := start(t)
	res := piped(t, sys, func(context.Context) (any, error) { runtime.Gosched(); return 42, errUser })
	equal(t, "value", res.Value, any(42))
	wants(t, res.Err, errUser)
	res = piped(t, sys, func(context.Context) (any, error) { panic("boom") })
	wants(t, res.Err, actor.ErrPanicked)
	var p *actor.PanicError
	if !errors.As(res.Err, &p) || p.Value != "boom" || p.Goexit ||
		!bytes.HasPrefix(p.Stack, []byte("github.com/gallop-go/gallop/actor_test.TestPipe_Outcomes")) {
		t.Errorf("%#v with the stack\n%s", p, p.Stack)
	}
	res = piped(t, sys, func(context.Context) (any, error) { runtime.Goexit(); return nil, nil })
	if !errors.As(res.Err, &p) || !p.Goexit {
		t.Errorf("%#v", p)
	}
	equal(t, "panics of behaviours", sys.Stats().Panics, 0)
}

// TestPipe_EndsWithTheSystem: the context of the function ends when the system stops; the result is
// a dead letter then.
func TestPipe_EndsWithTheSystem(t *testing.T) {
	dead := make(chan actor.DeadLetter, 1)
	sys := start(t, actor.WithHooks(actor.Hooks{DeadLetter: func(l actor.DeadLetter) { dead <- l }}))
	r := puppetType.Spawn(sys, puppet{})
	started := make(chan struct{})
	do.Send(sys, r, func(_ *puppet, c *actor.Context) {
		actor.Pipe(c, note, func(ctx context.Context) (any, error) {
			close(started)
			<-ctx.Done()
			return nil, ctx.Err()
		})
	})
	receive(t, "fn to start", started)
	sys.Stop()
	l := receive(t, "the dead letter", dead)
	wants(t, l.Reason, actor.ErrSystemStopped)
	wants(t, l.Message.(actor.Result[any]).Err, context.Canceled)
}

// TestPipe_ToTheEnded: the result for an actor that has ended meanwhile is a dead
// letter.
func TestPipe_ToTheEnded(t *testing.T) {
	var dead letters
	sys := start(t, dead.option())
	r := puppetType.Spawn(sys, puppet{})
	do.Send(sys, r, func(_ *puppet, c *actor.Context) {
		actor.Pipe(c, note, func(context.Context) (any, error) { return 42, nil })
		c.Stop()
	})
	quiet(t, sys)
	equal(t, "dead letters", dead.n.Load(), 1)
	wants(t, dead.last.Load().Reason, actor.ErrStopped)
}

// TestPipe_Stops: a function that Pipe runs may stop the system, which does not wait for it.
func TestPipe_Stops(t *testing.T) {
	var dead letters
	sys := start(t, dead.option())
	stopped := make(chan struct{})
	do.Send(sys, puppetType.Spawn(sys, puppet{}), func(_ *puppet, c *actor.Context) {
		actor.Pipe(c, reply, func(context.Context) (int, error) {
			sys.Stop()
			close(stopped)
			return 1, nil
		})
	})
	receive(t, "Stop to return", stopped)
	eventually(t, "its result to be a dead letter", func() bool { return dead.n.Load() == 1 })
}
