package flight

import (
	"cmp"
	"slices"
	"time"

	"github.com/gallop-go/gallop/internal/flightlog"
)

// Recording has the events of a recorder at one moment.
type Recording struct {
	// Lost counts the events that are missing.
	Lost Lost
	// Reason is why the recording was made, in words.
	Reason string
	// Trigger is the event that caused the recording; nil if a call did. It is kept even if its
	// ring has overwritten it.
	Trigger *Event
	// Began is the time when the recorder was started, and Taken when the recording was made.
	Began, Taken time.Time
	// Ring is the largest size of a ring, in bytes: see [WithRing].
	Ring int
	// Missed is how many recordings were asked for and not written since the last one, because of
	// the limit of one a minute.
	Missed uint64
	// GoTrace is the file name of the trace of Go's own recorder, or the reason why there is none.
	// See [WithGoRecorder].
	GoTrace string
	// Events are sorted by time. Events of one worker are in the order in which they happened.
	Events []Event
}

// Lost counts the events that a recording has lost.
type Lost struct {
	// Workers has an entry for each ring.
	Workers []LostEvents
	// NoRing is set if there were more than 256 workers. The others have no ring.
	NoRing bool
}

// LostEvents counts the lost events of one ring.
type LostEvents struct {
	Worker int // or Outside
	// Before is how many events had been overwritten before the ring was read. Torn is how many
	// were overwritten while it was read; these are left out.
	Before, Torn uint64
	// Between is how many were overwritten after the look at the first sign of a stall, and before the
	// recording was made.
	Between uint64
	Kept    int // events in the recording
}

// take makes a recording from the contents of the rings. full reports whether workers had none.
func take(tails []flightlog.Tail, full bool) *Recording {
	r := &Recording{Lost: Lost{NoRing: full}}
	n := 0
	for _, t := range tails {
		n += len(t.Events)
	}
	r.Events = make([]Event, 0, n)
	for _, t := range tails {
		r.Lost.Workers = append(r.Lost.Workers,
			LostEvents{Worker: t.Worker, Before: t.Before, Torn: t.Torn, Between: t.Between,
				Kept: len(t.Events)})
		for _, e := range t.Events {
			name := flightlog.NameOf(e.Index)
			r.Events = append(r.Events, Event{
				At: time.Duration(e.At), Worker: t.Worker, Sequence: e.Sequence, What: whats[e.What],
				Type: name.Type, Behaviour: name.Behaviour, Actor: e.Actor, Other: e.Other,
			})
		}
	}
	r.Events = byTime(r.Events)
	slices.SortStableFunc(r.Lost.Workers, func(a, b LostEvents) int {
		return cmp.Compare(a.Worker, b.Worker)
	})
	r.nameTypes()
	return r
}

// byTime sorts events by time, and keeps the order of events with equal times. It sorts indices,
// since events are large.
func byTime(events []Event) []Event {
	type place struct {
		at time.Duration
		i  int
	}
	order := make([]place, len(events))
	for i := range events {
		order[i] = place{events[i].At, i}
	}
	slices.SortFunc(order, func(a, b place) int {
		if a.at != b.at {
			return cmp.Compare(a.at, b.at)
		}
		return a.i - b.i
	})
	sorted := make([]Event, len(events))
	for i, o := range order {
		sorted[i] = events[o.i]
	}
	return sorted
}

// nameTypes sets the types of the other actors of events, where the recording has an event with the
// type.
func (r *Recording) nameTypes() {
	types := map[uint64]string{}
	for i := range r.Events {
		if e := &r.Events[i]; e.Type != "" {
			types[e.Actor] = e.Type
		}
	}
	for i := range r.Events {
		r.Events[i].nameType(types)
	}
}

func (e *Event) nameType(types map[uint64]string) {
	switch e.What {
	case Steal:
		e.Type = types[e.Actor]
	case LongTurn, Deadlock:
	default:
		e.OtherType = types[e.Other]
	}
}

// typeOf returns the type of an actor; "" if the recording does not have it.
func (r *Recording) typeOf(actor uint64) string {
	for i := range r.Events {
		if e := &r.Events[i]; e.Actor == actor && e.Type != "" {
			return e.Type
		}
	}
	return ""
}
