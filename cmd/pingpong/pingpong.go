// Pingpong measures the cost of one message when nothing else runs: two actors hit one ball to and
// fro. Every runtime is judged by this first, and a second worker can only do harm here.

package main

import (
	"context"

	"github.com/gallop-go/gallop/actor"
)

var pingpong = scenario{
	name: "pingpong", op: "message", ops: "messages", n: 2_000_000,
	about: "two actors and one ball: what a message costs when nothing else runs",
	actors: func(_ context.Context, sys *actor.System, j job) <-chan uint64 {
		total, out := newTally(sys, 1)
		serve(sys, j.n, total)
		return out
	},
	channels: func(j job) <-chan uint64 {
		scores := make(chan uint64, buffer)
		serveChannels(j.n, scores)
		return tallyChannel(scores, 2)
	},
}

// A player hits the ball back until the last hit is done; then both hits are added up.
type player struct {
	partner actor.Ref[player]
	hits    uint64
	total   actor.Ref[tally]
}

var (
	playerType  = actor.NewType[player]("player")
	playerMeet  = actor.Declare[actor.Ref[player]](playerType, "meet")
	playerHit   = actor.Declare[uint64](playerType, "hit")
	playerScore = actor.Declare[uint64](playerType, "score")
	_           = playerType.Table(
		playerMeet.Handle((*player).meet), playerHit.Handle((*player).hit),
		playerScore.Handle((*player).score))
)

func (p *player) meet(_ *actor.Context, partner actor.Ref[player]) { p.partner = partner }

// hit is the ball; left counts this hit and those still to come.
func (p *player) hit(ctx *actor.Context, left uint64) {
	p.hits++
	if left > 1 {
		playerHit.Send(ctx, p.partner, left-1)
	} else {
		playerScore.Send(ctx, p.partner, p.hits)
	}
}

func (p *player) score(ctx *actor.Context, partners uint64) {
	tallyAdd.Send(ctx, p.total, p.hits+partners)
}

// serve starts a match of n hits, whose count goes to total.
func serve(sys *actor.System, n int, total actor.Ref[tally]) {
	a := playerType.Spawn(sys, player{total: total})
	b := playerType.Spawn(sys, player{total: total, partner: a})
	playerMeet.Send(sys, a, b)
	playerHit.Send(sys, a, uint64(n))
}

// serveChannels starts the same match between two goroutines; both put their hits into scores.
func serveChannels(n int, scores chan<- uint64) {
	a, b := make(chan uint64, buffer), make(chan uint64, buffer)
	go hitChannels(a, b, scores)
	go hitChannels(b, a, scores)
	a <- uint64(n)
}

// hitChannels is a player, and a node of the ring. After the last hit the player closes the channel
// of the next, and so on round, until all have counted up.
func hitChannels(in <-chan uint64, next, scores chan<- uint64) {
	hits := uint64(0)
	for left := range in {
		hits++
		if left == 1 {
			break
		}
		next <- left - 1
	}
	close(next)
	scores <- hits
}
