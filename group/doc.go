// Package group sends to several actors as to one, and keeps lists of actors: topics, pools and
// registries.
//
// A [Topic] passes every message on to all subscribers, a [Pool] to one of its members, and an
// [AskPool] asks one of its members. A [Registry] lists the members of groups and reports joins and
// leaves to subscribers.
//
// Topics and pools are ordinary actors, with a mailbox and back pressure of their own. Both are
// also handlers, so a topic may subscribe to a topic, or have a pool as a subscriber. They know
// their receivers as [actor.Handler]. So a receiver can be any actor that handles the messages, or
// a handler of your own: see below.
//
// # Choosing
//
//	receiver of a message    use                           knowledge of the members
//	all subscribers          Topic                         nothing
//	one of them              Pool, AskPool                 a policy sees their Status
//	the same one for a key   Pool or AskPool with Hash     their number
//	you decide, by a key     Registry, and send yourself   all of them, without a message
//
// [NewPoolOf] and [NewAskPoolOf] start their members and restart them. [NewPool] and [NewAskPool]
// are for members that are supervised elsewhere.
//
// # Starting
//
// All four are made with a New function, which starts nothing. Start starts the actor; Child declares
// it as the child of a supervisor:
//
//	news := group.NewTopic[Line](group.WithLag(group.LagDrop))
//	jobs := group.NewPoolOf(group.LeastLoaded[Job](), 8, run, group.MemberSpec[worker]{Type: workerType})
//	supervise.Spec{Name: "app", Children: []supervise.Child{news.Child("news"), jobs.Child("jobs")}}
//
//	alone := group.NewTopic[Line]().Start(sys)
//
// The value outlives its actor: it stays usable, with its subscribers and members, when a
// supervisor restarts the actor, or replaces it by a new one. Any returns the current actor.
//
// # Receivers that are not to be trusted
//
// A subscriber of a topic may be slow: it waits for a disk, or for a client that does not read from
// its connection. The topic's [Lag] policy decides who pays for that.
//
//   - [LagWait], the default: all do. The topic is muted until the slowest subscriber has
//     recovered, and the publishers are muted with it. That is right for the stages of one
//     computation, where nothing may be lost and the slowest stage limits the throughput anyhow;
//     and wherever all subscribers are your own code and equally fast.
//   - [LagDrop]: the slow subscriber does, by missing messages. Use it where the next message
//     replaces the last one: positions, prices, presence, progress. Dropped messages are dead
//     letters with [actor.ErrOverloaded]: they are counted, and passed to [actor.Hooks].
//   - [LagUnsubscribe]: the slow subscriber does, by losing its subscription. Use it where a gap is
//     worse than an end: a chat, a log that is replicated, a feed of changes. The subscriber is
//     told by [WithNotify], and can close its connection, or fetch the messages that it has
//     missed and subscribe again.
//
// The rule: for a fan-out to receivers outside of your program, use LagDrop or LagUnsubscribe. With
// LagWait one hostile client slows down a whole room, and can stop it. To make an exception for one
// subscriber, such as an audit log that must get everything, give its Subscribe the option
// [WithLag] with LagWait. The lag that a subscriber may have before the policy applies is a
// property of its type: [actor.WithBound] and [actor.WithWatermarks].
//
// With every policy, a subscriber that has ended, that is in back-off, or that is itself muted for
// a third actor, does not slow the topic down, as long as its own mailbox has room.
//
// # Guarantees
//
//   - Each subscriber sees the messages of one publisher in the order of publishing, and every
//     message that was published after it had subscribed, except for messages dropped by a [Lag] policy.
//   - A subscriber with LagWait or a member that is overloaded mutes the topic or pool, which mutes
//     the actors that send to it. Nothing is dropped, except by a policy or by the receiver's own
//     type with [actor.OverflowRefuse] or [actor.OverflowDropOldest]. A receiver of another system
//     mutes no sender: messages reach it as from outside, and become dead letters if its bound
//     refuses them.
//   - A goroutine cannot be muted, and its Send and Publish never wait. To slow a goroutine down,
//     use [Topic.SendWait] and [Pool.SendWait], or TrySend. The mailbox of a receiver that runs one
//     long message, or blocks in it, is bounded only by its type ([actor.WithBound]); 4,096 more
//     messages may wait at the topic or pool.
//   - A receiver that has ended is forgotten when the next message is for it; a pool sends that
//     message to another member. A topic without publications forgets ended subscribers when its
//     list has doubled.
//   - A member of a pool that is in back-off is skipped by every policy except [Hash]. Hash queues
//     messages for it, so that messages of one key stay in order; other keys are not delayed.
//   - The guarantees of a registry are listed at [Registry].
//
// # Handlers of your own
//
// A topic or pool calls TrySend of a handler first:
//
//   - [actor.ErrStopped] or [actor.ErrSystemStopped], also wrapped, means that the handler has ended. So
//     does a method Status, as an [actor.Ref] has, that returns [actor.StatusEnded].
//   - At [actor.ErrOverloaded], also wrapped, a topic's policy applies; a dropped message is a
//     dead letter of the topic.
//   - After any other error the handler keeps its place, and its Send is
//     called with the same message, as with LagWait. If Send fails too, the handler must report that
//     itself: Send returns nothing.
//
// A handler that panics ends the topic or pool that has called it.
//
// # Costs
//
// A message to a topic with n subscribers costs n+1 sends, one to a pool 2, and a request to an
// AskPool one ask. A sender only touches the mailbox of the topic or pool. A topic's turn is
// charged for each subscriber ([actor.Context.Gas]), so a topic with many subscribers runs few
// publications a turn.
package group
