package main

import "github.com/gallop-go/gallop/actor"

// Philosophers: they ask an arbitrator for their forks, and again at once when they are refused.
var philosophers = program{
	name: "philosophers", about: "dining philosophers", n: 20_000,
	gallop: philosophersGallop, plain: philosophersPlain, message: philosophersMessage,
}

const diners = 20

type philosopher struct {
	id, left   int
	arbitrator actor.Ref[arbitrator]
}

type hungry struct {
	id   int
	from actor.Ref[philosopher]
}

type arbitrator struct {
	used   [diners]bool
	meals  uint64
	dining int
	out    chan<- uint64
}

var (
	philosopherType   = actor.NewType[philosopher]("philosopher")
	philosopherStart  = actor.Declare[struct{}](philosopherType, "start")
	philosopherDenied = actor.Declare[struct{}](philosopherType, "denied")
	philosopherEat    = actor.Declare[struct{}](philosopherType, "eat")
	_                 = philosopherType.Table(philosopherStart.Handle((*philosopher).hungry),
		philosopherDenied.Handle((*philosopher).hungry), philosopherEat.Handle((*philosopher).eat))

	arbitratorType   = actor.NewType[arbitrator]("arbitrator")
	arbitratorHungry = actor.Declare[hungry](arbitratorType, "hungry")
	arbitratorDone   = actor.Declare[int](arbitratorType, "done")
	arbitratorExit   = actor.Declare[struct{}](arbitratorType, "exit")
	_                = arbitratorType.Table(arbitratorHungry.Handle((*arbitrator).hungry),
		arbitratorDone.Handle((*arbitrator).done), arbitratorExit.Handle((*arbitrator).exit))
)

func (p *philosopher) hungry(ctx *actor.Context, _ struct{}) {
	arbitratorHungry.Send(ctx, p.arbitrator, hungry{p.id, actor.Self[philosopher](ctx)})
}

func (p *philosopher) eat(ctx *actor.Context, _ struct{}) {
	p.left--
	arbitratorDone.Send(ctx, p.arbitrator, p.id)
	if p.left > 0 {
		philosopherStart.Send(ctx, actor.Self[philosopher](ctx), struct{}{})
	} else {
		arbitratorExit.Send(ctx, p.arbitrator, struct{}{})
	}
}

func (a *arbitrator) hungry(ctx *actor.Context, m hungry) {
	left, right := &a.used[m.id], &a.used[(m.id+1)%diners]
	if *left || *right {
		philosopherDenied.Send(ctx, m.from, struct{}{})
		return
	}
	*left, *right = true, true
	a.meals++
	philosopherEat.Send(ctx, m.from, struct{}{})
}

func (a *arbitrator) done(_ *actor.Context, id int) {
	a.used[id], a.used[(id+1)%diners] = false, false
}

func (a *arbitrator) exit(*actor.Context, struct{}) {
	if a.dining--; a.dining == 0 {
		a.out <- a.meals
	}
}

func philosophersGallop(sys *actor.System, n int) uint64 {
	out := make(chan uint64, 1)
	a := arbitratorType.Spawn(sys, arbitrator{dining: diners, out: out})
	for i := range diners {
		p := philosopherType.Spawn(sys, philosopher{id: i, left: n, arbitrator: a})
		philosopherStart.Send(sys, p, struct{}{})
	}
	return <-out
}
