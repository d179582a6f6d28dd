// Package actors makes one system of actors and processes. They share workers, clock, seed, holds,
// counters, dead letters and stop, and act on each other.
//
// # Using
//
// [Join] returns the processes of a system of actors. A goroutine outside uses the two systems side
// by side. A behaviour acts on processes with an [Env]: it sends, spawns, replies, cancels, and
// uses channels without waiting; [AskTo] asks a process. A process acts on actors with a [Sender],
// which is an actor.Sender; [Call] asks an actor in straight-line code.
//
// Among actors, a process is represented by a proxy, the result of [Ref]. Each of the two ends with
// the other. So functions of package actor with a target work on processes: actor.Watch, Link,
// Stop, Kill. A process watches and links actors with [Watch] and [Link]. [Child] makes a process
// the child of a supervisor.
//
// # Guarantees
//
// Messages of one sender to one receiver arrive in the order of sending, whichever of the two is a
// process. A message that will not run is a dead letter of the system. The dead letters of
// processes have the type of [process.WithType], or "process". A process that sends to an
// overloaded actor is suspended until an actor in its place would not be muted. An actor that sends
// to a process is never muted for it: the mailbox of a process that receives selectively may be
// long for good reason.
//
// A process must not wait for the system, or end it: System.Wait, Run, Shutdown and Stop, of either
// system, panic in a process. So do actor.Join, StopWait, DrainWait and KillWait (use [Watch]
// instead), and SendWait if it would have to wait. The Ask of a behaviour, bridge.AskAll and
// bridge.Replies wait as in Proc.Blocking, and keep a goroutine each; [Call] keeps none.
//
// The system is quiet when neither actors nor processes can go on. Its end unwinds the processes
// before the actors end. By then no behaviour runs, so messages of deferred functions become dead
// letters.
//
// This package has no compatibility promise: each version may change it.
package actors
