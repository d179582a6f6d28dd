package actor

import (
	"fmt"

	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/nocmp"
)

// Overflow says what becomes of a message for an actor whose mailbox is at its bound.
type Overflow uint8

const (
	// OverflowMute takes the message in and mutes its sender until half of the mailbox
	// is free. So the bound is exceeded by what the behaviours send that meet it. From
	// outside of behaviours, where nobody can be muted, it refuses.
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
// for their turn, and overflow says what becomes of the others. Besides, up to a batch
// may have been taken out for the turn that runs. TrySend refuses at the bound, whatever
// overflow says, and SendWait waits. Such an actor is not overloaded for spending its
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
	try(b *body, c *Context, m *message) error
	shut(b *body) (full bool)
	letPass(b *body) *backpressure.Waiter[waiting]
	look(b *body, c *Context)
	refill(b *body, c *Context) (again bool)
}

type boundKeeper struct{}

func (boundKeeper) send(c *Context, to *body, m *message)         { c.sendBounded(to, m) }
func (boundKeeper) try(b *body, c *Context, m *message) error     { return b.tryBounded(c, m) }
func (boundKeeper) shut(b *body) (full bool)                      { return b.flow.Load().shut() }
func (boundKeeper) letPass(b *body) *backpressure.Waiter[waiting] { return b.flow.Load().unshut(b) }
func (boundKeeper) look(b *body, c *Context)                      { b.look(c) }
func (boundKeeper) refill(b *body, c *Context) (again bool)       { return b.refill(c) }

// boundedQueue is where mail waits for an actor with a bound, in the place of its
// mailbox, through which only the runtime's own messages come. A lock and a list: who
// drops the oldest message must be able to take it away from the actor, which no
// lock-free queue with one consumer allows. All but the first two and the last are
// guarded by the lobby's mu, and so is entering the gate's ledger because of it: otherwise
// a sender could enter after it was emptied.
//
// The gate of such an actor is shut for good, so that every sender comes by; shut and
// full say whether it has to wait.
type boundedQueue struct {
	_           nocmp.Field
	limit       int
	overflow    Overflow
	first, last *message
	looking     bool // the actor looks, or will: a look message is on its way, or it is running
	shut        bool // the actor's load says that senders must wait
	full        bool // OverflowMute: it was full, and half of it is not free yet. Something is in it

	ticked bool // what came by the mailbox has had its turn, and the queue is next. Owner only
}

// append adds m and tells whether the actor has to be told. Caller holds mu.
func (q *boundedQueue) append(m *message) (tell bool) {
	if invariant.On {
		verifyBoundedQueue(q)
	}
	m.next = nil
	if q.last == nil {
		q.first = m
	} else {
		q.last.next = m
	}
	q.last = m
	tell = !q.looking
	q.looking = true
	return tell
}

// pop takes up to n messages. Caller holds mu.
func (q *boundedQueue) pop(n int) (first, last *message, took int) {
	if q.first == nil {
		return nil, nil, 0
	}
	first, last, took = q.first, q.first, 1
	for took < n && last.next != nil {
		last, took = last.next, took+1
	}
	if q.first = last.next; q.first == nil {
		q.last = nil
	}
	last.next = nil
	return first, last, took
}

// put adds m, or says why not. c is the sender's, nil outside. dropped is somebody
// else's message that had to make room. Any goroutine.
func (f *flow) put(to *body, c *Context, m *message) (dropped *message, tell bool, err error) {
	l, q := &f.lobby, f.bounded
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return nil, false, to.endedBecause()
	case l.room > 0:
	case q.overflow == OverflowDropOldest: // nothing may wait yet: see appendPlaced
		dropped = f.dropOldest()
	case q.overflow != OverflowMute || c == nil:
		return nil, false, ErrOverloaded
	}
	l.room--
	tell = q.append(m)
	q.full = q.full || q.overflow == OverflowMute && l.room <= 0
	if c != nil && (q.full || q.shut) {
		c.muteFor(to)
	}
	return dropped, tell, nil
}

// dropOldest makes room by taking out the message that has waited longest, if there is one. Caller holds mu.
func (f *flow) dropOldest() (dropped *message) {
	dropped, _, took := f.bounded.pop(1)
	f.lobby.room += took
	return dropped
}

// appendPlaced adds m, whose sender has a place. Where the oldest make room, others may have come in
// while all places were those of senders on their way: then there are more places given than there
// are, and the oldest makes room now. Caller holds mu.
func (f *flow) appendPlaced(m *message) (dropped *message, tell bool) {
	if f.bounded.overflow == OverflowDropOldest && f.lobby.room < 0 {
		dropped = f.dropOldest()
	}
	return dropped, f.bounded.append(m)
}

// take takes up to n messages out, and makes room. If there are none the next who adds
// one tells the actor. list is who needs to wait no more. Owner only.
func (f *flow) take(b *body, n int) (first, last *message, took int, list *backpressure.Waiter[waiting]) {
	l, q := &f.lobby, f.bounded
	l.mu.Lock()
	defer l.mu.Unlock()
	first, last, took = q.pop(n)
	q.looking = took > 0
	l.room += took
	if q.full && (q.first == nil || l.room >= q.limit-q.limit/2) { // places that were given and not used would keep it full
		q.full = false
		if !q.shut {
			list = b.gate.Drain(&gateMark)
		}
	}
	l.admit(b)
	return first, last, took, list
}

// shut makes senders wait whatever there is in the queue, and tells whether they had
// to already because it is full. Owner only.
func (f *flow) shut() (full bool) {
	f.lobby.mu.Lock()
	defer f.lobby.mu.Unlock()
	f.bounded.shut = true
	return f.bounded.full
}

// unshut lets senders pass, unless the queue is full, and returns those who waited: none
// if the actor drains, which has opened its gate for ever. Owner only.
func (f *flow) unshut(b *body) *backpressure.Waiter[waiting] {
	f.lobby.mu.Lock()
	defer f.lobby.mu.Unlock()
	f.bounded.shut = false
	if f.bounded.full {
		return nil
	}
	f.lobby.admit(b)
	if b.gate.IsOpen() {
		return nil
	}
	return b.gate.Drain(&gateMark)
}

// close lets goroutines go that wait, and returns what is in the queue. Any goroutine,
// once nobody runs the actor any more.
func (f *flow) close() (left *message) {
	f.lobby.mu.Lock()
	defer f.lobby.mu.Unlock()
	f.lobby.close()
	if q := f.bounded; q != nil {
		left, q.first, q.last = q.first, nil, nil
		q.full = false // or it could not be muted while it drains
	}
	return left
}

// behind tells whether senders to an actor whose gate is shut have to wait, or are turned
// away: the gate of one with a bound is always shut, and says nothing. Any goroutine.
func (b *body) behind() bool {
	if b.typ().bound.limit == 0 {
		return true
	}
	f := b.flow.Load()
	f.lobby.mu.Lock()
	defer f.lobby.mu.Unlock()
	return f.bounded.shut || f.bounded.full || f.lobby.room <= 0
}

// sendBounded delivers a message from the behaviour that runs to an actor with a bound.
func (c *Context) sendBounded(to *body, m *message) {
	r := replier{c: c, sys: c.sys}
	dropped, tell, err := to.flow.Load().put(to, c, m)
	if r.bounce(to, dropped); err != nil {
		r.deadLetter(to, m, err)
	} else if tell {
		to.callToLook(c)
	}
}

// callToLook makes the actor look into its queue. Should it have ended meanwhile, its end has
// emptied the queue.
func (b *body) callToLook(c *Context) {
	m := newOwn(c, lookID, 0)
	switch b.box.push(m) {
	case pushWoke:
		c.w.Schedule(&b.task)
	case pushClosed:
		c.recycle(m)
	}
}

// tryBounded delivers a message to an actor with a bound, from the behaviour that runs,
// or from outside if c is nil. If it returns an error the message is still the caller's.
func (b *body) tryBounded(c *Context, m *message) error {
	if c != nil {
		m.from = c.self.id
		dropped, tell, err := b.flow.Load().put(b, nil, m) // replies mute nobody
		replier{c: c, sys: b.sys()}.bounce(b, dropped)
		if tell {
			b.callToLook(c)
		}
		return err
	}
	b.sys().sched.Point()
	return b.fromOutside(func() (tell bool, err error) {
		dropped, tell, err := b.flow.Load().put(b, nil, m)
		if err == nil {
			b.sys().sim.bookUser(m)
		}
		replier{sys: b.sys()}.bounce(b, dropped)
		return tell, err
	})
}

// putPlaced delivers a message from outside whose sender has a place in the queue.
func (b *body) putPlaced(m *message) error {
	b.sys().sched.Point()
	f := b.flow.Load()
	err := b.fromOutside(func() (tell bool, err error) {
		if b.sys().refusing.Load() {
			return false, ErrSystemStopped
		}
		f.lobby.mu.Lock()
		if f.lobby.closed {
			f.lobby.mu.Unlock()
			return false, b.endedBecause()
		}
		b.sys().sim.book(1)
		dropped, tell := f.appendPlaced(m)
		f.lobby.mu.Unlock()
		replier{sys: b.sys()}.bounce(b, dropped)
		return tell, nil
	})
	if err != nil {
		f.lobby.giveBack(1, b)
	}
	return err
}

// bounce makes a dead letter of a message that had to make room for another, if there is one.
func (r replier) bounce(b *body, dropped *message) {
	if dropped != nil {
		r.deadLetter(b, dropped, ErrDropped)
	}
}

// fromOutside adds a message to the queue by put, from outside, and tells the actor. A
// hold keeps the system from being quiescent in between. If the system stops all the
// same, nobody runs the actor any more and nobody will: what is there is ours to bury.
func (b *body) fromOutside(put func() (tell bool, err error)) error {
	sys := b.sys()
	if !sys.sched.Hold() {
		return ErrSystemStopped
	}
	defer sys.sched.Release()
	tell, err := put()
	if !tell || b.deliver(newOwn(nil, lookID, 0)) != ErrSystemStopped {
		return err
	}
	replier{sys: sys}.deadLetters(b, b.flow.Load().close(), ErrSystemStopped)
	return nil
}

// trySendBounded is TrySend from the behaviour that runs.
func (b *body) trySendBounded(c *Context, m *message) error {
	f := b.flow.Load()
	if !f.lobby.tryEnter(b) {
		return ErrOverloaded
	}
	m.from = c.self.id
	f.lobby.mu.Lock()
	if f.lobby.closed {
		f.lobby.mu.Unlock()
		return b.endedBecause()
	}
	dropped, tell := f.appendPlaced(m)
	f.lobby.mu.Unlock()
	replier{c: c, sys: c.sys}.bounce(b, dropped)
	if tell {
		b.callToLook(c)
	}
	return nil
}

// look takes mail out of the queue that has come in while the actor did not look. Owner
// only, in a turn, which ends afterwards.
func (b *body) look(c *Context) {
	first, last, n := b.takeBounded(c)
	if n > 0 {
		c.putFront(first, last, n)
	}
}

// refill takes mail out for the next turn, or gives the actor up. Out of the mailbox and the
// queue in turns, so that neither waits for the other to be empty. Owner only, when all that
// was taken out has run.
func (b *body) refill(c *Context) (again bool) {
	q := b.flow.Load().bounded
	if q.ticked = !q.ticked && b.takeTicks(c); q.ticked {
		return true
	}
	first, _, n := b.takeBounded(c)
	if n == 0 {
		return b.doze(c)
	}
	b.in.fifo = first
	return true
}

// takeTicks takes out what has come in by the mailbox, and reports whether anything had.
// Owner only.
func (b *body) takeTicks(c *Context) (some bool) {
	spent, some := b.box.grab(&b.in)
	if spent != nil {
		c.recycle(spent)
	}
	return some
}

func (b *body) takeBounded(c *Context) (first, last *message, n int) {
	first, last, n, list := b.flow.Load().take(b, b.batch())
	release(replier{c: c, sys: b.sys()}, list)
	return first, last, n
}
