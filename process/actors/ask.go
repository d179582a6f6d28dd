package actors

import (
	"errors"
	"fmt"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/access"
	"github.com/gallop-go/gallop/process"
)

// Ask sends an actor a request. It does not wait, unless the actor is overloaded: see [Sender]. The
// reply, or else the error, comes to what it returns, which may be one case among others of a
// select. The errors are those that actor.AskBehaviour.Ask lists.
func Ask[S, Q, R any](by process.Party, b actor.AskBehaviour[S, Q, R], to actor.Ref[S],
	q Q) process.Asked[R] {
	reply, back := process.NewReply[R]()
	access.AskFor(Sender(by), b.To(to), q, &replied[R]{actorsOf(by, "Ask"), back})
	return reply
}

// replied is the handler of the outcome of a request.
type replied[R any] struct {
	sys *actor.System
	to  process.ReplyTo[R]
}

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

// Call is [Ask] and waits for the reply, at most for d if that is positive: the process is
// suspended, and not its worker. The error is one of those that actor.AskBehaviour.Ask lists, or
// [process.ErrTimeout].
//
// An actor that waits in its turn for a process that waits for it waits for ever: the runtime does
// not see such a circle. A behaviour that asks by [AskTo] does not wait.
func Call[S, Q, R any](by process.Party, b actor.AskBehaviour[S, Q, R], to actor.Ref[S],
	d time.Duration, q Q) (R, error) {
	a := Ask(by, b, to, q)
	defer access.Waits(by, "reply of", to)()
	if d <= 0 {
		return a.Reply(by)
	}
	var v R
	var err error
	if process.Select(by, a.Replied(&v, &err), process.After(d)) == 1 {
		return v, process.ErrTimeout
	}
	return v, err
}

// AskTo asks a process from a behaviour and does not wait: the outcome comes as a message for
// reply, a behaviour of the running actor. request makes the message, with the address for the
// reply, in any goroutine. If d is positive and passes first, the error is actor.ErrNoReply; if the
// process ends without a reply, it is one that wraps actor.ErrStopped. The outcome belongs to the
// life that has asked, as with actor.AskTo.
//
// It costs a process that waits for the reply in the actor's place: about a microsecond, and 3 KB
// as long as the reply takes.
func AskTo[M, R, T any](c *actor.Context, to process.Ref[M], d time.Duration,
	request func(process.ReplyTo[R]) M, reply actor.Behaviour[T, actor.Result[R]]) {
	tell := access.Outcome(c, reply)
	process.Go(Env(c), func(p *process.Proc) {
		v, err := process.Call(p, to, d, request)
		tell(Sender(p), actor.Result[R]{Value: v, Err: outcomeError(err)})
	})
}

// outcomeError is what an actor gets as the error of a request to a process.
func outcomeError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, process.ErrTimeout):
		return actor.ErrNoReply
	case errors.Is(err, process.ErrNoProcess):
		return actor.ErrStopped
	}
	return fmt.Errorf("%w: %w", actor.ErrStopped, reasonFor(err))
}
