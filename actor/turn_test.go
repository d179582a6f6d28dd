package actor_test

import (
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// readers are two actors of a batch of six that get ten messages each. It returns what they do, in
// order. If the mail is mixed, every other message has another layout, and the first actor meets the event
// with its third.
func readers(t *testing.T, mixed bool, event deed) (story []string) {
	var dead letters
	sys := start(t, actor.Workers(1), actor.Batch(6), dead.option(), actor.OnPanic(func(actor.PanicReport) {}))
	inside(t, sys, func(c *actor.Context) {
		for _, name := range []string{"a", "b"} {
			r := puppetType.Spawn(c, puppet{})
			for i := range 10 {
				switch {
				case i%2 == 0:
					do.Send(c, r, func(p *puppet, c *actor.Context) {
						story = append(story, fmt.Sprint(name, i, " ", p.n))
						if name == "a" && i == 2 {
							event(p, c)
						}
					})
				case mixed:
					count.Send(c, r, 1)
				default:
					do.Send(c, r, func(p *puppet, _ *actor.Context) { p.n++ })
				}
			}
		}
	})
	_ = sys.Wait(soon(t))
	sys.Stop() // if it stops already, Wait does not wait for all of it
	return append(story, fmt.Sprint(sys.Stats().Messages-1, " run, ", dead.n.Load(), " dead"))
}

// TestTurn_OfMixedMail: messages of different layouts are run one by one, and others in stretches. A
// turn of these ends where one of those does, whatever happens in the middle of it.
func TestTurn_OfMixedMail(t *testing.T) {
	const (
		whole   = "[a0 0 a2 1 a4 2 b0 0 b2 1 b4 2 a6 3 a8 4 b6 3 b8 4 20 run, 0 dead]"
		more    = "[a0 0 a2 1 a4 2 b0 0 b2 1 b4 2 a6 3 a8 4 b6 3 b8 4 21 run, 0 dead]"
		cut     = "[a0 0 a2 1 b0 0 b2 1 b4 2 a4 2 a6 3 a8 4 b6 3 b8 4 20 run, 0 dead]"
		ended   = "[a0 0 a2 1 b0 0 b2 1 b4 2 b6 3 b8 4 13 run, 7 dead]"
		stopped = "[a0 0 a2 1 3 run, 17 dead]"
	)
	for name, c := range map[string]struct {
		event deed
		want  string
	}{
		"nothing":     {func(*puppet, *actor.Context) {}, whole},
		"it stops":    {func(_ *puppet, c *actor.Context) { c.Stop() }, ended},
		"is stopped":  {func(_ *puppet, c *actor.Context) { actor.Stop(c, actor.Self[puppet](c)) }, ended},
		"it panics":   {func(*puppet, *actor.Context) { panic("at the third") }, ended},
		"no gas":      {func(_ *puppet, c *actor.Context) { c.Gas(actor.DefaultGas) }, cut},
		"little gas":  {func(_ *puppet, c *actor.Context) { c.Gas(actor.DefaultGas - 4) }, cut},
		"pressure":    {func(_ *puppet, c *actor.Context) { c.ApplyPressure() }, whole},
		"more for it": {func(_ *puppet, c *actor.Context) { count.Send(c, actor.Self[puppet](c), 10) }, more},
		"the system stops": {func(_ *puppet, c *actor.Context) {
			go c.System().Stop()
			eventually(t, "it is to yield", c.ShouldYield)
		}, stopped},
	} {
		for _, mixed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/mixed=%v", name, mixed), func(t *testing.T) {
				equal(t, "the story", fmt.Sprint(readers(t, mixed, c.event)), c.want)
			})
		}
	}
}
