package main

import (
	"context"

	"github.com/gallop-go/gallop/actor"
)

const (
	// sends or spawns a behaviour at most makes before it ends and sends itself the rest
	chunk  = 1000
	buffer = 128 // slots in every channel of the goroutine twins
)

// A job is the size of one turn of a scenario and the seed of its random choices.
type job struct {
	n    int
	seed uint64
}

// A scenario is one piece of work, written once with actors and once with
// goroutines and channels. Both sides begin to work when they are called and put
// the count they end with into the channel that they return.
type scenario struct {
	name      string
	op, ops   string // the unit of -n, one and many
	about     string
	n         int                // operations in a turn unless -n says otherwise
	fit       func(n int) int    // the nearest size the work can have; nil: any
	want      func(n int) uint64 // the count a right run ends with; nil: n itself
	perOp     float64            // messages that an operation takes, about; 0: one
	uncounted bool               // processes do the work, which count no messages
	// The context ends when the run is interrupted; only code that waits outside of the system
	// needs it.
	actors   func(ctx context.Context, sys *actor.System, j job) <-chan uint64
	channels func(j job) <-chan uint64
}

// registry lists the scenarios in the order in which "-scenario all" runs them.
var registry = []scenario{
	pingpong, pairs, ring, count, fanin, fjcreate, fjthrput, big, skynet, chameneos, ask,
	processes, chans, selects, sieve,
}

// size is the number of operations a turn really has when n are asked for.
func (s scenario) size(n int) int {
	if s.fit == nil {
		return n
	}
	return s.fit(n)
}

// expected is the count that a turn of n operations must end with.
func (s scenario) expected(n int) uint64 {
	if s.want == nil {
		return uint64(n)
	}
	return s.want(n)
}

// messages is about how many messages a turn of n operations takes. It serves for the progress
// line.
func (s scenario) messages(n int) float64 {
	if s.perOp == 0 {
		return float64(n)
	}
	return s.perOp * float64(n)
}

// share is the i-th of k parts when n is dealt out evenly, the remainder to the first.
func share(n, k, i int) int {
	if i < n%k {
		return n/k + 1
	}
	return n / k
}

// dealt returns how many of k get a share when n is dealt out evenly.
func dealt(n, k int) int { return min(n, k) }
