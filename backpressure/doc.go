// Package backpressure is the arithmetic and the wait lists of muting: which sender may not run
// because of which receiver. It has no notion of actors or workers.
//
// # Concepts
//
// A receiver that cannot keep up shuts its Gate. A sender that meets a shut gate takes on a gate on
// its BlockedOn count and leaves a Waiter in the gate's wait list; after its behaviour it parks.
// When the receiver recovers, it opens the gate, which hands the whole wait list over in one step.
// Every waiter's count then falls by one. The receiver that takes the last gate off the count of a
// parked sender owns the sender and must schedule it.
//
// # Guarantees
//
// A waiter is in at most one wait list. Opening a gate finds exactly the waiters whose Enter
// succeeded, because both are one atomic step on the same word. A sender is resumed exactly once
// per parking. Load decides who is muted, as the Pony runtime does (actor.c,
// maybe_mark_should_mute). A sender that is itself overloaded or under pressure is never muted, so
// a chain of muted actors always ends in an actor that is not muted. An actor that is only muted
// takes more mail, up to a watermark, so muting does not spread to actors that have nothing to do
// with the slow receiver. README.md has the proofs, and the case of a chain that ends in an actor
// under pressure.
//
// # Cost
//
// A send to a receiver whose gate is open pays one load of a word beside the mailbox head.
// The Pony runtime keeps a map per scheduler and broadcasts every recovery to all of them.
// Here the wait list is the receiver's own, so recovery costs one swap and one step per
// waiter.
//
// This package has no compatibility promise: each version may change it.
package backpressure
