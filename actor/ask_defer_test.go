package actor_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/bridge"
	"github.com/gallop-go/gallop/heap"
)

// clerk puts replies off.
type clerk struct {
	open   []actor.Deferred[int]
	onStop func(*clerk, *actor.Context)
	onHear func(...any)
}

type clerkDeed = func(*clerk, *actor.Context)

func (k *clerk) Do(c *actor.Context, f clerkDeed) { f(k, c) }
func (k *clerk) Want(c *actor.Context, n int) (int, error) {
	k.open = append(k.open, actor.Defer(c, clerkWant))
	return -n, errUser // goes nowhere
}
func (k *clerk) Try(c *actor.Context, f func(*clerk, *actor.Context) (int, error)) (int, error) {
	return f(k, c)
}
func (k *clerk) Ended(c *actor.Context, _ error) {
	if k.onStop != nil {
		k.onStop(k, c)
	}
}
func (k *clerk) Fetched(c *actor.Context, r actor.Result[int]) { k.next().Reply(c, r.Value, r.Err) }
func (k *clerk) Heard(_ *actor.Context, r actor.Result[int]) {
	if k.onHear != nil {
		k.onHear(r.Value, r.Err)
	}
}
func (k *clerk) Fell(c *actor.Context, f actor.ChildDown) {
	if !f.Final {
		actor.Restart(c, f.Ref)
	}
}

// next removes and returns the oldest reply that was put off.
func (k *clerk) next() actor.Deferred[int] {
	d := k.open[0]
	k.open = k.open[1:]
	return d
}

var (
	clerkType    = actor.NewType[clerk]("clerk").OnStop((*clerk).Ended)
	clerkDo      = actor.Declare[clerkDeed](clerkType, "do")
	clerkWant    = actor.DeclareAsk[int, int](clerkType, "want")
	clerkTry     = actor.DeclareAsk[func(*clerk, *actor.Context) (int, error), int](clerkType, "try")
	clerkFetched = actor.Declare[actor.Result[int]](clerkType, "fetched")
	clerkHeard   = actor.Declare[actor.Result[int]](clerkType, "heard")
	clerkFell    = actor.Declare[actor.ChildDown](clerkType, "fell")
	_            = clerkType.Table(clerkDo.Handle((*clerk).Do), clerkWant.Handle((*clerk).Want),
		clerkTry.Handle((*clerk).Try),
		clerkFetched.Handle((*clerk).Fetched), clerkHeard.Handle((*clerk).Heard),
		clerkFell.Handle((*clerk).Fell))
)

// wanting asks r from n goroutines, and returns when all requests have run. next returns the next
// outcome.
func wanting(t testing.TB, r actor.Ref[clerk],
	n int) (next func() actor.Result[int]) {
	t.Helper()
	out := make(chan actor.Result[int], n)
	for i := range n {
		go func() {
			v, err := clerkWant.Ask(notSoLong(t), r, i)
			out <- actor.Result[int]{Value: v, Err: err}
		}()
	}
	eventually(t, "all requests have run", func() bool {
		have, err := clerkTry.Ask(soon(t), r, func(k *clerk, _ *actor.Context) (int, error) {
			return len(k.open), nil
		})
		must(t, err)
		return have == n
	})
	return func() actor.Result[int] { return receive(t, "an outcome", out) }
}

// TestDefer: "the caller continues to wait, and the value and the error that the behaviour returns
// are discarded. [Deferred.Reply] gives the reply."
func TestDefer(t *testing.T) {
	for name, give := range map[string]func(c *actor.Context, k *clerk, store actor.Ref[puppet]){
		"Reply": func(c *actor.Context, k *clerk, _ actor.Ref[puppet]) { k.next().Reply(c, 7, nil) },
		"Pipe": func(c *actor.Context, _ *clerk, _ actor.Ref[puppet]) {
			actor.Pipe(c, clerkFetched, func(context.Context) (int, error) { return 7, nil })
		},
		"AskTo": func(c *actor.Context, _ *clerk, store actor.Ref[puppet]) {
			actor.AskTo(c, value, store, struct{}{}, clerkFetched)
		},
		"After": func(c *actor.Context, _ *clerk, _ actor.Ref[puppet]) {
			actor.After(c, time.Microsecond, clerkDo, func(k *clerk, c *actor.Context) {
				k.next().Reply(c, 7, nil)
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			sys := start(t, actor.WithWorkers(2))
			store, r := puppetType.Spawn(sys, puppet{n: 7}), clerkType.Spawn(sys, clerk{})
			for n := 1; n < 4; n++ {
				outcome := wanting(t, r, n)
				clerkDo.Send(sys, r, func(k *clerk, c *actor.Context) {
					for range n {
						give(c, k, store)
					}
				})
				for range n {
					equal(t, "outcome", outcome(), actor.Result[int]{Value: 7})
				}
			}
		})
	}
}

// TestDefer_Callers: each caller, of every kind, gets its own reply; so does a caller whose reply
// is an error.
func TestDefer_Callers(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	r, caller := clerkType.Spawn(sys, clerk{}), clerkType.Spawn(sys, clerk{})
	giveAll := func(n int) {
		eventually(t, "all have asked", func() bool {
			left, err := clerkTry.Ask(soon(t), r, func(k *clerk, c *actor.Context) (int, error) {
				if len(k.open) < n {
					return 1, nil
				}
				for i := n - 1; i >= 0; i-- { // the newest first
					k.open[i].Reply(c, i, nil)
				}
				k.open = nil
				return 0, nil
			})
			must(t, err)
			return left == 0
		})
	}

	var all []int
	var err error
	var wg sync.WaitGroup
	wg.Go(func() { all, err = bridge.AskAll(soon(t), clerkWant, []actor.Ref[clerk]{r, r, r}, 0) })
	giveAll(3)
	wg.Wait()
	must(t, err)
	equal(t, "replies", fmt.Sprint(all), "[0 1 2]")

	for name, ask := range map[string]func(c *actor.Context){
		"AskTo": func(c *actor.Context) { actor.AskTo(c, clerkWant, r, 0, clerkFetched) },
		"AskToWithin": func(c *actor.Context) {
			actor.AskTo(c, clerkWant, r, 0, clerkFetched, actor.Within(time.Hour))
		},
	} {
		outcome := wanting(t, caller, 1)
		clerkDo.Send(sys, caller, func(_ *clerk, c *actor.Context) { ask(c) })
		giveAll(1)
		equal(t, name, outcome(), actor.Result[int]{})
	}

	v, err := clerkTry.Ask(soon(t), r, func(_ *clerk, c *actor.Context) (int, error) {
		actor.Defer(c, clerkTry).Reply(c, 3, errUser) // at once
		return 4, nil
	})
	equal(t, "value", v, 3)
	wants(t, err, errUser)
}

// TestDefer_Ends: "the caller gets an error: ErrStopped, which wraps the reason, or
// ErrSystemStopped. The error is sent after OnStop has returned". There are no dead letters.
func TestDefer_Ends(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(sys *actor.System, r actor.Ref[clerk])
		want []error
	}{
		"Stop": {func(sys *actor.System, r actor.Ref[clerk]) {
			actor.Stop(sys, r)
		}, []error{actor.ErrStopped, actor.ErrShutdown}},
		"Drain": {func(sys *actor.System, r actor.Ref[clerk]) {
			actor.Drain(sys, r)
		}, []error{actor.ErrStopped, actor.ErrShutdown}},
		"Kill": {func(sys *actor.System, r actor.Ref[clerk]) {
			actor.Kill(sys, r)
		}, []error{actor.ErrStopped, actor.ErrKilled}},
		"Exit": {func(sys *actor.System, r actor.Ref[clerk]) {
			clerkDo.Send(sys, r, func(_ *clerk, c *actor.Context) { c.Exit(errUser) })
		}, []error{actor.ErrStopped, errUser}},
		"Panic": {func(sys *actor.System, r actor.Ref[clerk]) {
			clerkDo.Send(sys, r, func(*clerk, *actor.Context) { panic(errUser) })
		}, []error{actor.ErrStopped, actor.ErrPanicked, errUser}},
		"System": {func(sys *actor.System, _ actor.Ref[clerk]) {
			sys.Stop()
		}, []error{actor.ErrSystemStopped}},
		"Run": {func(sys *actor.System, _ actor.Ref[clerk]) {
			must(t, sys.Run())
		}, []error{actor.ErrSystemStopped}},
	} {
		t.Run(name, func(t *testing.T) {
			var dead letters
			sys := start(t, actor.WithWorkers(2), dead.option())
			r := clerkType.Spawn(sys, clerk{})
			outcome := wanting(t, r, 3)
			clerkDo.Send(sys, r, func(k *clerk, c *actor.Context) { k.next().Reply(c, 5, nil) })
			equal(t, "the first", outcome(), actor.Result[int]{Value: 5})
			quiet(t, sys) // "keeps neither the actor nor the system running"
			c.end(sys, r)
			for range 2 {
				got := outcome()
				for _, want := range c.want {
					wants(t, got.Err, want)
				}
			}
			sys.Stop()
			equal(t, "dead letters", dead.n.Load(), 0)
			equal(t, "wards", actor.LeftoversOf(sys).StopList, 0)
		})
	}
}

// TestDefer_PanicBehind: "If the behaviour that has put the reply off panics, the caller gets
// ErrPanicked".
func TestDefer_PanicBehind(t *testing.T) {
	sys := start(t)
	_, err := clerkTry.Ask(soon(t), clerkType.Spawn(sys, clerk{}),
		func(_ *clerk, c *actor.Context) (int, error) {
			actor.Defer(c, clerkTry)
			panic(errUser)
		})
	wants(t, err, actor.ErrPanicked)
	wants(t, err, errUser)
}

// TestDefer_OnStop: "[Deferred.Reply] gives the reply. Any code that has the Deferred may call it:
// … its OnStop".
func TestDefer_OnStop(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	r := clerkType.Spawn(sys, clerk{onStop: func(k *clerk, c *actor.Context) {
		k.next().Reply(c, 9, nil)
	}})
	outcome := wanting(t, r, 2)
	must(t, actor.StopWait(soon(t), r))
	first, second := outcome(), outcome()
	if first.Err != nil {
		first, second = second, first
	}
	equal(t, "replied", first, actor.Result[int]{Value: 9})
	wants(t, second.Err, actor.ErrShutdown)
}

// TestDefer_Restart: "If the actor … is restarted first, the caller gets an error". A later Reply
// returns false, and discards "the regions and parcels" of its value.
func TestDefer_Restart(t *testing.T) {
	before := heap.Blobs()
	sys := start(t, actor.WithWorkers(1))
	typ := actor.NewType[puppet]("deferrer")
	want := actor.DeclareAsk[struct{}, heap.Parcel](typ, "want")
	give := actor.Declare[actor.Deferred[heap.Parcel]](typ, "give")
	fall := actor.Declare[struct{}](typ, "fall")
	typ.Table(want.Handle(func(_ *puppet, c *actor.Context, _ struct{}) (p heap.Parcel, err error) {
		self := actor.Self[puppet](c)
		fall.Send(c, self, struct{}{})
		give.Send(c, self, actor.Defer(c, want)) // it comes when the next life has begun
		return p, nil
	}), give.Handle(func(_ *puppet, c *actor.Context, d actor.Deferred[heap.Parcel]) {
		d.Reply(c, heap.NewParcel(strings.Repeat("x", 100)), nil)
	}), fall.Handle(func(*puppet, *actor.Context, struct{}) { panic(errUser) }))

	super := clerkType.Spawn(sys, clerk{})
	var r actor.Ref[puppet]
	inClerk(t, super, func(_ *clerk, c *actor.Context) {
		r = actor.SpawnSupervised(c, typ, func(*puppet) {}, clerkFell)
	})
	_, err := want.Ask(notSoLong(t), r, struct{}{})
	wants(t, err, actor.ErrStopped)
	wants(t, err, errUser)
	quiet(t, sys)
	equal(t, "blobs left", heap.Blobs().Live, before.Live)
	equal(t, "panics", sys.Stats().Panics, 1)
	equal(t, "wards", actor.LeftoversOf(sys).StopList, 0)
}

// inClerk runs f in a behaviour of r.
func inClerk(t testing.TB, r actor.Ref[clerk], f clerkDeed) {
	t.Helper()
	_, err := clerkTry.Ask(soon(t), r, func(k *clerk, c *actor.Context) (int, error) {
		f(k, c)
		return 0, nil
	})
	must(t, err)
}

// TestDefer_Misuse: a wrong call panics, and has no effect on replies that were put off before.
func TestDefer_Misuse(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	r, other := clerkType.Spawn(sys, clerk{}), clerkType.Spawn(sys, clerk{})
	outcome := wanting(t, r, 1)
	var d actor.Deferred[int]
	inClerk(t, r, func(k *clerk, c *actor.Context) {
		d = k.next()
		panics(t, "not what runs", func() { actor.Defer(c, clerkWant) })
		panics(t, "a zero AskBehaviour", func() { actor.Defer(c, actor.AskBehaviour[clerk, int, int]{}) })
		panics(t, "a zero Deferred", func() { new(actor.Deferred[int]).Reply(c, 1, nil) })
		panics(t, "a nil or zero Context", func() { actor.Defer(nil, clerkWant) })
		panics(t, "a nil sender, or a zero one", func() { d.Reply(new(actor.Context), 1, nil) })
	})
	inClerk(t, other, func(_ *clerk, c *actor.Context) {
		panics(t, "has to answer", func() { d.HandOver(c, other) })
		panics(t, "a zero Deferred", func() { new(actor.Deferred[int]).HandOver(c, other) })
	})
	panics(t, "a zero Deferred", func() { new(actor.Deferred[int]).Reply(sys, 1, nil) })
	panics(t, "a nil sender", func() { d.Reply(nil, 1, nil) })
	inClerk(t, r, func(_ *clerk, c *actor.Context) {
		panics(t, "HandOver of a zero Ref", func() { d.HandOver(c, actor.Ref[clerk]{}) })
		equal(t, "the first", d.Reply(c, 2, nil), true)
		equal(t, "the second", d.Reply(c, 3, nil), false)
		d.HandOver(c, other) // does nothing
	})
	equal(t, "outcome", outcome(), actor.Result[int]{Value: 2})
	for _, again := range []func(c *actor.Context, f func(*clerk, *actor.Context) (int, error)){
		func(c *actor.Context, _ func(*clerk, *actor.Context) (int, error)) { actor.Defer(c, clerkTry) },
		func(c *actor.Context, f func(*clerk, *actor.Context) (int, error)) {
			_, _ = clerkTry.Stash(c, f)
		},
	} {
		v, err := clerkTry.Ask(soon(t), r, func(_ *clerk, c *actor.Context) (int, error) {
			d := actor.Defer(c, clerkTry)
			panics(t, "was stashed or deferred already", func() { again(c, nil) })
			d.Reply(c, 4, nil)
			return 0, nil
		})
		must(t, err)
		equal(t, "value", v, 4)
	}
}

// TestDefer_Circle: "a reply that was put off may be given by any actor." So an actor may ask the
// actor whose request it has put off, and closes no circle: a third one replies, and all get their
// replies.
func TestDefer_Circle(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	a, b := clerkType.Spawn(sys, clerk{}), clerkType.Spawn(sys, clerk{})
	out, back := make(chan actor.Result[int], 1), make(chan actor.Result[int], 1)
	clerkDo.Send(sys, a, func(_ *clerk, c *actor.Context) {
		v, err := clerkWant.Ask(context.Background(), b, 0)
		out <- actor.Result[int]{Value: v, Err: err}
	})
	var d actor.Deferred[int]
	eventually(t, "the request was put off", func() (put bool) {
		inClerk(t, b, func(k *clerk, _ *actor.Context) {
			if put = len(k.open) > 0; put {
				d = k.next()
			}
		})
		return put
	})
	eventually(t, "it waits", func() bool { return actor.CallersOf(sys) == 1 })
	clerkDo.Send(sys, b, func(_ *clerk, c *actor.Context) {
		v, err := clerkTry.Ask(context.Background(), a, func(*clerk, *actor.Context) (int, error) {
			return 9, nil
		})
		back <- actor.Result[int]{Value: v, Err: err}
	})
	eventually(t, "both wait", func() bool { return actor.CallersOf(sys) == 2 || len(back) > 0 })
	d.Reply(sys, 8, nil)
	equal(t, "outcome", receive(t, "the outcome", out), actor.Result[int]{Value: 8})
	equal(t, "outcome of the one that asked back", receive(t, "it", back), actor.Result[int]{Value: 9})
}

// TestDefer_Conservation: clerks reply late and out of order, panic, are restarted and end. Each
// request has exactly one outcome, the reply or the error that was given.
func TestDefer_Conservation(t *testing.T) {
	withWorkers(t, func(t *testing.T, workers int) {
		sys := start(t, actor.WithWorkers(workers))
		super := clerkType.Spawn(sys, clerk{})
		var desks [4]actor.Ref[clerk]
		inClerk(t, super, func(_ *clerk, c *actor.Context) {
			for i := range desks {
				desks[i] = actor.SpawnSupervised(c, clerkType, func(*clerk) {}, clerkFell)
			}
		})
		const callers = 8
		var reply, failed atomic.Int64
		var wg sync.WaitGroup
		each := scaled(2000)
		for i := range callers {
			wg.Go(func() {
				rng := rand.New(rand.NewPCG(uint64(i), 1))
				for n := range each {
					late := errors.New("late")
					v, err := clerkTry.Ask(soon(t), desks[rng.IntN(len(desks))],
						func(_ *clerk, c *actor.Context) (int, error) {
							d := actor.Defer(c, clerkTry)
							act := func(_ *clerk, c *actor.Context) { d.Reply(c, n, late) }
							if rng.IntN(50) == 0 {
								act = func(*clerk, *actor.Context) { panic(errUser) }
							}
							clerkDo.Send(c, actor.Self[clerk](c), act)
							return -1, nil
						})
					switch {
					case err == late && v == n:
						reply.Add(1)
					case errors.Is(err, actor.ErrStopped) && errors.Is(err, errUser):
						failed.Add(1)
					default:
						t.Errorf("%d, %v", v, err)
					}
				}
			})
		}
		wg.Wait()
		quiet(t, sys)
		equal(t, "outcomes", reply.Load()+failed.Load(), int64(callers*each))
		if failed.Load() == 0 {
			t.Error("nobody has panicked")
		}
		equal(t, "wards", actor.LeftoversOf(sys).StopList, 0)
	})
}
