package actor

import (
	"math"

	"github.com/gallop-go/gallop/actor/internal/msg"
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
)

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
	// With OverflowMute: the queue was full, and half of it is not free yet, so it is not empty.
	// Guarded by the lock of permits.
	full bool

	// The messages from the front of the queue up to this one may not be dropped; nil: none are
	// known. Guarded by the lock of permits.
	passed *message
	// Guarded by the lock of permits: how many messages have left the queue.
	out uint64

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
	passed := first == q.passed
	for took < n && last.Next != nil {
		last, took = last.Next, took+1
		passed = passed || last == q.passed
	}
	if passed {
		q.passed = nil
	}
	if q.first = last.Next; q.first == nil {
		q.last = nil
	}
	last.Next = nil
	q.out += uint64(took)
	return first, last, took
}

// passedOut returns how many messages have left the queue of an actor with a bound, and how many are
// in it. Any goroutine.
func (f *flow) passedOut() (out, left uint64) {
	f.permits.Lock()
	defer f.permits.Unlock()
	return f.bounded.out, uint64(msg.Distance(f.bounded.first, nil))
}

// put adds m, or says why not. c is the sender's, nil outside. A message that the actor has asked
// for is added whatever room there is, and mutes no sender: what it asks for it bounds itself.
// dropped is another message, which had to make room. Any goroutine.
func (f *flow) put(to *cell, c *Context, m *message, asked bool) (dropped *message, tell bool,
	err error) {
	l, q := &f.permits, f.bounded
	l.Lock()
	defer l.Unlock()
	s := f.suspended.Load()
	switch {
	case l.Closed():
		return nil, false, to.endedBecause()
	case s != nil && s.refusesBounded(to, m):
		return nil, false, s.why
	case asked, l.Left() > 0:
	case q.overflow == OverflowDropOldest: // nothing may wait yet: see appendPermitted
		dropped = f.dropOldest(to)
	case s != nil:
		return nil, false, s.why
	case q.overflow != OverflowMute || c == nil:
		return nil, false, ErrOverloaded
	}
	l.Take()
	tell = q.append(m)
	q.full = q.full || q.overflow == OverflowMute && l.Left() <= 0
	if c != nil && !asked && s == nil && (q.full || q.shut) {
		c.muteFor(to)
	}
	return dropped, tell, nil
}

// dropOldest makes room by taking out the message that has waited longest, if there is one. What
// the actor has asked for stays: the search steps over each such message once, however often others
// have to make room. Caller holds mu.
func (f *flow) dropOldest(to *cell) (dropped *message) {
	q := f.bounded
	at := &q.first
	if q.passed != nil {
		at = &q.passed.Next
	}
	for *at != nil && to.hasAskedFor(*at) {
		q.passed, at = *at, &(*at).Next
	}
	if dropped = *at; dropped == nil {
		return nil
	}
	if *at = dropped.Next; *at == nil {
		q.last = q.passed
	}
	dropped.Next = nil
	q.out++
	f.permits.Return(1)
	return dropped
}

// hasAskedFor reports whether a message in a bounded queue is one that the actor has asked for.
// Caller holds mu.
func (a *cell) hasAskedFor(m *message) bool { return m.ID == systemID || a.isOutcome(m) }

// appendPermitted adds m, whose sender has a permit. With OverflowDropOldest others may have come
// in while senders on their way had all permits. Then more permits are given than there are, and
// the oldest message makes room now. Caller holds mu.
func (f *flow) appendPermitted(to *cell, m *message) (dropped *message, tell bool) {
	if f.bounded.overflow == OverflowDropOldest && f.permits.Left() < 0 {
		dropped = f.dropOldest(to)
	}
	return dropped, f.bounded.append(m)
}

// take takes up to n messages out, and makes room. If there are none, the next sender that adds one
// tells the actor. list has the senders that need to wait no more. Owner only.
func (f *flow) take(a *cell, n int) (first, last *message, took int,
	list *backpressure.Waiter[waiting]) {
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

// close lets goroutines that wait go, and returns what is in the queue. Any goroutine, once no
// worker runs the actor any more.
func (f *flow) close() (left *message) {
	f.permits.Lock()
	defer f.permits.Unlock()
	f.permits.Close()
	if q := f.bounded; q != nil {
		left, q.first, q.last, q.passed = q.first, nil, nil, nil
		q.full = false // or it could not be muted while it drains
	}
	return left
}

// isFullLocked reports whether senders to an actor with a bound have to wait, or are turned away.
// Caller holds mu.
func (f *flow) isFullLocked() bool {
	return f.bounded.shut || f.bounded.full || f.permits.Left() <= 0
}

// suspend publishes that the actor is in a back-off. Afterwards no sender waits for it because of
// its queue. Owner only.
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
	if isOwn(m.ID) || to.hasAskedFor(m) {
		return false
	}
	if d := to.typ().decls[m.ID]; d.caller != nil {
		return d.caller(m).state() != callerWaits
	}
	return s.refuses
}

// takeIf takes out what fits, keeps the rest in order, and makes room. list has the senders that
// need to wait no more, as in take. Owner only.
func (f *flow) takeIf(a *cell, fits func(m *message) bool) (out *message,
	list *backpressure.Waiter[waiting]) {
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
	q.out -= uint64(msg.Distance(q.first, nil)) // they have not left
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
		invariant.Check(l.Closed() || l.Left() <= q.limit, "%v has %d permits, of %d", a, l.Left(),
			q.limit)
	}
	l.Grant(a)
	return list
}

// verifyBoundedQueue checks a bounded queue. Caller holds mu.
func verifyBoundedQueue(q *boundedQueue) {
	invariant.Check((q.first == nil) == (q.last == nil), "a bounded queue with one end")
	invariant.Check(q.last == nil || q.last.Next == nil, "a bounded queue goes on behind its last")
	invariant.Check(q.first == nil || q.looking,
		"mail waits in a bounded queue, and the actor will not look")
	invariant.Check(!q.full || q.first != nil, "a bounded queue is empty, and mutes for being full")
	invariant.Check(!q.full || q.overflow == OverflowMute,
		"a bounded queue mutes for being full, and has policy %d", q.overflow)
}
