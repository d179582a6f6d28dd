package group

import (
	"errors"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/access"
	"github.com/gallop-go/gallop/supervise"
)

// crew is the supervisor of the members that a pool has started. The pool's actor cannot supervise
// them itself: an actor with supervised children is never muted, so no back pressure would pass
// through it.
type crew struct{ supervisor any }

// memberNews is a message of the members' supervisor to the pool's actor.
type memberNews struct {
	crew *crew // after a restart the actor has another crew, and ignores news of the old one
	access.MemberNews
}

// errCrewEnded is the reason of a pool that ends because its crew was ended alone, by order.
var errCrewEnded = errors.New("gallop: group: the supervisor of the members has ended")

// startCrew starts n members below the running actor. The actor gets an ended message, and is to
// call crewEnded, if their supervisor ends before it.
func startCrew[A any](c *actor.Context, spec supervise.Spec, n int,
	hear actor.Behaviour[A, memberNews], ended actor.Behaviour[A, actor.Down]) *crew {
	me, k := actor.Self[A](c), new(crew)
	k.supervisor = access.StartMembers(c, spec, n, func(c any, news access.MemberNews) {
		hear.Send(c.(*actor.Context), me, memberNews{k, news})
	})
	actor.Watch(c, k.supervisor.(supervise.Supervisor), ended)
	return k
}

// crewEnded ends the running actor, whose crew has ended.
func crewEnded(c *actor.Context) { c.Exit(errCrewEnded) }

// resize changes the number of members.
func (k *crew) resize(c *actor.Context, n int) { access.ResizeMembers(c, k.supervisor, n) }

// drainLeaving drains the members that leave, when nothing more is sent to them.
func (n memberNews) drainLeaving(c *actor.Context) {
	for _, r := range n.Leaving {
		access.DrainBehind(c, r)
	}
}
