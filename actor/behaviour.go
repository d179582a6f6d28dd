package actor

import (
	"context"
	"unsafe"

	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/kernel/msg"
)

// Behaviour is a one-way behaviour of actors with state S that handles messages of type
// M. Its Go type fixes both, so that sending the wrong message, or sending to an actor
// with another state, does not compile. Several actor types may have the same state.
// Sending to an actor of a type for which the behaviour was not declared panics.
//
// A Behaviour may be copied. The zero value is not ready: use [Declare].
type Behaviour[S, M any] kernel.AnyBehaviour

// Declare adds a behaviour to t. [Type.Table] gives the behaviour its method. These are
// two steps because Go refuses package-level variables that need each other, and a method
// usually names behaviours. Declare panics if the name is empty or taken, or after the
// first spawn of t.
func Declare[M, S any](t *Type[S], name string, opts ...BehaviourOption) Behaviour[S, M] {
	d := infoOf(t).Made("Declare").Declare(withDeclared(oneWay[M](name), opts))
	return Behaviour[S, M](kernel.BehaviourOf(d))
}

// oneWay returns a descriptor for messages of type M.
func oneWay[M any](name string) *kernel.Descriptor {
	p, pointers := msg.Of[M]()
	return &kernel.Descriptor{
		Name: name, Size: p, Pointers: pointers, Outcome: isOutcome[M](), News: isNews((*M)(nil)),
		Payload: func(m *kernel.Message) any { return *kernel.PayloadOf[M](m) },
		Clear:   func(m *kernel.Message) { kernel.ClearValue(kernel.PayloadOf[M](m)) },
		Copy: func(to *kernel.Message, from *kernel.ArmedTimer) {
			*kernel.PayloadOf[M](to) = *kernel.KeptBy[M](from)
		},
	}
}

// Handle makes the entry of the dispatch table that runs method for b's messages.
func (b Behaviour[S, M]) Handle(method func(*S, *Context, M)) Entry[S] {
	// The functions that are called here have no type parameters: an inlined generic function would
	// leave a load from the dictionary of S and M.
	d := kernel.AnyBehaviour(b).Descriptor()
	if d.MustDo(method == nil); !d.Pointers {
		return Entry[S]{d, func(c *kernel.Turn, at *kernel.Cell, m *kernel.Message) {
			method((*S)(at.Plus(unsafe.Offsetof(kernel.CellOf[S]{}.State))), contextOf(c), *(*M)(m.Payload()))
		}}
	}
	return Entry[S]{d, d.Heard(func(c *kernel.Turn, at *kernel.Cell, m *kernel.Message) {
		p := (*M)(m.Payload())
		v := *p
		var zero M
		*p = zero // the node may rest in a free list for long
		method((*S)(at.Plus(unsafe.Offsetof(kernel.CellOf[S]{}.State))), contextOf(c), v)
	})}
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
func (b Behaviour[S, M]) Send(from Sender, to Ref[S], m M) {
	send(kernel.AnyBehaviour(b).Descriptor(), from, kernel.AnyRef(to).Cell(), m)
}

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
	return trySend(kernel.AnyBehaviour(b).Descriptor(), from, kernel.AnyRef(to).Cell(), m)
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
	return sendWait(ctx, kernel.AnyBehaviour(b).Descriptor(), kernel.AnyRef(to).Cell(), m)
}
