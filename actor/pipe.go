package actor

import (
	"context"
	"runtime/debug"
	"sync"

	"github.com/gallop-go/gallop/actor/internal/indexset"
	"github.com/gallop-go/gallop/internal/sim"
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
	turn := c.kernel()
	turn.mustPipe(reply.d, fn == nil)
	life := turn.markAsk()
	back := replyTo[R]{caller: turn.self, reply: reply.d}
	if turn.travels != nil {
		back.node = turn.prepare(reply.d, life)
	}
	pipe(turn, back, life, fn)
}

// PipeWith is [Pipe] with a mark, which comes back with the outcome, also with an error.
// See [AskToWith].
func PipeWith[T, R, K any](c *Context, reply Behaviour[T, Reply[R, K]], mark K,
	fn func(context.Context) (R, error)) {
	turn := c.kernel()
	turn.mustPipe(reply.d, fn == nil)
	life := turn.markAsk()
	back := replyTo[R]{caller: turn.self, reply: reply.d, node: turn.prepare(reply.d, life)}
	payloadOf[Reply[R, K]](contents(back.node)).Mark = mark
	pipe(turn, back, life, fn)
}

func (c *kernelTurn) mustPipe(reply *descriptor, isNil bool) {
	c.mustOwn(reply.made())
	if isNil {
		panic("gallop: Pipe: a nil function for " + reply.fullName())
	}
}

// pipe runs fn in a goroutine and sends its result.
func pipe[R any](c *kernelTurn, to replyTo[R], life uint16, fn func(context.Context) (R, error)) {
	ctx, sys := c.pipeContext(), c.sys
	release := sys.holdFor(aPipe, c.self)
	sys.sched.Go(func() {
		defer release()
		res := Result[R]{Err: &PanicError{Goexit: true}}
		defer func() {
			if v := recover(); v != nil {
				res = Result[R]{Err: &PanicError{Value: v, Stack: userFrames(debug.Stack())}}
			}
			ctx.release()
			deliverHeld(to, life, res)
		}()
		rest := sys.sim.slow(to.caller, to.reply.name)
		res.Value, res.Err = fn(ctx)
		sys.sim.rest(rest)
	})
}

// pipeContext returns the context for the function of Pipe.
func (c *kernelTurn) pipeContext() *boundContext {
	outer := c.travels
	if outer == nil {
		outer = context.Background()
	}
	return bindTo(outer, lifeContextOf(c.self))
}

// deliverHeld sends a result from a goroutine that holds the system.
func deliverHeld[R any](to replyTo[R], life uint16, res Result[R]) {
	m, d := to.node, to.reply
	if m == nil {
		m = d.size.TakeOne()
		m.Life = life
		*payloadOf[Result[R]](m) = res
	} else {
		var in *message
		in, d = prepared(m, d)
		*payloadOf[Result[R]](in) = res
	}
	m.ID, m.From = d.id, 0
	to.caller.sys().sim.comes(contents(m), sim.ByPipe, to.caller)
	if to.reply.urgent {
		answer(to.caller.sys(), to.caller, m, d, true)
		return
	}
	to.caller.sys().pushHeld(to.caller, m)
}

// errandClass is the kind of an errand.
type errandClass string

const (
	aPipe     errandClass = "Pipe"
	aFromChan errandClass = "FromChan"
	aToChan   errandClass = "ToChan"
)

// errands lists the goroutines of actors that hold the system: the goroutines of Pipe and of the
// bridges to channels. The list is used only for reports of why the system is not quiescent. A
// goroutine costs a microsecond, so the lock and the entry do not matter.
type errands struct {
	mu  sync.Mutex
	all indexset.Set[errand] // guarded by mu
}

type errand struct {
	class errandClass
	of    *cell
	index int // guarded by mu
}

// holdFor holds the system for an errand of an actor. It is called in the actor's turn, while the
// system cannot be quiescent. The caller must call release once.
func (s *kernelSystem) holdFor(class errandClass, of *cell) (release func()) {
	s.sched.Hold()
	e := &errand{class: class, of: of}
	s.errands.mu.Lock()
	s.errands.all.Add(e, &e.index)
	s.errands.mu.Unlock()
	return func() {
		s.errands.mu.Lock()
		s.errands.all.Remove(&e.index)
		s.errands.mu.Unlock()
		s.sched.Release()
	}
}

// each calls f for each errand. Any goroutine.
func (l *errands) each(f func(class errandClass, of *cell)) {
	l.mu.Lock()
	all := l.all.Members()
	l.mu.Unlock()
	for _, e := range all {
		f(e.class, e.of)
	}
}
