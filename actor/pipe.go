package actor

import (
	"context"
	"runtime/debug"

	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/internal/kernel/sim"
)

// Pipe runs fn in a goroutine of its own and sends the result of fn to the running actor,
// as a message for reply. Use it to wait for a database or a socket without blocking the
// worker. Pipe panics if fn is nil, or if reply belongs to another type than the running
// actor.
//
// fn's context ends when the actor ends or is restarted, as [Context.Context] says, and
// when the system stops. If the behaviour has called [Context.SetContext], it also has
// the values and the deadline of that context, and ends with it. The system is held until
// the message is sent. fn may send with the System, and may use a ref that [Self] has
// returned before; it must not use c: see [Context].
//
// The outcome belongs to the life that has called Pipe, on the terms of [AskTo].
//
// A panic in fn comes back as a *PanicError with its stack. It ends no actor, and is not
// reported to [Hooks] or the log, so the behaviour for reply should check Err.
func Pipe[T, R any](c *Context, reply Behaviour[T, Result[R]],
	fn func(context.Context) (R, error)) {
	turn, d := c.kernel(), kernel.AnyBehaviour(reply).Descriptor()
	turn.MustPipe(d, fn == nil)
	life := turn.MarkAsk()
	back := replyTo[R]{caller: turn.Self, reply: d}
	if turn.Travels != nil {
		back.node = turn.Prepare(d, life)
	}
	pipe(turn, back, life, fn)
}

// PipeWith is [Pipe] with a mark, which comes back with the outcome, also with an error.
// See [AskToWith].
func PipeWith[T, R, K any](c *Context, reply Behaviour[T, Reply[R, K]], mark K,
	fn func(context.Context) (R, error)) {
	turn, d := c.kernel(), kernel.AnyBehaviour(reply).Descriptor()
	turn.MustPipe(d, fn == nil)
	life := turn.MarkAsk()
	back := replyTo[R]{caller: turn.Self, reply: d, node: turn.Prepare(d, life)}
	kernel.PayloadOf[Reply[R, K]](kernel.Contents(back.node)).Mark = mark
	pipe(turn, back, life, fn)
}

// pipe runs fn in a goroutine and sends its result.
func pipe[R any](c *kernel.Turn, to replyTo[R], life uint16, fn func(context.Context) (R, error)) {
	ctx, sys := c.PipeContext(), c.Sys
	release := sys.HoldFor(kernel.PipeErrand, c.Self)
	sys.Sched.Go(func() {
		defer release()
		res := Result[R]{Err: &PanicError{Goexit: true}}
		defer func() {
			if v := recover(); v != nil {
				res = Result[R]{Err: &PanicError{Value: v, Stack: kernel.UserFrames(debug.Stack())}}
			}
			ctx.Release()
			deliverHeld(to, life, res)
		}()
		rest := sys.Sim.Slow(to.caller, to.reply.Name)
		res.Value, res.Err = fn(ctx)
		sys.Sim.Rest(rest)
	})
}

// deliverHeld sends a result from a goroutine that holds the system.
func deliverHeld[R any](to replyTo[R], life uint16, res Result[R]) {
	m, d := to.node, to.reply
	if m == nil {
		m = d.Size.TakeOne()
		m.Life = life
		*kernel.PayloadOf[Result[R]](m) = res
	} else {
		var in *kernel.Message
		in, d = kernel.Prepared(m, d)
		*kernel.PayloadOf[Result[R]](in) = res
	}
	m.ID, m.From = d.ID, 0
	to.caller.Sys().Sim.Comes(kernel.Contents(m), sim.ByPipe, to.caller)
	if to.reply.Urgent {
		kernel.Answer(to.caller.Sys(), to.caller, m, d, true)
		return
	}
	to.caller.Sys().PushHeld(to.caller, m)
}
