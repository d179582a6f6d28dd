package flightlog

// What is the kind of an event.
type What uint8

// The kinds of events. Index is the number of a behaviour, or of a type where no behaviour is
// named.
const (
	_          What = iota // a place in a ring that was not written yet
	Run                    // Actor runs Index, sent by Other
	Spawn                  // Other has spawned Actor
	Stop                   // Actor has ended
	Panic                  // Index of Actor has panicked, sent by Other
	DeadLetter             // Index of Actor will not run, sent by Other
	Mute                   // Actor waits for Other
	Unmute                 // Actor waits no more; it waited last for Other
	Steal                  // Actor was taken from worker Other
	Park                   // the worker falls asleep
	Wake                   // the worker was woken
	LongTurn               // Index of Actor lasts long, on worker Other
	Deadlock               // Other actors wait for Actor
	Hold                   // code outside of actors begins to hold the system
	Release                // code outside of actors ends its hold
	Whats                  // the number of kinds
)

// Event is one event of a ring, which stores it in 32 bytes.
type Event struct {
	// Sequence is the number of the event in its ring, from 0, modulo 1<<40.
	Sequence uint64
	// At is a reading of the system's clock, in nanoseconds, rounded down to a multiple of 256. It
	// is the time of the event, or of the last event of the ring that has a reading of its own.
	At    int64
	What  What
	Index uint16 // for NameOf: a behaviour of a type, or a type
	Actor uint64 // modulo 1<<48
	Other uint64 // modulo 1<<48
}

// exact reports whether each event of this kind gets a reading of the clock. Such events are rare.
func (w What) exact() bool { return w != Run && w != Spawn && w != Stop }
