package actor_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/bridge"
	"github.com/gallop-go/gallop/heap"
)

// Tests of replies that are put off while something else happens.

// parcelClerk puts off replies with parcels.
type parcelClerk struct {
	open []actor.Deferred[heap.Parcel]
	kept heap.Ptr[int]
}

// parcelClerks is a type of parcelClerk, with its behaviours.
type parcelClerks struct {
	typ  *actor.Type[parcelClerk]
	want actor.AskBehaviour[parcelClerk, struct{}, heap.Parcel]
	give actor.Behaviour[parcelClerk, int] // gives the replies when that number was put off
}

func newParcelClerks(opts ...actor.TypeOption) (k parcelClerks) {
	k.typ = actor.NewType[parcelClerk]("parcel clerk", opts...)
	k.want = actor.DeclareAsk[struct{}, heap.Parcel](k.typ, "want")
	k.give = actor.Declare[int](k.typ, "give")
	k.typ.Table(k.want.Handle(func(s *parcelClerk, c *actor.Context, _ struct{}) (heap.Parcel, error) {
		s.open = append(s.open, actor.Defer(c, k.want))
		return heap.NewParcel(strings.Repeat("n", 100)), nil // to no caller
	}), k.give.Handle(func(s *parcelClerk, c *actor.Context, n int) {
		if len(s.open) < n {
			actor.Yield(c, k.give, n)
			return
		}
		for _, d := range s.open {
			d.Reply(c, heap.NewParcel(strings.Repeat("y", 100)), nil)
		}
		s.open = nil
	}))
	return k
}

// TestDefer_GivenUp: a reply whose caller has given up is discarded with its parcel. So is the
// value that a behaviour returns after it has put its reply off.
func TestDefer_GivenUp(t *testing.T) {
	before := heap.Blobs()
	sys := start(t, actor.WithWorkers(1))
	for name, opts := range map[string][]actor.TypeOption{"": nil,
		"pinned": {actor.WithPinnedThread()}, "bounded": {actor.WithBound(1, actor.OverflowMute)}} {
		k := newParcelClerks(opts...)
		r := k.typ.Spawn(sys, parcelClerk{})
		for _, ask := range []func(context.Context) error{
			func(ctx context.Context) error { _, err := k.want.Ask(ctx, r, struct{}{}); return err },
			func(ctx context.Context) error {
				_, err := bridge.AskAll(ctx, k.want, []actor.Ref[parcelClerk]{r}, struct{}{})
				return err
			},
		} {
			ctx, cancel := context.WithCancel(context.Background())
			ran := sys.Stats().Messages
			out := make(chan error, 1)
			go func() { out <- ask(ctx) }()
			eventually(t, "it has run", func() bool { return sys.Stats().Messages > ran })
			cancel()
			wants(t, receive(t, "an error", out), context.Canceled)
			must(t, k.give.TrySend(sys, r, 1))
			quiet(t, sys)
			equal(t, "blobs left"+name, heap.Blobs().Live, before.Live)
		}
		equal(t, "wards", actor.LeftoversOf(sys).StopList, 0)
	}
}

// TestDefer_CallerHasEnded: the reply to an actor that has ended is a dead letter, like any
// message.
func TestDefer_CallerHasEnded(t *testing.T) {
	for name, ask := range deferringAsks {
		var dead letters
		sys, _ := onVirtualTime(t, actor.WithWorkers(1), dead.option())
		r, caller := clerkType.Spawn(sys, clerk{}), clerkType.Spawn(sys, clerk{})
		clerkDo.Send(sys, caller, func(_ *clerk, c *actor.Context) { ask(c, r) })
		quiet(t, sys)
		must(t, actor.StopWait(soon(t), caller))
		clerkDo.Send(sys, r, func(k *clerk, c *actor.Context) { k.next().Reply(c, 1, nil) })
		quiet(t, sys)
		equal(t, "dead letters, "+name, dead.n.Load(), 1)
	}
}

// deferringAsks has the ways for a clerk to ask another.
var deferringAsks = map[string]func(c *actor.Context, r actor.Ref[clerk]){
	"AskTo": func(c *actor.Context, r actor.Ref[clerk]) {
		actor.AskTo(c, clerkWant, r, 0, clerkFetched)
	},
	"AskToWithin": func(c *actor.Context, r actor.Ref[clerk]) {
		actor.AskTo(c, clerkWant, r, 0, clerkFetched, actor.Within(time.Hour))
	},
}

// TestDefer_Across: a caller in another system gets an outcome for everything that may happen to
// the actor that was asked.
func TestDefer_Across(t *testing.T) {
	for name, ask := range deferringAsks {
		for end, tc := range map[string]struct {
			do   func(there *actor.System, r actor.Ref[clerk])
			want error
		}{
			"reply": {func(there *actor.System, r actor.Ref[clerk]) {
				clerkDo.Send(there, r, func(k *clerk, c *actor.Context) { k.next().Reply(c, 6, errUser) })
			}, errUser},
			"stop": {func(there *actor.System, r actor.Ref[clerk]) {
				actor.Stop(there, r)
			}, actor.ErrShutdown},
			"system": {func(there *actor.System, _ actor.Ref[clerk]) {
				there.Stop()
			}, actor.ErrSystemStopped},
			"run": {func(there *actor.System, _ actor.Ref[clerk]) {
				must(t, there.Run())
			}, actor.ErrSystemStopped},
		} {
			for class, opts := range plainAndSeeded {
				t.Run(name+"/"+end+"/"+class, func(t *testing.T) {
					here, _ := onVirtualTime(t, opts...) // so that no time-out passes
					there := start(t, opts...)
					caller, r := clerkType.Spawn(here, clerk{}), clerkType.Spawn(there, clerk{})
					outcome := wanting(t, caller, 1)
					clerkDo.Send(here, caller, func(_ *clerk, c *actor.Context) { ask(c, r) })
					quiet(t, here)
					quiet(t, there)
					tc.do(there, r)
					_ = there.Wait(soon(t)) // a deterministic one runs while a goroutine waits for it
					wants(t, outcome().Err, tc.want)
				})
			}
		}
	}
}

// TestDefer_CallerSystemStopped: a reply to an actor of a system that has stopped is a dead letter
// there, and does no harm here.
func TestDefer_CallerSystemStopped(t *testing.T) {
	for name, ask := range deferringAsks {
		var dead letters
		here, _ := onVirtualTime(t, dead.option())
		there := start(t)
		caller, r := clerkType.Spawn(here, clerk{}), clerkType.Spawn(there, clerk{})
		clerkDo.Send(here, caller, func(_ *clerk, c *actor.Context) { ask(c, r) })
		quiet(t, here)
		quiet(t, there)
		here.Stop()
		clerkDo.Send(there, r, func(k *clerk, c *actor.Context) { k.next().Reply(c, 6, nil) })
		quiet(t, there)
		equal(t, "dead letters, "+name, dead.n.Load(), 1)
		equal(t, "panics", there.Stats().Panics, 0)
	}
}

// TestDefer_Suspended: the caller gets an error when the actor falls, and does not wait for the
// decision of the supervisor.
func TestDefer_Suspended(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	typ := actor.NewType[puppet]("idle supervisor")
	fell := actor.Declare[actor.ChildDown](typ, "fell")
	begin := actor.DeclareAsk[struct{}, actor.Ref[clerk]](typ, "begin")
	typ.Table(fell.Handle(func(*puppet, *actor.Context, actor.ChildDown) {}),
		begin.Handle(func(_ *puppet, c *actor.Context, _ struct{}) (actor.Ref[clerk], error) {
			return actor.SpawnSupervised(c, clerkType, func(*clerk) {}, fell), nil
		}))
	super := typ.Spawn(sys, puppet{})
	for name, fall := range map[string]func(r actor.Ref[clerk]){
		"Suspend": func(r actor.Ref[clerk]) { actor.Suspend(sys, r) },
		"Panic": func(r actor.Ref[clerk]) {
			clerkDo.Send(sys, r, func(*clerk, *actor.Context) { panic(errUser) })
		},
		"Stop": func(r actor.Ref[clerk]) {
			clerkDo.Send(sys, r, func(_ *clerk, c *actor.Context) { c.Stop() })
		},
	} {
		r, err := begin.Ask(soon(t), super, struct{}{})
		must(t, err)
		outcome := wanting(t, r, 2)
		fall(r)
		wants(t, outcome().Err, actor.ErrStopped)
		wants(t, outcome().Err, actor.ErrStopped)
		actor.Restart(sys, r)
		again := wanting(t, r, 1)
		clerkDo.Send(sys, r, func(k *clerk, c *actor.Context) { k.next().Reply(c, 2, nil) })
		equal(t, "of the next life, after "+name, again(), actor.Result[int]{Value: 2})
	}
}

// TestDefer_OnStopPanics: replies of OnStop before its panic are given, and the other callers get
// errors.
func TestDefer_OnStopPanics(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	r := clerkType.Spawn(sys, clerk{onStop: func(k *clerk, c *actor.Context) {
		k.next().Reply(c, 9, nil)
		panic(errUser)
	}})
	outcome := wanting(t, r, 3)
	actor.Stop(sys, r)
	replies, failures := 0, 0
	for range 3 {
		if got := outcome(); got == (actor.Result[int]{Value: 9}) {
			replies++
		} else if errors.Is(got.Err, actor.ErrStopped) {
			failures++
		}
	}
	equal(t, "replies", replies, 1)
	equal(t, "failures", failures, 2)
}

// TestDefer_Cut: if a Kill cuts a behaviour short after Defer, the caller gets one outcome, with
// ErrKilled.
func TestDefer_Cut(t *testing.T) {
	for name, cut := range map[string]func(c *actor.Context){
		"Checkpoint": func(c *actor.Context) { actor.Kill(c, actor.Self[clerk](c)); c.Checkpoint() },
		"Shield":     func(c *actor.Context) { c.Shield(func() { actor.Kill(c, actor.Self[clerk](c)) }) },
	} {
		sys := start(t)
		_, err := clerkTry.Ask(soon(t), clerkType.Spawn(sys, clerk{}),
			func(_ *clerk, c *actor.Context) (int, error) {
				actor.Defer(c, clerkTry)
				cut(c)
				t.Errorf("%s: it goes on", name)
				return 0, nil
			})
		wants(t, err, actor.ErrStopped)
		wants(t, err, actor.ErrKilled)
		quiet(t, sys)
		equal(t, "messages", sys.Stats().Messages, 1)
	}
}

// TestDefer_Heap: an arena is collected while a Deferred, which holds no handles, is in a message.
func TestDefer_Heap(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	typ := actor.NewType[parcelClerk]("with an arena")
	want := actor.DeclareAsk[int, int](typ, "want")
	give := actor.Declare[actor.Deferred[int]](typ, "give")
	typ.Table(want.Handle(func(s *parcelClerk, c *actor.Context, n int) (int, error) {
		s.kept = heap.New[int](c.Heap())
		*s.kept.Deref(c.Heap()) = n
		for range 10_000 {
			heap.New[[10]int](c.Heap())
		}
		s.open = make([]actor.Deferred[heap.Parcel], 3)
		give.Send(c, actor.Self[parcelClerk](c), actor.Defer(c, want))
		return 0, nil
	}), give.Handle(func(s *parcelClerk, c *actor.Context, d actor.Deferred[int]) {
		d.Reply(c, *s.kept.Deref(c.Heap()), nil)
	}))
	r := typ.Spawn(sys, parcelClerk{})
	for n := range 20 {
		v, err := want.Ask(soon(t), r, n)
		must(t, err)
		equal(t, "reply", v, n)
	}
}

// repeatDeferrals makes requests, of which some get the reply of a clerk, some get the error of its
// panic, and some get the error of the stop of the system.
func repeatDeferrals(sys *actor.System, d *daybook) {
	super, caller := clerkType.Spawn(sys, clerk{}), clerkType.Spawn(sys, clerk{onHear: d.note})
	clerkDo.Send(sys, super, func(_ *clerk, c *actor.Context) {
		r := actor.SpawnSupervised(c, clerkType, func(*clerk) {}, clerkFell)
		clerkDo.Send(c, caller, func(_ *clerk, c *actor.Context) {
			for i := range 12 {
				actor.AskTo(c, clerkWant, r, i, clerkHeard)
			}
		})
		for i := range 8 {
			clerkDo.Send(c, r, func(k *clerk, c *actor.Context) {
				if i == 5 {
					panic(errUser)
				}
				if len(k.open) > 0 {
					k.next().Reply(c, i, nil)
				}
			})
		}
	})
}
