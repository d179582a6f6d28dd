package actor_test

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// A requester gets the reason at once when an actor will not answer: tests of every way in which an
// actor may not answer, and every way to ask. No case needs a clock: a requester without an outcome
// hangs.

// silence is an actor that will not answer. prepare makes it, and after makes it end when the
// requests are on their way.
type silence struct {
	name    string
	prepare func(t testing.TB, sys *actor.System) (r actor.Ref[mortal], after func())
	want    []error
}

func noAfter() {}

// holding makes an actor that is in a behaviour. after calls end and then lets the behaviour
// return.
func holding(end func(*actor.System, actor.Ref[mortal])) func(testing.TB,
	*actor.System) (actor.Ref[mortal], func()) {
	return func(t testing.TB, sys *actor.System) (actor.Ref[mortal], func()) {
		r, release := busy(t, sys, mortal{})
		return r, func() { end(sys, r); release() }
	}
}

// underSupervision makes an actor that has fallen, and whose supervisor has put its restart off.
// end decides about it.
func underSupervision(end func(*actor.System, actor.Ref[mortal])) func(testing.TB,
	*actor.System) (actor.Ref[mortal], func()) {
	return func(t testing.TB, sys *actor.System) (actor.Ref[mortal], func()) {
		var child actor.Ref[mortal]
		childDown := make(chan struct{})
		super := mortalType.Spawn(sys, mortal{onFell: func(_ *mortal, c *actor.Context,
			f actor.ChildDown) {
			if !f.Final {
				actor.Standby(c, f.Ref)
				close(childDown)
			}
		}})
		in(t, super, func(_ *mortal, c *actor.Context) {
			child = actor.SpawnSupervised(c, mortalType, func(*mortal) {}, onFell)
			doAct.Send(c, child, func(*mortal, *actor.Context) { panic(errUser) })
		})
		receive(t, "the fall", childDown)
		return child, func() { end(sys, child) }
	}
}

var silences = []silence{
	{"Stopped", func(t testing.TB, sys *actor.System) (actor.Ref[mortal], func()) {
		r := mortalType.Spawn(sys, mortal{})
		must(t, actor.StopWait(soon(t), r))
		return r, noAfter
	}, []error{actor.ErrStopped, actor.ErrShutdown}},
	{"NeverStarted", func(t testing.TB, sys *actor.System) (actor.Ref[mortal], func()) {
		return mortalType.Spawn(sys, mortal{onStart: func(*mortal, *actor.Context) error {
			return errUser
		}}), noAfter
	}, []error{actor.ErrStopped, errUser}},
	{"StoppedInTheMailbox", holding(func(sys *actor.System, r actor.Ref[mortal]) {
		actor.Stop(sys, r)
	}),
		[]error{actor.ErrStopped, actor.ErrShutdown}},
	{"KilledInTheMailbox", holding(func(sys *actor.System, r actor.Ref[mortal]) {
		actor.Kill(sys, r)
	}),
		[]error{actor.ErrStopped, actor.ErrKilled}},
	{"PanicInTheMailbox", holding(func(sys *actor.System, r actor.Ref[mortal]) {
		rush.Send(sys, r, func(*mortal, *actor.Context) { panic(errUser) })
	}), []error{actor.ErrStopped, actor.ErrPanicked, errUser}},
	{"RestartPendingThenStop", underSupervision(func(sys *actor.System, r actor.Ref[mortal]) {
		actor.Stop(sys, r)
	}),
		[]error{actor.ErrStopped, errUser}},
	{"RestartPendingThenKill", underSupervision(func(sys *actor.System, r actor.Ref[mortal]) {
		actor.Kill(sys, r)
	}),
		[]error{actor.ErrStopped, actor.ErrKilled}},
	{"RestartPendingThenUp", underSupervision(func(sys *actor.System, r actor.Ref[mortal]) {
		actor.Restart(sys, r)
	}), nil},
	{"SystemStopped", func(t testing.TB, sys *actor.System) (actor.Ref[mortal], func()) {
		other := start(t)
		r := mortalType.Spawn(other, mortal{})
		other.Stop()
		return r, noAfter
	}, []error{actor.ErrSystemStopped}},
	{"SystemStops", func(t testing.TB, sys *actor.System) (actor.Ref[mortal], func()) {
		other := start(t)
		r, release := busy(t, other, mortal{})
		return r, func() {
			go func() {
				for !actor.SystemStopping(other) { // or the requests may run before
					runtime.Gosched()
				}
				release()
			}()
			other.Stop()
		}
	}, []error{actor.ErrSystemStopped}},
}

// askedBy has the ways to ask. Each asks n times; all outcomes come through the channel.
var askedBy = map[string]func(t testing.TB, sys *actor.System, to actor.Ref[mortal], n int,
	got chan<- error){
	"Ask": func(t testing.TB, sys *actor.System, to actor.Ref[mortal], n int, got chan<- error) {
		for range n {
			go func() { _, err := fetchIn.Ask(t.Context(), to, nothing); got <- err }()
		}
	},
	"AskTo": func(t testing.TB, sys *actor.System, to actor.Ref[mortal], n int, got chan<- error) {
		requester := requesterType.Spawn(sys, requester{got})
		requesterGo.Send(sys, requester, func(c *actor.Context) {
			for range n {
				actor.AskTo(c, fetchIn, to, nothing, requesterHears)
			}
		})
	},
	"AskToWithin": func(t testing.TB, sys *actor.System, to actor.Ref[mortal], n int,
		got chan<- error) {
		requester := requesterType.Spawn(sys, requester{got})
		requesterGo.Send(sys, requester, func(c *actor.Context) {
			for range n {
				actor.AskTo(c, fetchIn, to, nothing, requesterHears, actor.Within(time.Hour))
			}
		})
	},
}

// requester sends its outcomes to got.
type requester struct{ got chan<- error }

var (
	requesterType  = actor.NewType[requester]("requester")
	requesterGo    = actor.Declare[func(*actor.Context)](requesterType, "go")
	requesterHears = actor.Declare[actor.Result[struct{}]](requesterType, "hears")
	_              = requesterType.Table(requesterGo.Handle(func(_ *requester, c *actor.Context,
		f func(*actor.Context)) {
		f(c)
	}),
		requesterHears.Handle(func(a *requester, _ *actor.Context,
			r actor.Result[struct{}]) {
			a.got <- r.Err
		}))
)

// TestCallers_EveryWay: the requester of an actor that panics, is stopped, is killed or was never
// started gets the reason at once: for every way to ask, when its request is in the mailbox
// already, when a restart is pending, and when the system stops.
func TestCallers_EveryWay(t *testing.T) {
	const n = 5
	for _, s := range silences {
		for way, ask := range askedBy {
			t.Run(s.name+"/"+way, func(t *testing.T) {
				sys := start(t, actor.WithWorkers(2))
				r, after := s.prepare(t, sys)
				got := make(chan error, n)
				ask(t, sys, r, n, got)
				if way != "Ask" && !slices.Contains([]string{"SystemStopped", "SystemStops"}, s.name) {
					// The requests are on their way by then, or nearly.
					in(t, mortalType.Spawn(sys, mortal{}), nothing)
				}
				after()
				for range n {
					err := receive(t, "an outcome", got)
					if s.want == nil {
						must(t, err)
					}
					for _, w := range s.want {
						wants(t, err, w)
					}
				}
			})
		}
	}
}

// TestAskTo_SelfThatEnds: an actor that asks itself and ends gets no outcome. The request and its
// answer are dead letters.
func TestAskTo_SelfThatEnds(t *testing.T) {
	var dead letters
	sys := start(t, dead.option())
	got := make(chan error, 1)
	r := mortalType.Spawn(sys, mortal{})
	doAct.Send(sys, r, func(_ *mortal, c *actor.Context) {
		actor.AskTo(c, fetch, actor.Self[mortal](c), func(*mortal) int { return 1 }, answered)
		c.Stop()
	})
	quiet(t, sys)
	equal(t, "outcomes", len(got), 0)
	equal(t, "dead letters", dead.n.Load(), 2)
}
