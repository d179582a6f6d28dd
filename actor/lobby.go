package actor

import (
	"context"

	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// outsideRoom is how many messages of SendWait and TrySend may wait for one actor at
// once, however late it comes to run them.
const outsideRoom = 4096

// roomStep is how many of these places one notice gives back.
const roomStep = outsideRoom / 2

// lobby is where goroutines wait that send to an actor from outside. There is room for so many
// messages; a goroutine that finds none, or finds the actor closed to it, waits in line. A place is
// given back when the message has run. For that the actor need not know which of its messages came
// this way: the goroutine that completes the n-th push, n a multiple of roomStep, pushes a notice
// behind it, and when the notice runs, all before it have run. In a bounded queue the room is the
// queue's.
//
//	L1 take a free place; if there is none, under mu: collect the free ones, and take
//	   one if nobody waits, or wait: the place comes with the token
//	L2 push the message
//	L3 count the push; each roomStep-th: push the notice
//	L4 the notice runs, under mu: give roomStep places to those who wait first, and
//	   set the others free
//
// At most outsideRoom messages wait: a place is given back only for a push that lies before the
// notice, hence ran before it. Nobody waits for ever. Suppose that all places were taken and
// nothing was on its way: then fewer than roomStep pushes would have no notice, yet all 2·roomStep
// places would be pushes without one. Nobody is overtaken: no place is free while somebody waits,
// because a goroutine that joins the line collects the free ones, and they are set free only when
// the line is empty. What is collected is not lost: its collector takes one, or waits and so leaves
// them to admit.
type lobby struct {
	free   seam.Int32  // places that anybody may take: none while somebody waits, and of a queue
	pushed seam.Uint32 // messages that had a place
	mu     seam.QuickMutex
	room   int       // guarded by mu: places to be given under mu, to those first in line; setFree moves them to free. Of a bounded queue: what is left of its limit, below 0 when over it
	wait   outsiders // guarded by mu: who has no place
	called outsiders // guarded by mu: who has one and was not told yet
	woken  bool      // guarded by mu: somebody was told, and has not told the next
	closed bool      // guarded by mu: the actor has ended
}

// outsider is a goroutine that waits.
type outsider struct {
	next, prev *outsider     // guarded by mu
	in         *outsiders    // guarded by mu: nil: it has been told
	token      chan struct{} // one, when it has a place or the actor has ended
}

// outsiders are a line of waiting goroutines. All is guarded by the lobby's mu.
type outsiders struct {
	first, last *outsider
}

// add puts o at the end.
func (q *outsiders) add(o *outsider) {
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
func (q *outsiders) remove(o *outsider) {
	if invariant.On {
		verifyOutsiders(q, o)
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

// enter takes a place at b, or joins the line and returns the place in it. Any goroutine.
func (l *lobby) enter(b *body) *outsider {
	if l.takeFree(b, toWait) {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.takeInTurn(b, toWait) {
		return nil
	}
	o := &outsider{token: make(chan struct{}, 1)}
	l.wait.add(o)
	return o
}

// tryEnter takes a place, or tells that there is none. Any goroutine.
func (l *lobby) tryEnter(b *body) bool {
	if l.takeFree(b, toTry) {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	ok := l.takeInTurn(b, toTry)
	l.setFree(b)
	return ok
}

// takeFree takes a place if there is a free one and b takes messages. Should b cease to in between,
// it gets one more message. Any goroutine.
func (l *lobby) takeFree(b *body, how entrance) bool {
	for n := l.free.Load(); n > 0 && b.open(how); n = l.free.Load() {
		if l.free.CompareAndSwap(n, n-1) {
			return true
		}
	}
	return false
}

// takeInTurn collects the free places, and takes one unless somebody waits. It asks under the lock
// whether b takes messages: the one that opens the gate looks at the line afterwards. After the
// actor's end there is no line: the push will say why. Caller holds mu.
func (l *lobby) takeInTurn(b *body, how entrance) bool {
	if l.closed {
		return true
	}
	l.room += int(l.free.Swap(0))
	if l.wait.first != nil || l.room <= 0 || !b.open(how) {
		return false
	}
	l.room--
	l.setFree(b)
	return true
}

// setFree lets anybody take the places for which nobody waits. Caller holds mu.
func (l *lobby) setFree(b *body) {
	if l.wait.first == nil && l.room > 0 && b.flow.Load().bounded == nil {
		l.free.Add(int32(l.room))
		l.room = 0
	}
}

// giveBack returns n places, first to those that wait. Any goroutine.
func (l *lobby) giveBack(n int, b *body) {
	l.mu.Lock()
	l.room += n
	l.admit(b)
	l.mu.Unlock()
}

// admit gives places to those that are first in line, and sets the others free. Caller holds mu.
func (l *lobby) admit(b *body) {
	for l.wait.first != nil && l.room > 0 && b.open(toWait) {
		l.room--
		o := l.wait.first
		l.wait.remove(o)
		l.called.add(o)
	}
	l.setFree(b)
	l.tell()
	if invariant.On {
		verifyPlaces(l, b)
	}
}

// tell wakes the first of those that have a place; that one wakes the next, and so on. Caller holds
// mu.
func (l *lobby) tell() {
	if o := l.called.first; o != nil && !l.woken {
		l.woken = true
		l.called.remove(o)
		o.token <- struct{}{} // has room
	}
}

// tellNext is the first thing that a goroutine does once it has been told.
func (l *lobby) tellNext() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.woken = false
	l.tell()
}

// quit takes o out of the lobby, and gives its place to others if it has one. Any
// goroutine.
func (l *lobby) quit(o *outsider, b *body) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch o.in {
	case nil:
		l.woken = false
		l.room++
	case &l.called:
		l.called.remove(o)
		l.room++
	default:
		l.wait.remove(o)
	}
	l.admit(b)
}

// close lets everybody go: the actor has ended. Caller holds mu.
func (l *lobby) close() {
	l.closed = true
	for _, q := range [...]*outsiders{&l.called, &l.wait} {
		for o := q.first; o != nil; o = q.first {
			q.remove(o)
			o.token <- struct{}{} // has room
		}
	}
}

// awaitPlace waits for a place. An error means that the caller has none. sys is the
// caller's system.
func (b *body) awaitPlace(ctx context.Context, sys *System) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l := &b.flowOf().lobby
	o := l.enter(b)
	if o == nil {
		return nil
	}
	if b.sys().sched.Current() != nil || sys != b.sys() && sys.sched.Current() != nil {
		l.quit(o, b)
		panic("gallop: SendWait called from a behaviour, which would keep its worker waiting: use Send")
	}
	b.sys().outsiders.Add(1)
	defer b.sys().outsiders.Add(-1)
	if b.sys().sched.Await(ctx, func() bool { return len(o.token) > 0 || b.sys().over.isDone() }) && !b.sys().over.isDone() {
		l.tellNext()
		return nil
	}
	select {
	case <-o.token:
		l.tellNext()
		return nil
	case <-ctx.Done():
		l.quit(o, b)
		return ctx.Err()
	case <-b.sys().over.done:
		l.quit(o, b)
		return ErrSystemStopped
	}
}

// entrance is what a goroutine does if it finds no place.
type entrance bool

const (
	toWait entrance = false // so it also waits until an actor in a back-off is up
	toTry  entrance = true
)

// open tells whether an actor takes messages from outside. One that has just spent its batch does,
// as long as no actor is muted for it: what comes from outside is bounded anyhow, and the actor
// would run dry each time before the goroutines that it keeps waiting are back. If the actor has a
// bound, the caller holds the lobby's lock.
func (b *body) open(how entrance) bool {
	f := b.flow.Load()
	if how == toWait && f.suspended.Load() != nil {
		return false
	}
	if q := f.bounded; q != nil {
		return !q.shut && !q.full
	}
	return b.gate.IsOpen() || f.lenient.Load() && !b.gate.Waited(&gateMark)
}

// letIn lets goroutines in after the gate was opened. Owner only.
func (f *flow) letIn(b *body) { f.lobby.giveBack(0, b) }

// pushPlaced pushes a message for which the caller has a place, from outside. If it
// fails the message is the caller's and the place is given back.
func (b *body) pushPlaced(m *message) error {
	if b.typ().bound.limit != 0 {
		return b.putPlaced(m)
	}
	l := &b.flow.Load().lobby
	if err := b.pushFromOutside(m); err != nil {
		l.giveBack(1, b)
		return err
	}
	if l.pushed.Add(1)%roomStep == 0 { // all pushes that it counts came before the notice
		_ = b.deliver(sent, newOwn(nil, roomID, 0)) // an error: nobody needs room any more
	}
	return nil
}

// makeRoom gives places back for messages that have run. If only such messages overload the actor,
// it has recovered: it would not recover while more come in, and an overloaded actor is never
// muted. Owner only.
func (b *body) makeRoom(c *Context) {
	f := b.flow.Load()
	c.left++ // a notice is none of the batch, so a message runs before that is spent again
	f.lobby.giveBack(roomStep, b)
	if f.lenient.Load() && !b.gate.Waited(&gateMark) {
		b.setLoad(c, b.load&^backpressure.Overloaded)
	}
}
