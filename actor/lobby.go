package actor

import (
	"context"

	"github.com/gallop-go/gallop/internal/seam"
)

// outsideRoom is how many messages of SendWait and TrySend may wait for one actor at
// once, however late it comes to run them.
const outsideRoom = 1024

// roomStep is how many of them a notice stands for that makes room again.
const roomStep = outsideRoom / 2

// lobby is where goroutines wait that send to an actor from outside. There is room for
// so many messages; who finds none, or finds the gate shut, waits in line. A place is
// given back when the message has run. For that the actor need not know which of its
// messages came this way: whoever completes the n-th push, n a multiple of roomStep,
// pushes a notice behind it, and when the notice runs all before it have. In a bounded
// queue the room is the queue's.
//
//	L1 take a place (under mu), or wait: the place comes with the token
//	L2 push the message
//	L3 count the push; each roomStep-th: push the notice
//	L4 the notice runs: give roomStep places back, to those who wait first
//
// At most outsideRoom messages wait: a place is given back only for a push that lies
// before the notice, hence ran before it. Nobody waits for ever: were all places taken
// and nothing on its way, less than roomStep pushes would have no notice, yet all
// 2·roomStep places were pushes without.
type lobby struct {
	mu     seam.Mutex
	room   int       // guarded by mu: places left; below 0 when a queue is over its limit
	first  *outsider // guarded by mu: who waits, oldest first
	last   *outsider // guarded by mu
	closed bool      // guarded by mu: the actor has ended
	pushed seam.Uint32
}

// outsider is a goroutine that waits. It belongs to the lobby while in is set.
type outsider struct {
	next, prev *outsider     // guarded by mu
	in         bool          // guarded by mu
	token      chan struct{} // one, when it has a place or the actor has ended
}

// enter takes a place at b, or joins the line and returns the place in it. Whether b
// takes messages is asked under the lock: whoever opens the gate
// looks at the line afterwards. Any goroutine.
func (l *lobby) enter(b *body) *outsider {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil // the push will say why
	}
	if l.first == nil && l.room > 0 && b.open() {
		l.room--
		return nil
	}
	o := &outsider{token: make(chan struct{}, 1), in: true, prev: l.last}
	if l.last == nil {
		l.first = o
	} else {
		l.last.next = o
	}
	l.last = o
	return o
}

// tryEnter takes a place, or tells that there is none. Any goroutine.
func (l *lobby) tryEnter(b *body) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return true
	}
	if l.first != nil || l.room <= 0 || !b.open() {
		return false
	}
	l.room--
	return true
}

// leave takes o out of the line, and reports whether it was still in it: if not it has
// a place. Any goroutine.
func (l *lobby) leave(o *outsider) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !o.in {
		return false
	}
	l.unlink(o)
	return true
}

// unlink takes o out of the line. Caller holds mu.
func (l *lobby) unlink(o *outsider) {
	if o.prev == nil {
		l.first = o.next
	} else {
		o.prev.next = o.next
	}
	if o.next == nil {
		l.last = o.prev
	} else {
		o.next.prev = o.prev
	}
	o.next, o.prev, o.in = nil, nil, false
}

// giveBack returns n places, and lets those in who are first in line. Any goroutine.
func (l *lobby) giveBack(n int, b *body) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.room += n
	l.admit(b)
}

// admit gives places to those who are first in line. Caller holds mu.
func (l *lobby) admit(b *body) {
	for l.first != nil && l.room > 0 && b.open() {
		l.room--
		l.grant(l.first)
	}
}

// grant gives o its token. Caller holds mu.
func (l *lobby) grant(o *outsider) {
	l.unlink(o)
	o.token <- struct{}{} // has room
}

// close lets everybody go: the actor has ended. Caller holds mu.
func (l *lobby) close() {
	l.closed = true
	for l.first != nil {
		l.grant(l.first)
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
		b.forgo(o)
		panic("gallop: SendWait called from a behaviour, which would keep its worker waiting: use Send")
	}
	if b.sys().sched.Await(ctx, func() bool { return len(o.token) > 0 || b.sys().over.isDone() }) && !b.sys().over.isDone() {
		return nil
	}
	select {
	case <-o.token:
		return nil
	case <-ctx.Done():
		b.forgo(o)
		return ctx.Err()
	case <-b.sys().over.done:
		b.forgo(o)
		return ErrSystemStopped
	}
}

// forgo leaves the line, or gives the place back that has come meanwhile.
func (b *body) forgo(o *outsider) {
	l := &b.flow.Load().lobby
	if !l.leave(o) {
		l.giveBack(1, b)
	}
}

// open tells whether an actor takes messages from outside. For one with a bound, the
// caller holds the lobby's lock.
func (b *body) open() bool {
	if b.typ().bound.limit != 0 {
		q := b.flow.Load().bounded
		return !q.shut && !q.full
	}
	return b.gate.IsOpen()
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
		_ = b.deliver(newOwn(nil, roomID, 0)) // an error: nobody needs room any more
	}
	return nil
}

// makeRoom gives places back for messages that have run. Owner only.
func (b *body) makeRoom() { b.flow.Load().lobby.giveBack(roomStep, b) }
