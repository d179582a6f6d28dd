package actor

import (
	"context"
	"reflect"
	"sync"

	"github.com/gallop-go/gallop/actor/internal/msg"

	"github.com/gallop-go/gallop/heap"
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// Result is the outcome of a request, as a message: either a value or an error.
type Result[R any] struct {
	Value R // the value that the behaviour returned, if Err is nil
	// Err is the error that the behaviour returned, or the reason why it did not run: see
	// [AskBehaviour.Ask].
	Err error
}

// AskBehaviour is a behaviour of actors with state S that answers a request of type Q
// with a reply of type R. It may be copied. The zero value is not ready: use
// [DeclareAsk].
type AskBehaviour[S, Q, R any] struct {
	d     *descriptor
	calls *sync.Pool // of *call[R]
}

// DeclareAsk adds a behaviour with a reply to t, on the same terms as [Declare]. Requests
// may be [Urgent]: then they reach an actor that is muted, or whose mailbox is full.
func DeclareAsk[Q, R, S any](t *Type[S], name string, opts ...BehaviourOption) AskBehaviour[S, Q,
	R] {
	return AskBehaviour[S, Q, R]{infoOf(t).made("DeclareAsk").declare(answering[Q, R](name), opts),
		callPool[R]()}
}

// answering returns a descriptor for requests of type Q.
func answering[Q, R any](name string) *descriptor {
	p, _ := msg.Of[request[Q, R]]()
	return &descriptor{
		name: name, size: p, pointers: true,
		payload: func(m *message) any { return payloadOf[request[Q, R]](m).q },
		reject: func(e env, m *message, err error) {
			payloadOf[request[Q, R]](m).take().reject(e, m.Life, err)
		},
		caller: func(m *message) caller { return callerOf(&payloadOf[request[Q, R]](m).to) },
	}
}

func callPool[R any]() *sync.Pool {
	return &sync.Pool{New: func() any {
		k := new(call[R])
		asksInTurns.Add(&k.callState)
		return k
	}}
}

// Handle makes the entry of the dispatch table that runs method for b's requests. The
// value and the error that method returns are sent to the caller.
func (b AskBehaviour[S, Q, R]) Handle(method func(*S, *Context, Q) (R, error)) Entry[S] {
	b.d.madeAsk().mustDo(method == nil)
	return Entry[S]{b.d, func(c *kernelTurn, at *cell, m *message) {
		p := payloadOf[request[Q, R]](m)
		if why := p.to.refused(); why != nil {
			c.count.notRun++
			declareDead(c, at, m, why)
			return
		}
		q := p.q
		clear1(&p.q)
		v, err := method(stateOf[S](at), c.face(), q)
		if err != nil {
			c.failed = err
		}
		p.take().answer(c, m.Life, Result[R]{v, err}, true)
	}}
}

// madeAsk returns d, the descriptor of an AskBehaviour, which must not be nil.
func (d *descriptor) madeAsk() *descriptor {
	if d == nil {
		panic("gallop: a zero AskBehaviour: use DeclareAsk")
	}
	return d
}

// Ask sends a request from outside and blocks until the reply comes. It panics if to is
// the zero Ref. The error is that of the behaviour, or one of the following, which is
// returned as soon as its cause arises:
//
//   - ErrStopped: to has ended, or ends before it comes to the request or gives a reply
//     that it has put off. See [Defer].
//   - ErrPanicked: to panicked over the request.
//   - ErrDeadlock: the reply would have to wait for the caller's own turn to end. The
//     request becomes a dead letter. The caller is a behaviour of to itself; or of
//     another actor of to's pinned type, which has one thread; or of an actor for which
//     a behaviour of to waits, directly or through others, in an Ask.
//   - ErrTooManyBlocked: the caller is a behaviour or a process, and the limit of
//     [WithMaxBlocked] is reached: the caller would keep its worker from other actors.
//     The request becomes a dead letter.
//   - ErrOverloaded: to has a bound ([WithBound]), and its mailbox is at the bound; or
//     the behaviour is [DropOnOverload], and to does not keep up. With a ctx from
//     [WaitForRoom] the caller waits for room instead.
//   - ErrDropped: to has a bound, and the request had to make room for another message.
//   - ErrSuspended: to is in a back-off before its restart. With a ctx from
//     supervise.WaitForRestart the caller waits for the restart instead.
//   - ErrRestarted: to has fallen before it came to the request, and its supervisor
//     keeps no mail over a restart. See package supervise.
//   - ErrSystemStopped: the system of to stops or is in [System.Shutdown], even if the
//     caller is a behaviour of that system; or the caller is a behaviour, or a process,
//     whose own system stops.
//   - ctx's error. If ctx had ended before the call, the request is not sent, and the
//     caller keeps its regions and parcels. If ctx ends later, the request runs all the
//     same, unless to is restarted before that, and its reply is discarded. The error
//     does not tell the two cases apart. If the request owns a region or a parcel, check
//     ctx before the call, and use a context that cannot end in between.
//
// A behaviour waits in Ask as it does in [Context.Blocking]: other workers run the other
// actors meanwhile, and its own mail waits. That costs a goroutine and an idle worker
// ([WithMaxBlocked]); [AskTo] costs a message. During the wait, the actors that were muted
// because the caller is overloaded, or muted itself, go on, in case to is one of them. But
// Ask does not detect every way in which to may wait for the caller. So give ctx a deadline
// if one of these is possible:
//
//   - the caller applies pressure or has a bound;
//   - to is muted for another actor of the caller's pinned type, which has one thread;
//   - to is suspended until the caller has ended, as siblings under one supervisor may
//     be;
//   - the circle passes through an actor of another system, through [AskAll] or [Replies],
//     through a goroutine that asks, or through a reply that was put off ([Defer]).
//
// The deadline and the values of ctx reach the behaviour: see [Context.Context].
func (b AskBehaviour[S, Q, R]) Ask(ctx context.Context, to Ref[S], q Q) (R, error) {
	return ask[Q, R](ctx, b.d, b.calls, to.b, q)
}

// ask is Ask, compiled once for each pair of a request type and a reply type. The type of the state
// does not matter.
func ask[Q, R any](ctx context.Context, d *descriptor, calls *sync.Pool, to *cell, q Q) (R, error) {
	ctx = d.mustAsk(ctx, to)
	if err := ctx.Err(); err != nil {
		return *new(R), err
	}
	waits := to.supervised && waitsForRestart(ctx)
	k := calls.Get().(*call[R])
	k.ctx, k.waits = ctx, waits
	m := d.size.TakeFrom(&k.kept)
	*payloadOf[request[Q, R]](m) = request[Q, R]{q, replyTo[R]{call: k}}
	to.shared().sys.sendAsk(ctx, to, m, d) // or it answers k
	// SampleYield and the spinning are not in a function of their own, since after a yield each
	// return from a call is expensive: see sched.Worker.find.
	if to.shared().sys.sim == nil {
		to.shared().sys.sched.SampleYield()
	}
	for n := 0; n < spinLimit && k.state.Load() == callPending && to.shared().sys.letsOthers(); n++ {
		seam.Spin()
	}
	to.shared().sys.sched.TimeTurns() // of the turn that answers, or has answered and still runs
	res, reusable := k.wait(ctx, to, d)
	if reusable {
		calls.Put(k)
	}
	return res.Value, res.Err
}

// mustAsk panics if d is nil, if d does not suit the actor, or if ctx is nil. It returns ctx in a
// form whose methods cannot panic in the runtime: see mustHave.
func (d *descriptor) mustAsk(ctx context.Context, to *cell) context.Context {
	d.madeAsk().mustSuit(to)
	return mustHave(ctx, "Ask")
}

// call is a goroutine that waits for a reply.
//
// It first yields to Go's scheduler. An idle worker that it has just woken runs next on the same
// processor, and has answered when the caller runs again, so that neither side blocks on a
// channel. If there is no answer then, the caller parks.
//
//	        finish                      finish
//	    ┌─────────────▶ ANSWERED ◀─────────────────── WAITING (a token is owed)
//	    │                  │ take                      ▲ │
//	PENDING ◀──────────────┘                           │ │ ctx or the asking system ended
//	    ├──── spinLimit over ───────────────────────────┘ ▼
//	    ├──── deterministic: drive gave up ─────────▶ ABANDONED
//	    ├──── the caller keeps to from running ─────▶ REFUSED
//	    └──── too many are blocked ─────────────────▶ UNHELPED
//
// Each arrow except that of take is a compare-and-swap, so either finish or the caller that gives
// up comes first. finish has three cases:
//
//   - From PENDING it stores the result for the caller to find.
//   - From WAITING it also sends a token.
//   - In ABANDONED, REFUSED and UNHELPED the caller has left with an error, so finish discards the
//     regions and parcels of the result.
//
// If a request's turn comes and its call is REFUSED or UNHELPED, the request does not run: it
// becomes a dead letter, which ends in finish. A call never leaves these three states, and is used
// for no other request. Calls of a fan-in, and calls with a time-out, stay PENDING.
type call[R any] struct {
	callState
	result Result[R]
	kept   *message // nodes for the next requests; owned by the owner of the call

	// Not nil: the call is one of several, and is sent there when it has its result.
	several *fanIn[R]
	of      int                // its index among the several
	timed   *timedAsk[R]       // not nil: an actor with a time-out waits, and no goroutine
	handler Handler[Result[R]] // not nil: it gets the result, and no caller waits
}

// callState is the part of a call that does not depend on the type of the reply. Its methods are
// compiled once.
type callState struct {
	state seam.Flag
	wait  askWait
	later seam.Bool // the reply was put off: any actor may give it
	// Owned by the caller. The receiver reads it while it has the request.
	ctx     context.Context
	node    *message // of a timedAsk: the message for the outcome, if it was made already
	by      *cell    // of a timedAsk: the actor that asks
	sysDone *bool    // of a timedAsk: by has had its outcome. Owner of by only
	// Of one of several calls: the caller has left. nil: the call is the only one.
	left  *seam.Bool
	tells bool // a Handler gets the result: the runtime does not know who waits
	waits bool // ctx has the mark of WaitForRestart; false if the receiver is not supervised
	// Not nil: the reply was put off. The deferral has the address of the caller; this call leads
	// nowhere.
	putOff *deferral
	// Has room for one token, which is sent if the state was WAITING. nil until makeDone.
	done  chan struct{}
	owner <-chan struct{} // closing of the system for which done was made
}

// makeDone makes done, unless it was made for sys already. The caller owns the call, which is
// PENDING. Calls are reused by any caller. Their channels are reused only within a system: a
// channel that was made in a bubble of testing/synctest must not be used outside, and a wait for a
// channel that was made outside does not let the bubble's time pass.
func makeDone(k *callState, sys *kernelSystem) {
	if k.owner != sys.closing {
		k.done, k.owner = make(chan struct{}, 1), sys.closing
	}
}

const (
	callPending = iota
	callWaiting
	callAnswered
	callAbandoned // the reply goes nowhere
	callRefused   // the reply goes nowhere, and the request does not run: ErrDeadlock
	callUnhelped  // as callRefused, with ErrTooManyBlocked
)

// spinLimit is how often a caller yields before it parks. With each yield it goes through the queue
// that all of Go's threads share. An idle thread may take it from there to another processor, so
// more yields cost more than parking (decision 10).
const spinLimit = 2

// letsOthers reports whether a caller yields before it parks. It does not if the scheduler is
// crowded, nor in a deterministic run.
func (s *kernelSystem) letsOthers() bool { return s.sim == nil && !s.sched.Crowded() }

// finish gives the result to the caller, if the caller still waits. It is called once per call.
func (k *call[R]) finish(res Result[R]) {
	k.result = res // if the call is abandoned, this is not read
	if k.several != nil {
		k.several.add(k)
		return
	}
	if k.state.CompareAndSwap(callPending, callAnswered) { // publishes result
		return
	}
	if k.state.CompareAndSwap(callWaiting, callAnswered) {
		k.done <- struct{}{}
		return
	}
	discardReply(&k.result.Value) // the caller has given up; no other code sees it
}

// discardReply discards the regions and parcels of a reply that reaches no caller.
func discardReply[R any](v *R) {
	if o := heap.OwnedIn(reflect.TypeFor[R]()); o.Any() {
		heap.DiscardIn(v, o)
	}
}

// wait returns the result, or a Result with the reason why there is none. reusable reports that no
// other goroutine can access the call any more.
func (k *call[R]) wait(ctx context.Context, to *cell, d *descriptor) (res Result[R],
	reusable bool) {
	if k.state.Load() != callAnswered {
		if err := awaitReply(ctx, &k.callState, to, d); err != nil {
			return Result[R]{Err: err}, false
		}
	}
	return k.take(), true
}

// park waits for the token. If ctx ends or over is closed first, it abandons the call and returns
// ctx's error or ErrSystemStopped.
func (k *callState) park(ctx context.Context, over <-chan struct{}) (err error) {
	ended := ctx.Done()
	if ended == nil && over == nil {
		<-k.done // a select costs more
		return nil
	}
	select {
	case <-k.done:
		return nil
	case <-ended:
		err = ctx.Err()
	case <-over:
		err = ErrSystemStopped
	}
	if !k.state.CompareAndSwap(callWaiting, callAbandoned) {
		<-k.done
		return nil
	}
	return err
}

// drive lets a deterministic system go on until the reply has come, and returns nil. It returns
// ctx's error if ctx ends first, and ErrSystemStopped if the system stops first. If nothing can
// happen any more before the reply, it returns nil too, and the caller parks.
func (k *callState) drive(ctx context.Context, me, to *cell, d *descriptor) error {
	s := to.shared().sys.sim
	defer s.leave(s.enter(openCall{call: k, by: me, to: to, d: d}))
	switch {
	case to.shared().sys.sched.Await(ctx, func() bool { return k.state.Load() == callAnswered }):
		return nil
	case ctx.Err() != nil || !to.shared().sys.sched.Stopping():
		return ctx.Err()
	}
	return ErrSystemStopped
}

// take returns the result of an answered call and empties the call for its next use.
func (k *call[R]) take() Result[R] {
	if invariant.On {
		verifyAnswered(k)
	}
	res := k.result
	k.result, k.ctx = Result[R]{}, nil
	if k.later.Load() {
		k.later.Store(false)
	}
	// No other goroutine has the call. The push of the next request publishes it to the receiver.
	k.state.StoreRelease(callPending)
	return res
}

// verifyAnswered checks a call that is over before it is used again: its result is written, and no
// token is left that would answer the next request.
func verifyAnswered[R any](k *call[R]) {
	invariant.Check(seam.Peek(&k.state) == callAnswered, "a call ends in state %d",
		seam.Peek(&k.state))
	invariant.Check(len(k.done) == 0, "a call is over, and a token is left")
}
