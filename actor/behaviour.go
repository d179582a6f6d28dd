package actor

import "context"

// None is the message of a behaviour that needs none.
type None struct{}

// Behaviour is a one-way behaviour of actors with state S that handles messages of
// type M. Its type fixes both, so that sending the wrong message, or to an actor with
// another state, does not compile. Where several types have the same state, sending to
// an actor of another than b's panics. Copy it as you like. The zero value is not ready:
// use [Declare].
type Behaviour[S, M any] struct {
	d *declaration
}

// Declare adds a behaviour to t. Give it its method with [Type.Table]; these are
// two steps because Go refuses package-level variables that need each other, and a
// method usually names behaviours. It panics if the name is empty or taken, or
// after the first spawn of t.
func Declare[M, S any](t *Type[S], name string, opts ...BehaviourOption) Behaviour[S, M] {
	t.mustBeMade("Declare")
	p, pointers := poolOf[M]()
	return Behaviour[S, M]{t.info.declare((&declaration{
		name: name, pool: p, pointers: pointers,
		payload: func(m *message) any { return *payloadOf[M](m) },
		clear:   func(m *message) { clear1(payloadOf[M](m)) },
		copy:    func(to *message, from *timer) { *payloadOf[M](to) = *keptBy[M](from) },
	}).with(opts))}
}

// Do makes the entry of the dispatch table that runs method for b's messages.
func (b Behaviour[S, M]) Do(method func(*S, *Context, M)) Entry[S] {
	if method == nil {
		panic("gallop: Do: a nil method for " + b.decl().fullName())
	}
	if !b.decl().pointers {
		return Entry[S]{b.d, func(c *Context, at *body, m *message) {
			method(stateOf[S](at), c, *payloadOf[M](m))
		}}
	}
	return Entry[S]{b.d, func(c *Context, at *body, m *message) {
		p := payloadOf[M](m)
		v := *p
		clear1(p) // the node may rest in a free list for long
		method(stateOf[S](at), c, v)
	}}
}

func clear1[M any](p *M) {
	var zero M
	*p = zero
}

func (b Behaviour[S, M]) decl() *declaration {
	if b.d == nil {
		panic("gallop: a zero Behaviour: use Declare")
	}
	return b.d
}

// Send sends m to to. It never blocks and never fails: a message that will not run
// becomes a dead letter. From a behaviour, sending to an actor that is overloaded
// mutes the sender after the behaviour that runs, until the receiver has recovered. That
// ends at the system: an actor of another is sent to as from outside, and mutes nobody, so
// that nothing bounds its mailbox. TrySend does, from a behaviour too, and [SendWait] in a
// function that [Pipe] runs.
//
// Messages from one sender to one receiver run in the order in which they were
// sent, and what an actor sends B before it sends C is seen by B before anything
// that C does in reaction. The Send synchronizes before the behaviour.
//
// A send from a behaviour costs one locked instruction, or none if the worker that runs it
// has woken the receiver and nobody else has sent to it since, and, once the worker's free
// list is warm, no allocation. It panics if to is the zero Ref.
//
// [SendWait]: Behaviour.SendWait
func (b Behaviour[S, M]) Send(from Sender, to Ref[S], m M) {
	c, _ := from.(*Context)
	if c == nil || b.d == nil || to.b == nil || c.sys != to.b.kind().sys || b.d.typ != to.b.kind().typ || !c.has(b.d.poolID) {
		b.sendSlowly(from, to, m)
		return
	}
	n := c.stock[b.d.poolID].pop()
	*payloadOf[M](n) = m
	c.send(to.b, n, b.d)
}

// sendSlowly is Send where it is not as it nearly always is: from a behaviour of the
// same system, with a node in stock. It stands apart so that Send keeps everything in
// registers.
//
//go:noinline
func (b Behaviour[S, M]) sendSlowly(from Sender, to Ref[S], m M) {
	d := b.decl()
	d.mustSuit(to.b)
	if d.urgent { // its pool is in no stock
		b.sendUrgent(from, to, m)
		return
	}
	c, sys := split(from)
	if c == nil || sys != to.b.kind().sys {
		n := d.pool.takeOne()
		*payloadOf[M](n) = m
		_ = sys.sendFromOutside(to.b, n, d)
		return
	}
	n := c.restock(d.poolID)
	*payloadOf[M](n) = m
	c.send(to.b, n, d)
}

// TrySend is Send that refuses instead of muting: it returns ErrOverloaded while to
// is overloaded, and from outside also while there is no room, which there is for 2,049
// to 4,096 waiting messages of TrySend and [SendWait]; ErrStopped if it has ended and
// ErrSystemStopped if its system has. A message that was refused is not a dead letter: it
// is the caller's again.
//
// [SendWait]: Behaviour.SendWait
func (b Behaviour[S, M]) TrySend(from Sender, to Ref[S], m M) error {
	d := b.decl()
	d.mustSuit(to.b)
	if d.urgent {
		return b.pushUrgent(from, to, m)
	}
	c, _ := split(from)
	outside := c == nil || c.sys != to.b.kind().sys
	switch {
	case outside && to.b.kind().sys.refusing.Load():
		return ErrSystemStopped // whatever else there is to say
	case !to.b.gate.IsOpen() && to.b.kind().typ.bound.limit == 0 || to.b.kind().sys.sim.refuses(to.b, d):
		return ErrOverloaded
	case outside && !to.b.flowOf().lobby.tryEnter(to.b):
		return ErrOverloaded
	case outside:
		return b.sendPlaced(to, m)
	}
	n := newMessage(c, d.pool)
	*payloadOf[M](n) = m
	err := to.b.tryFromInside(c, n, d)
	if err != nil {
		c.sys.sim.book(-1)
	}
	return err
}

// SendWait is Send from outside that waits while to is under pressure or muted, over its
// high watermark, or overloaded with an actor muted for it, and while there is no room, as
// for TrySend, however slow it is. It returns nil once the message is in the mailbox,
// ctx's error if that ends first, ErrStopped if to has ended and ErrSystemStopped if its
// system has. It parks, and does not spin; waiters go on in the order in which they came.
// sys is the system of the caller, as for Send. It panics where it would have to wait in a
// behaviour.
func (b Behaviour[S, M]) SendWait(ctx context.Context, sys *System, to Ref[S], m M) error {
	d := b.decl()
	d.mustSuit(to.b)
	split(sys)
	mustHave(ctx, "SendWait")
	if d.urgent {
		return b.pushUrgent(sys, to, m)
	}
	if err := to.b.awaitPlace(ctx, sys); err != nil {
		return err
	}
	return b.sendPlaced(to, m)
}

// sendPlaced sends from outside once there is a place.
func (b Behaviour[S, M]) sendPlaced(to Ref[S], m M) error {
	n := b.d.pool.takeOne()
	*payloadOf[M](n) = m
	n.id = b.d.id
	return to.b.pushPlaced(n)
}

// mustSuit panics unless to is an actor of d's type. The types of Behaviour and Ref say
// that both have the same state, which several actor types may have; a message for one
// would be read by another as what it is not.
func (d *declaration) mustSuit(to *body) {
	switch {
	case to == nil:
		panic("gallop: " + d.fullName() + " sent to a zero Ref")
	case to.kind().typ != d.typ:
		panic("gallop: " + d.fullName() + " sent to " + to.String() + ", which is of another type with the same state")
	}
}

// Handler is any ref that handles messages of type M, whatever else it does: what a
// topic, a pool or a test double needs to know. Get one with [Behaviour.To].
type Handler[M any] interface {
	// Send is as [Behaviour.Send].
	Send(from Sender, m M)
	// TrySend is as [Behaviour.TrySend].
	TrySend(from Sender, m M) error
}

// To returns r as a Handler of b's messages.
func (b Behaviour[S, M]) To(r Ref[S]) Handler[M] {
	b.decl().mustSuit(r.b)
	return bound[S, M]{b, r}
}

type bound[S, M any] struct {
	b Behaviour[S, M]
	r Ref[S]
}

func (x bound[S, M]) Send(from Sender, m M)          { x.b.Send(from, x.r, m) }
func (x bound[S, M]) TrySend(from Sender, m M) error { return x.b.TrySend(from, x.r, m) }
