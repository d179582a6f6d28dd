// Package bridge joins actors to other code: to channels, and to callers that ask several actors at
// once.
//
// # Choosing
//
//   - [FromChan] makes messages of the values of a channel, and [ToChan] sends messages to a channel.
//     Use them for code that is built on channels and cannot have an [actor.Handler].
//   - [AskAll] asks several actors from outside, and gives up at the first error. [Replies] yields the
//     outcomes as they come. In a behaviour, [actor.AskTo] asks any number without waiting.
//
// # Guarantees
//
//   - FromChan and ToChan keep the order of the channel, and carry back pressure over it: senders wait,
//     or are muted, while the receiver is overloaded.
//   - A value that FromChan has received, and a message that ToChan was given, arrives or is a dead
//     letter.
//   - A channel holds the system as mail does ([actor.System.Wait]), and [actor.System.Why] names it.
//   - A caller of AskAll or Replies gets one outcome for each request.
//
// # Costs
//
// An open FromChan is a goroutine. ToChan is an actor, with a goroutine while the channel has no room.
// AskAll and Replies start none, and allocate one small object for each request.
//
// This package has no compatibility promise: each version may change it.
package bridge
