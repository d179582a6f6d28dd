package actor

import (
	"context"

	"github.com/gallop-go/gallop/actor/internal/permits"
	"github.com/gallop-go/gallop/backpressure"
	"github.com/gallop-go/gallop/sched"
)

// How goroutines send to an actor from outside, and wait until they may. Package permits has the
// semaphore and its protocol, L1 to L4.

var _ permits.Receiver = (*cell)(nil)

// acquirePermit waits for a permit to send to the actor. An error means that the caller has none.
func (a *cell) acquirePermit(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l := &a.flowOf().permits
	w := l.Acquire(a)
	if w == nil {
		return nil
	}
	if sched.Here() != nil {
		l.Cancel(w, a)
		panic("gallop: SendWait called from a behaviour, which would keep its worker waiting: use Send")
	}
	a.sys().outsiders.Add(1)
	defer a.sys().outsiders.Add(-1)
	came := func() bool { return w.Woken() || a.sys().done.isDone() }
	if a.sys().sched.Await(ctx, came) && !a.sys().done.isDone() {
		l.WakeNext()
		return nil
	}
	select {
	case <-w.Token():
		l.WakeNext()
		return nil
	case <-ctx.Done():
		l.Cancel(w, a)
		return ctx.Err()
	case <-a.sys().done.done:
		l.Cancel(w, a)
		return ErrSystemStopped
	}
}

// Open implements permits.Receiver: it reports whether an actor takes messages from outside. One
// that is only muted does, until its mailbox has passed the watermark. One that has just spent its
// batch does, as long as no actor is muted for it: what comes from outside is bounded anyhow, and
// the actor would run dry each time before the goroutines that it keeps waiting are back. If the
// actor has a bound, the caller holds the semaphore's lock.
func (a *cell) Open(how permits.Entrance) bool {
	f := a.flow.Load()
	if how == permits.ToWait && f.suspended.Load() != nil {
		return false
	}
	if q := f.bounded; q != nil {
		return !q.shut && !q.full
	}
	return a.gate.IsOpen() || f.batchOnly.Load() && !a.gate.Waited(&gateMark) || a.wouldPassAjar()
}

// admit lets goroutines in after the gate was opened. Owner only.
func (f *flow) admit(a *cell) { f.permits.Release(0, a) }

// pushPermitted pushes a message for which the caller has a permit, from outside. If it fails the
// message is the caller's and the permit is given back.
func (a *cell) pushPermitted(m *message) error {
	if a.typ().bound.limit != 0 {
		return a.putPermitted(m)
	}
	l := &a.flow.Load().permits
	if err := a.pushFromOutside(m); err != nil { // L2
		l.Release(1, a)
		return err
	}
	if l.Pushed() { // L3
		_ = a.deliver(sent, newOwn(nil, permitID, 0)) // an error: no goroutine needs room any more
	}
	return nil
}

// returnPermits gives permits back for messages that have run: L4. If only such messages overload
// the actor, it has recovered: it would not recover while more come in, and an overloaded actor is
// never muted. Owner only.
func (a *cell) returnPermits(c *Context) {
	f := a.flow.Load()
	// A permit return is none of the batch, so a message runs before that is spent again.
	c.left++
	f.permits.Release(permits.Step, a)
	if f.batchOnly.Load() && !a.gate.Waited(&gateMark) {
		a.setLoad(c, a.load&^backpressure.Overloaded)
	}
}
