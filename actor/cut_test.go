package actor_test

import (
	"runtime"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// untilLate keeps the turn until the monitor wants it to end.
func untilLate(_ *puppet, c *actor.Context) {
	for !c.ShouldYield() {
		runtime.Gosched()
	}
}

// TestCutTurn_Muted: a turn that is cut short for lasting long does not by itself make its
// actor overloaded: with little mail left it is muted like any other.
func TestCutTurn_Muted(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	free, err := sys.Hold() // as a goroutine that waits for a socket does
	must(t, err)
	r := press(t, sys)
	a := puppetType.Spawn(sys, puppet{})
	gate := make(chan struct{})
	do.Send(sys, a, func(*puppet, *actor.Context) { <-gate })
	do.Send(sys, a, untilLate)
	do.Send(sys, a, func(_ *puppet, c *actor.Context) { do.Send(c, r, noop) })
	close(gate)
	eventually(t, "the sender is muted", func() bool { return actor.Muted(a) })
	do.Send(sys, r, func(_ *puppet, c *actor.Context) { c.ReleasePressure() })
	free()
	quiet(t, sys)
}

// TestCutTurn_Overloaded: with a batch of mail left the actor is overloaded. Otherwise an actor
// whose turns are all cut short would never be overloaded, and its mailbox would grow without
// bound.
func TestCutTurn_Overloaded(t *testing.T) {
	sys := start(t, actor.WithWorkers(2))
	a := puppetType.Spawn(sys, puppet{})
	gate, stay := make(chan struct{}), make(chan struct{})
	do.Send(sys, a, func(*puppet, *actor.Context) { <-gate })
	do.Send(sys, a, untilLate)
	do.Send(sys, a, func(*puppet, *actor.Context) { <-stay })
	for range actor.DefaultBatch {
		do.Send(sys, a, noop)
	}
	close(gate)
	eventually(t, "it is overloaded", func() bool { return a.Status() == actor.StatusOverloaded })
	close(stay)
	quiet(t, sys)
}

// TestCheckpoint_OfWhatIsNotMail: a Kill that came together with an urgent message is noticed by a
// Checkpoint, and by the end of a Shield, in the behaviour of that message and in OnStart, although
// the Kill is no longer in the system queue.
func TestCheckpoint_OfWhatIsNotMail(t *testing.T) {
	past := ""
	check := func(c *actor.Context) { c.Checkpoint(); past += "checkpoint " }
	shield := func(c *actor.Context) { c.Shield(func() { past += "shielded " }); past += "behind it " }
	for name, of := range map[string]struct {
		start, urgent func(*actor.Context)
		want          string
	}{
		"an urgent message":   {nil, check, ""},
		"a shield of one":     {nil, shield, "shielded "},
		"OnStart":             {check, nil, ""},
		"a shield of OnStart": {shield, check, "shielded "},
		"a shield that holds no order": {func(c *actor.Context) {
			c.Shield(func() { c.Checkpoint(); past += "inside " })
		}, nil, "inside "},
	} {
		t.Run(name, func(t *testing.T) {
			past = ""
			typ := actor.NewType[mortal]("newborn")
			call := actor.Declare[func(*actor.Context)](typ, "call", actor.Urgent())
			typ.Table(call.Handle(func(_ *mortal, c *actor.Context, f func(*actor.Context)) {
				if f != nil {
					f(c)
				}
			})).OnStart(func(_ *mortal, c *actor.Context) error {
				if of.start != nil {
					of.start(c)
				}
				return nil
			})
			sys := start(t, actor.WithWorkers(1))
			doAct.Send(sys, mortalType.Spawn(sys, mortal{diary: &diary{}}),
				func(_ *mortal, c *actor.Context) {
					r := typ.Spawn(c, mortal{})
					call.Send(c, r, of.urgent)
					actor.Kill(c, r)
				})
			quiet(t, sys)
			equal(t, "what ran", past, of.want)
			equal(t, "panics", sys.Stats().Panics, 0)
		})
	}
}
