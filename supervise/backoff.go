package supervise

import (
	"math"
	"time"
)

// Backoff is how long the restart of a child is put off: exponentially longer with every
// fall in a row, and not by the same time for all who fell together. The zero Backoff is
// not at all.
type Backoff struct {
	// First is how long after the first fall.
	First time.Duration
	// Max is the longest. 0: a minute, or First if that is longer.
	Max time.Duration
	// Factor is how much longer each time; at least 1. 0: twice.
	Factor float64
	// Jitter is how much is left to chance, from 0 to 1: the time is between (1-Jitter) of
	// what it would be and all of it.
	Jitter float64
	// Calm is how long a child must have been up for its next fall to be a first one
	// again: in one piece, since time in which it was down with others is none. 0: Max.
	Calm time.Duration
}

// Delay returns how long the restart after the nth fall in a row is put off, from 1.
// chance is from 0, for the longest, to 1.
func (b Backoff) Delay(n int, chance float64) time.Duration {
	if b.First <= 0 {
		return 0
	}
	factor := b.Factor
	if factor == 0 {
		factor = 2
	}
	d, most := float64(b.First)*math.Pow(factor, float64(max(n, 1)-1)), b.longest()
	whole := most
	if d < float64(most) {
		whole = time.Duration(d)
	}
	less := float64(whole) * b.Jitter * chance
	if less >= float64(whole) { // which may be more than a Duration holds
		return 0
	}
	return whole - time.Duration(less)
}

func (b Backoff) longest() time.Duration {
	if b.Max == 0 {
		return max(time.Minute, b.First)
	}
	return b.Max
}

// calm tells whether a child that was up for so long begins anew.
func (b Backoff) calm(up time.Duration) bool {
	if b.Calm == 0 {
		return up >= b.longest()
	}
	return up >= b.Calm
}
