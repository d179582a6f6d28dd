package main

import (
	"context"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/process"
	"github.com/gallop-go/gallop/process/actors"
)

const maxSieve = 100_000 // numbers: the hand-overs grow with nearly the square

var sieve = scenario{
	name: "sieve", op: "number", ops: "numbers", n: 8_000, uncounted: true,
	about: "primes by a chain of filters: a process or goroutine for each",
	fit:   func(n int) int { return min(n, maxSieve) },
	want:  func(n int) uint64 { return primes(n) },
	actors: func(_ context.Context, sys *actor.System, j job) <-chan uint64 {
		out, first := make(chan uint64, 1), process.NewChan[int](0)
		process.Go(actors.Join(sys), func(p *process.Proc) {
			for i := range j.n {
				first.Send(p, i+2)
			}
			first.Close(p)
		})
		process.Go(actors.Join(sys), func(p *process.Proc) {
			var found uint64
			for in := first; ; found++ {
				prime, ok := in.Recv(p)
				if !ok {
					break
				}
				from, next := in, process.NewChan[int](0)
				process.Go(p, func(p *process.Proc) { filter(p, prime, from, next) })
				in = next
			}
			out <- found
		})
		return out
	},
	channels: func(j job) <-chan uint64 {
		out, first := make(chan uint64, 1), make(chan int)
		go func() {
			for i := range j.n {
				first <- i + 2
			}
			close(first)
		}()
		go func() {
			var found uint64
			for in := first; ; found++ {
				prime, ok := <-in
				if !ok {
					break
				}
				next := make(chan int)
				go filterChannels(prime, in, next)
				in = next
			}
			out <- found
		}()
		return out
	},
}

// filter passes on numbers that prime does not divide.
func filter(p *process.Proc, prime int, in, next *process.Chan[int]) {
	for n := range in.All(p) {
		if n%prime != 0 {
			next.Send(p, n)
		}
	}
	next.Close(p)
}

func filterChannels(prime int, in <-chan int, next chan<- int) {
	for n := range in {
		if n%prime != 0 {
			next <- n
		}
	}
	close(next)
}

// primes counts the primes among the n numbers from 2 on.
func primes(n int) (found uint64) {
	composite := make([]bool, n+2)
	for i := 2; i < n+2; i++ {
		if composite[i] {
			continue
		}
		found++
		for j := 2 * i; j < n+2; j += i {
			composite[j] = true
		}
	}
	return found
}
