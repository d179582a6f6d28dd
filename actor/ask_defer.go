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
// Any code that has the Deferred may give the reply. The state of the deferral decides which reply
// is the first. The caller must get an error if no reply is given. So each deferral has an owner:
// an actor that keeps it in a list and fails it when the actor's life ends. The owner is the actor
// that was asked, until it hands the deferral over to another actor.
//
// Only the owner changes its list. Other code sends it signals:
//
//	the replying code                      the owner
//	R1 open → given   (CAS)                E1 its life ends: open → over (CAS), tells the caller
//	R2 gives the reply                     G1 is told given: takes it off its list
//	R3 loads the owner, tells it given     H1 takes it off its list, stores the new owner
//	                                       H2 tells the new owner to adopt it
//	                                       A1 is told to adopt: if still the owner, and the state is
//	                                          open, it adds it to its list. If suspended or ended:
//	                                          open → over (CAS), tells the caller
//
// The caller gets at most one outcome, since R1, E1 and A1 take the deferral out of open, which
// succeeds once. It gets at least one: between H1 and A1 the deferral is in the system queue of the
// new owner, which serves or refuses it. No list keeps a deferral that was given. Suppose that R3
// loads the old owner: then R1 came before H1, and A1 finds the deferral given. Suppose that R3
// loads the new owner: if the signal given comes before A1, A1 finds the deferral given; if it
// comes after A1, G1 finds the deferral on the list.

// Deferred is a reply that a behaviour has put off with [Defer]. It may be copied, kept,
// and sent to the actor or goroutine that will give the reply. The zero value is not
// ready.
type Deferred[R any] struct{ d *deferral }

// deferral is a request that has run and was not answered.
type deferral struct {
	to    rejecter           // the *lateReply that it is a part of. Read-only
	by    seam.Pointer[cell] // its owner. Stored by the owner
	state seam.Flag
	index int // in the list of its owner; 0: it is in no list. Owner only
}

const (
	deferralOpen  = iota
	deferralGiven // a reply was given
	deferralDone  // the life of its owner is over: the caller was told
)

// rejecter is a *lateReply, for all types of replies.
type rejecter interface {
	fail(e env, why error)
	caller() caller
}

// lateReply is a deferral with its address, in one object. It is a type of its own, so that these
// methods are not compiled for requests that are never put off.
type lateReply[R any] struct {
	deferral
	address replyTo[R]
	life    uint16 // of the caller
	bounds  bounds // contexts that end with the reply
}

// reply answers the request with res, and releases its address and its contexts. For alive see
// replyTo.answer. It is called only by the code whose compare-and-swap has moved the deferral from
// the state open to another, so a request gets one answer.
func (l *lateReply[R]) reply(e env, res Result[R], alive bool) {
	to := l.address
	l.address = replyTo[R]{}
	l.bounds.release()
	to.answer(e, l.life, res, alive)
}

// caller returns the party that waits.
func (l *lateReply[R]) caller() caller { return callerOf(&l.address) }

// fail answers with an error, on behalf of an actor whose life ends.
func (l *lateReply[R]) fail(e env, why error) { l.reply(e, Result[R]{Err: why}, false) }

// Defer puts off the reply to the running request: the caller continues to wait, and the
// value and the error that the behaviour returns are discarded. [Deferred.Reply] gives the
// reply. Any code that has the Deferred may call it: a later behaviour of the actor, its
// OnStop, another actor, or a goroutine. Defer panics if the running request is not one of
// b's, was deferred or stashed already, or has its reply, as in After of an [Interceptor].
// It allocates two objects, one of which has room for a reply.
//
// If the actor ends, is suspended or is restarted first, the caller gets an error: ErrStopped,
// which wraps the reason, or ErrSystemStopped. The error is sent after OnStop has returned,
// if OnStop runs. If the behaviour that has put the reply off panics, the caller gets
// ErrPanicked at once, whether or not the actor ends. A restart keeps the requests in the
// mailbox, but not requests that were put off. To make another actor responsible for the
// reply, so that the end of this actor no longer matters, use [Deferred.HandOver].
//
// Each Deferred needs a reply: as long as its actor lives, a caller without a time-out
// waits for it. Package actortest reports a run in which a reply is missing. A Deferred
// keeps neither the actor nor the system running. Stop does not wait for it, and Drain
// waits only for types with [WithFinishAsks]. Run and Shutdown wait only for work that is
// under way in the system. A Deferred counts for no bound or watermark.
func Defer[S, Q, R any](c *Context, b AskBehaviour[S, Q, R]) Deferred[R] {
	turn := c.kernel()
	turn.markStashed("Defer", b.d.madeAsk())
	p := payloadOf[request[Q, R]](turn.msg)
	l := &lateReply[R]{address: p.to, life: turn.msg.Life}
	l.to = l
	l.by.Store(turn.self)
	if p.to.call != nil {
		p.to.call.later.Store(true)
	}
	if p.to = nowhere(p.to); p.to.call.ctx != nil { // as in Stash
		turn.keepBounds(&l.bounds)
	}
	p.to.call.putOff = &l.deferral // so that the caller is told if this behaviour panics
	deferralsOf(turn.self.makeCold()).add(turn.self, &l.deferral)
	turn.sys.sim.putOff(turn, &l.deferral)
	return Deferred[R]{&l.deferral}
}

// keepBounds makes the contexts of the behaviour end with the reply that it has put off.
func (c *kernelTurn) keepBounds(late *bounds) {
	late.late = true
	if old := c.bounds; old != nil {
		late.all = old.all
	}
	c.bounds = late
	c.then |= usesContext
}

// Reply answers the request, as if its behaviour had returned v and err, and reports
// whether it was the first to do so. Any actor may reply, with its *Context, or any
// goroutine, with the *System. Of several concurrent calls one gives the reply. The others
// return false, and discard the regions and parcels of their v. So does a Reply that comes
// after the caller was told that the owner's life has ended. If the caller has given up,
// the reply is discarded. Reply panics if d is zero.
//
// If from is not the owner, a Reply costs a signal to the owner besides the reply.
func (d Deferred[R]) Reply(from Sender, v R, err error) (first bool) {
	e := envOf(from)
	mustRunIn(e, "Reply")
	if d.d.mustBe("Reply"); !d.d.state.CompareAndSwap(deferralOpen, deferralGiven) { // R1
		discardLate(v)
		return false
	}
	// Deferred, in case a Handler of the user's panics or calls Goexit.
	defer d.d.leave(e)
	d.d.to.(*lateReply[R]).reply(e, Result[R]{v, err}, true) // R2
	return true
}

// HandOver makes to responsible for the reply, in place of the running actor. From then on the end
// of the running actor does not concern the caller. If to ends or is restarted before the reply was
// given, the caller is told at once; likewise if to has ended already, or is down. HandOver does
// not send the Deferred: to be able to reply, to needs it in a message. HandOver panics if d is
// zero, if the running actor is not responsible for it, or if to is the zero Ref. It does nothing
// if the reply was given.
func (d Deferred[R]) HandOver(c *Context, to Target) {
	mustRun(c.kernel(), "HandOver")
	d.d.mustBe("HandOver")
	d.d.handOver(c.kernel(), targetOf("HandOver", to))
}

// discardLate is discardReply for a copy, so that v is moved to Go's heap only here.
func discardLate[R any](v R) { discardReply(&v) }

// mustBe panics if d is the deferral of a zero Deferred.
func (d *deferral) mustBe(call string) {
	if d == nil {
		panicMisuse(call, ": a zero Deferred: use Defer")
	}
}

// leave removes a deferral that was given from its owner's list, or tells the owner to remove it.
func (d *deferral) leave(e env) {
	by := d.by.Load() // R3
	if runsIn(e, by) {
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

func (s given) serve(a *cell, _ *kernelTurn) {
	if s.d.by.Load() == a { // else it has been handed over since
		s.d.delist(a) // G1
	}
}

// handOver is Deferred.HandOver.
func (d *deferral) handOver(c *kernelTurn, to *cell) {
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

func (s adopt) serve(a *cell, c *kernelTurn) {
	d, x := s.d, a.makeCold()
	switch {
	case d.by.Load() != a || d.index != 0 || d.state.Load() != deferralOpen: // A1
	case x.state == suspended:
		d.fail(c, stoppedBecause(x.reason))
	default:
		deferralsOf(x).add(a, d)
	}
}

// refused tells the caller on behalf of a, which has ended, unless a is not the owner any more.
func (s adopt) refused(a *cell, e env) {
	if s.d.by.Load() == a {
		s.d.fail(e, a.endedBecause())
	}
}

// fail tells the caller why it gets no reply. It does nothing if the deferral is not open.
func (d *deferral) fail(e env, why error) {
	if d.state.CompareAndSwap(deferralOpen, deferralDone) {
		d.to.fail(e, why)
	}
}

// crashed is fail on behalf of an actor whose behaviour has put the reply off and did not return.
// It does nothing if the deferral was handed over. Owner of the actor only.
func (d *deferral) crashed(e env, why error) {
	if by := d.by.Load(); runsIn(e, by) {
		d.fail(e, why)
		d.delist(by)
	}
}

// deferrals is the part with the deferrals of an actor. The oldest is the first until one is
// removed.
type deferrals struct{ all indexset.Set[deferral] }

// deferralsOf returns the deferrals of an actor. The first call makes the part. Owner only.
func deferralsOf(x *coldState) *deferrals {
	return partOf[deferrals](x, deferralsPart)
}

// ends implements part. It tells all callers that still wait why they get no reply. OnStop, which
// runs before, may have replied.
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

// delist removes a deferral from the list of a, if it is there. Owner of a only.
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

// verifyDeferral checks a deferral that is about to be removed from its owner's list.
func verifyDeferral(a *cell, d *deferral) {
	x := a.cold
	invariant.Check(x != nil, "%v replies to what is not in its list", a)
	invariant.Check(x.listed.reasons > 0, "%v has put a reply off, and its system does not know", a)
	invariant.Check(deferralsOf(x).all.Has(d, &d.index), "%v has put another reply off in its place", a)
}
