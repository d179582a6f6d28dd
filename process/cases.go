package process

import (
	"context"
	"slices"
	"time"
)

// noLock is embedded in cases without a lock.
type noLock struct{}

func (noLock) begin(*party)  {}
func (noLock) order() uint64 { return 0 }
func (noLock) lock()         {}
func (noLock) unlock()       {}
func (noLock) foreign() bool { return false }
func (noLock) finish(bool)   {}

// chanCase is what the two cases of channels have in common.
type chanCase[T any] struct {
	c    *Chan[T]
	w    waiter[T]
	last uint64 // the Select that it was in
}

func (k *chanCase[T]) begin(pt *party) {
	if k.last == pt.picks.number && k.w.pt == pt {
		misuse("Select: a case is used twice at a time")
	}
	k.last, k.w.pt = pt.picks.number, pt
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
func (k *chanCase[T]) join(q *waitQueue[T], ticket uint32) {
	k.w.ticket = ticket
	q.push(&k.w)
}

type sendCase[T any] struct {
	chanCase[T]
	v *T
}

// SendTo is the case that *v can be sent to c, and sends it. v is read when the case is looked at.
// If c is closed, Select panics. With a nil c, the case is never ready.
func SendTo[T any](c *Chan[T], v *T) Case {
	must(v != nil, "SendTo: v is nil")
	return &sendCase[T]{chanCase[T]{c: c}, v}
}

func (k *sendCase[T]) poll(*party) (wake *party, ok bool) {
	if k.c == nil {
		return nil, false
	}
	wake, r := k.c.trySend(*k.v)
	k.w.ok = r == done
	return wake, r != wouldWait
}

func (k *sendCase[T]) enroll(_ *party, ticket uint32) uint32 {
	if k.c != nil {
		k.w.v = *k.v
		k.join(&k.c.senders, ticket)
	}
	return 0
}

func (k *sendCase[T]) withdraw(*party) {
	if k.c != nil {
		k.c.senders.remove(&k.w)
		var zero T
		k.w.v = zero
	}
}

func (k *sendCase[T]) finish(bool) {
	if !k.w.ok {
		misuse("Select: send on a closed channel")
	}
}

type recvCase[T any] struct {
	chanCase[T]
	v  *T
	ok *bool
}

// RecvFrom is the case that c has a value or is closed; it receives into *v and *ok, which are as
// with [Chan.Recv]. Each of them may be nil. With a nil c, the case is never ready.
func RecvFrom[T any](c *Chan[T], v *T, ok *bool) Case {
	return &recvCase[T]{chanCase[T]{c: c}, v, ok}
}

func (k *recvCase[T]) poll(*party) (wake *party, ok bool) {
	if k.c == nil {
		return nil, false
	}
	v, wake, r := k.c.tryRecv()
	if r == wouldWait {
		return nil, false
	}
	k.w.v, k.w.ok = v, r == done
	return wake, true
}

func (k *recvCase[T]) enroll(_ *party, ticket uint32) uint32 {
	if k.c != nil {
		k.join(&k.c.receivers, ticket)
	}
	return 0
}

func (k *recvCase[T]) withdraw(*party) {
	if k.c != nil {
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
}

type afterCase struct {
	noLock
	d time.Duration
	t *timer
}

// After is the case that d has passed since Select was called, by the clock of the party's system.
// With a d of 0 or less it is ready at once.
func After(d time.Duration) Case { return &afterCase{d: d} }

func (k *afterCase) begin(*party) { k.t = nil }

func (k *afterCase) poll(*party) (*party, bool) {
	return nil, k.d <= 0 || k.t != nil && k.t.fired.Load()
}

// enroll arms a timer: for the rest of the time, if this is not the first wait of the Select.
func (k *afterCase) enroll(pt *party, _ uint32) uint32 {
	d := k.d
	if k.t != nil {
		d = max(1, time.Duration(k.t.at-pt.sys.clock.Nanos()))
	}
	k.t = pt.sys.timers.arm(pt, d)
	return 0
}

func (k *afterCase) withdraw(pt *party) { pt.sys.timers.disarm(k.t) }

type doneCase struct {
	noLock
	ctx  context.Context
	stop func() bool
}

// Done is the case that ctx has ended. A context that ends by the machine's clock does not keep a
// system from being quiet.
func Done(ctx context.Context) Case {
	must(ctx != nil, "Done: the context is nil")
	return &doneCase{ctx: ctx}
}

func (k *doneCase) foreign() bool { return true }

func (k *doneCase) poll(*party) (*party, bool) { return nil, k.ctx.Err() != nil }

func (k *doneCase) enroll(pt *party, _ uint32) uint32 {
	k.stop = context.AfterFunc(k.ctx, func() { pt.wake(nil, pt.sys) })
	return 0
}

func (k *doneCase) withdraw(*party) { k.stop() }

type endedCase struct {
	noLock
	p      *Proc
	reason *error
}

// Done is the case that the process has ended; *reason, if not nil, is then why.
func (r Process) Done(reason *error) Case {
	r.mustBe("Done")
	return &endedCase{p: r.p, reason: reason}
}

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
		l.waiters = append(l.waiters, pt)
	}
	return 0
}

func (k *endedCase) withdraw(pt *party) {
	l := k.p.getLife()
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.waiters, pt); i >= 0 {
		l.waiters = slices.Delete(l.waiters, i, i+1)
	}
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
	// What lies before at was looked at in this Select. If it is ready, found lies behind at.
	at, found *node[M]
}

// Receives is the case that a message matches, which is received into *m. A nil m drops it, and
// a nil match takes any message. Only the process itself may use the case, and match must not use
// the process.
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

// finish takes the message, which tells those that wait for room in the mailbox.
func (k *mailCase[M]) finish(bool) {
	m := k.s.take(k.at, k.found)
	if k.at, k.found = nil, nil; k.m != nil {
		*k.m = m
	}
}
