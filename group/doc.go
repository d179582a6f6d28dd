// Package group sends to several actors as to one: topics and pools.
//
// A [Topic] passes every message on to all who have subscribed, a [Pool] to one of its
// members. Both are ordinary actors, with a mailbox and back pressure of their own, and
// both are handlers themselves, so that a topic may subscribe to a topic, or have a pool
// of subscribers. They know their receivers as [actor.Handler], so any actor will do
// that understands the messages, and so will a handler of your own: see below.
//
// # Guarantees
//
//   - What one sender publishes is seen by each subscriber in the order of publishing,
//     and by all of those who had subscribed before.
//   - A subscriber or member that is overloaded mutes the topic or pool, which mutes the
//     actors that send to it: nothing is dropped, but by the receiver's own type with
//     [actor.OverflowRefuse] or [actor.OverflowDropOldest]. One of another system mutes nobody: it
//     is sent to as from outside, and what its bound refuses is a dead letter.
//   - A goroutine cannot be muted, and its Send and Publish never wait: those who are to be held
//     back use [Topic.SendWait] and [Pool.SendWait], or TrySend. What an actor is given while it
//     runs one message, or blocks in it, is bounded by its type only ([actor.TypeBound]), and in front of it 4,096 may wait.
//   - One that has ended is forgotten when the next message is for it, which it does not
//     get; a pool gives that message to another member. A topic that is not published
//     to forgets the ended when its list has doubled.
//
// # Handlers of your own
//
// A topic or pool calls TrySend first. With [actor.ErrStopped] or [actor.ErrSystemStopped],
// which it may wrap, a handler has ended, and so it has if it has a method Standing, as an
// [actor.Ref] has, that says so. With any other error it has not: it stays where it is, and its
// Send is called with the same message, as that of an actor that is overloaded. What it does
// not take then is its own to report: Send returns nothing.
//
// # Costs
//
// A message to a topic of n costs n+1 sends, one to a pool 2. Within one turn a sender
// meets the topic's or pool's mailbox only.
package group
