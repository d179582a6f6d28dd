package actor

import (
	"sync"
	"time"

	"github.com/gallop-go/gallop/internal/invariant"
)

// A behaviour that blocks and says so has given its slot up, so the scheduler's monitor, which
// looks at slots, does not see how long that takes. This list sees it.
//
// The calls of Blocking that go on are linked in the order in which they began, so the first is the
// oldest, and a timer looks at no others. The timer is not stopped when a call is over: it expires
// once in the time of LongTurn, however often behaviours block, and rests when none does. All
// workers share the lock; they hold it for some ten nanoseconds, and a call of Blocking changes
// other words that all share anyway.
//
// Rejected: a timer for each worker, without a lock that is shared. With ten thousand blocked
// behaviours the timers cost as much as the workers: 5 µs each, in a heap, and then a goroutine for
// each of them to expire in.
type blockedCalls struct {
	mu          sync.Mutex
	first, last *blockedCall // guarded by mu
	set         bool         // guarded by mu: the timer is to expire
	timer       *time.Timer  // guarded by mu; nil: it was never needed
	ended       bool         // guarded by mu
}

// blockedCall is a worker's call of Blocking. Guarded by the mu of the list.
type blockedCall struct {
	prev, next *blockedCall
	c          *Context // whose it is, while it goes on; otherwise nil
	listed     bool
	began      int64  // by the system's clock, ns
	number     uint64 // of the worker's calls
	at         doing  // whose behaviour it is
}

// begin enters a call of c's behaviour, at the time now. Owner of c only, in a turn.
func (l *blockedCalls) begin(c *Context, now int64) {
	at, k := c.peek(c.w.Task()), &c.call
	l.mu.Lock()
	defer l.mu.Unlock()
	k.c, k.began, k.at = c, now, at
	k.number++
	l.append(k)
	if !l.set {
		l.expireIn(c.sys, c.sys.opts.longTurn)
	}
}

// end removes the call. Owner of c only, in a turn.
func (l *blockedCalls) end(c *Context) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remove(&c.call)
	c.call.c, c.call.at = nil, doing{}
}

// append puts k behind all others. Caller holds mu.
func (l *blockedCalls) append(k *blockedCall) {
	if invariant.On {
		verifyBlockedCall(k)
	}
	k.prev, k.listed = l.last, true
	if l.last == nil {
		l.first = k
	} else {
		l.last.next = k
	}
	l.last = k
}

// remove takes k out, if it is in. Caller holds mu.
func (l *blockedCalls) remove(k *blockedCall) {
	if !k.listed {
		return
	}
	if k.prev == nil {
		l.first = k.next
	} else {
		k.prev.next = k.next
	}
	if k.next == nil {
		l.last = k.prev
	} else {
		k.next.prev = k.prev
	}
	k.prev, k.next, k.listed = nil, nil, false
}

// expireIn sets the timer. Caller holds mu.
func (l *blockedCalls) expireIn(s *System, d time.Duration) {
	switch {
	case l.ended:
		return
	case l.timer == nil:
		l.timer = time.AfterFunc(d, func() { l.expired(s) })
	default:
		l.timer.Reset(d)
	}
	l.set = true
}

// stop stops the timer for good: the system has ended, and is not to be kept by it.
func (l *blockedCalls) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	if l.timer != nil {
		l.timer.Stop()
	}
}

// expired reports the calls that have lasted for long, and looks again when the next one will have.
// It runs in the timer's goroutine.
func (l *blockedCalls) expired(s *System) {
	for {
		l.mu.Lock()
		k := l.first
		if k == nil {
			l.set = false
			l.mu.Unlock()
			return
		}
		age := time.Duration(s.opts.clock.Nanos() - k.began)
		if age < s.opts.longTurn {
			l.expireIn(s, max(s.opts.longTurn-age, time.Millisecond))
			l.mu.Unlock()
			return
		}
		l.remove(k) // it is reported once
		c, at, number := k.c, k.at, k.number
		l.mu.Unlock()
		s.report(c.w, at, age, true, func() bool { return l.goesOn(c, number) })
	}
}

// goesOn reports whether a call of c's worker still goes on: the one with that number. Any
// goroutine.
func (l *blockedCalls) goesOn(c *Context, number uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return c.call.c != nil && c.call.number == number
}

// has reports whether c's worker is in a call. Any goroutine.
func (l *blockedCalls) has(c *Context) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return c.call.c != nil
}

// verifyBlockedCall checks a call of Blocking that begins. Caller holds mu.
func verifyBlockedCall(k *blockedCall) {
	invariant.Check(!k.listed && k.prev == nil && k.next == nil, "a call of Blocking begins within another of worker %d", k.c.w.ID())
}
