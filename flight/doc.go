// Package flight is the flight recorder of an [actor.System]. Each worker keeps its last events in
// a ring of a fixed size. When something goes wrong, the rings are written to a file, which shows
// the events before the failure.
//
// # What is recorded
//
// The rings hold:
//
//   - each message that runs: type, behaviour, actor and sender,
//   - spawns, ends, panics and dead letters,
//   - the muting of actors, and for whom they are muted,
//   - thefts, sleeps and wakes of workers,
//   - long turns,
//   - calls of [actor.System.Hold].
//
// Payloads are left out: they may be secret, or large. See [What]. The ring of a worker grows until it
// reaches back for 128 ms, up to 4 MiB or 131,072 events: see [WithRing]. At the first sign of a stall,
// a worker that does nothing new for 10 ms and does not sleep, the recorder looks at all rings. So a
// recording because of a long turn has the 50 ms before that turn, at up to a million messages a second
// and worker, although the turn is reported a tenth of a second later.
//
// # Using
//
//	rec, err := flight.Start(sys, flight.WithDir("/var/log/flight"))
//	...
//	defer rec.Close()
//
// writes a recording when a behaviour panics, actors wait in a circle, a turn lasts long, or a
// hundred messages become dead letters within a second. At most one a minute is written, besides one a
// minute because of a panic, and the last ten are kept. [Recorder.Dump] writes one at once, and [Recorder.Snapshot] returns one.
// Package observe serves it. docs/observe.md explains how to read it.
//
// # Cost
//
// A system without a recorder pays nothing: messages are recorded by exchanged dispatch tables.
// With a recorder a message costs 2 to 3 ns more and no allocation, and a spawn some 50 ns more.
// There is one goroutine, which wakes up to a hundred times a second while there is work. A look at a
// sign of a stall costs 20 ns for each event in the rings, and at most a hundredth of the time.
//
// This package has no compatibility promise: each version may change it.
package flight
