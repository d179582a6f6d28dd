package group

import (
	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/members"
	"github.com/gallop-go/gallop/supervise"
)

// askPoolActor is the state of the actor of an AskPool that starts its members. No request passes
// through it: it applies the news of the members to the table.
type askPoolActor struct {
	table   askTable
	crew    *crew
	waiting []waiter
}

// waiter is a request for a member that has no actor at the moment.
type waiter struct {
	gone  actor.AnyRef // the actor that has ended; zero: there were no members yet
	reply actor.Deferred[struct{}]
}

// askTable is an askPoolTable without the types of its requests and replies.
type askTable interface {
	enter(a *askPoolActor, c *actor.Context) (carryOut func(), err error)
	declared() (tree supervise.Spec, size int)
	update(n members.News)
	awaits(gone actor.AnyRef) bool
	look() kernel.GroupLook
}

var (
	askPoolType  = actor.NewType[askPoolActor]("ask pool")
	askerNews    = actor.Declare[memberNews](askPoolType, "update", actor.Urgent())
	resizeAskers = actor.Declare[int](askPoolType, "resize")
	askersEnded  = actor.Declare[actor.Down](askPoolType, "crew ended")
	replaced     = actor.DeclareAsk[actor.AnyRef, struct{}](askPoolType, "replaced")
)

func init() {
	unrefused(askerNews)
	unrefused(askersEnded)
	askPoolType.OnStart((*askPoolActor).start).Table(askerNews.Handle((*askPoolActor).update),
		resizeAskers.Handle((*askPoolActor).resize), replaced.Handle((*askPoolActor).replaced),
		askersEnded.Handle(func(_ *askPoolActor, c *actor.Context, _ actor.Down) { crewEnded(c) }))
}

func (t *askPoolTable[Q, R]) declared() (tree supervise.Spec, size int) {
	return t.factory.tree, t.factory.size
}

func (a *askPoolActor) start(c *actor.Context) error {
	carryOut, err := a.table.enter(a, c)
	if err != nil {
		return err
	}
	tree, size := a.table.declared()
	a.crew = startCrew(c, tree, size, askerNews, askersEnded)
	carryOut()
	return nil
}

func (a *askPoolActor) update(c *actor.Context, n memberNews) {
	switch {
	case n.crew != a.crew:
		return
	case n.Err != nil:
		c.Exit(n.Err)
		return
	}
	a.table.update(n.News)
	n.drainLeaving(c)
	left := a.waiting[:0]
	for _, w := range a.waiting {
		if a.table.awaits(w.gone) {
			left = append(left, w)
		} else {
			w.reply.Reply(c, struct{}{}, nil)
		}
	}
	clear(a.waiting[len(left):])
	a.waiting = left
}

func (a *askPoolActor) resize(c *actor.Context, n int) { a.crew.resize(c, n) }

// replaced replies when a member's actor that has ended has a successor, or is no longer a member.
// For the zero ref it replies when there are members.
func (a *askPoolActor) replaced(c *actor.Context, gone actor.AnyRef) (none struct{}, err error) {
	if a.table.awaits(gone) {
		a.waiting = append(a.waiting, waiter{gone, actor.Defer(c, replaced)})
	}
	return none, nil
}

// Inspect says, to package inspect, how many members the pool has. It implements observe.Inspector.
func (a *askPoolActor) Inspect() any { return a.table.look() }
