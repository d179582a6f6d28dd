package main

import (
	"math"

	"github.com/gallop-go/gallop/actor"
)

// program is one benchmark. Each of its sides does the same work and returns the same checksum. A
// side that is nil is left out.
type program struct {
	name, about string
	n           int // its size, for a run of about 100 ms

	gallop  func(sys *actor.System, n int) uint64
	plain   func(n int) uint64         // the best that Go offers: goroutines, channels, locks
	message func(c crew, n int) uint64 // actor-shaped, for goroutines, phony and protoactor
}

// programs lists all of them, in the order of the table.
var programs = []program{
	apsp, bankingAsk, bankingStash, bankingByHand, bankingNoStash,
	barber, uct, sor, philosophers, sortedList, dictionary,
	boundedBuffer, bitonic, filterBank,
	trapezoid, nqueens, matrices, pi, astar, quicksort,
	turns10, turns100, turns1ms,
	sessions, idleActors, publishLoop, publishTopic, payloads,
}

func find(name string) (program, bool) {
	for _, p := range programs {
		if p.name == name {
			return p, true
		}
	}
	return program{}, false
}

// size is how large a run is. The sizes of programs whose time is no linear function of it grow
// with the root of the scale.
func (p program) size(scale float64) int { return int(float64(p.n) * math.Pow(scale, 1/p.power())) }

// power says with which power of the size the time grows.
func (p program) power() float64 {
	switch p.name {
	case "apsp", "astar", "matrices":
		return 3
	case "pi", "sor", "barber":
		return 2
	}
	return 1
}
