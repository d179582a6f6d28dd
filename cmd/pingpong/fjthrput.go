// Fjthrput measures few feeding many: six producers deal messages to 60 actors, each
// to ten of its own in turn, because spreading work over workers must cost less
// than the work.

package main

import (
	"context"

	"github.com/gallop-go/gallop/actor"
)

const (
	dealers = 6
	hands   = 60
	table   = hands / dealers // the hands that one dealer deals to
	round   = 200             // messages that a dealer deals in one behaviour
)

var fjthrput = scenario{
	name: "fjthrput", op: "message", ops: "messages", n: 3_000_000,
	about: "six producers deal to 60 actors in turn: spreading work thinly",
	actors: func(_ context.Context, sys *actor.System, j job) <-chan uint64 {
		total, out := newTally(sys, hands)
		for i := range dealers {
			d := dealer{n: share(j.n, dealers, i)}
			for k := range d.to {
				d.to[k] = handType.Spawn(sys, hand{total: total})
			}
			dealerMore.Send(sys, dealerType.Spawn(sys, d), struct{}{})
		}
		return out
	},
	channels: dealChannels,
}

// A dealer sends the messages round, a chunk a behaviour.
type dealer struct {
	dealt, n int
	to       [table]actor.Ref[hand]
}

// A hand counts its cards.
type hand struct {
	got   uint64
	total actor.Ref[tally]
}

var (
	dealerType = actor.NewType[dealer]("dealer")
	dealerMore = actor.Declare[struct{}](dealerType, "more")
	_          = dealerType.Table(dealerMore.Handle((*dealer).more))

	handType = actor.NewType[hand]("hand")
	handTake = actor.Declare[uint64](handType, "take")
	handShow = actor.Declare[struct{}](handType, "show")
	_        = handType.Table(handTake.Handle((*hand).take), handShow.Handle((*hand).show))
)

func (d *dealer) more(ctx *actor.Context, _ struct{}) {
	for end := min(d.dealt+round, d.n); d.dealt < end; d.dealt++ {
		handTake.Send(ctx, d.to[d.dealt%table], 1)
	}
	if d.dealt < d.n {
		dealerMore.Send(ctx, actor.Self[dealer](ctx), struct{}{})
		return
	}
	for _, h := range d.to {
		handShow.Send(ctx, h, struct{}{})
	}
}

func (h *hand) take(_ *actor.Context, by uint64) { h.got += by }

func (h *hand) show(ctx *actor.Context, _ struct{}) { tallyAdd.Send(ctx, h.total, h.got) }

func dealChannels(j job) <-chan uint64 {
	counts := make(chan uint64, buffer)
	var to [hands]chan uint64
	for i := range to {
		to[i] = make(chan uint64, buffer)
		go func() {
			got := uint64(0)
			for by := range to[i] {
				got += by
			}
			counts <- got
		}()
	}
	for i := range dealers {
		go func() {
			own := to[i*table : (i+1)*table]
			for k := range share(j.n, dealers, i) {
				own[k%table] <- 1
			}
			for _, in := range own {
				close(in)
			}
		}()
	}
	return tallyChannel(counts, hands)
}
