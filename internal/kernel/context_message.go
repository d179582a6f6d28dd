package kernel

import (
	"context"

	"github.com/gallop-go/gallop/internal/kernel/msg"
)

// A message may carry a context: its values, its deadline and its end. Other messages must not pay
// for this. So a message with a context is put into a second message of the runtime's own, which
// holds the context and a pointer to the first. Mailboxes, stashes, the system queue, timers and
// dead letters handle the outer message as any other. In its turn it runs the inner message in its
// place.
//
// A behaviour that has called SetContext sends such messages. The hot path of a send does not check
// for that. Instead, SetContext hides the worker's cache of nodes, so that each send finds no node
// there and takes the slow path, which checks. The end of the behaviour restores the cache.
//
// Requests travel alone. Their context is in their reply address: see replyTo in
// package actor.

// carried is the payload of a message that travels with a context.
type carried struct {
	ctx   context.Context
	inner *Message
	// A tick, whose context had not ended when the next one was armed.
	lasts bool
	// Of the message for an outcome: ctx has the mark of WaitForRestart.
	waits bool
}

var carriedSize, _ = msg.Of[carried]()

// carriedDesc is the row of carried messages in every table.
var carriedDesc = &Descriptor{
	ID:     CarriedID,
	Size:   carriedSize,
	Clear:  func(m *Message) { *PayloadOf[carried](m) = carried{} },
	Copy:   copyCarried,
	Urgent: true,
	run:    runCarried,
}

// givingWay is carriedDesc for messages of behaviours that are actor.DropOnOverload.
var givingWay = func() *Descriptor {
	d := *carriedDesc
	d.Drops = true
	return &d
}()

// rowOf returns the row of a carried message for d.
func rowOf(d *Descriptor) *Descriptor {
	if d.Drops {
		return givingWay
	}
	return carriedDesc
}

// runCarried runs the inner message in the place of m. If its context has ended it makes a dead
// letter of it, unless it is an outcome: outcomes always run.
func runCarried(c *Turn, a *Cell, m *Message) {
	p := PayloadOf[carried](m)
	ctx, in, over := p.ctx, p.inner, a.contextOver(m)
	*p = carried{}
	in.From = m.From
	c.Count.NotRun++ // only the inner message counts
	if over {
		declareDeadUnder(c, a, in, ctx.Err(), ctx)
		c.Recycle(in)
		return
	}
	m.ID, m.Life = in.ID, in.Life // for the reports, and for Stash
	c.came = ctx
	c.Then |= usesContext
	c.Invoke(a, in)
	c.leaveContext()
	c.Recycle(in)
}

// contextOver reports whether m must not run because it carries a context that has ended. For a
// tick a false answer is final: once it may run, it runs. Owner only.
func (a *Cell) contextOver(m *Message) bool {
	if m.ID != CarriedID {
		return false
	}
	p := PayloadOf[carried](m)
	p.lasts = p.lasts || a.Shared().Typ.Decls[p.inner.ID].Outcome || p.ctx.Err() == nil
	return !p.lasts
}

// Carry puts m, a message for d, into a message that carries ctx. The caller owns m.
func Carry(e Env, ctx context.Context, m *Message, d *Descriptor) *Message {
	w := e.Node(carriedSize)
	m.ID, m.Next, w.Next = d.ID, nil, nil
	w.ID = CarriedID
	*PayloadOf[carried](w) = carried{ctx: ctx, inner: m}
	return w
}

// unwrap takes the inner message out of w. The caller may then recycle w.
func unwrap(w *Message) *Message {
	p := PayloadOf[carried](w)
	in := p.inner
	*p = carried{}
	in.From = w.From
	return in
}

// Contents returns the message that m carries, or m itself if it carries none. The caller owns m.
func Contents(m *Message) *Message {
	if m.ID == CarriedID {
		return PayloadOf[carried](m).inner
	}
	return m
}

// peekedID returns the behaviour that a message is for. The message may be reused meanwhile, as in
// PeekMail.
//
//go:norace
//go:noinline
func peekedID(m *Message) uint16 {
	if m.ID == CarriedID && m.SizeClass() == carriedSize.ID {
		if in := PayloadOf[carried](m).inner; in != nil {
			return in.ID
		}
	}
	return m.ID
}

// copyCarried copies a carried message of Every, for one tick.
func copyCarried(to *Message, from *ArmedTimer) {
	p := KeptBy[carried](from)
	d := cellOfTask(from.Owner).Typ().Decls[p.inner.ID]
	in := d.Size.TakeOne()
	in.ID = d.ID
	d.Copy(in, &ArmedTimer{Held: p.inner})
	*PayloadOf[carried](to) = carried{ctx: p.ctx, inner: in}
}

// Carrier is a Sender whose messages carry a context.
type Carrier struct {
	Env                 // of the original sender
	ctx context.Context // nil: none
}

func (w *Carrier) sender() Env { return w.Env }

// With implements actor.System.With.
func (s *System) With(ctx context.Context) Sender {
	s.mustBeStarted("With")
	return &Carrier{Env: s, ctx: travelling(MustHave(ctx, "With"))}
}

// With implements actor.Context.With.
func (c *Turn) With(ctx context.Context) Sender {
	MustRun(c, "With")
	return &Carrier{Env: c, ctx: travelling(MustHave(ctx, "With"))}
}

// With returns a sender like e whose messages carry ctx, and not the context of the process. The
// process calls it.
func (e *ProcessEnv) With(ctx context.Context) Sender {
	return &Carrier{Env: e, ctx: travelling(MustHave(ctx, "With"))}
}

// CarriedBy returns the context that messages of a Carrier or a ProcessEnv carry. It returns nil
// for other senders. The caller may send by from.
func CarriedBy(from Sender) context.Context {
	switch f := from.(type) {
	case *Carrier:
		return f.ctx
	case *ProcessEnv:
		return travelling(f.p.Context())
	}
	return nil
}
