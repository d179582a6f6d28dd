package actor

import (
	"context"
	"unsafe"

	"github.com/gallop-go/gallop/actor/internal/msg"
)

// Behaviour is a one-way behaviour of actors with state S that handles messages of type
// M. Its type fixes both, so that sending the wrong message, or sending to an actor
// with another state, does not compile. Where several actor types have the same state,
// sending to an actor of a type other than b's panics.
//
// A Behaviour may be copied. The zero value is not ready: use [Declare].
type Behaviour[S, M any] struct {
	d *descriptor
}

// Declare adds a behaviour to t. Give it its method with [Type.Table]. These are two
// steps because Go refuses package-level variables that need each other, and a method
// usually names behaviours. Declare panics if the name is empty or taken, or after the
// first spawn of t.
func Declare[M, S any](t *Type[S], name string, opts ...BehaviourOption) Behaviour[S, M] {
	return Behaviour[S, M]{infoOf(t).made("Declare").declare(oneWay[M](name), opts)}
}

// oneWay returns a descriptor for messages of type M.
func oneWay[M any](name string) *descriptor {
	p, pointers := msg.Of[M]()
	return &descriptor{
		name: name, size: p, pointers: pointers, outcome: isOutcome[M](),
		payload: func(m *message) any { return *payloadOf[M](m) },
		clear:   func(m *message) { clear1(payloadOf[M](m)) },
		copy:    func(to *message, from *timer) { *payloadOf[M](to) = *keptBy[M](from) },
	}
}

// Handle makes the entry of the dispatch table that runs method for b's messages.
func (b Behaviour[S, M]) Handle(method func(*S, *Context, M)) Entry[S] {
	// What is called here has no type parameters: a generic function that is inlined would leave a
	// look at the dictionary of S and M.
	if b.d.mustDo(method == nil); !b.d.pointers {
		return Entry[S]{b.d, func(c *Context, at *cell, m *message) {
			method((*S)(at.plus(unsafe.Offsetof(cellOf[S]{}.state))), c, *(*M)(m.Payload()))
		}}
	}
	return Entry[S]{b.d, b.d.heard(func(c *Context, at *cell, m *message) {
		p := (*M)(m.Payload())
		v := *p
		var zero M
		*p = zero // the node may rest in a free list for long
		method((*S)(at.plus(unsafe.Offsetof(cellOf[S]{}.state))), c, v)
	})}
}

func clear1[M any](p *M) {
	var zero M
	*p = zero
}

// made returns d, the descriptor of a Behaviour, which must not be nil.
func (d *descriptor) made() *descriptor {
	if d == nil {
		panic("gallop: a zero Behaviour: use Declare")
	}
	return d
}

// mustDo panics if a Behaviour is zero, or its method nil. A call, as typeInfo.made.
//
//go:noinline
func (d *descriptor) mustDo(isNil bool) {
	if d.made(); isNil {
		panic("gallop: Handle: a nil method for " + d.fullName())
	}
}

// Send sends m to to. It never blocks and never fails: a message that will not run
// becomes a dead letter. It panics if to is the zero Ref.
//
// Messages from one sender to one receiver run in the order in which they were sent.
// What an actor sends to B before it sends to C is seen by B before anything that C
// does in reaction. The Send synchronizes before the behaviour.
//
// If a behaviour sends to an actor that is overloaded, the sender is muted when the
// behaviour returns, until the receiver has recovered. A receiver that is only muted
// itself mutes its senders when 10,000 messages of other actors have come since it had
// little mail, or as many as its high watermark says ([WithWatermarks]). Then, when it is
// muted no longer, it is overloaded until it has run all its mail.
//
// A muted actor runs nothing but urgent messages, and not all of these if they make it
// flood others: see [Urgent].
//
// No sender is muted, so that nothing bounds the receiver's mailbox, when the message comes
//
//   - from outside, or from an actor of another system, which counts as outside;
//   - from an actor that is never muted, because it is overloaded itself, has
//     supervised children, or sends to itself;
//   - because the receiver has asked for it: see [AskTo].
//
// A sender that must not wait can have its messages dropped instead: [DropOnOverload].
// To bound the mailbox there too, use [Behaviour.TrySend], also in a behaviour, or
// [Behaviour.SendWait] in a function that [Pipe] runs.
//
// A send from a behaviour to an actor that has mail or runs costs one locked
// instruction, or none if the sender's worker has woken the receiver and no other sender
// has sent to it since. A send that wakes its receiver costs two to five in all. Once
// the worker's free list is warm, a send allocates nothing. docs/guarantees.md has the
// other cases.
func (b Behaviour[S, M]) Send(from Sender, to Ref[S], m M) { send(b.d, from, to.b, m) }

// TrySend is [Behaviour.Send] that refuses instead of muting. A message that was
// refused is not a dead letter: it is the caller's again. TrySend returns
//
//   - ErrOverloaded while to is overloaded, or is muted and its mailbox has passed the
//     watermark that Send names, and from outside also while there is no room, or while
//     to has fallen and its supervisor has not decided (a behaviour is refused then only
//     from the watermark on);
//   - ErrSuspended while to is in a back-off and keeps no more mail, and from outside
//     also while a SendWait waits for its restart: see package supervise;
//   - ErrStopped if to has ended;
//   - ErrSystemStopped if to's system has, and from outside also while that is in
//     [System.Shutdown].
//
// There is no room while 4,096 messages wait that came by TrySend and
// [Behaviour.SendWait] from outside. Room comes back for 2,048 messages at a time, so
// there may be none from 2,049 on.
func (b Behaviour[S, M]) TrySend(from Sender, to Ref[S], m M) error {
	return trySend(b.d, from, to.b, m)
}

// SendWait is [Behaviour.Send] from outside that blocks until to can take the message,
// however slow to is. It waits
//
//   - while to is under pressure, or over its high watermark;
//   - while to is muted and its mailbox has passed the watermark that [Behaviour.Send]
//     names;
//   - while to is overloaded and an actor is muted for it;
//   - while to is in a back-off (package supervise), until it is restarted;
//   - while there is no room, as for [Behaviour.TrySend].
//
// SendWait returns nil once the message is in the mailbox, ctx's error if that ends
// first, ErrStopped if to has ended, and ErrSystemStopped if to's system has, or is in
// [System.Shutdown]. After an error the message is not a dead letter, as with TrySend.
// SendWait panics if it would have to wait in a behaviour or a process, of any system.
//
// SendWait parks and does not spin. Those who wait go on in the order in which they
// came.
func (b Behaviour[S, M]) SendWait(ctx context.Context, to Ref[S], m M) error {
	return sendWait(ctx, b.d, to.b, m)
}

// Handler is any ref that handles messages of type M, whatever else it does: all that a
// topic, a pool or a test double needs to know. Get one with [Behaviour.To].
//
// A Handler has no SendWait: a goroutine that knows only a Handler holds itself back by
// TrySend. Behaviours, topics and pools have a SendWait of their own.
type Handler[M any] interface {
	// Send is like [Behaviour.Send].
	Send(from Sender, m M)
	// TrySend is like [Behaviour.TrySend].
	TrySend(from Sender, m M) error
}

// To returns r as a Handler of b's messages.
func (b Behaviour[S, M]) To(r Ref[S]) Handler[M] {
	b.d.made().mustSuit(r.b)
	return bound[M]{receiver{b.d, r.b}}
}

// bound is a behaviour with a receiver.
type bound[M any] struct{ receiver }

func (x bound[M]) Send(from Sender, m M)          { send(x.d, from, x.b, m) }
func (x bound[M]) TrySend(from Sender, m M) error { return trySend(x.d, from, x.b, m) }

// refuse makes a dead letter of *m, which is not sent: see access.Refuse.
func (x bound[M]) refuse(from Sender, m any, reason error) {
	e, n := x.d.begin(from, x.b)
	*payloadOf[M](n) = *m.(*M)
	n.ID, n.From = x.d.id, e.senderID()
	e.countLost()
	deadLetter(e, x.b, n, reason)
}

// BehaviourOption sets a property of a behaviour when it is declared.
type BehaviourOption interface{ setBehaviour(*descriptor) }

type behaviourOption func(*descriptor)

func (f behaviourOption) setBehaviour(d *descriptor) { f(d) }

// Urgent makes the messages of a behaviour, or its requests, overtake ordinary ones. Urgent
// messages
//
//   - reach a muted actor, unless they make it flood others;
//   - ignore overload: they neither mute their senders nor are refused for it;
//   - are bounded by nothing but good sense;
//   - cost two locked instructions more to send.
//
// A muted actor whose urgent behaviours have sent 10,000 messages to actors that do not
// keep up runs no more urgent messages before it is muted no longer. What the runtime
// itself has to tell it, such as [Stop], still reaches it. An actor that is not muted
// because it is overloaded runs a batch of its other mail whenever its urgent behaviours
// have sent 100 such messages.
//
// So an urgent request is how to ask an actor that is muted or flooded, for its state say,
// or to command it. Its answer goes to the asker by the behaviour that is to hear it.
//
// Urgent messages from one sender to one receiver keep their order, also causally, and
// they keep it with messages of the runtime, which they do not overtake. Between urgent
// and ordinary messages there is no order.
//
// All this is true whatever brings the message: a send, the outcomes of [AskTo] and
// [Pipe], or [FromChan], which then goes on taking values while the actor is overloaded.
// Only time comes in ordinary mail, as [After] says: ticks of After and [Every], and the
// time-out of an ask ([Within]).
func Urgent() BehaviourOption {
	return behaviourOption(func(d *descriptor) { d.urgent = true })
}

// DropOnOverload makes the messages of a behaviour give way: one that is sent to an
// actor that does not keep up becomes a dead letter with [ErrOverloaded], and mutes
// no sender. It is for senders that must not wait for a receiver that they do not trust,
// such as a room that passes on what is said to its members.
//
// A message is dropped where [Behaviour.TrySend] would refuse it: while the receiver is
// overloaded or under pressure; while it is muted, from the watermark on; at the bound
// of a [WithBound], whatever its policy; and from outside also while there is no room.
// An actor's messages to itself are no exception.
//
// A request, see [DeclareAsk], is not sent but answered with ErrOverloaded at once. From
// outside it takes no room, as the caller waits for the answer.
//
// Between a fall and its restart, too, messages are dropped only from the watermark or the
// bound on.
//
// What the receiver itself has asked for is never dropped: answers to [AskTo], results of
// [Pipe], ticks of timers, and values of [FromChan].
//
// TrySend and [Behaviour.SendWait] of such a behaviour are as ever. An urgent behaviour
// ignores overload: Declare panics if it is given both options. A behaviour
// without this option costs nothing for it.
func DropOnOverload() BehaviourOption {
	return behaviourOption(func(d *descriptor) { d.drops = true })
}

// What package group needs of handlers and behaviours besides what they are for.

// receiver is a behaviour with the actor that it is sent to, whatever the type of the messages.
type receiver struct {
	d *descriptor
	b *cell
}

// target makes every Handler that [Behaviour.To] returns a [Target], so that the actor behind it
// can be watched. It is not a method of bound: each type of messages would have one of its own.
func (x receiver) target() *cell { return x.b }

// StatusOf returns how an actor stands, as [Ref.Status] does. The target may also be a
// handler that [Behaviour.To] has returned. StatusOf panics if t is a zero Ref.
func StatusOf(t Target) Status { return targetOf("StatusOf", t).status() }

// isOf reports whether d is a descriptor of t. Both may be nil.
func (d *descriptor) isOf(t *typeInfo) bool { return d != nil && t != nil && d.typ == t }
