// Chameneos measures rendezvous: a hundred creatures meet in twos at one mall and change colour,
// because every meeting needs a third party that all other creatures need too.

package main

import (
	"context"

	"github.com/gallop-go/gallop/actor"
)

const creatures = 100

var chameneos = scenario{
	name: "chameneos", op: "meeting", ops: "meetings", n: 1_000_000,
	perOp:    4,
	about:    "100 creatures meet in twos at one mall: rendezvous by a third party",
	want:     func(n int) uint64 { return 2 * uint64(n) },
	actors:   meetActors,
	channels: meetChannels,
}

// A colour is one of three.
type colour uint8

// complement is the colour that both take when they meet: their own if it is the same, else the
// third.
func complement(a, b colour) colour {
	if a == b {
		return a
	}
	return 3 - a - b
}

// A creature goes to the mall again and again and counts whom it met.
type creature struct {
	colour colour
	met    uint64
	mall   actor.Ref[mall]
	total  actor.Ref[tally]
}

// A mall brings together the waiting creature and the next one.
type mall struct {
	left    int // meetings still to be had
	waiting actor.Ref[creature]
}

// A visitor is a creature and the colour it has.
type visitor struct {
	who    actor.Ref[creature]
	colour colour
}

var (
	creatureType   = actor.NewType[creature]("creature")
	creatureStart  = actor.Declare[struct{}](creatureType, "start")
	creatureMeet   = actor.Declare[visitor](creatureType, "meet")
	creatureChange = actor.Declare[colour](creatureType, "change")
	creatureLeave  = actor.Declare[struct{}](creatureType, "go home")
	_              = creatureType.Table(
		creatureStart.Handle((*creature).start), creatureMeet.Handle((*creature).meet),
		creatureChange.Handle((*creature).change), creatureLeave.Handle((*creature).leave))

	mallType  = actor.NewType[mall]("mall")
	mallVisit = actor.Declare[visitor](mallType, "visit")
	_         = mallType.Table(mallVisit.Handle((*mall).visit))
)

func (c *creature) start(ctx *actor.Context, _ struct{}) {
	mallVisit.Send(ctx, c.mall, visitor{actor.Self[creature](ctx), c.colour})
}

// meet is sent to the waiting creature, with the creature that has come.
func (c *creature) meet(ctx *actor.Context, other visitor) {
	changed := complement(c.colour, other.colour)
	creatureChange.Send(ctx, other.who, changed)
	c.change(ctx, changed)
}

func (c *creature) change(ctx *actor.Context, to colour) {
	c.colour = to
	c.met++
	c.start(ctx, struct{}{})
}

func (c *creature) leave(ctx *actor.Context, _ struct{}) { tallyAdd.Send(ctx, c.total, c.met) }

func (m *mall) visit(ctx *actor.Context, v visitor) {
	switch {
	case m.left == 0:
		creatureLeave.Send(ctx, v.who, struct{}{})
	case m.waiting.IsZero():
		m.waiting = v.who
	default:
		creatureMeet.Send(ctx, m.waiting, v)
		m.waiting = actor.Ref[creature]{}
		m.left--
	}
}

func meetActors(_ context.Context, sys *actor.System, j job) <-chan uint64 {
	total, out := newTally(sys, creatures)
	place := mallType.Spawn(sys, mall{left: j.n})
	for i := range creatures {
		c := creatureType.Spawn(sys, creature{colour: colour(i % 3), mall: place, total: total})
		creatureStart.Send(sys, c, struct{}{})
	}
	return out
}

// guest is the goroutine twin of a visitor, and the only type of message.
type guest struct {
	who    chan guest // where to send the changed colour; nil: this is it
	colour colour
}

func meetChannels(j job) <-chan uint64 {
	visits, counts := make(chan guest, buffer), make(chan uint64, buffer)
	for i := range creatures {
		go creatureChannels(colour(i%3), visits, counts)
	}
	go mallChannels(j.n, visits)
	return tallyChannel(counts, creatures)
}

func mallChannels(left int, visits <-chan guest) {
	for ; left > 0; left-- {
		first, second := <-visits, <-visits
		first.who <- second
	}
	for range creatures {
		close((<-visits).who)
	}
}

func creatureChannels(own colour, visits chan<- guest, counts chan<- uint64) {
	in, met := make(chan guest, buffer), uint64(0)
	visits <- guest{in, own}
	for m := range in {
		if m.who == nil {
			own = m.colour
		} else {
			own = complement(own, m.colour)
			m.who <- guest{colour: own}
		}
		met++
		visits <- guest{in, own}
	}
	counts <- met
}
