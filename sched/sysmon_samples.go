package sched

// samples are the looks of one measurement of the governor.
//
// Rejected: the units of the whole measurement divided by its whole time. A worker that the
// operating system keeps from its processor does nothing for some milliseconds, the length of a
// measurement. Beside a busy process, every third comparison of equal rates was wrong by more
// than a third.
//
// Chosen: the looks are sorted by their rates, and the slower half is left out. This is done before
// a trial and in it alike, so a program whose rate changes by itself is compared fairly.
type samples struct {
	n     int // the number of looks; the oldest are overwritten
	looks [maxSamples]sample
}

// sample is the work from one look to the next.
type sample struct {
	units uint64
	time  int64 // ns
}

const maxSamples = 16

// add records a look: the units since the one before, and the time for them. Looks without an awake
// worker, and late looks, are not added. Caller holds the monitor's mu.
func (s *samples) add(units uint64, time int64) {
	s.looks[s.n%maxSamples] = sample{units, max(time, 1)}
	s.n++
}

// rate is the rate in the faster half of the looks, in units a nanosecond. It is 0 without looks.
// It sorts a copy, since the order of looks determines which one is overwritten.
func (s *samples) rate() float64 {
	sorted := *s
	n := min(s.n, maxSamples)
	for i := 1; i < n; i++ { // by insertion: there are few
		for j := i; j > 0 && sorted.looks[j].faster(sorted.looks[j-1]); j-- {
			sorted.looks[j], sorted.looks[j-1] = sorted.looks[j-1], sorted.looks[j]
		}
	}
	var sum sample
	for _, l := range sorted.looks[:n-n/2] {
		sum.units += l.units
		sum.time += l.time
	}
	return float64(sum.units) / float64(max(sum.time, 1))
}

// faster reports whether the rate of s is higher. It needs no division.
func (s sample) faster(o sample) bool {
	return float64(s.units)*float64(o.time) > float64(o.units)*float64(s.time)
}
