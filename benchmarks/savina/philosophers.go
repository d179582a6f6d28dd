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
	philosopherStart  = actor.Declare[actor.None](philosopherType, "start")
	philosopherDenied = actor.Declare[actor.None](philosopherType, "denied")
	philosopherEat    = actor.Declare[actor.None](philosopherType, "eat")
	_                 = philosopherType.Table(philosopherStart.Do((*philosopher).hungry),
		philosopherDenied.Do((*philosopher).hungry), philosopherEat.Do((*philosopher).eat))

	arbitratorType   = actor.NewType[arbitrator]("arbitrator")
	arbitratorHungry = actor.Declare[hungry](arbitratorType, "hungry")
	arbitratorDone   = actor.Declare[int](arbitratorType, "done")
	arbitratorExit   = actor.Declare[actor.None](arbitratorType, "exit")
	_                = arbitratorType.Table(arbitratorHungry.Do((*arbitrator).hungry),
		arbitratorDone.Do((*arbitrator).done), arbitratorExit.Do((*arbitrator).exit))
)

func (p *philosopher) hungry(ctx *actor.Context, _ actor.None) {
	arbitratorHungry.Send(ctx, p.arbitrator, hungry{p.id, actor.Self[philosopher](ctx)})
}

func (p *philosopher) eat(ctx *actor.Context, _ actor.None) {
	p.left--
	arbitratorDone.Send(ctx, p.arbitrator, p.id)
	if p.left > 0 {
		philosopherStart.Send(ctx, actor.Self[philosopher](ctx), actor.None{})
	} else {
		arbitratorExit.Send(ctx, p.arbitrator, actor.None{})
	}
}

func (a *arbitrator) hungry(ctx *actor.Context, m hungry) {
	left, right := &a.used[m.id], &a.used[(m.id+1)%diners]
	if *left || *right {
		philosopherDenied.Send(ctx, m.from, actor.None{})
		return
	}
	*left, *right = true, true
	a.meals++
	philosopherEat.Send(ctx, m.from, actor.None{})
}

func (a *arbitrator) done(_ *actor.Context, id int) {
	a.used[id], a.used[(id+1)%diners] = false, false
}

func (a *arbitrator) exit(*actor.Context, actor.None) {
	if a.dining--; a.dining == 0 {
		a.out <- a.meals
	}
}

func philosophersGallop(sys *actor.System, n int) uint64 {
	out := make(chan uint64, 1)
	a := arbitratorType.Spawn(sys, arbitrator{dining: diners, out: out})
	for i := range diners {
		p := philosopherType.Spawn(sys, philosopher{id: i, left: n, arbitrator: a})
		philosopherStart.Send(sys, p, actor.None{})
	}
	return <-out
}
