package actor_test

import (
	"context"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
)

// TestEvery_TickThatIsALetter: "A message whose context has ended before its turn comes becomes a
// dead letter." If a tick of Every does, it is the timer's last.
func TestEvery_TickThatIsALetter(t *testing.T) {
	typ := actor.NewType[puppet]("carried")
	start := actor.Declare[context.Context](typ, "start")
	tick := actor.Declare[string](typ, "tick")
	typ.Table(
		start.Handle(func(_ *puppet, c *actor.Context, ctx context.Context) {
			c.SetContext(ctx)
			actor.Every(c, time.Second, tick, "x")
		}),
		tick.Handle(func(*puppet, *actor.Context, string) { t.Error("a tick ran") }))
	letters := 0
	clock := actor.NewVirtualClock(time.Unix(0, 0))
	sys := actor.Start(actor.WithClock(clock), actor.WithWorkers(1),
		actor.WithHooks(actor.Hooks{DeadLetter: func(actor.DeadLetter) {
			letters++
		}}))
	defer sys.Stop()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := typ.Spawn(sys, puppet{})
	start.Send(sys, r, ctx)
	must(t, clock.Advance(t.Context(), 3*time.Second))
	equal(t, "letters", letters, 1)
	if _, armed := clock.Next(); armed {
		t.Error("the timer is still armed")
	}
}

// TestAfter_LetterIsItsOwn: After sends as if the actor had sent the message to itself. So the
// sender of its dead letter is the actor, and not the last sender that used the same memory.
func TestAfter_LetterIsItsOwn(t *testing.T) {
	typ := actor.NewType[puppet]("carried")
	act := actor.Declare[func(*actor.Context)](typ, "act")
	serve := actor.Declare[int](typ, "serve")
	typ.Table(act.Handle(func(_ *puppet, c *actor.Context, f func(*actor.Context)) { f(c) }),
		serve.Handle(func(*puppet, *actor.Context, int) {}))
	var from []uint64
	sys := start(t, actor.WithWorkers(1),
		actor.WithHooks(actor.Hooks{DeadLetter: func(d actor.DeadLetter) {
			from = append(from, d.From)
		}}))
	other, r := typ.Spawn(sys, puppet{}), typ.Spawn(sys, puppet{})
	act.Send(sys, other, func(c *actor.Context) {
		c.SetContext(t.Context())
		for i := range 10 {
			serve.Send(c, r, i)
		}
	})
	quiet(t, sys)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	act.Send(sys, r, func(c *actor.Context) {
		c.SetContext(ctx)
		actor.After(c, 0, serve, 1)
	})
	quiet(t, sys)
	if len(from) != 1 || from[0] != r.ID() {
		t.Errorf("letters from %v, want one from %d itself", from, r.ID())
	}
}
