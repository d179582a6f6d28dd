package bridge_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/bridge"
	"github.com/gallop-go/gallop/heap"
)

// puppets spawns n puppets, whose states are 0 to n-1.
func puppets(sys *actor.System, n int) []actor.Ref[puppet] {
	list := make([]actor.Ref[puppet], n)
	for i := range list {
		list[i] = puppetType.Spawn(sys, puppet{n: i})
	}
	return list
}

// TestAskAll: "blocks until all have replied, and returns the replies in the order of
// the refs"; "gives up at the first error … and returns it".
func TestAskAll(t *testing.T) {
	sys := start(t)
	list := puppets(sys, 100)
	got, err := bridge.AskAll(soon(t), value, list, struct{}{})
	must(t, err)
	for i, n := range got {
		equal(t, "reply", n, i)
	}
	none, err := bridge.AskAll(soon(t), value, nil, struct{}{})
	must(t, err)
	equal(t, "replies of nobody", len(none), 0)

	stuck := make(chan struct{})
	defer close(stuck)
	do.Send(sys, list[0], func(*puppet, *actor.Context) { <-stuck })
	fault := errors.New("a fault")
	do.Send(sys, list[50], func(p *puppet, _ *actor.Context) { p.note = fault })
	_, err = bridge.AskAll(soon(t), try, list[:51], func(p *puppet, _ *actor.Context) (any, error) {
		err, _ := p.note.(error)
		return nil, err
	})
	wants(t, err, fault) // though the first is stuck
}

// TestReplies_HaveCome: outcomes that have come before ctx ends do not have ctx's error.
func TestReplies_HaveCome(t *testing.T) {
	sys := start(t)
	list := puppets(sys, 8)
	for range 20 {
		ctx, cancel := context.WithCancel(soon(t))
		first := true
		for _, res := range bridge.Replies(ctx, value, list, struct{}{}) {
			if first {
				first = false
				quiet(t, sys) // all have answered
				cancel()
			}
			must(t, res.Err)
		}
		cancel()
	}
}

// TestReplies: "the outcome of every request, with the actor that was asked, in the order in which
// the outcomes come in. The outcomes that are still missing have … ctx's error, when ctx ends".
func TestReplies(t *testing.T) {
	sys := start(t)
	list := puppets(sys, 10)
	actor.Stop(sys, list[3])
	do.Send(sys, list[4], func(*puppet, *actor.Context) { panic("on purpose") })
	quiet(t, sys)
	stuck := make(chan struct{})
	do.Send(sys, list[0], func(*puppet, *actor.Context) { <-stuck })
	ctx, cancel := context.WithCancel(soon(t))
	defer cancel()
	var order []actor.Ref[puppet]
	for r, res := range bridge.Replies(ctx, value, list, struct{}{}) {
		order = append(order, r)
		i := slices.Index(list, r)
		switch {
		case i == 0:
			wants(t, res.Err, context.Canceled)
		case i == 3 || i == 4:
			wants(t, res.Err, actor.ErrStopped)
		default:
			must(t, res.Err)
			equal(t, "reply", res.Value, i)
		}
		if len(order) == 9 {
			cancel()
		}
	}
	equal(t, "outcomes", len(order), 10)
	equal(t, "the last", order[9], list[0])
	close(stuck)
	for r := range bridge.Replies(soon(t), value, list, struct{}{}) {
		equal(t, "one that was asked", slices.Contains(list, r), true)
		break // "Replies that come after the end of the loop are discarded."
	}
	quiet(t, sys)
	inside(t, sys, func(c *actor.Context) {
		_, err := bridge.AskAll(context.Background(), value, []actor.Ref[puppet]{actor.Self[puppet](c)},
			struct{}{})
		wants(t, err, actor.ErrDeadlock)
	})
}

// TestAskAll_EndedBefore: "If ctx had ended before the call, no request is sent", nor by
// Replies.
func TestAskAll_EndedBefore(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	sys := start(t)
	list := puppets(sys, 3)
	_, err := bridge.AskAll(ended, value, list, struct{}{})
	wants(t, err, context.Canceled)
	n := 0
	for _, res := range bridge.Replies(ended, value, list, struct{}{}) {
		wants(t, res.Err, context.Canceled)
		n++
	}
	equal(t, "outcomes", n, len(list))
	quiet(t, sys)
	equal(t, "messages run", sys.Stats().Messages, 0)
}

// TestAskAll_Elsewhere: an AskAll for actors of several systems, most of them deterministic, lets
// each deterministic system go on while it waits.
func TestAskAll_Elsewhere(t *testing.T) {
	sys := start(t)
	var to []actor.Ref[puppet]
	for i := range 4 {
		at := sys
		if i != 1 {
			at = start(t, actor.WithDeterministic(uint64(i)))
		}
		to = append(to, puppetType.Spawn(at, puppet{n: i}))
	}
	got, err := bridge.AskAll(soon(t), value, to, struct{}{})
	must(t, err)
	if !slices.Equal(got, []int{0, 1, 2, 3}) {
		t.Error(got)
	}
}

// shared is the size of a parcel that is not copied.
const shared = 2 * heap.SharedAbove

// parcelType has actors that reply with a parcel, after the function in the request has returned.
var (
	parcelType = actor.NewType[puppet]("parcels")
	parcelAsk  = actor.DeclareAsk[func() error, heap.Parcel](parcelType, "ask")
	_          = parcelType.Table(parcelAsk.Handle(func(_ *puppet, _ *actor.Context,
		wait func() error) (heap.Parcel, error) {
		err := wait()
		return heap.NewParcel(strings.Repeat("x", shared)), err
	}))
)

func parcelActors(sys *actor.System, n int) []actor.Ref[puppet] {
	list := make([]actor.Ref[puppet], n)
	for i := range list {
		list[i] = parcelType.Spawn(sys, puppet{})
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
			list := slices.Repeat([]actor.Ref[puppet]{one}, 4)
			got, err := bridge.AskAll(soon(t), parcelAsk, list, fifth)
			must(t, err)
			equal(t, "blobs of four replies", heap.Blobs().Live-before, 4)
			n = 0
			_, err = bridge.AskAll(soon(t), parcelAsk, slices.Repeat(list, 2), fifth)
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
	before, typ := heap.Blobs().Live, actor.NewType[puppet]("self-caller")
	ask := actor.DeclareAsk[heap.Parcel, struct{}](typ, "ask")
	begin := actor.Declare[struct{}](typ, "begin")
	var err error
	typ.Table(ask.Handle(func(*puppet, *actor.Context, heap.Parcel) (struct{},
		error) {
		return struct{}{}, errUser
	}),
		begin.Handle(func(_ *puppet, c *actor.Context, _ struct{}) {
			me, p := []actor.Ref[puppet]{actor.Self[puppet](c)}, heap.NewParcel(strings.Repeat("x", shared))
			_, err = bridge.AskAll(context.Background(), ask, me, p)
			p.Unpack(c.Heap()) // panics if it was discarded
		}))
	sys := start(t)
	r := typ.Spawn(sys, puppet{})
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
	before, typ := heap.Blobs().Live, actor.NewType[puppet]("self-caller of others")
	ask := actor.DeclareAsk[heap.Parcel, int](typ, "ask")
	begin := actor.Declare[actor.Ref[puppet]](typ, "begin")
	var err error
	got := 0
	typ.Table(ask.Handle(func(_ *puppet, c *actor.Context, p heap.Parcel) (int, error) {
		got = len(p.Unpack(c.Heap()).Deref(c.Heap()))
		return got, nil
	}), begin.Handle(func(_ *puppet, c *actor.Context, other actor.Ref[puppet]) {
		to := []actor.Ref[puppet]{actor.Self[puppet](c), other}
		_, err = bridge.AskAll(context.Background(), ask, to, heap.NewParcel(strings.Repeat("x", shared)))
	}))
	sys := start(t, actor.WithDeterministic(1))
	me, other := typ.Spawn(sys, puppet{}), typ.Spawn(sys, puppet{})
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
		for _, res := range bridge.Replies(ctx, parcelAsk, list, func() error {
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
			for _, res := range bridge.Replies(soon(t), parcelAsk, list, func() error { return nil }) {
				res.Value.Discard()
				panic("in the loop")
			}
		}()
		quiet(t, sys)
		equal(t, "blobs left", heap.Blobs().Live, before)
	})
}
