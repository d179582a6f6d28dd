// Package flight is the flight recorder of an [actor.System]: each worker keeps the last things
// that it did, in a ring of a fixed size, and when something goes wrong what the rings have is
// written to a file. It shows what a log of errors does not: what happened before.
//
// # What is recorded
//
// Each message that runs, with its type, its behaviour, the actor and the sender; spawns, ends,
// panics and dead letters; who was muted, and for whom; thefts, sleeps and wakes of workers; long
// turns; the calls of [actor.System.Hold]. Payloads are not: they may be secret, or large. See
// [What]. By default a worker keeps some 2,000 events, which is a tenth of a millisecond of an
// overloaded service, and seconds of one that has little to do.
//
// # Using
//
//	rec, err := flight.Start(sys, flight.WithDir("/var/log/flight"))
//	...
//	defer rec.Close()
//
// writes a recording when a behaviour panics, actors wait in a circle, a turn lasts for long, or a
// hundred messages become dead letters within a second: at most one a minute, of which the last ten
// are kept. [Recorder.Dump] writes one at once, and [Recorder.Snapshot] returns one. Package
// observe serves it. docs/observe.md says how to read it.
//
// # Cost
//
// A system that is not recorded pays nothing: messages are recorded by exchanged dispatch tables,
// as package inspect counts them. One that is pays 2 to 3 ns for each message and no allocation. A
// spawn is dearer by some 50 ns. There is one goroutine, which wakes up to a hundred times a second
// while there is work.
//
// This package has no compatibility promise: each version may change it.
package flight
