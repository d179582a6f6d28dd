// Package actortest runs tests of actors in many orders, each of which can be replayed.
//
// # What
//
// A passing test of actors shows only that it passes in one order of their turns. [Run] runs a
// scenario under a deterministic system (see [actor.WithDeterministic]) in many orders, at random
// and by strategies that find rare ones. For a run that fails it prints a command that replays it.
//
// # Using
//
// A scenario is a function of an [R]. It spawns actors from [R.System], sends, runs them with
// [R.Quiet], and checks the result. It needs no waiting and no time-outs: while the scenario runs,
// the actors do not. [Probe] is a test double that records messages; [WithFaults] injects failures;
// [WithLatency] makes blocking calls slow. [RunFails] is Run for a known failure, [In] tests one
// method.
//
// # Guarantees
//
// The same order gives the same run on every machine, if the actors take time, randomness and input
// only from the runtime; a scenario that does not repeat itself fails. In every run, every message
// that was sent has run or has become a dead letter, and no caller waits for a reply for ever.
//
// # Costs
//
// A few microseconds per message. A run of ten messages takes about 0.1 ms. A failure is
// run again up to 3,000 times, for at most 2 s, to make it simpler.
package actortest
