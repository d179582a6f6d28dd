// Package philosophers has philosophers who eat, after the benchmark of Savina: an arbitrator
// knows which forks are in use.
package philosophers

import "github.com/gallop-go/gallop/actor"

type arbitrator struct{ inUse []bool }

type hungry struct {
	place int
	who   actor.Ref[philosopher]
}

func (s *arbitrator) ask(c *actor.Context, h hungry) {
	left, right := h.place, (h.place+1)%len(s.inUse)
	if s.inUse[left] || s.inUse[right] {
		denied.Send(c, h.who, struct{}{})
		return
	}
	s.inUse[left], s.inUse[right] = true, true
	eat.Send(c, h.who, struct{}{})
}

func (s *arbitrator) put(_ *actor.Context, place int) {
	s.inUse[place], s.inUse[(place+1)%len(s.inUse)] = false, false
}

type philosopher struct {
	place, rounds, waits int
	arbitrator           actor.Ref[arbitrator]
	ended                actor.Handler[int]
}

func (s *philosopher) begin(c *actor.Context) error {
	s.ask(c)
	return nil
}

func (s *philosopher) ask(c *actor.Context) {
	ask.Send(c, s.arbitrator, hungry{s.place, actor.Self[philosopher](c)})
}

func (s *philosopher) denied(c *actor.Context, _ struct{}) {
	s.waits++
	s.ask(c)
}

func (s *philosopher) eat(c *actor.Context, _ struct{}) {
	put.Send(c, s.arbitrator, s.place)
	if s.rounds--; s.rounds > 0 {
		s.ask(c)
		return
	}
	s.ended.Send(c, s.waits)
	c.Stop()
}

var (
	arbitratorType = actor.NewType[arbitrator]("arbitrator")
	ask            = actor.Declare[hungry](arbitratorType, "ask")
	put            = actor.Declare[int](arbitratorType, "put")
	_              = arbitratorType.Table(ask.Handle((*arbitrator).ask), put.Handle((*arbitrator).put))

	philosopherType = actor.NewType[philosopher]("philosopher")
	denied          = actor.Declare[struct{}](philosopherType, "denied")
	eat             = actor.Declare[struct{}](philosopherType, "eat")
	_               = philosopherType.Table(
		denied.Handle((*philosopher).denied), eat.Handle((*philosopher).eat),
	).OnStart((*philosopher).begin)
)

// start places n philosophers, each of whom eats some rounds.
func start(sys *actor.System, n, rounds int, ended actor.Handler[int]) {
	a := arbitratorType.Spawn(sys, arbitrator{make([]bool, n)})
	for i := range n {
		philosopherType.Spawn(sys, philosopher{i, rounds, 0, a, ended})
	}
}
