package supervise

import (
	"math"
	"time"
)

// Backoff says how long the restart of a child is delayed: exponentially longer with every
// consecutive failure, and, with Jitter, differently for children that failed together.
//
// The zero Backoff is the default: {Immediate: 1, First: 100 ms, Max: 30 s, ResetAfter: 10 s}. So a
// child that fails once is restarted at once, and one that fails again and again is restarted after 0,
// 0.1, 0.2, 0.4, 0.8 … 25.6, 30, 30 … seconds. [NoBackoff] delays nothing.
type Backoff struct {
	// Immediate is the number of consecutive restarts without a delay. The delays come after these.
	Immediate int
	// First is the first delay. 0 means 100 milliseconds, and then 0 for Immediate means 1.
	First time.Duration
	// Max is the longest delay. In a Backoff that is not zero, 0 means a minute, or First if that is
	// longer.
	Max time.Duration
	// Factor is the factor by which the delay grows with each failure; at least 1. 0 means 2.
	Factor float64
	// Jitter is the random part of the delay, from 0 to 1: the delay is drawn between (1-Jitter) of
	// its full length and all of it.
	Jitter float64
	// ResetAfter is how long a child must have been up without interruption for its next failure to
	// count as a first one again. Time in which it was down because of a sibling does not count. In a
	// Backoff that is not zero, 0 means the same as Max.
	ResetAfter time.Duration
}

// NoBackoff restarts a child at once, however often it fails. Only the [Intensity] limits how often
// that is.
var NoBackoff = Backoff{Immediate: math.MaxInt, First: 1}

// orDefault fills in the defaults, except for Max and ResetAfter of a Backoff that is not zero.
func (b Backoff) orDefault() Backoff {
	if b == (Backoff{}) {
		return Backoff{Immediate: 1, First: 100 * time.Millisecond, Max: 30 * time.Second,
			ResetAfter: 10 * time.Second}
	}
	if b.First == 0 {
		b.First = 100 * time.Millisecond
		if b.Immediate == 0 {
			b.Immediate = 1
		}
	}
	return b
}

// Delay returns the delay of the restart after the nth consecutive failure, counted from 1. chance
// is a random number from 0, for the longest delay, to 1.
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
	if less >= float64(whole) { // the float may exceed the range of a Duration
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

// calm reports whether a child that was up for this long counts its failures from 1 again.
func (b Backoff) calm(up time.Duration) bool {
	if b.ResetAfter == 0 {
		return up >= b.maxDelay()
	}
	return up >= b.ResetAfter
}
