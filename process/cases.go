package process

import (
	"context"
	"time"

	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/seam"
)

// noLock is embedded in cases without a lock.
type noLock struct{}

func (noLock) begin(*party)  {}
func (noLock) order() uint64 { return 0 }
func (noLock) lock()         {}
func (noLock) unlock()       {}
func (noLock) foreign() bool { return false }
func (noLock) finish(bool)   {}

func (noLock) waits() (op, uint64) { return opReceive, 0 }

// twice is the misuse of a case in two places at a time.
const twice = "Select: a case is used twice at a time: each party needs one of its own"

// enterPlace enters a party that waits by a case. The lock of the list is held.
func enterPlace(l *list[*party], e *entry[*party], pt *party) {
	must(e.in == nil, twice)
	e.of = pt
	l.push(e)
}

// leavePlace takes enterPlace back. The lock of the list is held.
func leavePlace(l *list[*party], e *entry[*party], pt *party) {
	if e.of == pt {
		l.remove(e)
	}
}

// user is the party that waits by a case which has no lock. A case is of one party at a time.
type user struct{ pt seam.Pointer[party] }

func (u *user) begin(*party) { must(u.pt.Load() == nil, twice) }

func (u *user) enroll(pt *party) { must(u.pt.CompareAndSwap(nil, pt), twice) }

// withdraw takes enroll back, and reports whether it was the party that was enrolled.
func (u *user) withdraw(pt *party) bool { return u.pt.CompareAndSwap(pt, nil) }

// chanCase is the common part of the two cases of channels.
type chanCase[T any] struct {
	c *Chan[T]
	w waiter[T]
	// 1 while a party has the case, and w with it: from when it enrolls, or finds the case ready, until
	// it withdraws or finishes. The party stores 1 under the lock of c, and 0 with or without it.
	taken seam.Flag
}

func (k *chanCase[T]) begin(*party) {}

// mustBeFree panics if a party has the case. The lock is held.
func (k *chanCase[T]) mustBeFree() { must(k.taken.Load() == 0, twice) }

// take gives the case to a party. The lock is held.
func (k *chanCase[T]) take(pt *party) {
	k.taken.StoreRelease(1) // pairs with the load of the next one
	k.w.pt = pt
}

// giveBack ends take, unless the case was chosen: that one is given back when it has finished. It
// reports whether the party had the case. Caller holds the lock.
func (k *chanCase[T]) giveBack(pt *party) (was bool) {
	if k.c == nil || k.taken.Load() == 0 || k.w.pt != pt {
		return false
	}
	if pt.won.Load() != k.w.ticket {
		k.taken.StoreRelease(0)
	}
	return true
}

func (k *chanCase[T]) order() uint64 {
	if k.c == nil {
		return 0
	}
	return k.c.id
}

func (k *chanCase[T]) lock()   { k.c.mu.Lock() }
func (k *chanCase[T]) unlock() { k.c.mu.Unlock() }

func (k *chanCase[T]) foreign() bool { return false }

// join enters the case's waiter in a queue.
func (k *chanCase[T]) join(q *waitQueue[T], pt *party, ticket uint32) {
	k.mustBeFree()
	k.take(pt)
	k.w.ticket = ticket
	q.push(&k.w)
}

type sendCase[T any] struct {
	chanCase[T]
	v *T
}

func (k *sendCase[T]) waits() (op, uint64) { return opSend, 0 }

// SendTo is the case that *v can be sent to c, and sends it. v is read when the case is looked at.
// If c is closed, Select panics. With a nil c, the case is never ready.
func SendTo[T any](c *Chan[T], v *T) Case {
	must(v != nil, "SendTo: v is nil")
	return &sendCase[T]{chanCase[T]{c: c}, v}
}

func (k *sendCase[T]) poll(pt *party) (wake *party, ok bool) {
	if k.c == nil {
		return nil, false
	}
	k.mustBeFree()
	wake, r := k.c.trySend(*k.v)
	if r == wouldWait {
		return nil, false
	}
	k.take(pt)
	k.w.ok = r == done
	return wake, true
}

func (k *sendCase[T]) enroll(pt *party, ticket uint32) uint32 {
	if k.c != nil {
		k.join(&k.c.senders, pt, ticket)
		k.w.v = *k.v
	}
	return 0
}

func (k *sendCase[T]) withdraw(pt *party) {
	if k.giveBack(pt) {
		k.c.senders.remove(&k.w)
		var zero T
		k.w.v = zero
	}
}

func (k *sendCase[T]) finish(bool) {
	ok := k.w.ok
	if k.taken.StoreRelease(0); !ok {
		misuse("Select: send on a closed channel")
	}
}

type recvCase[T any] struct {
	chanCase[T]
	v  *T
	ok *bool
}

func (k *recvCase[T]) waits() (op, uint64) { return opRecv, 0 }

// RecvFrom is the case that c has a value or is closed; it receives into *v and *ok, which are as
// with [Chan.Recv]. Each of them may be nil. With a nil c, the case is never ready.
func RecvFrom[T any](c *Chan[T], v *T, ok *bool) Case {
	return &recvCase[T]{chanCase[T]{c: c}, v, ok}
}

func (k *recvCase[T]) poll(pt *party) (wake *party, ok bool) {
	if k.c == nil {
		return nil, false
	}
	k.mustBeFree()
	v, wake, r := k.c.tryRecv()
	if r == wouldWait {
		return nil, false
	}
	k.take(pt)
	pt.more = k.c.n.Load() > 0
	k.w.v, k.w.ok = v, r == done
	return wake, true
}

func (k *recvCase[T]) enroll(pt *party, ticket uint32) uint32 {
	if k.c != nil {
		k.join(&k.c.receivers, pt, ticket)
	}
	return 0
}

func (k *recvCase[T]) withdraw(pt *party) {
	if k.giveBack(pt) {
		k.c.receivers.remove(&k.w)
	}
}

func (k *recvCase[T]) finish(bool) {
	var zero T
	if k.v != nil {
		*k.v = k.w.v
	}
	if k.ok != nil {
		*k.ok = k.w.ok
	}
	k.w.v = zero
	k.taken.StoreRelease(0)
}

type afterCase struct {
	noLock
	user user
	d    time.Duration
	t    *timer
}

// After is the case that d has passed since Select was called, by the clock of the party's system.
// With a d of 0 or less it is ready at once.
func After(d time.Duration) Case { return &afterCase{d: d} }

func (k *afterCase) waits() (op, uint64) { return opSleep, 0 }

func (k *afterCase) begin(pt *party) {
	k.user.begin(pt)
	k.t = nil
}

func (k *afterCase) poll(*party) (*party, bool) {
	return nil, k.d <= 0 || k.t != nil && k.t.fired.Load()
}

// enroll arms a timer: for the rest of the time, if this is not the first wait of the Select.
func (k *afterCase) enroll(pt *party, _ uint32) uint32 {
	k.user.enroll(pt)
	d := k.d
	if k.t != nil {
		d = max(1, time.Duration(k.t.at-pt.sys.clock.Nanos()))
	}
	k.t = pt.sys.timers.arm(pt, d)
	return 0
}

func (k *afterCase) withdraw(pt *party) {
	if k.user.withdraw(pt) {
		pt.sys.timers.disarm(k.t)
	}
}

type doneCase struct {
	noLock
	user user
	ctx  context.Context
	done <-chan struct{} // of ctx, once a party has enrolled
	stop func() bool
}

// Done is the case that ctx has ended. A context that ends by the machine's clock does not keep a
// system from being quiet. A method of ctx must not use the party, which panics.
func Done(ctx context.Context) Case {
	must(guard.IsContext(ctx), "Done: the context is nil")
	return &doneCase{ctx: ctx}
}

func (k *doneCase) foreign() bool       { return true }
func (k *doneCase) waits() (op, uint64) { return opContext, 0 }

func (k *doneCase) poll(pt *party) (*party, bool) {
	defer pt.takeBack(pt.lend(inContext))
	if k.ctx.Err() != nil {
		return nil, true
	}
	select {
	case <-k.done: // a context of the user's may end without an error
		return nil, true
	default:
		return nil, false
	}
}

// enroll has the party woken when ctx ends. Package context would panic in a goroutine of its own if a
// method of ctx panics there, or if ctx ends without an error. So it is given a guarded one, and ctx's own
// AfterFunc, if it has one, is called here.
func (k *doneCase) enroll(pt *party, _ uint32) uint32 {
	k.user.enroll(pt)
	k.stop = nil // AfterFunc may panic
	defer pt.takeBack(pt.lend(inContext))
	k.done = k.ctx.Done()
	wake := func() { pt.wake(nil, pt.sys) }
	if a, ok := k.ctx.(interface {
		AfterFunc(f func()) (stop func() bool)
	}); ok {
		k.stop = a.AfterFunc(wake)
	} else {
		k.stop = context.AfterFunc(guard.Guarded(k.ctx), wake)
	}
	return 0
}

func (k *doneCase) withdraw(pt *party) {
	if k.user.withdraw(pt) && k.stop != nil {
		defer pt.takeBack(pt.lend(inContext))
		k.stop()
	}
}

type endedCase struct {
	noLock
	p      *Proc
	reason *error
	place  entry[*party]
}

// Done is the case that the process has ended; *reason, if not nil, is then why.
func (r Process) Done(reason *error) Case {
	r.mustBe("Done")
	return &endedCase{p: r.p, reason: reason}
}

func (k *endedCase) waits() (op, uint64) { return opEnd, k.p.id }

func (k *endedCase) poll(*party) (*party, bool) {
	l := k.p.life.Load()
	return nil, l != nil && l.isEnded()
}

func (k *endedCase) enroll(pt *party, _ uint32) uint32 {
	l := k.p.getLife()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		pt.wake(nil, pt.sys)
	} else {
		enterPlace(&l.waiters, &k.place, pt)
	}
	return 0
}

func (k *endedCase) withdraw(pt *party) {
	l := k.p.getLife()
	l.mu.Lock()
	defer l.mu.Unlock()
	leavePlace(&l.waiters, &k.place, pt)
}

func (k *endedCase) finish(bool) {
	if k.reason != nil {
		*k.reason = k.p.reason
	}
}

// Join waits until the process has ended, and returns why.
func (r Process) Join(by Party) (reason error) {
	r.mustBe("Join")
	Select(by, r.Done(&reason))
	return reason
}

type mailCase[M any] struct {
	noLock
	s     *Self[M]
	match func(M) bool
	m     *M
	// Messages before at were looked at in this Select. If the case is ready, found is the node
	// after at.
	at, found *node[M]
}

// Receives is the case that a message matches. The message is received into *m. A nil m drops it,
// and a nil match takes any message. Only the process itself may use the case, and match must not
// use the process.
func (s *Self[M]) Receives(m *M, match func(M) bool) Case {
	must(s != nil, "Receives of a nil Self")
	return &mailCase[M]{s: s, match: match, m: m}
}

func (k *mailCase[M]) begin(pt *party) {
	if pt != &k.s.party {
		misuse("Select: a receive of another process")
	}
	k.at, k.found = nil, nil
}

func (k *mailCase[M]) foreign() bool { return k.match != nil }

func (k *mailCase[M]) poll(*party) (*party, bool) {
	k.at, k.found = k.s.find(k.at, k.match)
	return nil, k.found != nil
}

func (k *mailCase[M]) enroll(*party, uint32) uint32 { return forMail }
func (k *mailCase[M]) withdraw(*party)              {}

// finish takes the message, which wakes senders that wait for room in the mailbox.
func (k *mailCase[M]) finish(bool) {
	if m := k.s.take(k.at, k.found); k.m != nil {
		*k.m = m
	}
	k.at, k.found = nil, nil
}
