package actor_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/heap"
)

// TestEvery_TickThatIsALetter: "A parcel or region in m belongs to the timer": a tick that becomes a dead letter, since
// its context has ended, discards nothing of it. The next tick has it, and the end of the timer discards it.
func TestEvery_TickThatIsALetter(t *testing.T) {
	typ := actor.NewType[puppet]("carried")
	start := actor.Declare[context.Context](typ, "start")
	tick := actor.Declare[actor.Carried[heap.Parcel]](typ, "tick")
	stop := actor.Declare[actor.None](typ, "stop")
	var timer actor.Timer
	typ.Table(
		start.Do(func(_ *puppet, c *actor.Context, ctx context.Context) {
			timer = actor.Every(c, time.Second, tick, actor.Carry(ctx, heap.NewParcel(strings.Repeat("x", 100))))
		}),
		actor.DoCarried(tick, func(*puppet, *actor.Context, context.Context, heap.Parcel) { t.Error("a tick ran") }),
		stop.Do(func(_ *puppet, c *actor.Context, _ actor.None) { timer.Cancel(c) }))
	before, letters := heap.Blobs().Live, 0
	clock := actor.NewVirtualClock(time.Unix(0, 0))
	sys := actor.Start(actor.Clock(clock), actor.Workers(1), actor.OnDeadLetter(func(actor.DeadLetter) {
		letters++
		equal(t, "parcels while a letter is reported", heap.Blobs().Live-before, 1)
	}))
	defer sys.Stop()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := typ.Spawn(sys, puppet{})
	start.Send(sys, r, ctx)
	must(t, clock.Advance(t.Context(), 3*time.Second))
	equal(t, "letters", letters, 3)
	stop.Send(sys, r, actor.None{})
	must(t, clock.Advance(t.Context(), time.Second))
	equal(t, "parcels behind the timer's end", heap.Blobs().Live-before, 0)
}

// TestAfter_LetterIsItsOwn: After sends "as if the actor had sent it itself": a dead letter of it
// is from the actor, and not from the last sender that used the same memory.
func TestAfter_LetterIsItsOwn(t *testing.T) {
	typ := actor.NewType[puppet]("carried")
	act := actor.Declare[func(*actor.Context)](typ, "act")
	serve := actor.Declare[actor.Carried[int]](typ, "serve")
	typ.Table(act.Do(func(_ *puppet, c *actor.Context, f func(*actor.Context)) { f(c) }),
		actor.DoCarried(serve, func(*puppet, *actor.Context, context.Context, int) {}))
	var from []uint64
	sys := start(t, actor.Workers(1), actor.OnDeadLetter(func(d actor.DeadLetter) { from = append(from, d.From) }))
	other, r := typ.Spawn(sys, puppet{}), typ.Spawn(sys, puppet{})
	act.Send(sys, other, func(c *actor.Context) {
		for i := range 10 {
			serve.Send(c, r, actor.Carry(t.Context(), i))
		}
	})
	quiet(t, sys)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	act.Send(sys, r, func(c *actor.Context) { actor.After(c, 0, serve, actor.Carry(ctx, 1)) })
	quiet(t, sys)
	if len(from) != 1 || from[0] != r.ID() {
		t.Errorf("letters from %v, want one from %d itself", from, r.ID())
	}
}
