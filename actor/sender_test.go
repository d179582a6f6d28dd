package actor_test

import (
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// service embeds its system, as services often do.
type service struct {
	*actor.System
	name string
}

// turn embeds a Context.
type turn struct{ *actor.Context }

// TestSender_Embedded: "A struct that embeds one of the two is a Sender as well, on the same
// terms."
func TestSender_Embedded(t *testing.T) {
	svc := service{start(t), "svc"}
	for _, from := range []actor.Sender{svc, &svc} {
		r := puppetType.Spawn(from, puppet{})
		count.Send(from, r, 1)
		must(t, count.TrySend(from, r, 2))
		n, err := value.Ask(soon(t), r, struct{}{})
		must(t, err)
		equal(t, "sum", n, 3)
		_, err = puppetType.SpawnNamed(from, "a name", puppet{})
		must(t, err)
		found, err := actor.Lookup[puppet](from, "a name")
		must(t, err)
		must(t, actor.StopWait(soon(t), found))
		inside(t, svc.System, func(c *actor.Context) {
			count.Send(turn{c}, r, 1)
			equal(t, "spawned by", actor.Self[puppet](c).ID() != puppetType.Spawn(turn{c}, puppet{}).ID(),
				true)
			actor.Stop(&turn{c}, r)
		})
		quiet(t, svc.System)
	}
	r := puppetType.Spawn(svc, puppet{})
	for _, from := range []actor.Sender{service{}, &service{}, service{System: new(actor.System)},
		turn{}, turn{new(actor.Context)}} {
		panics(t, "a nil sender, or a zero one", func() { count.Send(from, r, 1) })
	}
}
