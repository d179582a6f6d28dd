package group

import (
	"errors"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/members"
	"github.com/gallop-go/gallop/supervise"
)

// crew is the members that a pool has started, and their supervisor. The pool's actor cannot
// supervise them itself: an actor with supervised children is never muted, so no back pressure would
// pass through it. A crew is the Template of that supervisor, and implements members.Pool.
type crew struct {
	supervise.Child // a member
	size            int
	tell            func(c *actor.Context, n memberNews)
	resizeTo        func(from actor.Sender, n int) // owner: the pool's actor
}

var _ members.Pool = (*crew)(nil)

// Size implements members.Pool.
func (k *crew) Size() int { return k.size }

// SetResize implements members.Pool.
func (k *crew) SetResize(f func(from actor.Sender, n int)) { k.resizeTo = f }

// Tell implements members.Pool.
func (k *crew) Tell(c *actor.Context, n members.News) { k.tell(c, memberNews{k, n}) }

// memberNews is a message of the members' supervisor to the pool's actor.
type memberNews struct {
	crew *crew // after a restart the actor has another crew, and ignores news of the old one
	members.News
}

// errCrewEnded is the reason of a pool that ends because its crew was ended alone, by order.
var errCrewEnded = errors.New("gallop: group: the supervisor of the members has ended")

// startCrew starts n members below the running actor. The actor gets an ended message, and is to
// call crewEnded, if their supervisor ends before it.
func startCrew[A any](c *actor.Context, spec supervise.Spec, n int,
	hear actor.Behaviour[A, memberNews], ended actor.Behaviour[A, actor.Down]) *crew {
	me := actor.Self[A](c)
	k := &crew{Child: spec.Template, size: n,
		tell: func(c *actor.Context, n memberNews) { hear.Send(c, me, n) }}
	spec.Template = k
	actor.Watch(c, supervise.StartUnder(c, spec), ended)
	return k
}

// crewEnded ends the running actor, whose crew has ended.
func crewEnded(c *actor.Context) { c.Exit(errCrewEnded) }

// resize changes the number of members.
func (k *crew) resize(c *actor.Context, n int) { k.resizeTo(c, n) }

// drainLeaving drains the members that leave, when nothing more is sent to them.
func (n memberNews) drainLeaving(c *actor.Context) {
	for _, r := range n.Leaving {
		kernel.AnyRef(r).DrainBehindMail(kernel.TurnOf(c))
	}
}
