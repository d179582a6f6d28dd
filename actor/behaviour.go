package actor

import (
	"context"
	"unsafe"

	"github.com/gallop-go/gallop/actor/internal/msg"
)

// Behaviour is a one-way behaviour of actors with state S that handles messages of type
// M. Its Go type fixes both, so that sending the wrong message, or sending to an actor
// with another state, does not compile. Several actor types may have the same state.
// Sending to an actor of a type for which the behaviour was not declared panics.
//
// A Behaviour may be copied. The zero value is not ready: use [Declare].
type Behaviour[S, M any] struct {
	d *descriptor
}

// Declare adds a behaviour to t. [Type.Table] gives the behaviour its method. These are
// two steps because Go refuses package-level variables that need each other, and a method
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
	// The functions that are called here have no type parameters: an inlined generic function would
	// leave a load from the dictionary of S and M.
	if b.d.mustDo(method == nil); !b.d.pointers {
		return Entry[S]{b.d, func(c *kernelTurn, at *cell, m *message) {
			method((*S)(at.plus(unsafe.Offsetof(cellOf[S]{}.state))), c.face(), *(*M)(m.Payload()))
		}}
	}
	return Entry[S]{b.d, b.d.heard(func(c *kernelTurn, at *cell, m *message) {
		p := (*M)(m.Payload())
		v := *p
		var zero M
		*p = zero // the node may rest in a free list for long
		method((*S)(at.plus(unsafe.Offsetof(cellOf[S]{}.state))), c.face(), v)
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

// mustDo panics if a Behaviour is zero, or its method nil. It is not inlined: see typeInfo.made.
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
// Messages from one sender to one receiver run in the order in which they were sent. If an
// actor sends to B and then to C, B gets its message before any message that C sends in
// reaction. The Send synchronizes before the behaviour.
//
// If a behaviour sends to an actor that is overloaded, the sender is muted when the
// behaviour returns, until the receiver has recovered. A receiver that is only muted
// itself mutes its senders at a watermark: when 10,000 messages of other actors have come
// since it had little mail, or the number of its high watermark ([WithWatermarks]). If it
// has reached the watermark, it is overloaded after its muting until it has run all its mail.
//
// A muted actor runs only urgent messages, and not all of these if they make it flood
// others: see [Urgent].
//
// In these cases no sender is muted, and nothing bounds the receiver's mailbox:
//
//   - The message comes from outside, or from an actor of another system, which counts as
//     outside.
//   - The sender must not be muted: it is overloaded or under pressure itself, runs the mail
//     for which it was released ([PressureDeadlock]), has supervised children, drains while
//     its parent waits for its end, or sends to itself.
//   - The receiver has asked for the message: see [AskTo].
//
// A sender that must not wait can have its messages dropped instead: [DropOnOverload].
// To bound the mailbox in these cases too, use [Behaviour.TrySend], also in a behaviour, or
// [Behaviour.SendWait] in a function that [Pipe] runs.
//
// A send from a behaviour to an actor that has mail or runs costs one locked
// instruction, or none if the sender's worker has woken the receiver and no other sender
// has sent to it since. A send that wakes its receiver costs two to five in all. Once
// the worker's free list is warm, a send allocates nothing. docs/guarantees.md has the
// other cases.
func (b Behaviour[S, M]) Send(from Sender, to Ref[S], m M) { send(b.d, from, to.b, m) }

// TrySend is [Behaviour.Send] that refuses instead of muting. A message that was refused
// is not a dead letter: the caller owns it again. TrySend returns
//
//   - ErrOverloaded while to is overloaded; or while to is muted and its mailbox has passed
//     the watermark that Send names. From outside also while there is no room, or while to
//     has fallen and its supervisor has not decided. (In the latter case a behaviour is
//     refused only from the watermark on.)
//   - ErrSuspended while to is in a back-off and keeps no more mail. From outside also while
//     a SendWait waits for its restart: see package supervise.
//   - ErrStopped if to has ended.
//   - ErrSystemStopped if to's system has stopped. From outside also while that system is in
//     [System.Shutdown].
//
// There is no room while 4,096 messages wait in the mailbox that came from outside, by
// TrySend and [Behaviour.SendWait]. Room is made for 2,048 messages at a time, so there may
// be no room from 2,049 waiting messages on.
func (b Behaviour[S, M]) TrySend(from Sender, to Ref[S], m M) error {
	return trySend(b.d, from, to.b, m)
}

// SendWait is [Behaviour.Send] from outside that blocks until to can take the message,
// for as long as that takes. It waits
//
//   - while to is under pressure, or over its high watermark;
//   - while to is muted and its mailbox has passed the watermark that [Behaviour.Send]
//     names;
//   - while to is overloaded and an actor is muted for it;
//   - while to is in a back-off (package supervise), until it is restarted;
//   - while there is no room, as for [Behaviour.TrySend].
//
// SendWait returns nil once the message is in the mailbox, ctx's error if ctx ends first,
// ErrStopped if to has ended, and ErrSystemStopped if to's system has stopped or is in
// [System.Shutdown]. After an error the message is not a dead letter, as with TrySend.
// SendWait panics if it would have to wait in a behaviour or a process, of any system.
//
// SendWait parks and does not spin. Waiting callers continue in the order in which they
// came.
func (b Behaviour[S, M]) SendWait(ctx context.Context, to Ref[S], m M) error {
	return sendWait(ctx, b.d, to.b, m)
}

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
	n.ID, n.From = x.d.id, senderID(e)
	countLost(e)
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
// [Pipe], and [FromChan], which then continues to take values while the actor is
// overloaded. There is one exception: ticks of [After] and [Every], and the time-out of an
// ask ([Within]), come in ordinary mail.
func Urgent() BehaviourOption {
	return behaviourOption(func(d *descriptor) { d.urgent = true })
}

// DropOnOverload makes the messages of a behaviour give way: a message that is sent to an
// actor that does not keep up becomes a dead letter with [ErrOverloaded], and mutes no
// sender. It is for senders that must not wait for a receiver that they do not trust, such
// as a chat room that sends each remark to all its members.
//
// A message is dropped where [Behaviour.TrySend] would refuse it: while the receiver is
// overloaded or under pressure; while it is muted, from the watermark on; at the bound
// of a [WithBound], whatever its policy; and from outside also while there is no room.
// An actor's messages to itself are no exception.
//
// A request (see [DeclareAsk]) is answered with ErrOverloaded at once and is not sent. From
// outside it takes no room, as the caller waits for the answer.
//
// While the receiver has fallen and is not yet restarted, messages are dropped only from
// the watermark or the bound on.
//
// Messages that the receiver itself has asked for are never dropped: answers to [AskTo],
// results of [Pipe], ticks of timers, and values of [FromChan].
//
// The option does not affect TrySend and [Behaviour.SendWait]. An urgent behaviour ignores
// overload: Declare panics if it is given both options. Behaviours without this option pay
// nothing for it.
func DropOnOverload() BehaviourOption {
	return behaviourOption(func(d *descriptor) { d.drops = true })
}

// Package group also uses the following declarations: they find the actor of a Handler, its status,
// and the type of a behaviour.

// receiver is a behaviour with the actor that gets its messages. It does not depend on the type of
// the messages.
type receiver struct {
	d *descriptor
	b *cell
}

// target makes every Handler that [Behaviour.To] returns a [Target], so that its actor can be
// watched. It is not a method of bound, since it would be compiled for each type of messages.
func (x receiver) target() *cell { return x.b }

// StatusOf returns the status of an actor, as [Ref.Status] does. The target may also be a
// handler that [Behaviour.To] has returned. StatusOf panics if t is a zero Ref.
func StatusOf(t Target) Status { return targetOf("StatusOf", t).status() }

// isOf reports whether d is a descriptor of t. Both may be nil.
func (d *descriptor) isOf(t *typeInfo) bool { return d != nil && t != nil && d.typ == t }
