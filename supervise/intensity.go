package supervise

import "time"

// Intensity says how many restarts are put up with in a span of time. The zero Intensity
// is the default: 10 in a minute, which with the default [Backoff] a single child exceeds
// after 51 seconds in which it has not been up to speak of.
//
// What one restart more does depends on where the Intensity stands:
//
//   - As that of a [Spec], it counts the restarts of all children, and the supervisor gives up: see
//     [EscalationError].
//   - As that of a Spec with SimpleOneForOne, it counts for each child alone, and the child ends
//     for good, see below; with Escalate it is as for other strategies.
//   - As that of a [Worker], or as OwnIntensity of a Spec, it counts the restarts of that
//     child, which do not count for the supervisor's Intensity then. The child ends for good;
//     with Escalate the supervisor gives up.
//
// A child that ends for good is stopped, and its siblings go on: see [GaveUp]. Its
// supervisor keeps the declaration, for [RestartChild], but forgets children of
// SimpleOneForOne.
type Intensity struct {
	Restarts int           // the most; 0 with a Within: none
	Within   time.Duration // a restart this long ago still counts
	Escalate bool          // the supervisor gives up where a child would end for good
}

func (i Intensity) orDefault() Intensity {
	if i.isDefault() {
		i.Restarts, i.Within = 10, time.Minute
	}
	return i
}

// isDefault reports whether i says nothing of how many restarts are allowed.
func (i Intensity) isDefault() bool { return i.Restarts == 0 && i.Within == 0 }

// wrong reports whether i makes no sense.
func (i Intensity) invalid() bool { return i.Restarts < 0 || i.Within <= 0 }

// window is the times of recent restarts. It is a queue, which is tidied up when half of it is out
// of date.
type restartWindow struct {
	at      []time.Time
	expired int // how many at the front are out of date
}

// add counts one more restart, and reports whether that is still within the intensity.
func (w *restartWindow) add(now time.Time, i Intensity) bool {
	for w.expired < len(w.at) && now.Sub(w.at[w.expired]) > i.Within {
		w.expired++
	}
	if w.expired > len(w.at)/2 {
		w.at, w.expired = w.at[:copy(w.at, w.at[w.expired:])], 0
	}
	w.at = append(w.at, now)
	return len(w.at)-w.expired <= i.Restarts
}
