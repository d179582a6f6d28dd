package actor

import (
	"context"
	"sync"

	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/kernel/msg"

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
type AskBehaviour[S, Q, R any] kernel.AnyAsk

// DeclareAsk adds a behaviour with a reply to t, on the same terms as [Declare]. Requests
// may be [Urgent]: then they reach an actor that is muted, or whose mailbox is full.
func DeclareAsk[Q, R, S any](t *Type[S], name string, opts ...BehaviourOption) AskBehaviour[S, Q,
	R] {
	d := infoOf(t).Made("DeclareAsk").Declare(withDeclared(answering[Q, R](name), opts))
	return AskBehaviour[S, Q, R](kernel.AskOf(d, callPool[R]()))
}

// answering returns a descriptor for requests of type Q.
func answering[Q, R any](name string) *kernel.Descriptor {
	p, _ := msg.Of[request[Q, R]]()
	return &kernel.Descriptor{
		Name: name, Size: p, Pointers: true,
		Payload: func(m *kernel.Message) any { return kernel.PayloadOf[request[Q, R]](m).q },
		Reject: func(e kernel.Env, m *kernel.Message, err error) {
			kernel.PayloadOf[request[Q, R]](m).take().reject(e, m.Life, err)
		},
		Caller: func(m *kernel.Message) kernel.Caller {
			return callerOf(&kernel.PayloadOf[request[Q, R]](m).to)
		},
	}
}

func callPool[R any]() *sync.Pool {
	return &sync.Pool{New: func() any {
		k := new(call[R])
		kernel.AsksInTurns.Add(&k.CallState)
		return k
	}}
}

// Handle makes the entry of the dispatch table that runs method for b's requests. The
// value and the error that method returns are sent to the caller.
func (b AskBehaviour[S, Q, R]) Handle(method func(*S, *Context, Q) (R, error)) Entry[S] {
	kernel.AnyAsk(b).Descriptor().MadeAsk().MustDo(method == nil)
	return Entry[S]{kernel.AnyAsk(b).Descriptor(), func(c *kernel.Turn, at *kernel.Cell, m *kernel.Message) {
		p := kernel.PayloadOf[request[Q, R]](m)
		if why := p.to.Refused(); why != nil {
			c.Count.NotRun++
			kernel.DeclareDead(c, at, m, why)
			return
		}
		q := p.q
		kernel.ClearValue(&p.q)
		v, err := method(kernel.StateOf[S](at), contextOf(c), q)
		if err != nil {
			c.Failed = err
		}
		p.take().Answer(c, m.Life, Result[R]{v, err}, true)
	}}
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
//   - the circle passes through an actor of another system, through bridge.AskAll or
//     bridge.Replies, through a goroutine that asks, or through a reply that was put off
//     ([Defer]).
//
// The deadline and the values of ctx reach the behaviour: see [Context.Context].
func (b AskBehaviour[S, Q, R]) Ask(ctx context.Context, to Ref[S], q Q) (R, error) {
	return ask[Q, R](ctx, kernel.AnyAsk(b).Descriptor(), kernel.AnyAsk(b).Calls(), to.target(), q)
}

// ask is Ask, compiled once for each pair of a request type and a reply type. The type of the state
// does not matter.
func ask[Q, R any](ctx context.Context, d *kernel.Descriptor, calls *sync.Pool, to *kernel.Cell,
	q Q) (R, error) {
	ctx = d.MustAsk(ctx, to)
	if err := ctx.Err(); err != nil {
		return *new(R), err
	}
	waits := to.Supervised && kernel.WaitsForRestart(ctx)
	k := calls.Get().(*call[R])
	k.Ctx, k.Waits = ctx, waits
	m := d.Size.TakeFrom(&k.kept)
	*kernel.PayloadOf[request[Q, R]](m) = request[Q, R]{q, replyTo[R]{call: k}}
	to.Shared().Sys.SendAsk(ctx, to, m, d) // or it answers k
	// SampleYield and the spinning are not in a function of their own, since after a yield each
	// return from a call is expensive: see sched.Worker.find.
	if to.Shared().Sys.Sim == nil {
		to.Shared().Sys.Sched.SampleYield()
	}
	for n := 0; n < kernel.SpinLimit && k.State.Load() == kernel.CallPending && to.Shared().Sys.LetsOthers(); n++ {
		seam.Spin()
	}
	to.Shared().Sys.Sched.TimeTurns() // of the turn that answers, or has answered and still runs
	res, reusable := k.wait(ctx, to, d)
	if reusable {
		calls.Put(k)
	}
	return res.Value, res.Err
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
//	    ├──── SpinLimit over ──────────────────────────────┘ ▼
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
// for no other request. Calls with a handler, and calls with a time-out, stay PENDING.
type call[R any] struct {
	kernel.CallState
	result Result[R]
	kept   *kernel.Message // nodes for the next requests; owned by the owner of the call

	timed   *timedAsk[R]       // not nil: an actor with a time-out waits, and no goroutine
	handler Handler[Result[R]] // not nil: it gets the result, and no caller waits
}

// finish gives the result to the caller, if the caller still waits. It is called once per call.
func (k *call[R]) finish(res Result[R]) {
	k.result = res                                                       // if the call is abandoned, this is not read
	if k.State.CompareAndSwap(kernel.CallPending, kernel.CallAnswered) { // publishes result
		return
	}
	if k.State.CompareAndSwap(kernel.CallWaiting, kernel.CallAnswered) {
		k.Done <- struct{}{}
		return
	}
	kernel.DiscardReply(&k.result.Value) // the caller has given up; no other code sees it
}

// wait returns the result, or a Result with the reason why there is none. reusable reports that no
// other goroutine can access the call any more.
func (k *call[R]) wait(ctx context.Context, to *kernel.Cell, d *kernel.Descriptor) (res Result[R],
	reusable bool) {
	if k.State.Load() != kernel.CallAnswered {
		if err := kernel.AwaitReply(ctx, &k.CallState, to, d); err != nil {
			return Result[R]{Err: err}, false
		}
	}
	return k.take(), true
}

// take returns the result of an answered call and empties the call for its next use.
func (k *call[R]) take() Result[R] {
	if invariant.On {
		verifyAnswered(k)
	}
	res := k.result
	k.result, k.Ctx = Result[R]{}, nil
	if k.Later.Load() {
		k.Later.Store(false)
	}
	// No other goroutine has the call. The push of the next request publishes it to the receiver.
	k.State.StoreRelease(kernel.CallPending)
	return res
}

// verifyAnswered checks a call that is over before it is used again: its result is written, and no
// token is left that would answer the next request.
func verifyAnswered[R any](k *call[R]) {
	invariant.Check(seam.Peek(&k.State) == kernel.CallAnswered, "a call ends in state %d",
		seam.Peek(&k.State))
	invariant.Check(len(k.Done) == 0, "a call is over, and a token is left")
}
