package actor

import (
	"github.com/gallop-go/gallop/internal/kernel"
)

// A message is one Go value, which the runtime copies into memory of its own and out again. So it may be
// any type; a message without pointers costs the collector nothing. A declaration says how the messages
// of a behaviour are treated: [Urgent], [DropOnOverload], [BestEffort]. A [Handler] takes the messages
// of one type. The memory of messages is in internal/kernel/msg, and internal/kernel/message.go.

// Handler is anything that handles messages of type M, such as an actor with one of its
// behaviours, a topic, a pool or a test double. Get one for an actor with [Behaviour.To].
//
// A Handler has no SendWait: a goroutine that knows only a Handler uses TrySend, and slows
// down when that refuses. Behaviours, topics and pools have a SendWait of their own.
type Handler[M any] interface {
	// Send is like [Behaviour.Send].
	Send(from Sender, m M)
	// TrySend is like [Behaviour.TrySend].
	TrySend(from Sender, m M) error
}

// To returns r as a Handler of b's messages.
func (b Behaviour[S, M]) To(r Ref[S]) Handler[M] {
	kernel.AnyBehaviour(b).Descriptor().Made().MustSuit(r.target())
	return bound[M]{receiver{kernel.Receiver{D: kernel.AnyBehaviour(b).Descriptor(), B: r.target()}}}
}

// bound is a behaviour with a receiver.
type bound[M any] struct{ receiver }

// receiver is embedded in every Handler that [Behaviour.To] returns. So its actor can be watched.
type receiver struct{ kernel.Receiver }

// target is not a method of bound, since it would be compiled for each type of messages.
func (x receiver) target() *kernel.Cell { return x.B }

func (x bound[M]) Send(from Sender, m M) { send(x.D, from, x.B, m) }

func (x bound[M]) TrySend(from Sender, m M) error { return trySend(x.D, from, x.B, m) }

// BehaviourOption sets a property of a behaviour when it is declared.
type BehaviourOption interface{ setBehaviour(*kernel.Descriptor) }

// withDeclared returns d with the options of its declaration.
func withDeclared(d *kernel.Descriptor, opts []BehaviourOption) *kernel.Descriptor {
	for _, o := range opts {
		if o == nil {
			kernel.PanicMisuse("a nil option for behaviour ", d.Name)
		}
		o.setBehaviour(d)
	}
	return d
}

// isNews reports whether p is a *Down or an *Exit. No queue drops such a message.
func isNews(p any) bool {
	switch p.(type) {
	case *Down, *Exit:
		return true
	}
	return false
}

type behaviourOption func(*kernel.Descriptor)

func (f behaviourOption) setBehaviour(d *kernel.Descriptor) { f(d) }

// Urgent makes the messages of a behaviour, or its requests, overtake ordinary ones. Urgent
// messages
//
//   - reach a muted actor, unless they make it flood others;
//   - ignore overload: they neither mute their senders nor are refused for it;
//   - have no bound: the program must not send too many;
//   - cost two locked instructions more to send.
//
// When the urgent behaviours of a muted actor have sent 10,000 messages to actors that do
// not keep up, its urgent messages wait until it is muted no longer. Messages of the
// runtime itself, such as [Stop], still reach it. An overloaded actor is not muted: it runs
// a batch of its other mail whenever its urgent behaviours have sent 100 messages to actors
// that do not keep up.
//
// So an urgent request can ask a muted or flooded actor for its state, or give it a
// command. The answer comes as the behaviour of the asker that gets it says: it overtakes
// mail only if that behaviour is urgent too.
//
// Urgent messages from one sender to one receiver keep their order, also causally, and
// they keep it with messages of the runtime, which they do not overtake. Between urgent
// and ordinary messages there is no order.
//
// All this is true for every source of messages: sends, the outcomes of [AskTo] and
// [Pipe], and bridge.FromChan, which then continues to take values while the actor is
// overloaded. There is one exception: ticks of [After] and [Every], and the time-out of an
// ask ([Within]), come in ordinary mail.
func Urgent() BehaviourOption {
	return behaviourOption(func(d *kernel.Descriptor) { d.Urgent = true })
}

// DropOnOverload makes the messages of a behaviour give way: a message that is sent to an
// actor that does not keep up becomes a dead letter with [ErrOverloaded], and mutes no
// sender. It is for senders that must not wait for a receiver that they do not trust, such
// as a chat room that sends each remark to all its members.
//
// A message is dropped where [Behaviour.TrySend] would refuse it:
//
//   - while the receiver is overloaded or under pressure;
//   - while it is muted, from the watermark on;
//   - at the bound of a [WithBound], under each of its policies;
//   - if it comes from outside, also while there is no room.
//
// An actor's messages to itself are no exception.
//
// A request (see [DeclareAsk]) is answered with ErrOverloaded at once and is not sent. From
// outside it takes no room, as the caller waits for the answer.
//
// While the receiver has fallen and is not yet restarted, messages are dropped only from
// the watermark or the bound on.
//
// Messages that the receiver itself has asked for are never dropped: answers to [AskTo],
// results of [Pipe], ticks of timers, and values of bridge.FromChan.
//
// The option does not affect TrySend and [Behaviour.SendWait]. An urgent behaviour ignores
// overload: Declare panics if it is given both options. Behaviours without this option pay
// nothing for it.
func DropOnOverload() BehaviourOption {
	return behaviourOption(func(d *kernel.Descriptor) { d.Drops = true })
}

// BestEffort declares that messages of a behaviour may come too late in a healthy service,
// such as a "leave" to a room that is closed already. Their dead letters are counted
// ([Stats]) and reported to [Hooks] like any other. Without such a hook they are logged at
// level DEBUG instead of WARN, and the default logger omits them.
func BestEffort() BehaviourOption {
	return behaviourOption(func(d *kernel.Descriptor) { d.BestEffort = true })
}
