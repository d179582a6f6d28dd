package supervise

import "time"

// Intensity limits the number of restarts in a span of time. The zero Intensity is the default: 10
// in a minute, which with the default [Backoff] a single child that fails at once every time
// exceeds after 51 seconds.
//
// The effect of the first restart beyond the limit depends on the place of the Intensity:
//
//   - The Intensity of a [Spec] counts the restarts of all children, and the supervisor gives up: see
//     [EscalationError].
//   - The Intensity of a Spec with SimpleOneForOne applies to each child alone, and the child ends
//     for good, see below; with Escalate the supervisor gives up, as with other strategies.
//   - The Intensity of a [Worker], or the OwnIntensity of a Spec, counts the restarts of that child,
//     which then do not count for the supervisor's Intensity. The child ends for good; with
//     Escalate the supervisor gives up.
//
// A child that ends for good is stopped, and its siblings go on: see [GivenUp]. Its
// supervisor keeps the declaration, for [RestartChild], but forgets children of
// SimpleOneForOne.
type Intensity struct {
	Restarts int           // the limit; 0 with a Within: no restart at all
	Within   time.Duration // a restart this long ago still counts
	Escalate bool          // the supervisor gives up instead of ending the child
}

func (i Intensity) orDefault() Intensity {
	if i.isDefault() {
		i.Restarts, i.Within = 10, time.Minute
	}
	return i
}

// isDefault reports whether i sets no limit, so that the default applies.
func (i Intensity) isDefault() bool { return i.Restarts == 0 && i.Within == 0 }

// invalid reports whether i makes no sense.
func (i Intensity) invalid() bool { return i.Restarts < 0 || i.Within <= 0 }

// restartWindow holds the times of recent restarts. It is a queue, which is compacted when half of
// it is expired.
type restartWindow struct {
	at      []time.Time
	expired int // number of expired entries at the front
}

// add counts one more restart, and reports whether the number of restarts is within the intensity.
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
