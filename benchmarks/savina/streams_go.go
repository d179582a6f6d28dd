package main

import (
	"math"
	"slices"
)

// bitonicPlain sorts the vectors one after the other, each on one processor, by the same network.
func bitonicPlain(n int) uint64 {
	sums := make([]uint64, n)
	next := make(chan int, n)
	for i := range n {
		next <- i
	}
	close(next)
	onAll(func() {
		for k := range next {
			v := vector(k)
			for _, c := range comparators() {
				c.apply(v)
			}
			for i, x := range v {
				sums[k] += position(i, x)
			}
		}
	})
	return sumOf(sums)
}

func sumOf(all []uint64) (sum uint64) {
	for _, v := range all {
		sum += v
	}
	return sum
}

// apply sorts the pairs of a whole vector in place, as take does for a stream.
func (c *comparator) apply(v []uint64) {
	for i := range v {
		if j := i | c.distance; i&c.distance == 0 {
			low, high := min(v[i], v[j]), max(v[i], v[j])
			if i&c.block != 0 {
				low, high = high, low
			}
			v[i], v[j] = low, high
		}
	}
}

const streamRoom = 256 // of the channels of pipelines

func bitonicMessage(c crew, n int) uint64 {
	out := make(chan uint64, 1)
	seen, sum := 0, uint64(0)
	next := c.spawn(streamRoom, func(node) behaviour {
		return func(_ node, m msg) {
			sum += position(seen, uint64(m.x))
			if seen++; seen == n*bitonicLength {
				out <- sum
			}
		}
	})
	for _, stage := range slices.Backward(comparators()) {
		to := next
		next = c.spawn(streamRoom, func(self node) behaviour {
			pass := func(v uint64) { to.send(self, msg{x: int(v)}) }
			return func(_ node, m msg) { stage.take(uint64(m.x), pass) }
		})
	}
	at := 0
	c.spawn(2, func(node) behaviour {
		return func(self node, m msg) {
			for _, v := range vector(at) {
				next.send(self, msg{x: int(v)})
			}
			if at++; at < n {
				self.send(self, msg{})
			}
		}
	}).send(nil, msg{})
	return <-out
}

// filterPlain has a goroutine for each channel, which takes the signal through all stages.
func filterPlain(n int) uint64 {
	n = n / filterChannels * filterChannels
	sums := make([]uint64, filterChannels)
	channels := make(chan int, filterChannels)
	for c := range filterChannels {
		channels <- c
	}
	close(channels)
	onAll(func() {
		for c := range channels {
			sums[c] = filterOne(c, n)
		}
	})
	return sumOf(sums)
}

func filterOne(c, n int) (sum uint64) {
	var stages [filterStages]filterStage
	for what := range stages {
		stages[what] = newFilterStage(c, what)
	}
	var pass func(at int, v float64)
	pass = func(at int, v float64) {
		if at == filterStages {
			sum += filterRound(v)
			return
		}
		stages[at].take(v, func(v float64) { pass(at+1, v) })
	}
	for i := range n {
		pass(0, signal(i))
	}
	return sum
}

func filterMessage(c crew, n int) uint64 {
	n = n / filterChannels * filterChannels
	out := make(chan uint64, 1)
	left, sum := n*filterChannels, uint64(0)
	sink := c.spawn(streamRoom, func(node) behaviour {
		return func(_ node, m msg) {
			sum += filterRound(math.Float64frombits(uint64(m.x)))
			if left--; left == 0 {
				out <- sum
			}
		}
	})
	var first []node
	for channel := range filterChannels {
		next := sink
		for what := filterStages - 1; what >= 0; what-- {
			next = messageFilter(c, newFilterStage(channel, what), next)
		}
		first = append(first, next)
	}
	at := 0
	c.spawn(2, func(node) behaviour {
		return func(self node, _ msg) {
			for end := min(at+filterChunk, n); at < end; at++ {
				for _, f := range first {
					f.send(self, msg{x: int(math.Float64bits(signal(at)))})
				}
			}
			if at < n {
				self.send(self, msg{})
			}
		}
	}).send(nil, msg{})
	return <-out
}

func messageFilter(c crew, s filterStage, to node) node {
	return c.spawn(streamRoom, func(self node) behaviour {
		pass := func(v float64) { to.send(self, msg{x: int(math.Float64bits(v))}) }
		return func(_ node, m msg) { s.take(math.Float64frombits(uint64(m.x)), pass) }
	})
}
