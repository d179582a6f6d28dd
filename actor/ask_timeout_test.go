package actor_test

import (
	"context"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// limited is an actor that asks with a time-out, on a virtual clock.
type limited struct {
	testing.TB
	sys    *actor.System
	clock  *actor.VirtualClock
	dead   letters
	caller actor.Ref[puppet]
	got    []actor.Result[any] // the outcomes of the caller
}

func newLimited(t testing.TB, opts ...actor.Option) *limited {
	l := &limited{TB: t}
	l.sys, l.clock = onVirtualTime(t, append(opts, l.dead.option())...)
	l.caller = puppetType.Spawn(l.sys, puppet{note: func(_ *actor.Context, r actor.Result[any]) {
		l.got = append(l.got, r)
	}})
	return l
}

// ask asks to for f within a second, and waits until nothing happens.
func (l *limited) ask(to actor.Ref[puppet], f trick) {
	l.Helper()
	do.Send(l.sys, l.caller, func(_ *puppet, c *actor.Context) {
		if to.IsZero() {
			to = actor.Self[puppet](c)
		}
		actor.AskTo(c, try, to, f, note, actor.Within(time.Second))
	})
	quiet(l, l.sys)
}

// busyPuppet returns an actor that runs a behaviour until release is called.
func busyPuppet(t testing.TB, sys *actor.System) (r actor.Ref[puppet], release func()) {
	r = puppetType.Spawn(sys, puppet{})
	begun, end := make(chan struct{}), make(chan struct{})
	do.Send(sys, r, func(*puppet, *actor.Context) { close(begun); <-end })
	receive(t, "the behaviour to begin", begun)
	return r, func() { close(end) }
}

// TestWithin_Outcomes: the outcomes of AskTo come at once with a time-out too, and the time-out is
// not a second outcome.
func TestWithin_Outcomes(t *testing.T) {
	l := newLimited(t, actor.WithWorkers(2))
	ended := puppetType.Spawn(l.sys, puppet{})
	actor.Stop(l.sys, ended)
	for _, c := range []struct {
		name string
		to   actor.Ref[puppet]
		do   trick
		want any
		err  error
	}{
		{"Reply", puppetType.Spawn(l.sys, puppet{}), func(*puppet, *actor.Context) (any, error) {
			return 42, nil
		}, 42, nil},
		{"Self", actor.Ref[puppet]{}, func(*puppet, *actor.Context) (any, error) {
			return 42, nil
		}, 42, nil},
		{"UserError", puppetType.Spawn(l.sys, puppet{}), func(*puppet, *actor.Context) (any, error) {
			return nil, errUser
		}, nil, errUser},
		{"Panic", puppetType.Spawn(l.sys, puppet{}), func(*puppet, *actor.Context) (any, error) {
			panic(errUser)
		}, nil, actor.ErrPanicked},
		{"Ended", ended, nil, nil, actor.ErrStopped},
	} {
		t.Run(c.name, func(t *testing.T) {
			l.got = nil
			l.ask(c.to, c.do)
			equal(t, "outcomes", len(l.got), 1)
			equal(t, "value", l.got[0].Value, c.want)
			wants(t, l.got[0].Err, c.err)
			advance(t, l.clock, time.Hour)
			equal(t, "outcomes later", len(l.got), 1)
			equal(t, "left over", actor.LeftoversOf(l.sys), actor.Leftovers{})
		})
	}
	equal(t, "dead letters: the request to the ended", l.dead.n.Load(), 1)
}

// TestWithin_Late: "If d passes on the runtime's clock before the caller has come to the outcome,
// the outcome is ErrNoReply … The request runs all the same. Its late reply becomes a dead letter".
func TestWithin_Late(t *testing.T) {
	l := newLimited(t, actor.WithWorkers(3))
	to, release := busyPuppet(t, l.sys)
	ran := false
	got := make(chan error, 1)
	caller := puppetType.Spawn(l.sys, puppet{note: func(_ *actor.Context, r actor.Result[any]) {
		got <- r.Err
	}})
	asked := make(chan struct{})
	do.Send(l.sys, caller, func(_ *puppet, c *actor.Context) {
		actor.AskTo(c, try, to, func(*puppet, *actor.Context) (any, error) {
			ran = true
			return 42, nil
		}, note, actor.Within(time.Second))
		close(asked)
	})
	receive(t, "the ask", asked)
	l.clock.Jump(time.Second - 1)
	equal(t, "outcomes too early", len(got), 0)
	l.clock.Jump(1)
	err := receive(t, "the time-out", got)
	wants(t, err, actor.ErrNoReply)
	wants(t, err, context.DeadlineExceeded)
	release()
	quiet(t, l.sys)
	equal(t, "the request ran", ran, true)
	equal(t, "outcomes besides", len(got), 0)
	equal(t, "dead letters", l.dead.n.Load(), 1)
	d := l.dead.last.Load()
	wants(t, d.Reason, actor.ErrNoReply)
	equal(t, "behaviour", d.Behaviour, "note")
	equal(t, "message", d.Message, any(actor.Result[any]{Value: 42}))
	equal(t, "for", d.ActorID, caller.ID())
	equal(t, "from", d.From, to.ID())
}

// TestWithin_First: "by the reply or by the timer: the first that has its turn". With both in its
// mailbox the caller gets one outcome.
func TestWithin_First(t *testing.T) {
	for _, replyFirst := range []bool{true, false} {
		l := newLimited(t, actor.WithWorkers(3))
		to, release := busyPuppet(t, l.sys)
		reply := make(chan struct{})
		inside := func(_ *puppet, c *actor.Context) {
			actor.AskTo(c, try, to, func(*puppet, *actor.Context) (any, error) {
				return 42, nil
			}, note, actor.Within(time.Second))
			do.Send(c, to, func(*puppet, *actor.Context) { close(reply) })
			timer := func() {
				l.clock.Jump(time.Second)
				// When the second mark is on its way, the messages that were taken with the first one
				// have been sent.
				for range 2 {
					mark := actor.After(c, 0, count, 1)
					eventually(t, "the mark to be on its way", mark.OnItsWay)
				}
			}
			reply := func() { release(); receive(t, "the reply", reply) }
			if replyFirst {
				reply()
				timer()
			} else {
				timer()
				reply()
			}
		}
		do.Send(l.sys, l.caller, inside)
		quiet(t, l.sys)
		equal(t, "outcomes", len(l.got), 1)
		if replyFirst {
			equal(t, "reply", l.got[0], actor.Result[any]{Value: 42})
			equal(t, "dead letters", l.dead.n.Load(), 0)
		} else {
			wants(t, l.got[0].Err, actor.ErrNoReply)
			equal(t, "dead letters", l.dead.n.Load(), 1)
		}
	}
}

// TestWithin_CallerEnds: the reply for a caller that has ended is a dead letter, with the reply in
// it; and no timer is left.
func TestWithin_CallerEnds(t *testing.T) {
	l := newLimited(t, actor.WithWorkers(2))
	to, release := busyPuppet(t, l.sys)
	do.Send(l.sys, l.caller, func(_ *puppet, c *actor.Context) {
		actor.AskTo(c, try, to, func(*puppet, *actor.Context) (any, error) {
			return 42, nil
		}, note, actor.Within(time.Second))
		c.Stop()
	})
	_, err := actor.Join(soon(t), l.caller)
	must(t, err)
	release()
	quiet(t, l.sys)
	advance(t, l.clock, time.Hour)
	equal(t, "outcomes", len(l.got), 0)
	equal(t, "dead letters", l.dead.n.Load(), 1)
	wants(t, l.dead.last.Load().Reason, actor.ErrStopped)
	equal(t, "message", l.dead.last.Load().Message, any(actor.Result[any]{Value: 42}))
	equal(t, "left over", actor.LeftoversOf(l.sys), actor.Leftovers{})
}

// TestWithin_OtherSystem: the reply comes from another system.
func TestWithin_OtherSystem(t *testing.T) {
	l := newLimited(t)
	other := start(t)
	to := puppetType.Spawn(other, puppet{})
	l.ask(to, func(*puppet, *actor.Context) (any, error) { return 42, nil })
	eventually(t, "the reply", func() bool {
		n := 0
		onOutcomes(t, l, func() { n = len(l.got) })
		return n == 1
	})
	advance(t, l.clock, time.Hour)
	onOutcomes(t, l, func() { equal(t, "outcome", l.got[0], actor.Result[any]{Value: 42}) })
}

// onOutcomes runs f in the caller.
func onOutcomes(t testing.TB, l *limited, f func()) {
	_, err := try.Ask(soon(t), l.caller, func(*puppet, *actor.Context) (any, error) {
		f()
		return nil, nil
	})
	must(t, err)
}

// TestWithin_Panic: a panic over an outcome with a time-out is reported like any panic.
func TestWithin_Panic(t *testing.T) {
	reports := make(chan actor.PanicReport, 1)
	l := newLimited(t, actor.WithHooks(actor.Hooks{Panic: func(p actor.PanicReport) { reports <- p }}))
	to := puppetType.Spawn(l.sys, puppet{})
	boom := puppetType.Spawn(l.sys, puppet{note: func(*actor.Context, actor.Result[any]) {
		panic("boom")
	}})
	do.Send(l.sys, boom, func(_ *puppet, c *actor.Context) {
		actor.AskTo(c, try, to, func(*puppet, *actor.Context) (any, error) {
			return 42, nil
		}, note, actor.Within(time.Second))
	})
	p := receive(t, "the report", reports)
	equal(t, "behaviour", p.Behaviour, "note")
	equal(t, "from", p.From, to.ID())
	quiet(t, l.sys)
	equal(t, "left over", actor.LeftoversOf(l.sys), actor.Leftovers{})
}

// TestWithin_UnawaitedLeaveNothing: 100,000 asks whose time has passed, and whose
// replies come late or never, keep no memory.
func TestWithin_UnawaitedLeaveNothing(t *testing.T) {
	l := newLimited(t, actor.WithWorkers(2))
	sink := puppetType.Spawn(l.sys, puppet{})
	caller := puppetType.Spawn(l.sys, puppet{note: func(*actor.Context, actor.Result[any]) {}})
	ask := func(n int) {
		for done := 0; done < n; done += 1000 {
			do.Send(l.sys, caller, func(_ *puppet, c *actor.Context) {
				for range 1000 {
					actor.AskTo(c, try, sink, func(*puppet, *actor.Context) (any, error) {
						return 1, nil
					}, note, actor.Within(0))
				}
			})
			quiet(t, l.sys)
		}
	}
	n := scaled(100_000)
	ask(10_000)
	before, _ := heapInUse()
	ask(n)
	after, _ := heapInUse()
	if left := after - before; figures && left > 256<<10 { // memory of caches, for any n
		t.Errorf("%d bytes are left of %d asks", left, n)
	}
	equal(t, "left over", actor.LeftoversOf(l.sys), actor.Leftovers{})
}
