package actor

import (
	"github.com/gallop-go/gallop/actor/internal/indexset"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// A behaviour may put its reply off if its actor has to ask others first, or to wait for a timer or
// a goroutine. The reply address is moved out of the message, which may be recycled, into a
// deferral.
//
// Any code that has the Deferred may give the reply: its state decides who was first. The caller
// must also hear if none does. So each deferral has an owner, an actor that keeps it in a list and
// tells the caller when its life ends. The owner is the actor that was asked, and later whomever it
// has handed the deferral over to.
//
// The list belongs to its actor alone. Others tell it, by signals:
//
//	who replies                            the owner
//	R1 open → given   (CAS)                E1 its life ends: open → over (CAS), tells the caller
//	R2 gives the reply                     G1 is told given: takes it off its list
//	R3 loads the owner, tells it given     H1 takes it off its list, stores the new owner
//	                                       H2 tells that one to adopt it
//	                                       A1 is told to adopt: owner still, and open? then it is
//	                                          on the list. A dead one: open → over, tells the caller
//
// The caller hears once, since R1, E1 and A1 take it out of open, once. It hears at all: between H1
// and A1 the deferral is in the system queue of the new owner, which serves it or refuses it. No
// list keeps one that was given: suppose that R3 loads the old owner. Then R1 came before H1, and
// A1 finds it given. If R3 loads the new owner, given comes before A1, which finds it given, or
// after, and G1 finds it on the list.

// Deferred is a reply that a behaviour has put off with [Defer]. It may be copied, kept,
// and sent to the one that is to give the reply. The zero value is not ready.
type Deferred[R any] struct{ d *deferral }

// deferral is a request that has run and was not answered.
type deferral struct {
	to    rejecter           // the *lateReply that it is a part of. Read-only
	by    seam.Pointer[cell] // its owner. Stored by the owner
	state seam.Flag
	index int // among those of its owner; 0: it is in no list. Owner only
}

const (
	deferralOpen  = iota
	deferralGiven // a reply was given
	deferralDone  // the life of its owner is over: the caller was told
)

// rejecter is where a reply that was put off goes, whatever its type.
type rejecter interface {
	fail(e env, why error)
	caller() caller
}

// lateReply is a deferral with its address, in one object. A type of its own, so that requests
// which are never put off have no such methods.
type lateReply[R any] struct {
	deferral
	address replyTo[R]
	life    uint16 // of the caller
	bounds  bounds // contexts that end with it
}

// reply answers, and lets go of all that the request has kept. Only the one that took it out of
// open.
func (l *lateReply[R]) reply(e env, res Result[R], alive bool) {
	to := l.address
	l.address = replyTo[R]{}
	l.bounds.release()
	to.answer(e, l.life, res, alive)
}

// caller returns who waits.
func (l *lateReply[R]) caller() caller { return callerOf(&l.address) }

// fail answers with an error, on behalf of an actor whose life ends.
func (l *lateReply[R]) fail(e env, why error) { l.reply(e, Result[R]{Err: why}, false) }

// Defer puts off the reply to the running request: the caller goes on waiting, and what
// the behaviour returns is discarded. [Deferred.Reply] gives the reply, from wherever the
// Deferred has been taken: a later behaviour of the actor, or its OnStop, another actor,
// or a goroutine. Defer panics if the running request is not one of b's, was deferred
// or stashed already, or has its reply, as in After of an [Interceptor]. It allocates two objects, one of which has room for a reply.
//
// If the actor ends, is suspended or is restarted first, the caller hears once OnStop has
// returned, if that runs. The error is ErrStopped and wraps the reason, or it is
// ErrSystemStopped. If the very behaviour that has put the reply off panics, the caller
// hears ErrPanicked at once, whatever becomes of the actor. A restart keeps the requests in the mailbox, but not those that were
// put off. If another actor is to see to the reply from now on, whatever becomes of this
// one, use [Deferred.HandOver].
//
// A Deferred must not be forgotten: as long as its actor lives, a caller without a
// time-out waits for it. Package actortest finds such a run. It keeps neither the actor
// nor the system running: Stop does not wait for it, nor does Drain except for types
// with [WithFinishAsks], and Run and Shutdown wait only for what is under way in the
// system. It counts for no bound or watermark.
func Defer[S, Q, R any](c *Context, b AskBehaviour[S, Q, R]) Deferred[R] {
	c.markStashed("Defer", b.d.madeAsk())
	p := payloadOf[request[Q, R]](c.msg)
	l := &lateReply[R]{address: p.to, life: c.msg.Life}
	l.to = l
	l.by.Store(c.self)
	if p.to.call != nil {
		p.to.call.later.Store(true)
	}
	if p.to = nowhere(p.to); p.to.call.ctx != nil { // as in Stash
		c.keepBounds(&l.bounds)
	}
	p.to.call.putOff = &l.deferral // for the caller to hear if this behaviour panics
	deferralsOf(c.self.makeCold()).add(c.self, &l.deferral)
	c.sys.sim.putOff(c, &l.deferral)
	return Deferred[R]{&l.deferral}
}

// keepBounds makes the contexts of the behaviour end with the reply that it has put off.
func (c *Context) keepBounds(late *bounds) {
	late.late = true
	if old := c.bounds; old != nil {
		late.all = old.all
	}
	c.bounds = late
	c.then |= usesContext
}

// Reply answers the request, as if its behaviour had returned v and err, and reports
// whether it was the first to do so. Any actor may reply, with its *Context, or any
// goroutine, with the *System. Of several at a time one gives the reply; the others do
// nothing, and discard what their v owns. So does a Reply that comes after the caller was
// told that the owner's life has ended. If the caller has given up, the reply goes
// nowhere. Reply panics if d is zero.
//
// If from is not the owner, it costs a signal to the owner besides the reply.
func (d Deferred[R]) Reply(from Sender, v R, err error) (first bool) {
	e := envOf(from)
	e.mustRun("Reply")
	if d.d.mustBe("Reply"); !d.d.state.CompareAndSwap(deferralOpen, deferralGiven) { // R1
		discardLate(v)
		return false
	}
	// It leaves also if a Handler of the user's does not return.
	defer d.d.leave(e)
	d.d.to.(*lateReply[R]).reply(e, Result[R]{v, err}, true) // R2
	return true
}

// HandOver makes to see to the reply. If to ends or is restarted before the reply was given, the
// caller hears so at once; what becomes of the running actor does not matter any more. If to has
// ended, or is down, the caller hears at once. to still has to be sent the Deferred, in a message,
// to reply itself. HandOver panics if d is zero, if the running actor is not the one that sees to
// it so far, or if to is the zero Ref. It does nothing if the reply was given.
func (d Deferred[R]) HandOver(c *Context, to Target) {
	mustRun(c, "HandOver")
	d.d.mustBe("HandOver")
	d.d.handOver(c, targetOf("HandOver", to))
}

// discardLate is discardReply for a copy: only here it has to be in Go's heap.
func discardLate[R any](v R) { discardReply(&v) }

// mustBe panics if d is the deferral of a zero Deferred.
func (d *deferral) mustBe(call string) {
	if d == nil {
		panicMisuse(call, ": a zero Deferred: use Defer")
	}
}

// leave takes a deferral that was given off its owner's list, or has the owner do it.
func (d *deferral) leave(e env) {
	by := d.by.Load() // R3
	if e.runs(by) {
		d.delist(by)
		return
	}
	by.tell(e, given{d: d})
}

// given tells the owner of a deferral that another actor has replied.
type given struct {
	unanswered
	d *deferral
}

func (s given) serve(a *cell, _ *Context) {
	if s.d.by.Load() == a { // or it has been handed over since
		s.d.delist(a) // G1
	}
}

// handOver is Deferred.HandOver.
func (d *deferral) handOver(c *Context, to *cell) {
	if by := d.by.Load(); by != c.self {
		panic("gallop: HandOver by " + c.self.String() + " of what " + by.String() + " has to answer")
	}
	if to == c.self || d.state.Load() != deferralOpen {
		return
	}
	d.delist(c.self)
	d.by.Store(to)          // H1
	to.tell(c, adopt{d: d}) // H2
}

// adopt tells the new owner of a deferral.
type adopt struct{ d *deferral }

func (s adopt) serve(a *cell, c *Context) {
	d, x := s.d, a.makeCold()
	switch {
	case d.by.Load() != a || d.index != 0 || d.state.Load() != deferralOpen: // A1
	case x.state == suspended:
		d.fail(c, stoppedBecause(x.reason))
	default:
		deferralsOf(x).add(a, d)
	}
}

// refused tells the caller, on behalf of the dead, unless they have handed it over again.
func (s adopt) refused(a *cell, e env) {
	if s.d.by.Load() == a {
		s.d.fail(e, a.endedBecause())
	}
}

// fail tells the caller why it gets no reply, unless there was one.
func (d *deferral) fail(e env, why error) {
	if d.state.CompareAndSwap(deferralOpen, deferralDone) {
		d.to.fail(e, why)
	}
}

// crashed is fail on behalf of an actor whose behaviour has put the reply off and did not return.
// It leaves alone what was handed over. Owner of the actor only.
func (d *deferral) crashed(e env, why error) {
	if by := d.by.Load(); e.runs(by) {
		d.fail(e, why)
		d.delist(by)
	}
}

// deferrals is the part with the deferrals of an actor, the oldest first as long as none is taken.
type deferrals struct{ all indexset.Set[deferral] }

// deferralsOf returns the deferrals of an actor, and makes the part at first. Owner only.
func deferralsOf(x *coldState) *deferrals {
	return partOf[deferrals](x, deferralsPart)
}

// ends implements part: all callers that wait are told why they get no reply. OnStop may have
// replied to them before.
func (l *deferrals) ends(a *cell, e env, at ending, why error) {
	if at == atLifeEnd || at == atEnd {
		l.fail(a, e, why)
	}
}

// holds implements awaited.
//
//go:norace
//go:noinline
func (l *deferrals) holds(note func(what string, n int)) {
	if l != nil {
		note("put-off reply", l.all.Len())
	}
}

// add enters a deferral into the list of a. Owner only.
func (l *deferrals) add(a *cell, d *deferral) {
	if l.all.Len() == 0 {
		a.sys().stopList.add(a, a.cold)
	}
	l.all.Add(d, &d.index)
}

// delist takes a deferral off the list of a, if it is there. Owner of a only.
func (d *deferral) delist(a *cell) {
	if d.index == 0 {
		return
	}
	if invariant.On {
		verifyDeferral(a, d)
	}
	l := deferralsOf(a.cold)
	l.all.Remove(&d.index)
	if l.all.Len() == 0 {
		a.sys().stopList.remove(a.cold)
	}
}

// fail tells all callers that wait why they get no reply. Owner only.
func (l *deferrals) fail(a *cell, e env, why error) {
	if l.all.Len() == 0 {
		return
	}
	left := l.all.TakeAll()
	a.sys().stopList.remove(a.cold)
	for _, open := range left {
		open.fail(e, why) // E1
	}
}

// verifyDeferral checks a reply that was put off and is to be taken off its owner's list.
func verifyDeferral(a *cell, d *deferral) {
	x := a.cold
	invariant.Check(x != nil, "%v replies to what is not in its list", a)
	invariant.Check(x.listed.reasons > 0, "%v has put a reply off, and its system does not know", a)
	invariant.Check(deferralsOf(x).all.Has(d, &d.index), "%v has put another reply off in its place", a)
}
