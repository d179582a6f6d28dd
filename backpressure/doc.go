// Package backpressure is the arithmetic and the ledger of muting: who may not run because
// of whom. It knows neither actors nor workers.
//
// # What
//
// A receiver that cannot keep up shuts its Gate. A sender that meets a shut gate takes on a
// Debt and leaves a Waiter in the gate's ledger; after its behaviour it parks. When the
// receiver recovers, it opens the gate, which hands the whole ledger over in one step.
// Every waiter's debt is then forgiven. Whoever forgives the last debt of a parked sender
// owns the sender and must schedule it.
//
// # Guarantees
//
// A waiter is in exactly one ledger, or in none. Opening a gate finds every waiter whose
// Enter succeeded and no other, because both are one atomic step on the same word. A sender
// is resumed exactly once per parking. Load decides who is muted, as the Pony runtime does
// (actor.c, maybe_mark_should_mute). A sender that is itself overloaded or under pressure
// is never muted, so a chain of muted actors always ends in one that is not. An actor that
// is only muted takes more mail, up to a watermark: so muting does not spread to actors
// that have nothing to do with the receiver that is slow. README.md has the proofs, and
// what becomes of a chain that ends in an actor under pressure.
//
// # Cost
//
// A send to a receiver whose gate is open pays one load of a word beside the mailbox head.
// The Pony runtime keeps a map per scheduler and broadcasts every recovery to all of them.
// Here the ledger is the receiver's own, so recovery costs one swap and one step per
// waiter.
package backpressure
