package main

import (
	"sync"
	"sync/atomic"
)

// Coarse work: a master deals pieces that take as long as each other, of 10 µs to 1 ms. The time
// beyond that of the pieces is the cost of turns and of the runtime's other work.
var (
	turns10  = turnsOf("turns-10us", "turns of 10 µs", 10_000, 1)
	turns100 = turnsOf("turns-100us", "turns of 100 µs", 1000, 10)
	turns1ms = turnsOf("turns-1ms", "turns of a millisecond", 100, 100)
)

// steps10us is how many steps of busy take about 10 µs.
const steps10us = 5000

// turnsOf makes a program of n pieces, each of so many times 10 µs. The plain side has a goroutine
// for each, and waits for all of them.
func turnsOf(name, about string, n, times int) program {
	pieces := func(n int) []piece {
		all := make([]piece, n)
		for i := range all {
			all[i] = spell(times*steps10us - i%2) // not all alike, for the checksum
		}
		return all
	}
	p := dealProgram(name, about, n, pieces)
	p.plain = func(n int) uint64 { return waitForAll(pieces(n)) }
	return p
}

// spell is a piece of so many steps.
type spell int

func (s spell) work() (uint64, []piece) { return busy(int(s)), nil }

// waitForAll does each piece in a goroutine of its own.
func waitForAll(all []piece) uint64 {
	var wg sync.WaitGroup
	var sum atomic.Uint64
	for _, p := range all {
		wg.Go(func() {
			r, _ := p.work()
			sum.Add(r)
		})
	}
	wg.Wait()
	return sum.Load()
}
