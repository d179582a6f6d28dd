package actors

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/access"
	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/process"
)

// Ask sends an actor a request. It does not wait, unless the actor is overloaded: see [Sender]. The
// reply, or else the error, comes to what it returns, which may be one case among others of a
// select. The errors are those that actor.AskBehaviour.Ask lists.
func Ask[S, Q, R any](by process.Party, b actor.AskBehaviour[S, Q, R], to actor.Ref[S],
	q Q) process.Asked[R] {
	return ask(nil, by, b, to, q)
}

// ask is Ask with a context, if that is not nil.
func ask[S, Q, R any](ctx context.Context, by process.Party, b actor.AskBehaviour[S, Q, R],
	to actor.Ref[S], q Q) process.Asked[R] {
	reply, back := process.NewReply[R]()
	access.AskFor(ctx, Sender(by), b.To(to), q, &replied[R]{actorsOf(by, "Ask"), back})
	return reply
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

// Call is [Ask] and waits for the reply, without an end or [process.Within] a time: the process is
// suspended, and not its worker. The error is one of those that actor.AskBehaviour.Ask lists, or
// [process.ErrTimeout].
//
// An actor that waits in its turn for a process that waits for it waits for ever: the runtime does
// not see such a circle. A behaviour that asks by [AskTo] does not wait.
func Call[S, Q, R any](by process.Party, b actor.AskBehaviour[S, Q, R], to actor.Ref[S],
	q Q, opts ...process.CallOption) (R, error) {
	a := Ask(by, b, to, q)
	defer access.Waits(by, "reply of", to)()
	d := time.Duration(0)
	if len(opts) != 0 {
		d = access.CallLimit(opts)
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

// CallContext is [Call] under a context, on the terms of actor.AskBehaviour.Ask: values and deadline
// of ctx reach the behaviour, and the process waits until the reply comes or ctx ends. Then the
// error is ctx's, and the request runs all the same; if ctx has ended before, no request is sent.
func CallContext[S, Q, R any](ctx context.Context, by process.Party,
	b actor.AskBehaviour[S, Q, R], to actor.Ref[S], q Q) (v R, err error) {
	ctx = mustHave(ctx, "CallContext")
	actorsOf(by, "CallContext")
	if err := ctx.Err(); err != nil {
		return v, err
	}
	a := ask(ctx, by, b, to, q)
	defer access.Waits(by, "reply of", to)()
	if process.Select(by, a.Replied(&v, &err), process.Done(ctx)) == 1 {
		return *new(R), ctx.Err()
	}
	return v, err
}

// AskTo asks a process from a behaviour and does not wait: the outcome comes as a message for
// reply, a behaviour of the running actor. request makes the message, with the address for the
// reply, in another process. The outcome belongs to the life that has asked, as with actor.AskTo. Its
// error is
//
//   - the error that the process has given to [process.ReplyTo.Fail], as it is;
//   - actor.ErrNoReply, if the time of actor.Within passes first, also while the request waits for
//     room in the mailbox;
//   - actor.ErrStopped, if the process has ended, or ends normally without a reply;
//   - one that wraps actor.ErrStopped and the reason, as [Ref] has it, if the process ends for one;
//   - an *actor.PanicError, if request panics.
//
// A reply comes before the news of the end of the process that gives it.
//
// AskTo costs a process that waits in the actor's place: about a microsecond, and 3 KB as long as the
// reply takes.
func AskTo[M, R, T any](c *actor.Context, to process.Ref[M], request func(process.ReplyTo[R]) M,
	reply actor.Behaviour[T, actor.Result[R]], opts ...actor.AskOption) {
	tell := access.Outcome(c, reply)
	askFrom(c, "AskTo", to, opts, request, func(from actor.Sender, v R, err error) {
		tell(from, actor.Result[R]{Value: v, Err: err})
	})
}

// AskToWith is [AskTo] with a mark: the outcome brings back mark, so that the actor knows what it
// belongs to, whatever the outcome is.
func AskToWith[M, R, T, K any](c *actor.Context, to process.Ref[M],
	request func(process.ReplyTo[R]) M, reply actor.Behaviour[T, actor.Reply[R, K]], mark K,
	opts ...actor.AskOption) {
	tell := access.Outcome(c, reply)
	askFrom(c, "AskToWith", to, opts, request, func(from actor.Sender, v R, err error) {
		tell(from, actor.Reply[R, K]{Value: v, Err: err, Mark: mark})
	})
}

// askFrom has a process ask another for an actor, and tell what comes of it.
func askFrom[M, R any](c *actor.Context, call string, to process.Ref[M], opts []actor.AskOption,
	request func(process.ReplyTo[R]) M, tell func(from actor.Sender, v R, err error)) {
	switch {
	case to == process.Ref[M]{}:
		panic("gallop: actors: " + call + " of a zero Ref")
	case request == nil:
		panic("gallop: actors: " + call + ": request is nil")
	}
	sys, limit := c.System(), process.CallOption{}
	if d := access.AskLimit(opts); d != 0 {
		limit = process.Within(d)
	}
	process.Go(Env(c), func(p *process.Proc) {
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
			// The reply comes by who gives it, so that the end of that one does not overtake it.
			access.OnReply(r, func(from, v any, err error) {
				reply, _ := v.(R)
				once(senderOf(from, sys), reply, err)
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
		if err != nil && !access.Failed(p) {
			err = outcomeError(err)
		}
		once(Sender(p), v, err)
	})
}

// senderOf returns the sender by which a process.Env acts on actors of sys: outside, unless it is a
// process of that system.
func senderOf(env any, sys *actor.System) actor.Sender {
	if by, ok := env.(process.Party); ok {
		if _, its := access.SystemOf(env); its == any(sys) {
			return Sender(by)
		}
	}
	return sys
}

// outcomeError is what an actor gets as the error of a request that a process has not answered.
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
