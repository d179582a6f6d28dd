package actor

import (
	"fmt"
	"math"

	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
)

// Overflow says what becomes of a message to an actor whose mailbox is at its bound.
type Overflow uint8

const (
	// OverflowMute takes the message in and mutes its sender until half of the mailbox is
	// free. The other two policies, and TrySend, are hard bounds; this one is not. The
	// mailbox exceeds its bound by what behaviours send that have met it, and without limit
	// by what is sent by those who are never muted: an actor that is overloaded or under
	// pressure itself, one that has supervised children, and the receiver. From outside of
	// behaviours, where nobody can be muted, OverflowMute refuses the message.
	OverflowMute Overflow = iota
	// OverflowRefuse makes a dead letter of the message, with ErrOverloaded.
	OverflowRefuse
	// OverflowDropOldest makes a dead letter, with ErrDropped, of the message that has
	// waited longest. The new message is not refused.
	OverflowDropOldest
)

// mailBound is a type's bound; zero: none.
type mailBound struct {
	limit    int
	overflow Overflow
}

// TypeBound bounds the mailbox of every actor of this type: at most limit messages wait
// for their turn, and overflow says what becomes of the others, of which OverflowMute
// takes in some. Besides these, up to a batch may have been taken out for the turn that
// runs. TypeBound panics if limit is less than 1 or overflow is none of the three.
//
//   - TrySend refuses at the bound, whatever overflow says. SendWait waits for room.
//     Ask does not: it returns ErrOverloaded at once.
//   - The actor is not overloaded for spending its batch, but while its queue is full or
//     it applies pressure. While it is muted it takes mail up to the bound.
//   - Ticks of timers and results of [Pipe] do not wait in the queue: they run behind
//     the messages that have been taken out of it, before those that are still in it.
//     Answers to [AskTo] do wait in the queue; one that finds it full is refused, or
//     drops another message, as any message would.
//   - Messages to the actor may hold no handles of package heap: if those of one of its
//     behaviours do, [Context.Heap] panics in it. The actor's state may hold handles.
//
// Sends to the actor take a lock, which costs one locked instruction more than other
// sends.
func TypeBound(limit int, overflow Overflow) TypeOption {
	if limit < 1 || overflow > OverflowDropOldest {
		panic(fmt.Sprintf("gallop: TypeBound(%d, %d): want at least 1, and OverflowMute, OverflowRefuse or OverflowDropOldest", limit, overflow))
	}
	return func(t *typeInfo) { t.bound = mailBound{limit: limit, overflow: overflow} }
}

// boundedQueue is where mail waits for an actor with a bound, in the place of its mailbox, through
// which only the runtime's own messages come. It is a lock and a list: a sender that drops the
// oldest message must be able to take it away from the actor, which no lock-free queue with one
// consumer allows. The lock of permits also guards entering the gate's wait list because of this
// queue: otherwise a sender could enter after the wait list was emptied.
//
// The gate of such an actor is shut for good, so that every sender comes by; shut and
// full say whether it has to wait.
type boundedQueue struct {
	limit       int      // read-only
	overflow    Overflow // read-only
	first, last *message // guarded by the lock of permits
	// Guarded by the lock of permits: the actor looks, or will: a look message is on its way, or it is
	// running.
	looking bool
	// Guarded by the lock of permits: the actor is under pressure, so senders must wait.
	shut bool
	// Guarded by the lock of permits: the actor is muted. Senders go on until the queue is full.
	muted bool
	// Guarded by the lock of permits: OverflowMute: it was full, and half of it is not free yet. Something
	// is in it.
	full bool

	// What came by the mailbox has had its turn, and the queue is next. Owner only.
	ticked bool
}

// append adds m and reports whether the actor has to be told. Caller holds mu.
func (q *boundedQueue) append(m *message) (tell bool) {
	if invariant.On {
		verifyBoundedQueue(q)
	}
	m.Next = nil
	if q.last == nil {
		q.first = m
	} else {
		q.last.Next = m
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
	for took < n && last.Next != nil {
		last, took = last.Next, took+1
	}
	if q.first = last.Next; q.first == nil {
		q.last = nil
	}
	last.Next = nil
	return first, last, took
}

// put adds m, or says why not. c is the sender's, nil outside. dropped is somebody
// else's message that had to make room. Any goroutine.
func (f *flow) put(to *cell, c *Context, m *message) (dropped *message, tell bool, err error) {
	l, q := &f.permits, f.bounded
	l.Lock()
	defer l.Unlock()
	s := f.suspended.Load()
	switch {
	case l.Closed():
		return nil, false, to.endedBecause()
	case s != nil && s.refusesBounded(to, m):
		return nil, false, s.why
	case l.Left() > 0:
	case q.overflow == OverflowDropOldest: // nothing may wait yet: see appendPermitted
		dropped = f.dropOldest()
	case s != nil:
		return nil, false, s.why
	case q.overflow != OverflowMute || c == nil:
		return nil, false, ErrOverloaded
	}
	l.Take()
	tell = q.append(m)
	q.full = q.full || q.overflow == OverflowMute && l.Left() <= 0
	if c != nil && s == nil && (q.full || q.shut) {
		c.muteFor(to)
	}
	return dropped, tell, nil
}

// dropOldest makes room by taking out the message that has waited longest, if there is one. Caller
// holds mu.
func (f *flow) dropOldest() (dropped *message) {
	dropped, _, took := f.bounded.pop(1)
	f.permits.Return(took)
	return dropped
}

// appendPermitted adds m, whose sender has a permit. With OverflowDropOldest others may have come in
// while senders on their way had all permits. Then more permits are given than there are, and the
// oldest message makes room now. Caller holds mu.
func (f *flow) appendPermitted(m *message) (dropped *message, tell bool) {
	if f.bounded.overflow == OverflowDropOldest && f.permits.Left() < 0 {
		dropped = f.dropOldest()
	}
	return dropped, f.bounded.append(m)
}

// take takes up to n messages out, and makes room. If there are none, the next sender that adds one
// tells the actor. list has the senders that need to wait no more. Owner only.
func (f *flow) take(a *cell, n int) (first, last *message, took int, list *backpressure.Waiter[waiting]) {
	l, q := &f.permits, f.bounded
	l.Lock()
	defer l.Unlock()
	first, last, took = q.pop(n)
	q.looking = took > 0
	l.Return(took)
	return first, last, took, f.recovered(a)
}

// shut notes why the actor's gate is shut: pressure makes senders wait whatever there is in the
// queue. It reports whether they had to already because the queue is full. Owner only.
func (f *flow) shut(l backpressure.Load) (full bool) {
	f.permits.Lock()
	defer f.permits.Unlock()
	f.bounded.shut, f.bounded.muted = l&backpressure.Pressed != 0, l&backpressure.Muted != 0
	return f.bounded.full
}

// unshut lets senders pass, unless the queue is full, and returns those that waited. It returns
// none if the actor drains: that has opened its gate for ever. Owner only.
func (f *flow) unshut(a *cell) *backpressure.Waiter[waiting] {
	f.permits.Lock()
	defer f.permits.Unlock()
	f.bounded.shut, f.bounded.muted = false, false
	if f.bounded.full {
		return nil
	}
	f.permits.Grant(a)
	if a.gate.IsOpen() {
		return nil
	}
	return a.gate.Drain(&gateMark)
}

// close lets goroutines that wait go, and returns what is in the queue. Any goroutine, once nobody
// runs the actor any more.
func (f *flow) close() (left *message) {
	f.permits.Lock()
	defer f.permits.Unlock()
	f.permits.Close()
	if q := f.bounded; q != nil {
		left, q.first, q.last = q.first, nil, nil
		q.full = false // or it could not be muted while it drains
	}
	return left
}

// behind reports whether an actor whose gate is shut does not keep up, or is muted: the gate of one
// with a bound is always shut, and says nothing. Any goroutine.
func (a *cell) behind() bool {
	if a.typ().bound.limit == 0 {
		return true
	}
	f := a.flow.Load()
	f.permits.Lock()
	defer f.permits.Unlock()
	return f.bounded.muted || f.isFullLocked()
}

// isFull reports whether senders to an actor with a bound have to wait, or are turned away. Any
// goroutine.
func (f *flow) isFull() bool {
	f.permits.Lock()
	defer f.permits.Unlock()
	return f.isFullLocked()
}

// isFullLocked is isFull. Caller holds mu.
func (f *flow) isFullLocked() bool { return f.bounded.shut || f.bounded.full || f.permits.Left() <= 0 }

// look takes mail out of the queue that has come in while the actor did not look. Owner
// only, in a turn, which ends afterwards.
func (a *cell) look(c *Context) {
	first, last, n := a.takeBounded(c)
	if n > 0 {
		c.putFront(first, last, n)
	}
}

// refill takes mail out for the next turn, or gives the actor up. It takes from the mailbox and the
// queue in turn, so that neither waits for the other to be empty. Owner only, when all that was
// taken out has run.
func (a *cell) refill(c *Context) (again bool) {
	q := a.flow.Load().bounded
	if q.ticked = !q.ticked && a.takeTicks(c); q.ticked {
		return true
	}
	first, _, n := a.takeBounded(c)
	if n == 0 {
		return a.goIdle(c)
	}
	a.in.SetPending(first)
	return true
}

// takeTicks takes out what has come in by the mailbox, and reports whether anything had.
// Owner only.
func (a *cell) takeTicks(c *Context) (some bool) {
	stub, some := a.box.Drain(&a.in)
	if stub != nil {
		c.recycle(stub)
	}
	return some
}

func (a *cell) takeBounded(c *Context) (first, last *message, n int) {
	first, last, n, list := a.flow.Load().take(a, a.batch())
	release(c, list)
	return first, last, n
}

// suspend publishes that the actor is in a back-off. Afterwards nobody waits for it because of its
// queue. Owner only.
func (f *flow) suspend(s *suspension) {
	f.permits.Lock()
	defer f.permits.Unlock()
	f.suspended.Store(s)
	if f.bounded != nil {
		f.bounded.full = false
	}
}

// refusesBounded reports whether m is refused whatever room there is in the queue of to, which is
// in a back-off. Any goroutine that owns m.
func (s *suspension) refusesBounded(to *cell, m *message) bool {
	if isOwn(m.ID) || m.ID == systemID {
		return false
	}
	if d := to.typ().decls[m.ID]; d.caller != nil {
		return d.caller(m).state() != callerWaits
	}
	return s.refuses
}

// takeIf takes out what fits, keeps the rest in order, and makes room. list has the senders that
// need to wait no more, as in take. Owner only.
func (f *flow) takeIf(a *cell, fits func(m *message) bool) (out *message, list *backpressure.Waiter[waiting]) {
	l, q := &f.permits, f.bounded
	l.Lock()
	defer l.Unlock()
	var taken, kept messageList
	all, _, _ := q.pop(math.MaxInt)
	for all != nil {
		m := all
		all, m.Next = m.Next, nil
		if fits(m) {
			taken.Add(m)
			l.Return(1)
		} else {
			kept.Add(m)
		}
	}
	q.first, q.last = kept.First, kept.Last
	return taken.All(), f.recovered(a)
}

// recovered lets in those for whom there is room again. It returns the senders that need to wait no
// more because the queue is not full any more. Caller holds mu. Owner only.
func (f *flow) recovered(a *cell) (list *backpressure.Waiter[waiting]) {
	l, q := &f.permits, f.bounded
	// Permits that were given and not used would keep it full.
	if q.full && (q.first == nil || l.Left() >= q.limit-q.limit/2) {
		q.full = false
		if !q.shut {
			list = a.gate.Drain(&gateMark)
		}
	}
	if invariant.On {
		invariant.Check(l.Closed() || l.Left() <= q.limit, "%v has %d permits, of %d", a, l.Left(), q.limit)
	}
	l.Grant(a)
	return list
}

// verifyBoundedQueue checks a bounded queue. Caller holds mu.
func verifyBoundedQueue(q *boundedQueue) {
	invariant.Check((q.first == nil) == (q.last == nil), "a bounded queue with one end")
	invariant.Check(q.last == nil || q.last.Next == nil, "a bounded queue goes on behind its last")
	invariant.Check(q.first == nil || q.looking, "mail waits in a bounded queue, and the actor will not look")
	invariant.Check(!q.full || q.first != nil, "a bounded queue is empty, and mutes for being full")
	invariant.Check(!q.full || q.overflow == OverflowMute, "a bounded queue mutes for being full, and has policy %d", q.overflow)
}
