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
	Value R // what the behaviour returned, if Err is nil
	// What it returned, or why it did not run: see [AskBehaviour.Ask].
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

// Handle makes the entry of the dispatch table that runs method for b's requests and sends
// what method returns to the caller.
func (b AskBehaviour[S, Q, R]) Handle(method func(*S, *Context, Q) (R, error)) Entry[S] {
	b.d.madeAsk().mustDo(method == nil)
	return Entry[S]{b.d, func(c *Context, at *cell, m *message) {
		p := payloadOf[request[Q, R]](m)
		if why := p.to.refused(); why != nil {
			c.count.notRun++
			declareDead(c, at, m, why)
			return
		}
		q := p.q
		clear1(&p.q)
		v, err := method(stateOf[S](at), c, q)
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
// the zero Ref. The error is the one that the behaviour returned or, as soon as its
// cause arises, one of these:
//
//   - ErrStopped: to has ended, or ends before it comes to the request or gives a reply
//     that it has put off. See [Defer].
//   - ErrPanicked: to panicked over the request.
//   - ErrDeadlock: the reply would have to wait for the caller's own turn to end, and
//     the request becomes a dead letter. The caller is a behaviour of to itself; or of
//     another actor of to's pinned type, which has one thread; or of an actor for which
//     a behaviour of to waits, directly or through others, in an Ask.
//   - ErrTooManyBlocked: the caller is a behaviour or a process, and so many block already
//     ([WithMaxBlocked]) that it would keep its worker from others. The request becomes a dead
//     letter.
//   - ErrOverloaded: to has a bound ([WithBound]), and its mailbox is at the bound; or
//     the behaviour is [DropOnOverload], and to does not keep up; and ctx does not say that
//     the caller waits for room. See [WaitForRoom].
//   - ErrDropped: to has a bound, and the request had to make room for another message.
//   - ErrSuspended: to is in a back-off before its restart, and ctx does not say that
//     the caller waits for that: see supervise.WaitForRestart.
//   - ErrRestarted: to has fallen before it came to the request, and its supervisor
//     keeps no mail over a restart. See package supervise.
//   - ErrSystemStopped: the system of to stops or is in [System.Shutdown], even if the
//     caller is a behaviour of that system; or the caller is a behaviour, or a process,
//     whose own system stops.
//   - ctx's error. If ctx had ended before the call, the request is not sent, and what
//     it owns stays the caller's. If ctx ends later, the request runs all the same, unless
//     to is restarted before, and its reply goes nowhere. The error does not tell the two apart.
//     If the request owns a region or a parcel, look at ctx before the call, and use one that
//     cannot end in between.
//
// A behaviour that waits in Ask does so as in [Context.Blocking]: other actors are run
// by other workers meanwhile, and its own mail waits. That costs a goroutine and an idle
// worker ([WithMaxBlocked]); [AskTo] costs a message. While it waits, actors go on that were
// muted because the caller is overloaded, or muted itself, in case to is one of them. But
// to may wait for the caller in ways that Ask does not see, so give ctx a deadline:
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

// ask is Ask, made once for each type of request and reply, whatever the state.
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
	// Here, and not in a call: see sched.Worker.find.
	if to.shared().sys.sim == nil {
		to.shared().sys.sched.SampleYield()
	}
	for n := 0; n < spinLimit && k.state.Load() == callPending && to.shared().sys.letsOthers(); n++ {
		seam.Spin()
	}
	to.shared().sys.sched.TimeTurns() // the turn that answers, or has answered and goes on
	res, reusable := k.wait(ctx, to, d)
	if reusable {
		calls.Put(k)
	}
	return res.Value, res.Err
}

// mustAsk panics if there is nothing to ask, or no context. It returns the context as the runtime
// may ask it.
func (d *descriptor) mustAsk(ctx context.Context, to *cell) context.Context {
	d.madeAsk().mustSuit(to)
	return mustHave(ctx, "Ask")
}

// call is a goroutine that waits for a reply.
//
// It first lets others run a few times: an idle worker that it has just woken runs
// next on the same processor, and has answered when the caller comes to run again,
// so that neither side blocks on a channel. Only then does it park.
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
// up comes first. finish has three cases. From PENDING it leaves the result to be found. From
// WAITING it owes a token besides. In ABANDONED, REFUSED and UNHELPED it discards what the result
// owns, because the caller has left with an error. A request that finds its call REFUSED or
// UNHELPED when its turn comes does not run: it becomes a dead letter, which ends in finish. None
// of the three is ever left: such a call is used for no other request. Calls of a fan-in, and those
// with a time-out, stay PENDING.
type call[R any] struct {
	callState
	result Result[R]
	kept   *message // nodes for the next requests; whose call it is, owns them

	// Not nil: one of several calls, which go there when they have their result.
	several *fanIn[R]
	of      int                // which of them
	timed   *timedAsk[R]       // not nil: no goroutine waits but an actor, with a time-out
	handler Handler[Result[R]] // not nil: it is told, and no caller waits
}

// callState is what a call has whatever the reply, and so is made once for all.
type callState struct {
	state seam.Flag
	wait  askWait
	later seam.Bool // the reply was put off: any actor may give it
	// The caller's; the receiver reads it while it has the request.
	ctx     context.Context
	node    *message // of a timedAsk: that of its address
	by      *cell    // of a timedAsk: who asks
	sysDone *bool    // of a timedAsk: it has had its outcome. Owner of by only
	// Of one of several: the caller has left. nil: it is the only one.
	left  *seam.Bool
	tells bool // a Handler is told: who waits is not known
	waits bool // ctx has the mark of WaitForRestart; false if the receiver is not supervised
	// The deferral of a request whose reply was put off. It has the caller; the call has none.
	putOff *deferral
	// One token, if the state was WAITING; nil until it has been for the first time.
	done  chan struct{}
	owner <-chan struct{} // closing of the system for which done was made
}

// makeDone sees to it that done was made for sys. The call is the caller's, as long as it is
// PENDING. Calls are reused by any caller, channels only within a system: one that was made in a
// bubble of testing/synctest must not be touched outside, and one that was made outside does not
// let the bubble's time pass.
func makeDone(k *callState, sys *System) {
	if k.owner != sys.closing {
		k.done, k.owner = make(chan struct{}, 1), sys.closing
	}
}

const (
	callPending = iota
	callWaiting
	callAnswered
	callAbandoned // the reply goes nowhere
	callRefused   // nor does the request run
	callUnhelped  // nor does this one
)

// spinLimit is how often a caller lets others run before it parks. Each time it goes through
// the queue that all of Go's threads share, from which an idle one fetches it to another
// processor: more of it costs more than parking (decision 10).
const spinLimit = 2

// letsOthers reports whether a caller lets others run before it parks: not in a process whose
// processors are busy anyway, nor in a deterministic run.
func (s *System) letsOthers() bool { return s.sim == nil && !s.sched.Crowded() }

// finish gives the result to the caller, if that still waits. Once per call.
func (k *call[R]) finish(res Result[R]) {
	k.result = res // an abandoned call is never looked at again
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

// discardReply discards what a reply owns that reaches no caller.
func discardReply[R any](v *R) {
	if o := heap.OwnedIn(reflect.TypeFor[R]()); o.Any() {
		heap.DiscardIn(v, o)
	}
}

// wait returns the result, or why there is none. reusable says that no other goroutine can touch
// the call any more.
func (k *call[R]) wait(ctx context.Context, to *cell, d *descriptor) (res Result[R],
	reusable bool) {
	if k.state.Load() != callAnswered {
		if err := awaitReply(ctx, &k.callState, to, d); err != nil {
			return Result[R]{Err: err}, false
		}
	}
	return k.take(), true
}

// park waits for the token, unless ctx ends or over is closed: then it abandons the call and says
// why.
func (k *callState) park(ctx context.Context, over <-chan struct{}) (err error) {
	ended := ctx.Done()
	if ended == nil && over == nil {
		<-k.done // a select of one costs more
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

// drive lets a deterministic system go on until the reply has come, and says why it
// will not come.
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

// take empties an answered call for its next use.
func (k *call[R]) take() Result[R] {
	if invariant.On {
		verifyAnswered(k)
	}
	res := k.result
	k.result, k.ctx = Result[R]{}, nil
	if k.later.Load() {
		k.later.Store(false)
	}
	// No other goroutine has it; the one that answers the next call has it by a push.
	k.state.StoreRelease(callPending)
	return res
}

// verifyAnswered checks a call that is over before it is used again: its result is written,
// and no token is left that would answer the next one.
func verifyAnswered[R any](k *call[R]) {
	invariant.Check(seam.Peek(&k.state) == callAnswered, "a call ends in state %d",
		seam.Peek(&k.state))
	invariant.Check(len(k.done) == 0, "a call is over, and a token is left")
}
