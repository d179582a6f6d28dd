package main

import "github.com/gallop-go/gallop/actor"

// tally adds up the results of a known number of actors, and sends the sum out of the system.
type tally struct {
	left int
	sum  uint64
	out  chan<- uint64
}

var (
	tallyType = actor.NewType[tally]("tally")
	tallyAdd  = actor.Declare[uint64](tallyType, "add")
	_         = tallyType.Table(tallyAdd.Handle((*tally).add))
)

func (t *tally) add(_ *actor.Context, by uint64) {
	t.sum += by
	t.left--
	if t.left == 0 {
		t.out <- t.sum
	}
}

// newTally spawns a tally of k figures; their sum comes out of the channel.
func newTally(sys *actor.System, k int) (actor.Ref[tally], <-chan uint64) {
	out := make(chan uint64, 1)
	return tallyType.Spawn(sys, tally{left: k, out: out}), out
}
