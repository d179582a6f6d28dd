package actor

import "github.com/gallop-go/gallop/internal/invariant"

// A behaviour may put its reply off if its actor has to ask others first, or to wait for a timer or
// a goroutine. The reply address is moved out of the message, which may be recycled, into a
// deferral. The actor keeps a list of its deferrals, so that the askers hear when it ends.

// Deferred is a reply that a behaviour has put off with [Defer]. It belongs to the
// actor that was asked: keep it in that actor's state, or in a message that the actor
// sends to itself. It may be copied. The zero value is not ready.
type Deferred[R any] struct{ d *deferral }

// deferral is a request that has run and was not answered. Owner of by only.
type deferral struct {
	by    *body
	to    failer // the *lateReply that it is a part of; nil once the asker has its outcome
	state deferralState
	place int // among those of by
}

type deferralState uint8

const (
	deferralOpen  deferralState = iota // in the list of its actor
	deferralGiven                      // the user has replied
	deferralOver                       // the life in which it was put off is over: the asker was told
)

// failer is where a reply that was put off goes, whatever its type.
type failer interface{ fail(r replier, why error) }

// lateReply is a deferral with its address, in one object. A type of its own, so that requests
// which nobody puts off have no such methods.
type lateReply[R any] struct {
	deferral
	address replyTo[R]
}

// moved moves the address out: a Deferred that was used keeps no asker.
func (l *lateReply[R]) moved() replyTo[R] {
	to := l.address
	l.address = replyTo[R]{}
	return to
}

// fail answers with an error, on behalf of an actor whose life ends.
func (l *lateReply[R]) fail(r replier, why error) { l.moved().answer(r, Result[R]{Err: why}, false) }

// Defer puts off the reply to the running request: the asker goes on waiting, and what
// the behaviour returns is discarded. [Deferred.Reply] gives the reply, in the same or a
// later behaviour of the same actor, or in its OnStop. Another actor or a goroutine that
// has the answer sends it to the actor, as [AskTo] and [Pipe] do. Defer panics if the
// running request is not one of b's, or was deferred or stashed already. It allocates two
// objects, one of which has room for a reply.
//
// If the actor ends, is suspended or is restarted first, the asker hears once OnStop has
// returned, if that runs. The error is ErrStopped and wraps the reason, or it is
// ErrSystemStopped. A restart keeps the requests in the mailbox, but not those that were
// put off.
//
// A Deferred must not be forgotten: as long as its actor lives, an asker without a
// time-out waits for it. It keeps neither the actor nor the system running: Stop and
// Drain do not wait for it, and Run and Shutdown wait only for what is under way in the
// system. It counts for no bound or watermark.
func Defer[S, Q, R any](c *Context, b AskBehaviour[S, Q, R]) Deferred[R] {
	c.putAside("Defer", b.d.madeAsk())
	p := payloadOf[request[Q, R]](c.msg)
	l := &lateReply[R]{address: p.to}
	l.by, l.to = c.self, l
	p.to = replyTo[R]{call: &call[R]{}} // as in Stash
	p.to.call.state.StoreRelease(callAbandoned)
	c.self.deferReply(&l.deferral)
	return Deferred[R]{&l.deferral}
}

// Reply answers the request, as if its behaviour had returned v and err. It panics if c
// is not the context of the actor that has put the reply off, and on a second call.
//
// If the actor has been restarted since, the asker has been told. Then Reply does
// nothing, and discards what v owns; and so it does if the asker has given up.
func (d Deferred[R]) Reply(c *Context, v R, err error) {
	if to, open := d.d.take(c); open {
		to.(*lateReply[R]).moved().answer(replier{c: c, sys: c.sys}, Result[R]{v, err}, true)
	} else {
		discardLate(v)
	}
}

// discardLate is discardReply for a copy: only here it has to be in Go's heap.
func discardLate[R any](v R) { discardReply(&v) }

// deferrals are the deferrals of an actor, the oldest first as long as none is taken.
type deferrals struct {
	lifeEnd
	all roster[deferral]
}

// lifeEnd leads to what is settled at the end of a life. By an interface, so that a program without
// such things does not link them; behind a pointer, since that makes all extras smaller.
type lifeEnd struct {
	of interface {
		endLife(b *body, r replier, why error)
	}
}

// fewDeferrals is how many an empty list has room for at most: thousands may come at once, and
// never again.
const fewDeferrals = 64

// open returns how many replies are out. A hint, for reports. Any goroutine.
//
//go:norace
//go:noinline
func (l *deferrals) open() int { return len(l.all.entries) }

// deferReply enters a reply into the actor's list.
func (b *body) deferReply(d *deferral) {
	x := b.mine()
	if x.deferred == nil {
		l := new(deferrals)
		l.of, x.deferred = l, &l.lifeEnd
	}
	l := x.deferrals()
	if len(l.all.entries) == 0 {
		b.sys().wards.add(b, x)
	}
	l.all.add(d, &d.place)
}

// deferrals returns the list, of an actor that has one.
func (x *extras) deferrals() *deferrals { return x.deferred.of.(*deferrals) }

// take closes a deferral for its reply, and returns where the reply goes, unless the life in which
// it was put off is over.
func (d *deferral) take(c *Context) (to failer, open bool) {
	mustRun(c, "Reply")
	switch {
	case d == nil:
		panic("gallop: Reply: a zero Deferred: use Defer")
	case d.by != c.self:
		panic("gallop: Reply by " + c.self.String() + " to what " + d.by.String() + " was asked")
	case d.state == deferralGiven:
		panic("gallop: Reply: called twice for one request of " + d.by.String())
	case d.state == deferralOver:
		return nil, false
	}
	if invariant.On {
		verifyDeferral(d)
	}
	l := d.by.extra.deferrals()
	l.all.remove(&d.place)
	if len(l.all.entries) == 0 {
		d.by.sys().wards.remove(d.by.extra)
		if cap(l.all.entries) > fewDeferrals {
			l.all.entries = nil
		}
	}
	to, d.to, d.state = d.to, nil, deferralGiven
	return to, true
}

// endLife tells all askers that wait why they get no reply. Owner only.
func (l *deferrals) endLife(b *body, r replier, why error) {
	if len(l.all.entries) == 0 {
		return
	}
	left := l.all.entries
	l.all.entries = nil
	b.sys().wards.remove(b.extra)
	for _, e := range left {
		d := e.who
		to := d.to
		d.to, d.place, d.state = nil, 0, deferralOver
		to.fail(r, why)
	}
}
