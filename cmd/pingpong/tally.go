package main

import "github.com/gallop-go/gallop/actor"

// A tally adds up the counts of a known number of actors and hands the sum out of
// the system. Many scenarios end in one.
type tally struct {
	left int // counts still to come
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
		t.out <- t.sum // has room for the sum, so the worker never waits here
	}
}

// newTally spawns a tally of k counts; their sum comes out of the channel.
func newTally(sys *actor.System, k int) (actor.Ref[tally], <-chan uint64) {
	out := make(chan uint64, 1)
	return tallyType.Spawn(sys, tally{left: k, out: out}), out
}

// tallyChannel is tally's twin: it adds up k counts from a channel.
func tallyChannel(counts <-chan uint64, k int) <-chan uint64 {
	out := make(chan uint64, 1)
	go func() {
		var sum uint64
		for range k {
			sum += <-counts
		}
		out <- sum
	}()
	return out
}
