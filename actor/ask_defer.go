package actor

import "github.com/gallop-go/gallop/internal/kernel"

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
type Deferred[R any] struct{ d *kernel.Deferral }

// lateReply is a deferral with its address, in one object. It is a type of its own, so that these
// methods are not compiled for requests that are never put off.
type lateReply[R any] struct {
	kernel.Deferral
	address replyTo[R]
	life    uint16        // of the caller
	bounds  kernel.Bounds // contexts that end with the reply
}

// reply answers the request with res, and releases its address and its contexts. For alive see
// replyTo.Answer. It is called only by the code whose compare-and-swap has moved the deferral from
// the state open to another, so a request gets one answer.
func (l *lateReply[R]) reply(e kernel.Env, res Result[R], alive bool) {
	to := l.address
	l.address = replyTo[R]{}
	l.bounds.Release()
	to.Answer(e, l.life, res, alive)
}

// Caller returns the party that waits.
func (l *lateReply[R]) Caller() kernel.Caller { return callerOf(&l.address) }

// Fail answers with an error, on behalf of an actor whose life ends.
func (l *lateReply[R]) Fail(e kernel.Env, why error) { l.reply(e, Result[R]{Err: why}, false) }

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
	turn.MarkStashed("Defer", kernel.AnyAsk(b).Descriptor().MadeAsk())
	p := kernel.PayloadOf[request[Q, R]](turn.Msg)
	l := &lateReply[R]{address: p.to, life: turn.Msg.Life}
	l.To = l
	l.By.Store(turn.Self)
	if p.to.call != nil {
		p.to.call.Later.Store(true)
	}
	if p.to = nowhere(p.to); p.to.call.Ctx != nil { // as in Stash
		turn.KeepBounds(&l.bounds)
	}
	p.to.call.PutOff = &l.Deferral // so that the caller is told if this behaviour panics
	kernel.DeferralsOf(turn.Self.MakeCold()).Add(turn.Self, &l.Deferral)
	turn.Sys.Sim.PutOff(turn, &l.Deferral)
	return Deferred[R]{&l.Deferral}
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
	kernel.MustRunIn(e, "Reply")
	if d.d.MustBe("Reply"); !d.d.State.CompareAndSwap(kernel.DeferralOpen, kernel.DeferralGiven) { // R1
		discardLate(v)
		return false
	}
	// Deferred, in case a Handler of the user's panics or calls Goexit.
	defer d.d.Leave(e)
	d.d.To.(*lateReply[R]).reply(e, Result[R]{v, err}, true) // R2
	return true
}

// HandOver makes to responsible for the reply, in place of the running actor. From then on the end
// of the running actor does not concern the caller. If to ends or is restarted before the reply was
// given, the caller is told at once; likewise if to has ended already, or is down. HandOver does
// not send the Deferred: to be able to reply, to needs it in a message. HandOver panics if d is
// zero, if the running actor is not responsible for it, or if to is the zero Ref. It does nothing
// if the reply was given.
func (d Deferred[R]) HandOver(c *Context, to Target) {
	kernel.MustRun(c.kernel(), "HandOver")
	d.d.MustBe("HandOver")
	d.d.HandOver(c.kernel(), targetOf("HandOver", to))
}

// discardLate is kernel.DiscardReply for a copy, so that v is moved to Go's heap only here.
func discardLate[R any](v R) { kernel.DiscardReply(&v) }
