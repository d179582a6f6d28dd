package supervise

import "time"

// Intensity says how many restarts a supervisor puts up with in a span of time. With
// one more it gives up: see [EscalationError]. The zero Intensity is 3 in 5 seconds.
type Intensity struct {
	Restarts int           // the most; 0 with a Within: none
	Within   time.Duration // a restart this long ago still counts
}

func (i Intensity) orDefault() Intensity {
	if i == (Intensity{}) {
		return Intensity{Restarts: 3, Within: 5 * time.Second}
	}
	return i
}

// window is the times of recent restarts. It is a queue, which is tidied up when half of it is out
// of date.
type window struct {
	at  []time.Time
	old int // how many at the front are out of date
}

// add counts one more restart, and tells whether that is still within the intensity.
func (w *window) add(now time.Time, i Intensity) bool {
	for w.old < len(w.at) && now.Sub(w.at[w.old]) > i.Within {
		w.old++
	}
	if w.old > len(w.at)/2 {
		w.at, w.old = w.at[:copy(w.at, w.at[w.old:])], 0
	}
	w.at = append(w.at, now)
	return len(w.at)-w.old <= i.Restarts
}
