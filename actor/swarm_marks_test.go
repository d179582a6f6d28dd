package actor_test

import (
	"context"
	"math/rand/v2"

	"github.com/gallop-go/gallop/actor"
)

// beeMark names the caller.
type beeMark struct{ caller uint64 }

var beeTold = actor.Declare[actor.Reply[int, beeMark]](beeType, "heardBy")

func init() { beeType.Table(beeTold.Handle((*bee).Heard)) }

// Heard handles a marked outcome. The mark must be the bee's own.
func (b *bee) Heard(c *actor.Context, r actor.Reply[int, beeMark]) {
	b.count()
	b.s.answered.Add(1)
	if r.Mark.caller != c.ActorID() {
		panic("a mark of another")
	}
}

// askMarked asks for a reply that is deferred, sometimes with a context.
func (s *swarm) askMarked(c *actor.Context, r *rand.Rand, to actor.Ref[bee]) {
	if !to.IsZero() && s.spend() {
		s.sent.Add(2)
		s.asked.Add(1)
		if r.IntN(2) == 0 {
			c.SetContext(context.WithValue(context.Background(), ctxKey{}, s))
		}
		actor.AskToWith(c, beePromise, to, 1, beeTold, beeMark{c.ActorID()})
	}
}

// hand lets another bee give one of the deferred replies. In half of the cases it hands the reply
// over to that bee first.
func hand(b *bee, c *actor.Context, r *rand.Rand, _ task) {
	n := len(b.owes)
	if n == 0 {
		return
	}
	i, to := r.IntN(n), b.s.any(r)
	d := b.owes[i]
	b.owes[i], b.owes = b.owes[n-1], b.owes[:n-1]
	if r.IntN(2) == 0 {
		d.HandOver(c, to)
	}
	b.s.send(c, to, task{func(_ *bee, c *actor.Context, _ *rand.Rand, _ task) {
		d.Reply(c, n, nil)
	}, 0, 0})
}
