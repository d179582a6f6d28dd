package actor_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/heap"
)

// A message may own parcels and regions. If the message never runs, they are discarded.
// heap.Blobs counts the blobs that are left.

// payload is a message that owns two blobs.
type payload struct {
	parcel heap.Parcel
	region heap.Region[byte]
}

const shared = 2 * heap.SharedAbove

func newOwnedPayload() payload {
	f := payload{heap.NewParcel(strings.Repeat("p", shared)), heap.NewRegion[byte]()}
	heap.NewBlob(f.region.Arena(), strings.Repeat("r", shared))
	return f
}

// unload takes the parcel and the region over. It panics if either was discarded.
func (f payload) unload(c *actor.Context) {
	f.parcel.Unpack(c.Heap())
	f.region.Join(c.Heap())
}

// onPurpose is the panic value of a hauler that is told to fall.
const onPurpose = "on purpose"

// hauler is an actor with timers that carry payloads.
type hauler struct{ timers []actor.Timer }

// yard is a system with one supervisor and one hauler, on a virtual clock.
type yard struct {
	t      *testing.T
	sys    *actor.System
	clock  *actor.VirtualClock
	child  actor.Ref[hauler]
	runs   int
	typ    *actor.Type[hauler]
	do     actor.Behaviour[hauler, func(*hauler, *actor.Context)]
	take   actor.Behaviour[hauler, payload]
	onTake func(*hauler, *actor.Context, payload)
	parent actor.Behaviour[lodger, func(*actor.Context)]
	bosses actor.Ref[lodger]
}

func newYard(t *testing.T, opts ...actor.Option) *yard {
	y := &yard{t: t, typ: actor.NewType[hauler]("hauler"),
		onTake: func(*hauler, *actor.Context, payload) {}}
	y.do = actor.Declare[func(*hauler, *actor.Context)](y.typ, "do")
	y.take = actor.Declare[payload](y.typ, "take")
	y.typ.Table(y.do.Handle(func(h *hauler, c *actor.Context, f func(*hauler, *actor.Context)) {
		f(h, c)
	}),
		y.take.Handle(func(h *hauler, c *actor.Context, f payload) { y.runs++; y.onTake(h, c, f) }))
	bosses := actor.NewType[lodger]("parent")
	y.parent = actor.Declare[func(*actor.Context)](bosses, "parent")
	fell := actor.Declare[actor.ChildDown](bosses, "fell")
	bosses.Table(y.parent.Handle(func(_ *lodger, c *actor.Context, f func(*actor.Context)) { f(c) }),
		fell.Handle(func(*lodger, *actor.Context, actor.ChildDown) {}))
	y.sys, y.clock = onVirtualTime(t, append(opts,
		actor.WithHooks(actor.Hooks{DeadLetter: func(actor.DeadLetter) {}}),
		actor.WithHooks(actor.Hooks{Panic: func(p actor.PanicReport) {
			if p.Value != onPurpose {
				t.Error(p.Value)
			}
		}}))...)
	y.bosses = bosses.Spawn(y.sys, lodger{})
	y.tell(func(c *actor.Context) {
		y.child = actor.SpawnSupervised(c, y.typ, func(*hauler) {}, fell)
	})
	return y
}

// tell runs f in a behaviour of the supervisor.
func (y *yard) tell(f func(*actor.Context)) {
	y.parent.Send(y.sys, y.bosses, f)
	quiet(y.t, y.sys)
}

// in runs f in a behaviour of the hauler.
func (y *yard) in(f func(*hauler, *actor.Context)) {
	y.do.Send(y.sys, y.child, f)
	quiet(y.t, y.sys)
}

// onTheirWay lets the timers of the hauler become due during its turn, and then runs then in that
// turn.
func (y *yard) onTheirWay(then func(*hauler, *actor.Context)) {
	y.in(func(h *hauler, c *actor.Context) {
		y.clock.Jump(time.Second)
		eventually(y.t, "the timers to be on their way", func() bool {
			return actor.Incoming(c) == len(h.timers)
		})
		then(h, c)
	})
}

func cancelAll(h *hauler, c *actor.Context) {
	for _, t := range h.timers {
		t.Cancel(c)
	}
}

// TestTimer_DiscardsOwnedPayload: the payload of a timer is discarded if its message will not run:
// the timer was canceled in time or on its way, or ended with its actor, its life or its system.
func TestTimer_DiscardsOwnedPayload(t *testing.T) {
	for _, tc := range []struct {
		name string
		end  func(y *yard)
	}{
		{"Cancel", func(y *yard) { y.in(cancelAll) }},
		{"CancelOnTheirWay", func(y *yard) { y.onTheirWay(cancelAll) }},
		{"Stop", func(y *yard) { actor.Stop(y.sys, y.child) }},
		{"StopOnTheirWay", func(y *yard) {
			y.onTheirWay(func(_ *hauler, c *actor.Context) { actor.Stop(c, y.child) })
		}},
		{"Kill", func(y *yard) { actor.Kill(y.sys, y.child) }},
		{"Drain", func(y *yard) { actor.Drain(y.sys, y.child) }},
		{"Restart", func(y *yard) { y.tell(func(c *actor.Context) { actor.Restart(c, y.child) }) }},
		{"RestartOnTheirWay", func(y *yard) {
			y.onTheirWay(func(*hauler, *actor.Context) {
				y.parent.Send(y.sys, y.bosses, func(c *actor.Context) { actor.Restart(c, y.child) })
				eventually(y.t, "the order", func() bool { return actor.Signaled(y.child) })
			})
		}},
		{"SystemStops", func(y *yard) { y.sys.Stop() }},
		{"SystemStopsOnTheirWay", func(y *yard) {
			stopped := make(chan struct{})
			y.do.Send(y.sys, y.child, func(h *hauler, c *actor.Context) {
				y.clock.Jump(time.Second)
				eventually(y.t, "the timers to be on their way", func() bool {
					return actor.Incoming(c) == len(h.timers)
				})
				go func() { y.sys.Stop(); close(stopped) }()
				eventually(y.t, "the stop", func() bool { return actor.SystemStopping(y.sys) })
			})
			receive(y.t, "Stop to return", stopped)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			before := heap.Blobs().Live
			y := newYard(t, actor.WithWorkers(2))
			y.in(func(h *hauler, c *actor.Context) {
				h.timers = []actor.Timer{actor.After(c, time.Second, y.take, newOwnedPayload()),
					actor.After(c, time.Second, y.take, newOwnedPayload())}
			})
			equal(t, "blobs of two timers", heap.Blobs().Live-before, 4)
			tc.end(y)
			_ = y.sys.Wait(soon(t))
			equal(t, "messages run", y.runs, 0)
			equal(t, "blobs left", heap.Blobs().Live, before)
		})
	}
}

// TestTimer_ForTheDeadDiscards: as TestTimer_ForTheDead, with a payload that owns blobs.
func TestTimer_ForTheDeadDiscards(t *testing.T) {
	before := heap.Blobs().Live
	y := newYard(t)
	must(t, actor.KillWait(soon(t), y.child))
	inside(t, y.sys, func(c *actor.Context) { actor.FireWith(c, y.take, y.child, newOwnedPayload()) })
	quiet(t, y.sys)
	equal(t, "blobs left", heap.Blobs().Live, before)
	equal(t, "left over", actor.LeftoversOf(y.sys), actor.Leftovers{})
}

// TestEvery_OwnsNothing: "Every also panics if messages of b own a parcel or a region".
func TestEvery_OwnsNothing(t *testing.T) {
	before := heap.Blobs().Live
	y := newYard(t)
	y.in(func(_ *hauler, c *actor.Context) {
		p := newOwnedPayload()
		panics(y.t, "own a parcel or a region", func() { actor.Every(c, time.Second, y.take, p) })
		p.unload(c)
	})
	actor.Stop(y.sys, y.child)
	quiet(t, y.sys)
	equal(t, "blobs left", heap.Blobs().Live, before)
	equal(t, "left over", actor.LeftoversOf(y.sys), actor.Leftovers{})
}

// parcelType has actors that reply with a parcel, after the function in the request has returned.
var (
	parcelType = actor.NewType[lodger]("parcels")
	parcelAsk  = actor.DeclareAsk[func() error, heap.Parcel](parcelType, "ask")
	_          = parcelType.Table(parcelAsk.Handle(func(_ *lodger, _ *actor.Context,
		wait func() error) (heap.Parcel, error) {
		err := wait()
		return heap.NewParcel(strings.Repeat("x", shared)), err
	}))
)

func parcelActors(sys *actor.System, n int) []actor.Ref[lodger] {
	list := make([]actor.Ref[lodger], n)
	for i := range list {
		list[i] = parcelType.Spawn(sys, lodger{})
	}
	return list
}

// TestAskAll_DiscardsOwnedPayload: replies that reach no caller are discarded: the replies that
// came before the error, with it, and after it.
func TestAskAll_DiscardsOwnedPayload(t *testing.T) {
	for name, opts := range map[string][]actor.Option{"": {actor.WithWorkers(2)},
		"Seed": {actor.WithDeterministic(1)}} {
		t.Run("Error"+name, func(t *testing.T) {
			before := heap.Blobs().Live
			sys := start(t, opts...)
			n := 0
			fifth := func() error {
				if n++; n == 5 {
					return errUser
				}
				return nil
			}
			one := parcelActors(sys, 1)[0] // one actor, so the requests run in order
			list := slices.Repeat([]actor.Ref[lodger]{one}, 4)
			got, err := actor.AskAll(soon(t), parcelAsk, list, fifth)
			must(t, err)
			equal(t, "blobs of four replies", heap.Blobs().Live-before, 4)
			n = 0
			_, err = actor.AskAll(soon(t), parcelAsk, slices.Repeat(list, 2), fifth)
			wants(t, err, errUser)
			quiet(t, sys)
			equal(t, "requests run", n, 8)
			for _, p := range got {
				p.Discard()
			}
			equal(t, "blobs left", heap.Blobs().Live, before)
		})
	}
}

// TestAskAll_SelfKeepsOwnedPayload: "Nor is a request sent to an actor that cannot run before the
// caller's own turn has ended". So there is no dead letter, and the caller keeps the parcel of the
// request.
func TestAskAll_SelfKeepsOwnedPayload(t *testing.T) {
	before, typ := heap.Blobs().Live, actor.NewType[lodger]("self-caller")
	ask := actor.DeclareAsk[heap.Parcel, struct{}](typ, "ask")
	begin := actor.Declare[struct{}](typ, "begin")
	var err error
	typ.Table(ask.Handle(func(*lodger, *actor.Context, heap.Parcel) (struct{},
		error) {
		return struct{}{}, errUser
	}),
		begin.Handle(func(_ *lodger, c *actor.Context, _ struct{}) {
			me, p := []actor.Ref[lodger]{actor.Self[lodger](c)}, heap.NewParcel(strings.Repeat("x", shared))
			_, err = actor.AskAll(context.Background(), ask, me, p)
			p.Unpack(c.Heap()) // panics if it was discarded
		}))
	sys := start(t)
	r := typ.Spawn(sys, lodger{})
	begin.Send(sys, r, struct{}{})
	quiet(t, sys)
	wants(t, err, actor.ErrDeadlock)
	equal(t, "dead letters", sys.Stats().DeadLetters, 0)
	equal(t, "panics", sys.Stats().Panics, 0)
	must(t, actor.StopWait(soon(t), r))
	equal(t, "blobs left", heap.Blobs().Live, before)
}

// TestAskAll_SelfLeavesOwnedPayload: an actor asks itself and another actor. Nothing is sent to
// itself, so there is no dead letter, which would discard the parcel while the other actor has it.
func TestAskAll_SelfLeavesOwnedPayload(t *testing.T) {
	before, typ := heap.Blobs().Live, actor.NewType[lodger]("self-caller of others")
	ask := actor.DeclareAsk[heap.Parcel, int](typ, "ask")
	begin := actor.Declare[actor.Ref[lodger]](typ, "begin")
	var err error
	got := 0
	typ.Table(ask.Handle(func(_ *lodger, c *actor.Context, p heap.Parcel) (int, error) {
		got = len(p.Unpack(c.Heap()).Deref(c.Heap()))
		return got, nil
	}), begin.Handle(func(_ *lodger, c *actor.Context, other actor.Ref[lodger]) {
		to := []actor.Ref[lodger]{actor.Self[lodger](c), other}
		_, err = actor.AskAll(context.Background(), ask, to, heap.NewParcel(strings.Repeat("x", shared)))
	}))
	sys := start(t, actor.WithDeterministic(1))
	me, other := typ.Spawn(sys, lodger{}), typ.Spawn(sys, lodger{})
	begin.Send(sys, me, other)
	quiet(t, sys)
	wants(t, err, actor.ErrDeadlock)
	equal(t, "what the other has unpacked", got, shared)
	equal(t, "messages", sys.Stats().Messages, 2)
	equal(t, "dead letters", sys.Stats().DeadLetters, 0)
	must(t, actor.StopWait(soon(t), other))
	equal(t, "blobs left", heap.Blobs().Live, before)
}

// TestReplies_DiscardsOwnedPayload: replies that come after the loop was left are discarded. So are
// replies that came before and were not read, and replies that come after the end of ctx.
func TestReplies_DiscardsOwnedPayload(t *testing.T) {
	at := func(t *testing.T, leave func(stop context.CancelFunc, n int,
		res actor.Result[heap.Parcel]) bool, canGoOn func() bool) {
		before := heap.Blobs().Live
		sys := start(t, actor.WithWorkers(2))
		ctx, cancel := context.WithCancel(soon(t))
		defer cancel()
		left, n := make(chan struct{}), 0
		list := parcelActors(sys, 10)
		for _, res := range actor.Replies(ctx, parcelAsk, list, func() error {
			if !canGoOn() {
				<-left
			}
			return nil
		}) {
			n++
			res.Value.Discard() // the reply that the loop was given
			if leave(cancel, n, res) {
				break
			}
		}
		close(left)
		quiet(t, sys)
		equal(t, "blobs left", heap.Blobs().Live, before)
	}
	t.Run("Break", func(t *testing.T) {
		at(t, func(_ context.CancelFunc, n int, _ actor.Result[heap.Parcel]) bool {
			return n == 3
		}, func() bool { return true })
	})
	t.Run("ContextEnds", func(t *testing.T) {
		at(t, func(stop context.CancelFunc, _ int, res actor.Result[heap.Parcel]) bool {
			if stop(); res.Err != nil && !errors.Is(res.Err, context.Canceled) {
				t.Error(res.Err)
			}
			return false
		}, func() bool { return true })
	})
	t.Run("Late", func(t *testing.T) {
		var begun atomic.Bool
		at(t, func(context.CancelFunc, int, actor.Result[heap.Parcel]) bool { return true },
			func() bool { return !begun.Swap(true) })
	})
	t.Run("Panic", func(t *testing.T) {
		before := heap.Blobs().Live
		sys := start(t, actor.WithWorkers(2))
		list := parcelActors(sys, 10)
		func() {
			defer func() { equal(t, "panic", recover(), any("in the loop")) }()
			for _, res := range actor.Replies(soon(t), parcelAsk, list, func() error { return nil }) {
				res.Value.Discard()
				panic("in the loop")
			}
		}()
		quiet(t, sys)
		equal(t, "blobs left", heap.Blobs().Live, before)
	})
}
