package actor

import (
	"context"

	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// maxPermits is how many messages of SendWait and TrySend may wait for one actor at
// once, however late it comes to run them.
const maxPermits = 4096

// permitStep is how many of these places one notice gives back.
const permitStep = maxPermits / 2

// semaphore is where goroutines wait that send to an actor from outside. There is room for so many
// messages; a goroutine that finds none, or finds the actor closed to it, waits in line. A place is
// given back when the message has run. For that the actor need not know which of its messages came
// this way: the goroutine that completes the n-th push, n a multiple of permitStep, pushes a notice
// behind it, and when the notice runs, all before it have run. In a bounded queue the room is the
// queue's.
//
//	L1 take a free place; if there is none, under mu: collect the free ones, and take
//	   one if nobody waits, or wait: the place comes with the token
//	L2 push the message
//	L3 count the push; each permitStep-th: push the notice
//	L4 the notice runs, under mu: give permitStep places to those who wait first, and
//	   set the others free
//
// At most maxPermits messages wait: a place is given back only for a push that lies before the
// notice, hence ran before it. Nobody waits for ever. Suppose that all places were taken and
// nothing was on its way: then fewer than permitStep pushes would have no notice, yet all
// 2·permitStep places would be pushes without one. Nobody is overtaken: no place is free while
// somebody waits, because a goroutine that joins the line collects the free ones, and they are set
// free only when the line is empty. What is collected is not lost: its collector takes one, or
// waits and so leaves them to admit.
type semaphore struct {
	// Places that anybody may take: none while somebody waits, and of a queue.
	free   seam.Int32
	pushed seam.Uint32 // messages that had a place
	mu     seam.QuickMutex
	// Guarded by mu: places to be given under mu, to those first in line; setFree moves them to
	// free. Of a bounded queue: what is left of its limit, below 0 when over it.
	permits int
	wait    semWaiters // guarded by mu: who has no place
	called  semWaiters // guarded by mu: who has one and was not told yet
	woken   bool       // guarded by mu: somebody was told, and has not told the next
	closed  bool       // guarded by mu: the actor has ended
}

// waiter is a goroutine that waits.
type semWaiter struct {
	next, prev *semWaiter    // guarded by mu
	in         *semWaiters   // guarded by mu: nil: it has been told
	token      chan struct{} // one, when it has a place or the actor has ended
}

// waiters are a line of waiting goroutines. All is guarded by the semaphore's mu.
type semWaiters struct {
	first, last *semWaiter
}

// add puts o at the end.
func (q *semWaiters) add(o *semWaiter) {
	if invariant.On {
		verifyJoin(q, o)
	}
	o.in, o.prev, o.next = q, q.last, nil
	if q.last == nil {
		q.first = o
	} else {
		q.last.next = o
	}
	q.last = o
}

// remove takes o out of the line.
func (q *semWaiters) remove(o *semWaiter) {
	if invariant.On {
		verifySemWaiters(q, o)
	}
	if o.prev == nil {
		q.first = o.next
	} else {
		o.prev.next = o.next
	}
	if o.next == nil {
		q.last = o.prev
	} else {
		o.next.prev = o.prev
	}
	o.next, o.prev, o.in = nil, nil, nil
}

// acquire takes a place at b, or joins the line and returns the place in it. Any goroutine.
func (l *semaphore) acquire(a *cell) *semWaiter {
	if l.takeFree(a, toWait) {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.takeInTurn(a, toWait) {
		return nil
	}
	o := &semWaiter{token: make(chan struct{}, 1)}
	l.wait.add(o)
	return o
}

// tryAcquire takes a place, or tells that there is none. Any goroutine.
func (l *semaphore) tryAcquire(a *cell) bool {
	if l.takeFree(a, toTry) {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	ok := l.takeInTurn(a, toTry)
	l.setFree(a)
	return ok
}

// takeFree takes a place if there is a free one and b takes messages. Should b cease to in between,
// it gets one more message. Any goroutine.
func (l *semaphore) takeFree(a *cell, how entrance) bool {
	for n := l.free.Load(); n > 0 && a.open(how); n = l.free.Load() {
		if l.free.CompareAndSwap(n, n-1) {
			return true
		}
	}
	return false
}

// takeInTurn collects the free places, and takes one unless somebody waits. It asks under the lock
// whether b takes messages: the one that opens the gate looks at the line afterwards. After the
// actor's end there is no line: the push will say why. Caller holds mu.
func (l *semaphore) takeInTurn(a *cell, how entrance) bool {
	if l.closed {
		return true
	}
	l.permits += int(l.free.Swap(0))
	if l.wait.first != nil || l.permits <= 0 || !a.open(how) {
		return false
	}
	l.permits--
	l.setFree(a)
	return true
}

// setFree lets anybody take the places for which nobody waits. Caller holds mu.
func (l *semaphore) setFree(a *cell) {
	if l.wait.first == nil && l.permits > 0 && a.flow.Load().bounded == nil {
		l.free.Add(int32(l.permits))
		l.permits = 0
	}
}

// release returns n places, first to those that wait. Any goroutine.
func (l *semaphore) release(n int, a *cell) {
	l.mu.Lock()
	l.permits += n
	l.grant(a)
	l.mu.Unlock()
}

// grant gives places to those that are first in line, and sets the others free. Caller holds mu.
func (l *semaphore) grant(a *cell) {
	for l.wait.first != nil && l.permits > 0 && a.open(toWait) {
		l.permits--
		o := l.wait.first
		l.wait.remove(o)
		l.called.add(o)
	}
	l.setFree(a)
	l.wakeFirst()
	if invariant.On {
		verifyPermits(l, a)
	}
}

// wakeFirst wakes the first of those that have a place; that one wakes the next, and so on. Caller
// holds mu.
func (l *semaphore) wakeFirst() {
	if o := l.called.first; o != nil && !l.woken {
		l.woken = true
		l.called.remove(o)
		o.token <- struct{}{} // has room
	}
}

// wakeNext is the first thing that a goroutine does once it has been told.
func (l *semaphore) wakeNext() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.woken = false
	l.wakeFirst()
}

// cancel takes o out of the semaphore, and gives its place to others if it has one. Any
// goroutine.
func (l *semaphore) cancel(o *semWaiter, a *cell) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch o.in {
	case nil:
		l.woken = false
		l.permits++
	case &l.called:
		l.called.remove(o)
		l.permits++
	default:
		l.wait.remove(o)
	}
	l.grant(a)
}

// close lets everybody go: the actor has ended. Caller holds mu.
func (l *semaphore) close() {
	l.closed = true
	for _, q := range [...]*semWaiters{&l.called, &l.wait} {
		for o := q.first; o != nil; o = q.first {
			q.remove(o)
			o.token <- struct{}{} // has room
		}
	}
}

// acquirePermit waits for a place. An error means that the caller has none. sys is the
// caller's system.
func (a *cell) acquirePermit(ctx context.Context, sys *System) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l := &a.flowOf().permits
	o := l.acquire(a)
	if o == nil {
		return nil
	}
	if a.sys().sched.Current() != nil || sys != a.sys() && sys.sched.Current() != nil {
		l.cancel(o, a)
		panic("gallop: SendWait called from a behaviour, which would keep its worker waiting: use Send")
	}
	a.sys().outsiders.Add(1)
	defer a.sys().outsiders.Add(-1)
	if a.sys().sched.Await(ctx, func() bool { return len(o.token) > 0 || a.sys().done.isDone() }) && !a.sys().done.isDone() {
		l.wakeNext()
		return nil
	}
	select {
	case <-o.token:
		l.wakeNext()
		return nil
	case <-ctx.Done():
		l.cancel(o, a)
		return ctx.Err()
	case <-a.sys().done.done:
		l.cancel(o, a)
		return ErrSystemStopped
	}
}

// entrance is what a goroutine does if it finds no place.
type entrance bool

const (
	toWait entrance = false // so it also waits until an actor in a back-off is up
	toTry  entrance = true
)

// open reports whether an actor takes messages from outside. One that is only muted does, until its
// mailbox has passed the watermark. One that has just spent its batch does,
// as long as no actor is muted for it: what comes from outside is bounded anyhow, and the actor
// would run dry each time before the goroutines that it keeps waiting are back. If the actor has a
// bound, the caller holds the semaphore's lock.
func (a *cell) open(how entrance) bool {
	f := a.flow.Load()
	if how == toWait && f.suspended.Load() != nil {
		return false
	}
	if q := f.bounded; q != nil {
		return !q.shut && !q.full
	}
	return a.gate.IsOpen() || f.batchOnly.Load() && !a.gate.Waited(&gateMark) || a.wouldPassAjar()
}

// admit lets goroutines in after the gate was opened. Owner only.
func (f *flow) admit(a *cell) { f.permits.release(0, a) }

// pushPermitted pushes a message for which the caller has a place, from outside. If it
// fails the message is the caller's and the place is given back.
func (a *cell) pushPermitted(m *message) error {
	if a.typ().bound.limit != 0 {
		return a.putPermitted(m)
	}
	l := &a.flow.Load().permits
	if err := a.pushFromOutside(m); err != nil {
		l.release(1, a)
		return err
	}
	if l.pushed.Add(1)%permitStep == 0 { // all pushes that it counts came before the notice
		_ = a.deliver(sent, newOwn(nil, permitID, 0)) // an error: nobody needs room any more
	}
	return nil
}

// returnPermits gives places back for messages that have run. If only such messages overload the
// actor, it has recovered: it would not recover while more come in, and an overloaded actor is
// never muted. Owner only.
func (a *cell) returnPermits(c *Context) {
	f := a.flow.Load()
	// A notice is none of the batch, so a message runs before that is spent again.
	c.left++
	f.permits.release(permitStep, a)
	if f.batchOnly.Load() && !a.gate.Waited(&gateMark) {
		a.setLoad(c, a.load&^backpressure.Overloaded)
	}
}
