// Package durable keeps the state of actors in logs of events, so that it outlives the process.
//
// # What
//
// A durable actor is an actor whose state embeds [Actor]. Its behaviours take a [Turn] instead of
// an actor.Context. They do not change the state but emit events, and an event changes the state:
// at once, and again whenever the state is read from the log. Refs, sends, asks, supervision and
// everything else are as in package actor.
//
// # Using
//
// Make the type with [NewType], declare events with [DeclareEvent] and behaviours as usual, give
// the behaviours their methods by [Handle] and [HandleAsk], and spawn the state with [On] in it: a
// store and a key. There are two stores: [Memory], and package bolt with a file. A behaviour sends
// messages in [Turn.Then]. For an act that must happen later, also in another process, it sets a
// [Turn.Remind].
// # Guarantees
//
//   - Acknowledged events are stored: a reply, and a message sent by Then, goes out when all events that
//     were emitted up to then are on the disk. That includes the replies of behaviours that only
//     read.
//   - The events of one behaviour are stored together or not at all.
//   - Commands, replies and functions of Then keep their order.
//   - A command with an id ([WithCommandID]) that is sent again is done once.
//   - If two actors write to one log, one of them is told: [ErrFenced].
//   - After [ErrFenced] and [ErrRefused] nothing of the command is kept. After [ErrUnknown], and
//     after the errors of package actor, it may be: send it again, with its id.
//   - Events are applied to the state as decoded from the log's bytes, so the state agrees with its log.
//   - No worker waits for a store, and all time is the system's.
//
// docs/durable.md describes each failure.
//
// # Costs
//
// Appends of one actor follow one another. Events emitted meanwhile share the next append, and the
// file lets all actors share its transactions. So a turn costs a part of an fsync. Besides that, a
// request that emits an event as JSON takes a few microseconds and 11 allocations, with an id 23.
// If everything is stored, a request without events costs as much as in package actor. The state
// runs ahead of its log by at most 1,000 turns or 1 MiB. After that the actor applies pressure and
// stashes further mail.
//
// # Sources
//
// Events, commands and snapshots are as in event sourcing with Akka Persistence, and so are
// handlers that wait for their append. Running ahead with effects held back is group commit, as in
// databases.
//
// This package has no compatibility promise: each version may change it.
package durable
