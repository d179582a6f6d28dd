// Package group sends to several actors as to one, and knows who belongs together: topics,
// pools and registries.
//
// A [Topic] passes every message on to all who have subscribed, a [Pool] to one of its
// members, and an [AskPool] asks one of its members. A [Registry] lists the members of
// groups and tells who comes and goes.
//
// Topics and pools are ordinary actors, with a mailbox and back pressure of their own. Both
// are also handlers, so a topic may subscribe to a topic, or have a pool as a subscriber.
// They know their receivers as [actor.Handler]. So any actor will do that understands the
// messages, and so will a handler of your own: see below.
//
// # Choosing
//
//	who gets it              use                           what is known of the members
//	all who want it          Topic                         nothing
//	one of them              Pool, AskPool                 a policy looks at how they stand
//	always the same for a key Pool or AskPool with Hash    the same
//	you decide, by a key     Registry, and send yourself   all of them, without asking anybody
//
// [StartPool] and [StartAskPool] make their members and restart them. [NewPool] and
// [NewAskPool] are for members that others look after.
//
// # Receivers that are not to be trusted
//
// A subscriber of a topic may be slow: it waits for a disk, or for somebody at the other end
// of a connection who does not read. The topic's [Lag] policy says who pays for that.
//
//   - [LagWait], the default: all do. The topic is muted until the slowest subscriber has
//     recovered, and those who publish are muted for the topic. That is right for the stages
//     of one computation, where nothing may be lost and the slowest stage sets the pace
//     anyhow; and wherever all subscribers are your own code and equally quick.
//   - [LagDrop]: the slow subscriber does, by gaps. Take it where the next message makes up
//     for the last one: positions, prices, presence, progress. The gaps are dead letters with
//     [actor.ErrOverloaded]: they are counted, and [actor.OnDeadLetter] sees each.
//   - [LagUnsubscribe]: the slow subscriber does, by its subscription. Take it where a gap is
//     worse than an end: a chat, a log that is replicated, a feed of changes. The subscriber
//     hears of it by [TellLagged], and can close its connection, or fetch what it has missed
//     and subscribe again.
//
// The rule: for a fan-out to receivers outside of your program, take LagDrop or
// LagUnsubscribe. With LagWait one hostile client sets the pace for a whole room, and can
// stop it. To make an exception for one subscriber, such as an audit log that has to hear
// all, use [IfLagging] with LagWait. How much a subscriber may lag behind before the policy
// applies is a matter of its type: [actor.TypeBound] and [actor.TypeWatermarks].
//
// Whatever the policy, a subscriber holds up nobody that has ended, that is in a back-off,
// or that is itself only muted for a third actor, as long as its own mailbox has room.
//
// # Guarantees
//
//   - Each subscriber sees what one sender publishes in the order of publishing, and
//     everybody who had subscribed before sees it, but for what a [Lag] policy drops.
//   - A subscriber with LagWait or a member that is overloaded mutes the topic or pool,
//     which mutes the actors that send to it. Nothing is dropped, except by a policy or by
//     the receiver's own type with [actor.OverflowRefuse] or [actor.OverflowDropOldest]. A
//     receiver of another system mutes nobody: it is sent to as from outside, and what its
//     bound refuses is a dead letter.
//   - A goroutine cannot be muted, and its Send and Publish never wait. To hold a goroutine
//     back, use [Topic.SendWait] and [Pool.SendWait], or TrySend. What a receiver is given
//     while it runs one message, or blocks in it, is bounded only by its type
//     ([actor.TypeBound]); 4,096 more may wait in front of the topic or pool.
//   - A receiver that has ended is forgotten when the next message is for it, which it does
//     not get; a pool gives that message to another member. A topic that is not published
//     to forgets the ended when its list has doubled.
//   - A member of a pool that is in a back-off is passed over by every policy but [Hash],
//     which leaves messages with it, so that those of one key stay in order, and holds up
//     nobody for that.
//   - What a registry guarantees is said at [Registry].
//
// # Children of supervisors
//
// Topics, pools and registries can be declared as children of a supervisor. In which way
// subscribers and members outlive a restart is said at [TopicType], [PoolType],
// [RegistryForSupervisor] and [AskPoolForSupervisor].
//
// # Handlers of your own
//
// A topic or pool calls TrySend first. If that returns [actor.ErrStopped] or
// [actor.ErrSystemStopped], or an error that wraps one of them, the handler has ended. It
// has also ended if it has a method Standing, as an [actor.Ref] has, that says so. If the
// error is or wraps [actor.ErrOverloaded], a topic's policy applies; a message that is
// dropped is a dead letter of the topic. With any other error the handler stays where it is,
// and its Send is called with the same message, as with LagWait. If it does not take the
// message then either, it has to report that itself: Send returns nothing.
//
// A handler that panics ends the topic or pool that has called it.
//
// # Costs
//
// A message to a topic of n costs n+1 sends, one to a pool 2, and a request to an AskPool one
// ask. Within one turn a sender only meets the mailbox of the topic or pool. A topic's turn is
// charged for each subscriber ([actor.Context.Gas]), so a topic with many subscribers runs few
// publications a turn.
package group
