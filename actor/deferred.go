package actor

import "github.com/gallop-go/gallop/internal/invariant"

// A reply may be put off: by an actor that has to ask others first, or to wait for a timer or a
// goroutine. The address of the reply is moved out of the message, which may be recycled, into a
// deferral. The actor has a list of these, so that whoever asked hears of it when it ends.

// Deferred is a reply that a behaviour has put off by [Defer]. It belongs to the actor
// that was asked, in the life in which it was put off: keep it in the actor's state, or send it to
// oneself. Copy it as you like. The zero value is not ready.
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

// Defer puts the reply to the request that runs off until [Deferred.Reply]: what the behaviour
// returns goes nowhere, and its asker goes on waiting. A later behaviour of the same actor replies,
// or OnStop.
//
// If the actor ends or is restarted before it has replied, the asker hears when OnStop has returned,
// as if the request had still been in the mailbox: by an error that is ErrStopped and the reason, or
// ErrSystemStopped. A reply that is put off keeps neither the actor nor the system running, and
// nothing remembers it but the actor: an asker whose reply is forgotten waits for its time-out.
//
// Defer allocates two small objects. It panics if another request runs than one of b's, and if the
// one that runs was put off or stashed already.
func Defer[S, Q, R any](c *Context, b AskBehaviour[S, Q, R]) Deferred[R] {
	c.putAside("Defer", b.d.madeAsk())
	p := payloadOf[request[Q, R]](c.msg)
	to := p.to
	p.to = replyTo[R]{call: &call[R]{}} // as in Stash
	p.to.call.state.StoreRelease(callAbandoned)
	return Deferred[R]{c.self.deferReply(lateReply[R]{to})}
}

// Reply answers the request, as if its behaviour had returned v and err. It panics if another actor
// runs than the one that has put it off, and if it has replied already. When the life in which it
// was put off is over the asker was told so: then Reply does nothing, and what v owns is discarded.
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
