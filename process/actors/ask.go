package actors

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/face"
	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/process"
)

// Ask sends an actor a request. It waits only if the actor is overloaded: see [Sender]. The reply
// or the error arrives at the returned Asked, which may be a case of a select. The errors are
// listed at actor.AskBehaviour.Ask.
func Ask[S, Q, R any](by process.Party, b actor.AskBehaviour[S, Q, R], to actor.Ref[S],
	q Q) process.Asked[R] {
	return ask(nil, by, b, to, q)
}

// ask is Ask with a context, if that is not nil, and else with that of process.Proc.SetContext.
func ask[S, Q, R any](ctx context.Context, by process.Party, b actor.AskBehaviour[S, Q, R],
	to actor.Ref[S], q Q) process.Asked[R] {
	from := Sender(by)
	if r, _, ok := parts.RunningOf(by); ctx == nil && ok {
		ctx = r.Context()
	}
	reply, back := process.NewReply[R]()
	askFor[Q, R](ctx, from, b.To(to), q, &replied[R]{actorsOf(by, "Ask"), back})
	return reply
}

// askFor sends a request to a target that AskBehaviour.To has made. The outcome goes to handler. The
// request carries ctx, as that of AskBehaviour.Ask does; nil: nothing.
func askFor[Q, R any](ctx context.Context, from actor.Sender, to actor.Asker[Q, R], q Q,
	handler actor.Handler[actor.Result[R]]) {
	to.(interface {
		AskFor(context.Context, kernel.Env, *kernel.Cell, Q, *seam.Bool, actor.Handler[actor.Result[R]])
	}).AskFor(ctx, kernel.EnvOf(from), nil, q, nil, handler)
}

// replied is the handler of the outcome of a request.
type replied[R any] struct {
	sys *actor.System
	to  process.ReplyTo[R]
}

// Own implements guard.Own.
func (*replied[R]) Own(guard.Mark) {}

// Send implements actor.Handler.
func (r *replied[R]) Send(from actor.Sender, m actor.Result[R]) {
	env := envOf(from, r.sys)
	if m.Err != nil {
		r.to.Fail(env, m.Err)
		return
	}
	r.to.Reply(env, m.Value)
}

// TrySend implements actor.Handler.
func (r *replied[R]) TrySend(from actor.Sender, m actor.Result[R]) error {
	r.Send(from, m)
	return nil
}

// Call sends a request as [Ask] does and waits for the reply, with [process.Within] for a limited
// time. It suspends the process, and not its worker. The errors are listed at
// actor.AskBehaviour.Ask; [process.ErrTimeout] is another.
//
// If an actor waits in its turn for a process that waits for the actor, both wait for ever: the
// runtime does not see such a circle. A behaviour that asks by [AskTo] does not wait.
func Call[S, Q, R any](by process.Party, b actor.AskBehaviour[S, Q, R], to actor.Ref[S],
	q Q, opts ...process.CallOption) (R, error) {
	a := Ask(by, b, to, q)
	defer parts.Waits(by, "reply of", kernel.AnyRef(to))()
	d := time.Duration(0)
	if len(opts) != 0 {
		d = parts.CallLimit(opts)
	}
	if d == 0 {
		return a.Reply(by)
	}
	var v R
	var err error
	if process.Select(by, a.Replied(&v, &err), process.After(d)) == 1 {
		return v, process.ErrTimeout
	}
	return v, err
}

// CallContext is [Call] under a context, as in actor.AskBehaviour.Ask: values and deadline of ctx
// reach the behaviour. The process waits until the reply comes or ctx ends. Then the error is
// ctx's, and the request still runs. If ctx has ended before the call, no request is sent.
func CallContext[S, Q, R any](ctx context.Context, by process.Party,
	b actor.AskBehaviour[S, Q, R], to actor.Ref[S], q Q) (v R, err error) {
	ctx = mustHave(ctx, "CallContext")
	actorsOf(by, "CallContext")
	if err := ctx.Err(); err != nil {
		return v, err
	}
	a := ask(ctx, by, b, to, q)
	defer parts.Waits(by, "reply of", kernel.AnyRef(to))()
	if process.Select(by, a.Replied(&v, &err), process.Done(ctx)) == 1 {
		return *new(R), ctx.Err()
	}
	return v, err
}

// AskTo asks a process from a behaviour and does not wait. The outcome comes as a message for
// reply, a behaviour of the running actor. request makes the message, with the address for the
// reply, in another process. The outcome belongs to the life that has asked, as with actor.AskTo.
// Its error is
//
//   - the error that the process has given to [process.ReplyTo.Fail], unchanged;
//   - actor.ErrNoReply, if the time of actor.Within passes first, also while the request waits for
//     room in the mailbox;
//   - actor.ErrStopped, if the process has ended, or ends normally without a reply;
//   - an error that wraps actor.ErrStopped and the reason as at [Ref], if the process ends for a reason;
//   - an *actor.PanicError, if request panics.
//
// A reply arrives before the end of the process that sends it. After actor.Context.SetContext the
// request and the outcome carry the context, as with actor.AskTo.
//
// AskTo starts a process that waits in the actor's place. It costs about a microsecond, and 3 KB
// until the reply comes.
func AskTo[M, R, T any](c *actor.Context, to process.Ref[M], request func(process.ReplyTo[R]) M,
	reply actor.Behaviour[T, actor.Result[R]], opts ...actor.AskOption) {
	turn := kernel.TurnFor(c, "AskTo")
	tell := outcomeFor(turn, reply)
	askFrom(turn, "AskTo", to, opts, request, func(from actor.Sender, v R, err error) {
		tell(from, actor.Result[R]{Value: v, Err: err})
	})
}

// AskToWith is [AskTo] with a mark: the outcome brings back mark, so that the actor can assign it
// to its request, whatever the result.
func AskToWith[M, R, T, K any](c *actor.Context, to process.Ref[M],
	request func(process.ReplyTo[R]) M, reply actor.Behaviour[T, actor.Reply[R, K]], mark K,
	opts ...actor.AskOption) {
	turn := kernel.TurnFor(c, "AskToWith")
	tell := outcomeFor(turn, reply)
	askFrom(turn, "AskToWith", to, opts, request, func(from actor.Sender, v R, err error) {
		tell(from, actor.Reply[R, K]{Value: v, Err: err, Mark: mark})
	})
}

// outcomeFor returns a function that sends the running actor the outcome of something that it has
// asked for.
func outcomeFor[T, M any](turn *kernel.Turn, b actor.Behaviour[T, M]) func(actor.Sender, M) {
	tell := kernel.OutcomeFor[M](turn, kernel.AnyBehaviour(b).Descriptor().Made())
	return func(from actor.Sender, outcome M) { tell(kernel.EnvOf(from), outcome) }
}

// askFrom starts a process that asks another for an actor, and calls tell with the outcome.
func askFrom[M, R any](c *kernel.Turn, call string, to process.Ref[M], opts []actor.AskOption,
	request func(process.ReplyTo[R]) M, tell func(from actor.Sender, v R, err error)) {
	switch {
	case to == process.Ref[M]{}:
		panic("gallop: actors: " + call + " of a zero Ref")
	case request == nil:
		panic("gallop: actors: " + call + ": request is nil")
	}
	sys, limit, ctx := c.Sys, process.CallOption{}, c.Travels
	for _, o := range opts {
		if d, limited := kernel.AskOption(o).Limit(); limited {
			limit = process.Within(d)
		}
	}
	process.Go(envIn(c), func(p *process.Proc) {
		if ctx != nil {
			p.SetContext(ctx)
		}
		var fails *actor.PanicError
		var told seam.Bool
		once := func(from actor.Sender, v R, err error) {
			if told.CompareAndSwap(false, true) {
				tell(from, v, err)
			}
		}
		defer func() {
			if fails != nil {
				once(Sender(p), *new(R), fails)
			}
		}()
		v, err := process.Call(p, to, func(r process.ReplyTo[R]) M {
			// The giver of the reply delivers it, so that its end cannot overtake the reply.
			process.ForActorsOf[R]{}.OnReply(r, func(from process.Env, v R, err error) {
				once(senderOf(from, sys), v, err)
			})
			fails = &actor.PanicError{Goexit: true}
			defer func() {
				if v := recover(); v != nil {
					fails = &actor.PanicError{Value: v, Stack: debug.Stack()}
					panic(v)
				}
			}()
			m := request(r)
			fails = nil
			return m
		}, limit)
		if err != nil && !parts.Failed(p) {
			err = outcomeError(err)
		}
		once(Sender(p), v, err)
	})
}

// senderOf returns the sender by which a process.Env acts on actors of sys: outside, unless it is a
// process of that system.
func senderOf(env process.Env, sys *kernel.System) actor.Sender {
	if by, ok := env.(process.Party); ok && parts.ActorsOf(by) == sys {
		return Sender(by)
	}
	return face.System(sys)
}

// outcomeError returns the actor's error for a request that a process has not answered.
func outcomeError(err error) error {
	switch err {
	case process.ErrTimeout:
		return actor.ErrNoReply
	case process.ErrNoProcess:
		return actor.ErrStopped
	case process.ErrOverloaded:
		return actor.ErrOverloaded
	}
	return fmt.Errorf("%w: %w", actor.ErrStopped, guard.Wrapped(reasonFor(err)))
}
