// Package durable keeps the state of actors in logs of events, so that it outlives the process.
//
// # What
//
// A durable actor is an actor whose state embeds [Actor]. Its behaviours take a [Turn] in place of
// an actor.Context. They do not change the state but emit events, and an event changes the state:
// at once, and again whenever the state is read from the log. Refs, sends, asks, supervision and
// all else are those of package actor.
//
// # Using
//
// Make the type with [NewType], declare events with [DeclareEvent] and behaviours as ever, give
// the behaviours their methods by [Handle] and [HandleAsk], and spawn the state with [On] in it: a
// store and a key. The stores are [Memory] and that of package bolt, a file. What a behaviour sends
// goes into [Turn.Then]; what must happen later, also in another process, is a [Turn.Remind].
//
// # Guarantees
//
//   - What was acknowledged is stored: a reply, and what Then sends, goes out when all events that
//     were emitted up to then are on the disk. That includes the replies of behaviours that only
//     read.
//   - The events of one behaviour are stored together or not at all.
//   - Commands, replies and functions of Then keep their order.
//   - A command with an id ([WithCommandID]) that is sent again is done once.
//   - Two actors never write in one log without one of them being told: [ErrFenced].
//   - After [ErrFenced] and [ErrRefused] nothing of the command is kept. After [ErrUnknown], and
//     after the errors of package actor, it may be: send it again, with its id.
//   - What is applied to the state is read from the encoded event, so the state is what its log says.
//   - No worker waits for a store, and all time is the system's.
//
// docs/durable.md says what happens at each failure.
//
// # Costs
//
// Appends of one actor follow one another. What it emits meanwhile shares the next append, and the
// file lets all actors share its transactions; so a turn costs a part of an fsync. Besides that, a
// request that emits an event as JSON takes a few microseconds and 11 allocations; one with an id
// 23. A request that finds everything stored, and emits nothing, costs what it costs in package
// actor. The state runs ahead of its log by at most 1,000 turns or 1 MiB. After that
// the actor applies pressure and stashes what comes.
//
// # Sources
//
// Events, commands and snapshots are those of event sourcing as in Akka Persistence; handlers that
// wait for their append are from there too. Running ahead with effects held back is group commit,
// as databases do it.
package durable
