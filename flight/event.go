package flight

import (
	"strconv"
	"time"

	"github.com/gallop-go/gallop/internal/flightlog"
)

// What is the kind of an [Event].
type What string

// The kinds of events. Type is the type of Actor.
const (
	Run        What = "run"         // Actor runs Behaviour, sent by Other
	Spawn      What = "spawn"       // Other has spawned Actor
	Stop       What = "stop"        // Actor has ended
	Panic      What = "panic"       // Behaviour of Actor has panicked, sent by Other
	DeadLetter What = "dead letter" // Behaviour of Actor will not run, sent by Other
	Mute       What = "mute"        // Actor is muted for Other
	Unmute     What = "unmute"      // Actor runs again; Other was the last it was muted for
	Steal      What = "steal"       // Actor was taken from worker Other
	Park       What = "park"        // the worker falls asleep
	Wake       What = "wake"        // the worker was woken
	LongTurn   What = "long turn"   // Behaviour of Actor has run long, on worker Other
	Deadlock   What = "deadlock"    // Actor is under pressure and Other is how many actors wait
	Hold       What = "hold"        // [actor.System.Hold] was called
	Release    What = "release"     // the hold was released
)

// whats has the kinds of events by their numbers in rings.
var whats = [flightlog.Whats]What{
	flightlog.Run: Run, flightlog.Spawn: Spawn, flightlog.Stop: Stop, flightlog.Panic: Panic,
	flightlog.DeadLetter: DeadLetter, flightlog.Mute: Mute, flightlog.Unmute: Unmute,
	flightlog.Steal: Steal, flightlog.Park: Park, flightlog.Wake: Wake, flightlog.LongTurn: LongTurn,
	flightlog.Deadlock: Deadlock, flightlog.Hold: Hold, flightlog.Release: Release,
}

// Outside is the Worker of an event that happened on no worker.
const Outside = flightlog.Outside

// Event is one entry of a recording.
type Event struct {
	// At is the time since the recorder began. Messages, spawns and ends have the time of the last
	// event of their worker for which the clock was read. That is at most 10 ms before, or 160 ms
	// if the system had been idle. All other events have their own time.
	At time.Duration
	// Worker is the number of the worker, or Outside.
	Worker int
	// Sequence numbers the events of a worker, from 0.
	Sequence uint64
	What     What
	// Type and Behaviour are the actor type and the behaviour concerned; "" if there is none.
	Type, Behaviour string
	// Actor and Other are numbers of actors, modulo 1<<48, unless What says otherwise; 0 is
	// outside.
	Actor, Other uint64
	// OtherType is the type of the actor Other; "" if the recording does not show it.
	OtherType string
}

// String returns the event in words, without the time and the worker.
func (e Event) String() string { return string(e.append(nil)) }

// append appends the event in words. It avoids fmt, since there may be a million events.
func (e *Event) append(b []byte) []byte {
	b = append(b, e.What...)
	switch e.What {
	case Park, Wake, Hold, Release:
		return b
	}
	b = appendActor(append(b, ' '), e.Type, e.Actor)
	if e.Behaviour != "" {
		b = appendClean(append(b, '.'), e.Behaviour)
	}
	switch e.What {
	case Run, Panic, DeadLetter:
		return e.appendOther(append(b, " from "...))
	case Spawn:
		return e.appendOther(append(b, " by "...))
	case Mute:
		return e.appendOther(append(b, ", which waits for "...))
	case Unmute:
		if e.Other != 0 {
			return e.appendOther(append(b, ", which has waited for "...))
		}
	case Steal:
		return strconv.AppendUint(append(b, " from worker "...), e.Other, 10)
	case LongTurn:
		return strconv.AppendUint(append(b, " on worker "...), e.Other, 10)
	case Deadlock:
		b = strconv.AppendUint(append(b, ", for which others wait: "...), e.Other, 10)
	}
	return b
}

// appendOther names the other actor.
func (e *Event) appendOther(b []byte) []byte {
	if e.Other == 0 {
		return append(b, "outside"...)
	}
	return appendActor(b, e.OtherType, e.Other)
}

func appendActor(b []byte, typ string, actor uint64) []byte {
	return strconv.AppendUint(append(appendClean(b, typ), '#'), actor, 10)
}

// appendClean appends a text and quotes control characters, which a terminal would obey.
func appendClean(b []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= 0x7f {
			quoted := strconv.Quote(text)
			return append(b, quoted[1:len(quoted)-1]...)
		}
	}
	return append(b, text...)
}
