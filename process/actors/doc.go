// Package actors makes one system of actors and processes. They share workers, clock, seed, holds,
// counters, dead letters and stop, and act on each other.
//
// # Using
//
// [Join] returns the processes of a system of actors. A goroutine outside uses the two systems side
// by side. A behaviour acts on processes with an [Env]: it sends, spawns, replies, cancels, and
// uses channels as far as that does not wait; [AskTo] asks a process. A process acts on actors with
// a [Sender], which all that takes an actor.Sender takes; [Call] asks an actor in straight-line
// code.
//
// Among actors, a process is what [Ref] returns: a proxy, which ends with it, and with which it
// ends. So all that package actor does with a target holds for processes: actor.Watch, Link, Stop,
// Kill. A process watches and links actors with [Watch] and [Link]. [Child] makes a process the
// child of a supervisor.
//
// # Guarantees
//
// Messages of one sender to one receiver arrive in the order of sending, whichever of the two is a
// process. A message that will not run is a dead letter of the system: those of processes have the
// type of [process.WithType], or "process". A process that sends to an overloaded actor is suspended until an actor in its
// place would not be muted. An actor that sends to a process is never muted for it: a mailbox from
// which a process takes what matches may be long for good reason.
//
// What waits for the system, or ends it, is for goroutines outside: System.Wait, Run, Shutdown and
// Stop, of either, panic in a process, which they would wait for. So do actor.Join, StopWait,
// DrainWait and KillWait, in whose place [Watch] tells of the end, and SendWait where it would have
// to wait. The Ask of a behaviour, AskAll and Replies wait as in Proc.Blocking, and keep a
// goroutine each; [Call] keeps none.
//
// The system is quiet when neither actors nor processes can go on. Its end unwinds the processes
// before the actors end. By then no behaviour runs: what deferred functions send becomes dead
// letters.
//
// This package has no compatibility promise: each version may change it.
package actors
