// Package actortest runs tests of actors in many orders, each of which can be replayed.
//
// # What
//
// A passing test of actors has shown that it passes in one order. [Run] runs a scenario
// under a deterministic system (see [actor.Seed]) in as many orders as it is told, at
// random and by strategies that find rare ones. It prints one line that replays a run that
// has failed.
//
// # Using
//
// A scenario is a function of an [R]. It spawns actors from [R.System], sends, lets
// everything happen with [R.Quiet], and looks. It need not wait for anything, and there is
// no time-out: while the scenario runs, the actors do not. [Probe] stands in for an actor
// that is missing; [Faults] is a table of what goes wrong; [Latency] makes what is
// outside slow. [Fails] is Run for a failure that is known, [In] tests one method.
//
// # Guarantees
//
// The same order gives the same run on every machine, if the actors take time, chance and
// input from the runtime alone; a scenario that does not repeat itself fails. In every run,
// every message that was sent has run or has become a dead letter, and no asker waits
// for ever.
//
// # Costs
//
// A few microseconds per message. A run of ten messages takes about 0.1 ms. A failure is
// run again up to 3,000 times, for at most 2 s, to make it simpler.
package actortest
