package supervise

import (
	"math"
	"time"
)

// Backoff says how long the restart of a child is put off: exponentially longer with
// every fall in a row, and not by the same time for all children that fell together.
//
// The zero Backoff is the default: {Immediate: 1, First: 100 ms, Max: 30 s, Calm: 10 s}.
// So a child that falls once is restarted at once, and one that falls again and again is
// restarted after 0, 0.1, 0.2, 0.4, 0.8 … 25.6, 30, 30 … seconds. [NoBackoff] puts
// nothing off.
type Backoff struct {
	// Immediate is how many restarts in a row are not put off. The delays come after these.
	Immediate int
	// First is the first delay. 0 stands for 100 milliseconds, and then 0 for
	// Immediate stands for 1.
	First time.Duration
	// Max is the longest delay. 0 stands for a minute, or for First if that is longer.
	Max time.Duration
	// Factor is how many times longer the delay gets with each fall; at least 1. 0 stands
	// for 2.
	Factor float64
	// Jitter is the part of the delay that is left to chance, from 0 to 1: the delay is
	// between (1-Jitter) of what it would be and all of it.
	Jitter float64
	// Calm is how long a child must have been up for its next fall to count as a first one
	// again. It must have been up in one piece: time in which it was down with others does
	// not count. 0 stands for Max.
	Calm time.Duration
}

// NoBackoff restarts a child at once, however often it falls. Only the [Intensity]
// bounds how often that is.
var NoBackoff = Backoff{Immediate: math.MaxInt, First: 1}

// orDefault fills in what zero stands for, except for Max and Calm of a Backoff that is not zero.
func (b Backoff) orDefault() Backoff {
	if b == (Backoff{}) {
		return Backoff{Immediate: 1, First: 100 * time.Millisecond, Max: 30 * time.Second,
			Calm: 10 * time.Second}
	}
	if b.First == 0 {
		b.First = 100 * time.Millisecond
		if b.Immediate == 0 {
			b.Immediate = 1
		}
	}
	return b
}

// Delay returns how long the restart after the nth fall in a row is put off, where the
// first fall is 1. chance goes from 0, for the longest delay, to 1.
func (b Backoff) Delay(n int, chance float64) time.Duration {
	b = b.orDefault()
	if n = max(n, 1); n <= b.Immediate || b.First < 0 {
		return 0
	}
	factor := b.Factor
	if factor == 0 {
		factor = 2
	}
	d, most := float64(b.First)*math.Pow(factor, float64(n-b.Immediate-1)), b.maxDelay()
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

func (b Backoff) maxDelay() time.Duration {
	if b.Max == 0 {
		return max(time.Minute, b.First)
	}
	return b.Max
}

// calm reports whether a child that was up for so long counts its falls anew.
func (b Backoff) calm(up time.Duration) bool {
	if b.Calm == 0 {
		return up >= b.maxDelay()
	}
	return up >= b.Calm
}
