package actors_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/process/actors"
)

// asker asks processes, and keeps the outcomes.
type asker struct{ got *[]actor.Reply[int, string] }

var (
	askerType = actor.NewType[asker]("asker")
	askerGo   = actor.Declare[func(*actor.Context)](askerType, "go")
	askerHear = actor.Declare[actor.Reply[int, string]](askerType, "hear")
	askerHas  = actor.DeclareAsk[string, string](askerType, "has")
	_         = askerType.Table(
		askerGo.Handle(func(_ *asker, c *actor.Context, f func(*actor.Context)) { f(c) }),
		askerHear.Handle(func(a *asker, _ *actor.Context, r actor.Reply[int, string]) {
			*a.got = append(*a.got, r)
		}),
		askerHas.Handle(func(_ *asker, c *actor.Context, key string) (string, error) {
			_, limited := c.Context().Deadline()
			return fmt.Sprint(c.Context().Value(key), limited), nil
		}),
	)
)

// TestAskTo_Outcomes: the outcome of a request to a process has the error given to Fail, or an
// error with the reason of the process's end; and the mark comes back.
func TestAskTo_Outcomes(t *testing.T) {
	type back = process.ReplyTo[int]
	is := func(targets ...error) func(error) bool {
		return func(err error) bool {
			for _, target := range targets {
				if !errors.Is(err, target) {
					return false
				}
			}
			return true
		}
	}
	same := func(want error) func(error) bool { return func(err error) bool { return err == want } }
	fail := func(err error) func(*process.Self[back]) {
		return func(self *process.Self[back]) { self.Receive().Fail(self, err); self.Receive() }
	}
	own := fmt.Errorf("own: %w", errPlanted)
	outcomes := map[string]struct {
		run  func(self *process.Self[back])
		want func(error) bool
	}{
		"a reply":               {func(self *process.Self[back]) { self.Receive().Reply(self, 7) }, same(nil)},
		"its own error":         {fail(own), same(own)},
		"its own nil":           {fail(nil), same(nil)},
		"ErrTimeout, its own":   {fail(process.ErrTimeout), same(process.ErrTimeout)},
		"ErrNoProcess, its own": {fail(process.ErrNoProcess), same(process.ErrNoProcess)},
		"ErrKilled, its own":    {fail(process.ErrKilled), same(process.ErrKilled)},
		"no reply in time": {func(self *process.Self[back]) { self.Receive(); self.Receive() },
			same(actor.ErrNoReply)},
		"a normal end": {func(self *process.Self[back]) { self.Receive() }, same(actor.ErrStopped)},
		"has ended":    {func(*process.Self[back]) {}, same(actor.ErrStopped)},
		"an exit":      {func(self *process.Self[back]) { self.Receive(); self.Exit(own) }, is(actor.ErrStopped, own)},
		"a panic":      {func(self *process.Self[back]) { self.Receive(); panic(own) }, is(actor.ErrStopped, actor.ErrPanicked, own)},
		"a kill": {func(self *process.Self[back]) { self.Receive(); self.Process().Kill(self); self.Yield() },
			is(actor.ErrStopped, actor.ErrKilled)},
	}
	onEach(t, func(t *testing.T, sys *actor.System) {
		procs := actors.Join(sys)
		for name, o := range outcomes {
			var got []actor.Reply[int, string]
			a := askerType.Spawn(sys, asker{&got})
			p := process.Spawn(procs, o.run)
			if name == "has ended" {
				quiet(t, sys)
			}
			var opts []actor.AskOption
			if name == "no reply in time" {
				opts = append(opts, actor.Within(time.Millisecond), actor.AskOption{})
			}
			askerGo.Send(sys, a, func(c *actor.Context) {
				actors.AskToWith(c, p, func(r back) back { return r }, askerHear, name, opts...)
			})
			quiet(t, sys)
			p.Kill(procs)
			if len(got) != 1 || !o.want(got[0].Err) || got[0].Mark != name ||
				name == "a reply" && got[0].Value != 7 {
				t.Errorf("%s: %v", name, got)
			}
		}
	})
}

// TestAskTo_FullMailbox: a request waits for room in a full mailbox, within its time; one that has
// room before that is answered.
func TestAskTo_FullMailbox(t *testing.T) {
	onEach(t, func(t *testing.T, sys *actor.System) {
		procs := actors.Join(sys)
		gate := process.NewChan[int](0)
		p := process.Spawn(procs, func(self *process.Self[process.ReplyTo[int]]) {
			gate.Recv(self)
			for {
				self.Receive().Reply(self, 7)
			}
		}, process.WithBound(1))
		p.Send(procs, process.ReplyTo[int]{})
		var got []actor.Reply[int, string]
		a := askerType.Spawn(sys, asker{&got})
		request := func(r process.ReplyTo[int]) process.ReplyTo[int] { return r }
		askerGo.Send(sys, a, func(c *actor.Context) {
			actors.AskToWith(c, p, request, askerHear, "in time",
				actor.Within(time.Millisecond))
		})
		quiet(t, sys)
		if len(got) != 1 || got[0].Err != actor.ErrNoReply {
			t.Fatalf("%v", got)
		}
		p.Kill(procs)
		quiet(t, sys)
	})
}

// TestAskTo_RequestPanics: the actor hears of a request that could not be made.
func TestAskTo_RequestPanics(t *testing.T) {
	onEach(t, func(t *testing.T, sys *actor.System) {
		procs := actors.Join(sys)
		p := process.Spawn(procs, func(self *process.Self[int]) { self.Receive() })
		var got []actor.Reply[int, string]
		a := askerType.Spawn(sys, asker{&got})
		askerGo.Send(sys, a, func(c *actor.Context) {
			actors.AskToWith(c, p, func(process.ReplyTo[int]) int { panic(errPlanted) }, askerHear, "")
		})
		quiet(t, sys)
		if len(got) != 1 || !errors.Is(got[0].Err, actor.ErrPanicked) || !errors.Is(got[0].Err, errPlanted) {
			t.Errorf("%v", got)
		}
		equal(t, "panics", sys.Stats().Panics, uint64(1))
	})
}

// TestCall_Errors: a process gets the errors of actors as they are.
func TestCall_Errors(t *testing.T) {
	onEach(t, func(t *testing.T, sys *actor.System) {
		r := puppetType.Spawn(sys, puppet{})
		ended := puppetType.Spawn(sys, puppet{})
		actor.Stop(sys, ended)
		quiet(t, sys)
		run(t, sys, func(p *process.Proc) {
			_, err := actors.Call(p, double, r, -1)
			equal(t, "its own", err, errPlanted)
			_, err = actors.Call(p, double, ended, 1)
			equal(t, "ended", errors.Is(err, actor.ErrStopped), true)
			_, err = actors.Call(p, later, r, make(chan int, 1), process.Within(time.Millisecond))
			equal(t, "late", err, process.ErrTimeout)
		})
	})
}

// TestCallContext: values and deadline of a context reach the behaviour, its end ends the wait, and
// under one that has ended nothing is sent. The same with a sender.
func TestCallContext(t *testing.T) {
	onEach(t, func(t *testing.T, sys *actor.System) {
		var none []actor.Reply[int, string]
		a, r := askerType.Spawn(sys, asker{&none}), puppetType.Spawn(sys, puppet{})
		reason := process.Go(actors.Join(sys), func(p *process.Proc) {
			ctx, cancel := context.WithCancel(context.WithValue(context.Background(), any("k"), "v"))
			v, err := actors.CallContext(ctx, p, askerHas, a, "k")
			equal(t, "value, without a deadline", fmt.Sprint(v, err), "vfalse<nil>")
			limited, stop := context.WithTimeout(ctx, time.Hour)
			defer stop()
			v, err = actors.CallContext(limited, p, askerHas, a, "k")
			equal(t, "value, with a deadline", fmt.Sprint(v, err), "vtrue<nil>")
			v, err = actors.Call(p, askerHas, a, "k")
			equal(t, "without a context", fmt.Sprint(v, err), "<nil> false<nil>")
			got := ""
			askerGo.Send(actors.With(ctx, p), a, func(c *actor.Context) { got = fmt.Sprint(c.Context().Value("k")) })
			_, err = actors.Call(p, askerHas, a, "k") // comes after it
			equal(t, "value of a message", fmt.Sprint(got, err), "v<nil>")
			called := make(chan int, 1)
			process.Go(p, func(*process.Proc) { cancel() })
			_, err = actors.CallContext(ctx, p, later, r, called)
			equal(t, "cancelled", err, context.Canceled)
			_, err = actors.CallContext(ctx, p, double, r, 1)
			equal(t, "ended before", err, context.Canceled)
		}).Join(actors.Join(sys).Goroutine()) // an end of ctx comes from outside
		equal(t, "reason", reason, error(nil))
	})
}
