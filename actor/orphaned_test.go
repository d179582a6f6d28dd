package actor_test

import (
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// TestOrphaned: a supervisor that leaves makes no more decisions. Its older child falls then, or is
// down already. The supervisor waits first for the younger child, which is muted for the older one.
func TestOrphaned(t *testing.T) {
	children := actor.NewType[puppet]("child", actor.WithBatch(1))
	end := actor.Declare[struct{}](children, "end")
	nop := actor.Declare[struct{}](children, "nop")
	pester := actor.Declare[actor.Ref[puppet]](children, "pester")
	children.Table(end.Handle(func(_ *puppet, c *actor.Context, _ struct{}) {
		c.Stop()
	}), nop.Handle(func(*puppet, *actor.Context, struct{}) {
	}), pester.Handle(func(_ *puppet, c *actor.Context, to actor.Ref[puppet]) {
		nop.Send(c, to, struct{}{})
	}))
	parents := actor.NewType[puppet]("parent")
	begin := actor.Declare[struct{}](parents, "begin")
	fell := actor.Declare[actor.ChildDown](parents, "fell")
	parents.Table(begin.Handle(func(_ *puppet, c *actor.Context, _ struct{}) {
		older := actor.SpawnSupervised(c, children, func(*puppet) {}, fell)
		younger := children.SpawnChild(c, puppet{})
		for range 4 {
			pester.Send(c, younger, older)
		}
		end.Send(c, older, struct{}{})
		actor.Drain(c, actor.Self[puppet](c))
	}), fell.Handle(func(_ *puppet, c *actor.Context, f actor.ChildDown) {
		if !f.Final {
			actor.Stop(c, f.Ref)
		}
	}))
	for seed := range uint64(300) {
		sys := start(t, actor.WithDeterministic(seed+1),
			actor.WithHooks(actor.Hooks{DeadLetter: func(actor.DeadLetter) {}}))
		p := parents.Spawn(sys, puppet{})
		begin.Send(sys, p, struct{}{})
		if _, err := actor.Join(soon(t), p); err != nil {
			t.Fatalf("seed %d: %v", seed+1, err)
		}
		quiet(t, sys)
		sys.Stop()
	}
}
