package actor

import (
	"fmt"

	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/nocmp"
)

// Overflow says what becomes of a message for an actor whose mailbox is at its bound.
type Overflow uint8

const (
	// OverflowMute takes the message in and mutes its sender until half of the mailbox
	// is free. So the bound is exceeded by what the behaviours send that meet it, and by
	// those who are never muted without limit: an actor that is overloaded or under pressure
	// itself, one that has supervised children, and the receiver. The other two, and TrySend,
	// are hard bounds. From outside of behaviours, where nobody can be muted, it refuses.
	OverflowMute Overflow = iota
	// OverflowRefuse makes a dead letter of the message, with ErrOverloaded.
	OverflowRefuse
	// OverflowDropOldest makes a dead letter, with ErrDropped, of the message that has
	// waited longest. A send is not refused.
	OverflowDropOldest
)

// mailBound is a type's bound; zero: none.
type mailBound struct {
	_        nocmp.Field
	limit    int
	overflow Overflow
	keeper   queueKeeper
}

// TypeBound bounds the mailbox of every actor of this type: at most limit messages wait
// for their turn, and overflow says what becomes of the others, of which OverflowMute takes in some. Besides, up to a batch
// may have been taken out for the turn that runs. TrySend refuses at the bound, whatever
// overflow says, and SendWait waits. Ask does not wait for room: it returns ErrOverloaded at once. Such an actor is not overloaded for spending its
// batch, but while its queue is full, it is muted, or it applies pressure.
//
// Ticks of timers and results of Pipe do not wait in that queue: they run behind what has
// been taken out of it, before what is still in it. Answers to AskTo do, and one that finds
// it full is refused or drops another as any message would.
//
// Its messages may hold no handles of the heap package: [Context.Heap] panics in such an
// actor if those of one of its behaviours do. Its state may.
//
// Sends to it take a lock, which costs one locked instruction more than to others. It
// panics if limit is less than 1 or overflow is none of the three.
func TypeBound(limit int, overflow Overflow) TypeOption {
	if limit < 1 || overflow > OverflowDropOldest {
		panic(fmt.Sprintf("gallop: TypeBound(%d, %d): want at least 1, and OverflowMute, OverflowRefuse or OverflowDropOldest", limit, overflow))
	}
	return func(t *typeInfo) {
		t.bound, t.flows = mailBound{limit: limit, overflow: overflow, keeper: boundKeeper{}}, (*body).initFlow
	}
}

// queueKeeper is a boundKeeper as the rest of the runtime sees it, so that a program
// without bounds does not link the queues.
type queueKeeper interface {
	send(c *Context, to *body, m *message)
	deliver(b *body, c *Context, m *message) error
	shut(b *body) (full bool)
	letPass(b *body) *backpressure.Waiter[waiting]
	look(b *body, c *Context)
	refill(b *body, c *Context) (again bool)
}

type boundKeeper struct{}

func (boundKeeper) send(c *Context, to *body, m *message)         { c.sendBounded(to, m) }
func (boundKeeper) deliver(b *body, c *Context, m *message) error { return b.deliverBounded(c, m) }
func (boundKeeper) shut(b *body) (full bool)                      { return b.flow.Load().shut() }
func (boundKeeper) letPass(b *body) *backpressure.Waiter[waiting] { return b.flow.Load().unshut(b) }
func (boundKeeper) look(b *body, c *Context)                      { b.look(c) }
func (boundKeeper) refill(b *body, c *Context) (again bool)       { return b.refill(c) }
