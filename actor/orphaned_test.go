package actor_test

import (
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// TestOrphaned: a supervisor that leaves decides nothing any more. Its older child falls
// then, or is down already, and the younger one, which is waited for first, is muted for it.
func TestOrphaned(t *testing.T) {
	kids := actor.NewType[puppet]("kid", actor.WithBatch(1))
	end := actor.Declare[actor.None](kids, "end")
	nop := actor.Declare[actor.None](kids, "nop")
	pester := actor.Declare[actor.Ref[puppet]](kids, "pester")
	kids.Table(end.Do(func(_ *puppet, c *actor.Context, _ actor.None) {
		c.Stop()
	}), nop.Do(func(*puppet, *actor.Context, actor.None) {
	}), pester.Do(func(_ *puppet, c *actor.Context, to actor.Ref[puppet]) {
		nop.Send(c, to, actor.None{})
	}))
	parents := actor.NewType[puppet]("parent")
	begin := actor.Declare[actor.None](parents, "begin")
	fell := actor.Declare[actor.Fallen](parents, "fell")
	parents.Table(begin.Do(func(_ *puppet, c *actor.Context, _ actor.None) {
		older := actor.SpawnSupervised(c, kids, func(*puppet) {}, fell)
		younger := kids.SpawnChild(c, puppet{})
		for range 4 {
			pester.Send(c, younger, older)
		}
		end.Send(c, older, actor.None{})
		actor.Drain(c, actor.Self[puppet](c))
	}), fell.Do(func(_ *puppet, c *actor.Context, f actor.Fallen) {
		if !f.Final {
			actor.Stop(c, f.Ref)
		}
	}))
	for seed := range uint64(300) {
		sys := start(t, actor.WithDeterministic(seed+1), actor.WithHooks(actor.Hooks{DeadLetter: func(actor.DeadLetter) {}}))
		p := parents.Spawn(sys, puppet{})
		begin.Send(sys, p, actor.None{})
		if _, err := actor.Join(soon(t), p); err != nil {
			t.Fatalf("seed %d: %v", seed+1, err)
		}
		quiet(t, sys)
		sys.Stop()
	}
}
