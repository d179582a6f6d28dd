package actor

import "github.com/gallop-go/gallop/internal/invariant"

// A behaviour may put its reply off: if its actor has to ask others first, or to wait for a timer or a
// goroutine. The reply address is moved out of the message, which may be recycled, into a deferral. The
// actor keeps a list of these, so that the askers hear when it ends.

// Deferred is a reply that a behaviour has put off with [Defer]. It belongs to the
// actor that was asked: keep it in that actor's state, or in a message that the actor
// sends to itself. It may be copied. The zero value is not ready.
type Deferred[R any] struct{ d *deferral }

// deferral is a request that has run and was not answered. Owner of by only.
type deferral struct {
	by    *body
	to    failer // a lateReply
	state deferralState
	place int // among those of by
}

type deferralState uint8

const (
	deferralOpen  deferralState = iota // in the list of its actor
	deferralGiven                      // the user has replied
	deferralOver                       // the life in which it was put off is over: the asker was told
)

// failer is where a reply goes that was put off, whatever its type.
type failer interface{ fail(r replier, why error) }

// lateReply is where it goes. A type of its own, so that requests which nobody puts off have no such method.
type lateReply[R any] struct{ replyTo[R] }

// fail answers with an error, on behalf of one who ends.
func (to lateReply[R]) fail(r replier, why error) { to.answer(r, Result[R]{Err: why}, false) }

// Defer puts off the reply to the running request: the asker goes on waiting, and what
// the behaviour returns is ignored. [Deferred.Reply] gives the reply, in a later
// behaviour of the same actor or in its OnStop. Defer panics if the running request is
// not one of b's, or was deferred or stashed already. It allocates two small objects.
//
// If the actor ends or is restarted first, the asker hears once OnStop has returned.
// The error is the one for a request still in the mailbox: ErrStopped and the reason,
// or ErrSystemStopped.
//
// A Deferred must not be forgotten: as long as its actor lives, an asker without a
// time-out waits for it. It keeps neither the actor nor the system running.
func Defer[S, Q, R any](c *Context, b AskBehaviour[S, Q, R]) Deferred[R] {
	c.putAside("Defer", b.d.madeAsk())
	p := payloadOf[request[Q, R]](c.msg)
	to := p.to
	p.to = replyTo[R]{call: &call[R]{}} // as in Stash
	p.to.call.state.StoreRelease(callAbandoned)
	return Deferred[R]{c.self.deferReply(lateReply[R]{to})}
}

// Reply answers the request, as if its behaviour had returned v and err. It panics if c
// is not the context of the actor that has put the reply off, and on a second call.
//
// If the actor has been restarted since, the asker has been told. Then Reply does
// nothing, and discards what v owns.
func (d Deferred[R]) Reply(c *Context, v R, err error) {
	if to, open := d.d.take(c); open {
		to.(lateReply[R]).answer(replier{c: c, sys: c.sys}, Result[R]{v, err}, true)
	} else {
		discardReply(&v)
	}
}

// deferrals are those of an actor, the oldest first as long as none is taken.
type deferrals struct{ all roster[deferral] }

// lifeKeeper is what an actor keeps for one life, and settles at the end of that. An interface, so that
// a program without such things does not link them.
type lifeKeeper interface {
	endLife(b *body, r replier, why error)
}

// deferReply enters a reply into the actor's list.
func (b *body) deferReply(to failer) *deferral {
	x := b.mine()
	l, ok := x.deferred.(*deferrals)
	if !ok {
		l = new(deferrals)
		x.deferred = l
	}
	if len(l.all.entries) == 0 {
		b.sys().wards.add(b, x)
	}
	d := &deferral{by: b, to: to}
	l.all.add(d, &d.place)
	return d
}

// take closes a deferral for whoever replies, and returns where the reply goes unless the actor has
// had to give that up.
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
	l := d.by.extra.deferred.(*deferrals)
	l.all.remove(&d.place)
	if len(l.all.entries) == 0 {
		d.by.sys().wards.remove(d.by.extra)
	}
	to, d.to, d.state = d.to, nil, deferralGiven
	return to, true
}

// endLife tells all who wait why they get no reply. Owner only.
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
