package flight

import (
	"cmp"
	"slices"
	"time"

	"github.com/gallop-go/gallop/internal/flightlog"
)

// Recording is what a recorder had at one moment.
type Recording struct {
	// Lost says what is not in it.
	Lost Lost
	// Reason says why it was taken, in words.
	Reason string
	// Trigger is the event for which it was taken; nil if there was none, as with a call. It
	// is there although its ring may have gone on since.
	Trigger *Event
	// Began is when the recorder was started, and Taken when the recording was made.
	Began, Taken time.Time
	// Ring is the size of a ring, in bytes.
	Ring int
	// Missed is how often, since the last recording that was written, there was a reason for one
	// and none was written, since only one a minute is.
	Missed uint64
	// GoTrace says what became of the recording of Go's own recorder: the name of the file, or
	// why there is none. See [WithGoRecorder].
	GoTrace string
	// Events are in the order of their time; those of one worker are in order.
	Events []Event
}

// Lost says what a recording does not have.
type Lost struct {
	// Workers has an entry for each ring.
	Workers []LostEvents
	// NoRing says that there were more than 256 workers. The others have no ring.
	NoRing bool
}

// LostEvents says what is lost of one ring.
type LostEvents struct {
	Worker int // or Outside
	// Before is how many events had been overwritten before, and Torn how many were while the ring
	// was read: those are left out.
	Before, Torn uint64
	Kept         int // how many events there are
}

// take makes a recording of what a log has.
func take(log *flightlog.Log) *Recording {
	tails, full := log.Tails()
	r := &Recording{Lost: Lost{NoRing: full}}
	n := 0
	for _, t := range tails {
		n += len(t.Events)
	}
	r.Events = make([]Event, 0, n)
	for _, t := range tails {
		r.Lost.Workers = append(r.Lost.Workers,
			LostEvents{Worker: t.Worker, Before: t.Before, Torn: t.Torn, Kept: len(t.Events)})
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

// byTime returns events in the order of their time; those of the same time stay as they are. It
// sorts numbers, since events are large.
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

// nameTypes gives the actors of events their types, where another event shows them.
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

// typeOf returns the type of an actor; "" if the recording does not show it.
func (r *Recording) typeOf(actor uint64) string {
	for i := range r.Events {
		if e := &r.Events[i]; e.Actor == actor && e.Type != "" {
			return e.Type
		}
	}
	return ""
}
