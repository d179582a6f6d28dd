package sched

// samples are what the governor has seen at the looks of one measurement.
//
// Rejected: the units of the whole measurement by its whole time. A worker that the operating
// system keeps from its processor does nothing for some milliseconds, which is as long as a
// measurement lasts. Beside a process that is busy, every third comparison of equal rates came out
// wrong by more than a third.
//
// Chosen: the looks are sorted by their rates, and the slower half is left out. What is done
// before and in a trial is cut alike, so a program whose rate changes by itself is compared fairly.
type samples struct {
	n     int // how many there were; the oldest are overwritten
	looks [maxSamples]sample
}

// sample is what was done from one look to the next.
type sample struct {
	units uint64
	time  int64 // ns
}

const maxSamples = 16

// add takes in a look: what was done since the one before, and in how much time. Looks at which no
// worker was awake, and those that came too late, are not added. Caller holds the monitor's mu.
func (s *samples) add(units uint64, time int64) {
	s.looks[s.n%maxSamples] = sample{units, max(time, 1)}
	s.n++
}

// rate is what was done in the faster half of the looks, in units a nanosecond. It is 0 if there
// was no look. It sorts a copy: the order of looks says which to overwrite.
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

// faster reports whether more was done in the same time, without a division.
func (s sample) faster(o sample) bool {
	return float64(s.units)*float64(o.time) > float64(o.units)*float64(s.time)
}
