// Package group sends to several actors as to one: topics and pools.
//
// A [Topic] passes every message on to all who have subscribed, a [Pool] to one of its
// members. Both are ordinary actors, with a mailbox and back pressure of their own. Both
// are also handlers, so a topic may subscribe to a topic, or have a pool as a subscriber.
// They know their receivers as [actor.Handler]. So any actor will do that understands the
// messages, and so will a handler of your own: see below.
//
// # Guarantees
//
//   - Each subscriber sees what one sender publishes in the order of publishing, and
//     everybody who had subscribed before sees it.
//   - A subscriber or member that is overloaded mutes the topic or pool, which mutes the
//     actors that send to it. Nothing is dropped, except by the receiver's own type with
//     [actor.OverflowRefuse] or [actor.OverflowDropOldest]. A receiver of another system
//     mutes nobody: it is sent to as from outside, and what its bound refuses is a dead
//     letter.
//   - A goroutine cannot be muted, and its Send and Publish never wait. To hold a goroutine
//     back, use [Topic.SendWait] and [Pool.SendWait], or TrySend. What a receiver is given
//     while it runs one message, or blocks in it, is bounded only by its type
//     ([actor.TypeBound]); 4,096 more may wait in front of the topic or pool.
//   - A receiver that has ended is forgotten when the next message is for it, which it does
//     not get; a pool gives that message to another member. A topic that is not published
//     to forgets the ended when its list has doubled.
//
// # Handlers of your own
//
// A topic or pool calls TrySend first. If that returns [actor.ErrStopped] or
// [actor.ErrSystemStopped], or an error that wraps one of them, the handler has ended. It
// has also ended if it has a method Standing, as an [actor.Ref] has, that says so. With any
// other error the handler stays where it is, and its Send is called with the same message,
// as for an overloaded actor. If it does not take the message then either, it has to report
// that itself: Send returns nothing.
//
// # Costs
//
// A message to a topic of n costs n+1 sends, one to a pool 2. Within one turn a sender only
// meets the mailbox of the topic or pool.
package group
