package main

import "github.com/gallop-go/gallop/actor"

// Sleeping barber: customers enter a waiting room, from which the barber fetches one at a time. A
// customer who finds the room full goes back and tries again. The factory makes one customer in
// each of its turns. (If it made all in one, nearly all would go round and round until the room has
// had them: twenty million messages. Protoactor does that all the same, on one processor.)
var barber = program{
	name: "barber", about: "sleeping barber", n: 20_000,
	gallop: barberGallop, plain: barberPlain, message: barberMessage,
}

const (
	roomSize = 1000
	// Steps of a haircut, and between two customers: so many at most.
	cutEffort = 1000
)

type factory struct {
	random
	wanted, made, done int
	room               actor.Ref[waitingRoom]
	out                chan<- uint64
}

type waitingRoom struct {
	waiting []actor.Ref[customer]
	head    int
	asleep  bool
	barber  actor.Ref[barberState]
}

type barberState struct {
	random
	room actor.Ref[waitingRoom]
}

type customer struct{ factory actor.Ref[factory] }

var (
	factoryType     = actor.NewType[factory]("factory")
	factoryStart    = actor.Declare[struct{}](factoryType, "start")
	factoryReturned = actor.Declare[actor.Ref[customer]](factoryType, "returned")
	factoryDone     = actor.Declare[struct{}](factoryType, "done")
	_               = factoryType.Table(factoryStart.Handle((*factory).start),
		factoryReturned.Handle((*factory).returned), factoryDone.Handle((*factory).oneDone))

	roomType  = actor.NewType[waitingRoom]("room")
	roomEnter = actor.Declare[actor.Ref[customer]](roomType, "enter")
	roomNext  = actor.Declare[struct{}](roomType, "next")
	_         = roomType.Table(roomEnter.Handle((*waitingRoom).enter),
		roomNext.Handle((*waitingRoom).next))

	barberType  = actor.NewType[barberState]("barber")
	barberEnter = actor.Declare[actor.Ref[customer]](barberType, "enter")
	barberWait  = actor.Declare[actor.Ref[waitingRoom]](barberType, "wait")
	_           = barberType.Table(barberEnter.Handle((*barberState).enter),
		barberWait.Handle((*barberState).wait))

	customerType  = actor.NewType[customer]("customer")
	customerFull  = actor.Declare[struct{}](customerType, "full")
	customerWait  = actor.Declare[struct{}](customerType, "wait")
	customerStart = actor.Declare[struct{}](customerType, "start")
	customerDone  = actor.Declare[struct{}](customerType, "done")
	_             = customerType.Table(customerFull.Handle((*customer).full),
		customerWait.Handle((*customer).rest),
		customerStart.Handle((*customer).rest), customerDone.Handle((*customer).done))
)

func (f *factory) start(ctx *actor.Context, _ struct{}) {
	c := customerType.Spawn(ctx, customer{actor.Self[factory](ctx)})
	roomEnter.Send(ctx, f.room, c)
	busy(f.below(cutEffort) + 10)
	if f.made++; f.made < f.wanted {
		factoryStart.Send(ctx, actor.Self[factory](ctx), struct{}{})
	}
}

func (f *factory) returned(ctx *actor.Context, c actor.Ref[customer]) {
	roomEnter.Send(ctx, f.room,
		c)
}

func (f *factory) oneDone(*actor.Context, struct{}) {
	if f.done++; f.done == f.wanted {
		f.out <- uint64(f.done)
	}
}

func (r *waitingRoom) enter(ctx *actor.Context, c actor.Ref[customer]) {
	if len(r.waiting)-r.head == roomSize {
		customerFull.Send(ctx, c, struct{}{})
		return
	}
	if r.head == roomSize {
		r.waiting, r.head = append(r.waiting[:0], r.waiting[r.head:]...), 0
	}
	r.waiting = append(r.waiting, c)
	if r.asleep {
		r.asleep = false
		roomNext.Send(ctx, actor.Self[waitingRoom](ctx), struct{}{})
	} else {
		customerWait.Send(ctx, c, struct{}{})
	}
}

func (r *waitingRoom) next(ctx *actor.Context, _ struct{}) {
	if r.head == len(r.waiting) {
		r.asleep = true
		barberWait.Send(ctx, r.barber, actor.Self[waitingRoom](ctx))
		return
	}
	barberEnter.Send(ctx, r.barber, r.waiting[r.head])
	r.head++
}

func (b *barberState) enter(ctx *actor.Context, c actor.Ref[customer]) {
	customerStart.Send(ctx, c, struct{}{})
	busy(b.below(cutEffort) + 10)
	customerDone.Send(ctx, c, struct{}{})
	roomNext.Send(ctx, b.room, struct{}{})
}

func (b *barberState) wait(_ *actor.Context, room actor.Ref[waitingRoom]) { b.room = room }

func (c *customer) full(ctx *actor.Context, _ struct{}) {
	factoryReturned.Send(ctx, c.factory, actor.Self[customer](ctx))
}

func (c *customer) rest(*actor.Context, struct{}) {}

func (c *customer) done(ctx *actor.Context, _ struct{}) {
	factoryDone.Send(ctx, c.factory, struct{}{})
	ctx.Stop()
}

func barberGallop(sys *actor.System, n int) uint64 {
	out := make(chan uint64, 1)
	b := barberType.Spawn(sys, barberState{random: newRandom(1)})
	room := roomType.Spawn(sys, waitingRoom{asleep: true, barber: b})
	barberWait.Send(sys, b, room)
	f := factoryType.Spawn(sys, factory{random: newRandom(2), wanted: n, room: room, out: out})
	factoryStart.Send(sys, f, struct{}{})
	return <-out
}
