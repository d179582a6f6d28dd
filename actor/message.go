package actor

import (
	"context"

	"github.com/gallop-go/gallop/actor/internal/msg"
)

// The typed face of package msg, which has the memory of messages.

// message is the header of every message. The payload follows it in memory.
type message = msg.Message

// messageList is a queue of messages.
type messageList = msg.List

// sizeClass is one layout of messages.
type sizeClass = msg.SizeClass

// payloadOf returns a pointer to the payload of m. M must be the payload type of m's size class, or
// have the same shape.
func payloadOf[M any](m *message) *M { return (*M)(m.Payload()) }

// alloc returns a node of a size class. About a nanosecond while the cache lasts.
func (c *kernelTurn) alloc(id uint16) *message {
	if m := c.cache.Take(id); m != nil {
		return m
	}
	return c.refill(id)
}

// refill is alloc for an empty magazine.
func (c *kernelTurn) refill(id uint16) (m *message) {
	if c.dry {
		return c.makeInTurn(id)
	}
	if c.travels != nil {
		c.withCache(func() { m = c.alloc(id) })
		return m
	}
	m, n := c.cache.Refill(id)
	// A behaviour that sends more than it runs takes longer than a unit of work did so far.
	c.w.SpendOverhead(n)
	return m
}

// dropCaches leaves the worker's caches to the garbage collector: its goroutine or the system ends,
// and there may never be another turn.
func (c *kernelTurn) dropCaches() {
	c.cache.Flush()
	c.chunks.Drop()
	c.rooting = nil
}

// recycleChain takes back the n nodes from first to end, which have one tag and hold no pointers
// any more. n is at most msg.ChainLength. A bias mark may come alone, and is left where it is.
func (c *kernelTurn) recycleChain(first, end *message, n int) {
	if !c.cache.Covers(first.SizeClass()) && !c.mayRecycle(first, end, n) {
		return
	}
	if crossed := c.cache.FreeChain(first, end, n); crossed > 0 {
		c.w.Crossed(crossed)
	}
}

// mayRecycle makes a magazine for nodes of another cache, and reports true. If a magazine is not
// worth it, mayRecycle disposes of the nodes itself and reports false. A worker that will be idle
// after this turn gets none: with a thousand turns that block, each would keep kilobytes for one
// message.
func (c *kernelTurn) mayRecycle(first, end *message, n int) bool {
	switch {
	case first.IsMark():
		return false
	case c.travels != nil:
		c.withCache(func() { c.recycleChain(first, end, n) })
		return false
	case c.dry || c.w.Detached():
		msg.Unlink(first, n)
		return false
	}
	c.cache.Grow()
	return true
}

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
// Requests travel alone. Their context is in their reply address: see replyTo.

// carried is the payload of a message that travels with a context.
type carried struct {
	ctx   context.Context
	inner *message
	// A tick, whose context had not ended when the next one was armed.
	lasts bool
	// Of the message for an outcome: ctx has the mark of WaitForRestart.
	waits bool
}

var carriedSize, _ = msg.Of[carried]()

// carriedDesc is the row of carried messages in every table.
var carriedDesc = &descriptor{
	id:     carriedID,
	size:   carriedSize,
	clear:  func(m *message) { *payloadOf[carried](m) = carried{} },
	copy:   copyCarried,
	urgent: true,
	run:    runCarried,
}

// givingWay is carriedDesc for messages of behaviours that are [DropOnOverload].
var givingWay = func() *descriptor {
	d := *carriedDesc
	d.drops = true
	return &d
}()

// rowOf returns the row of a carried message for d.
func rowOf(d *descriptor) *descriptor {
	if d.drops {
		return givingWay
	}
	return carriedDesc
}

// runCarried runs the inner message in the place of m. If its context has ended it makes a dead
// letter of it, unless it is an outcome: outcomes always run.
func runCarried(c *kernelTurn, a *cell, m *message) {
	p := payloadOf[carried](m)
	ctx, in, over := p.ctx, p.inner, a.contextOver(m)
	*p = carried{}
	in.From = m.From
	c.count.notRun++ // only the inner message counts
	if over {
		declareDeadUnder(c, a, in, ctx.Err(), ctx)
		c.recycle(in)
		return
	}
	m.ID, m.Life = in.ID, in.Life // for the reports, and for Stash
	c.came = ctx
	c.then |= usesContext
	c.invoke(a, in)
	c.leaveContext()
	c.recycle(in)
}

// contextOver reports whether m must not run because it carries a context that has ended. For a
// tick a false answer is final: once it may run, it runs. Owner only.
func (a *cell) contextOver(m *message) bool {
	if m.ID != carriedID {
		return false
	}
	p := payloadOf[carried](m)
	p.lasts = p.lasts || a.shared().typ.decls[p.inner.ID].outcome || p.ctx.Err() == nil
	return !p.lasts
}

// carry puts m, a message for d, into one that carries ctx.
func carry(e env, ctx context.Context, m *message, d *descriptor) *message {
	w := e.node(carriedSize)
	m.ID, m.Next, w.Next = d.id, nil, nil
	w.ID = carriedID
	*payloadOf[carried](w) = carried{ctx: ctx, inner: m}
	return w
}

// unwrap takes the inner message out of w. The caller may then recycle w.
func unwrap(w *message) *message {
	p := payloadOf[carried](w)
	in := p.inner
	*p = carried{}
	in.From = w.From
	return in
}

// contents returns the message that m carries, or m itself if it carries none.
func contents(m *message) *message {
	if m.ID == carriedID {
		return payloadOf[carried](m).inner
	}
	return m
}

// peekedID returns the behaviour that a message is for. The message may be reused meanwhile, as in
// peekMail.
//
//go:norace
//go:noinline
func peekedID(m *message) uint16 {
	if m.ID == carriedID && m.SizeClass() == carriedSize.ID {
		if in := payloadOf[carried](m).inner; in != nil {
			return in.ID
		}
	}
	return m.ID
}

// copyCarried copies a carried message of Every, for one tick.
func copyCarried(to *message, from *timer) {
	p := keptBy[carried](from)
	d := cellOfTask(from.Owner).typ().decls[p.inner.ID]
	in := d.size.TakeOne()
	in.ID = d.id
	d.copy(in, &timer{Held: p.inner})
	*payloadOf[carried](to) = carried{ctx: p.ctx, inner: in}
}

// carrier is a Sender whose messages carry a context.
type carrier struct {
	env                 // of the original sender
	ctx context.Context // nil: none
}

func (w *carrier) sender() env { return w.env }

// With implements [System.With].
func (s *kernelSystem) With(ctx context.Context) Sender {
	s.mustBeStarted("With")
	return &carrier{env: s, ctx: travelling(mustHave(ctx, "With"))}
}

// With implements [Context.With].
func (c *kernelTurn) With(ctx context.Context) Sender {
	mustRun(c, "With")
	return &carrier{env: c, ctx: travelling(mustHave(ctx, "With"))}
}

// carriedBy returns the context that messages of a sender carry, or nil.
func carriedBy(from Sender) context.Context {
	switch f := from.(type) {
	case *Context:
		return f.kernel().travels
	case *carrier:
		return f.ctx
	}
	return nil
}
