package actor

import (
	"context"
	"runtime/debug"
)

// Pipe runs fn in a goroutine of its own and sends what fn returns to the running
// actor, as a message for reply. This is how a behaviour waits for a database or a
// socket without blocking its worker. Pipe panics if fn is nil, or if reply belongs to
// another type than the running actor.
//
// fn's context ends when the system stops. The system is held until the message is
// sent. fn may send with the System, and may use a ref that [Self] has returned before;
// it must not use c: see [Context].
//
// A panic in fn comes back as a *PanicError with its stack. It ends nobody, and neither
// [OnPanic] nor the log is told, so the behaviour for reply should look at Err.
func Pipe[T, R any](c *Context, reply Behaviour[T, Result[R]], fn func(context.Context) (R, error)) {
	c.mustOwn(reply.d.made())
	if fn == nil {
		panic("gallop: Pipe: a nil function for " + reply.d.fullName())
	}
	to := replyTo[R]{asker: c.self, reply: reply.d}
	sys := c.sys
	release := sys.holdFor(aPipe, c.self)
	sys.sched.Go(func() {
		defer release()
		res := Result[R]{Err: &PanicError{Goexit: true}}
		defer func() {
			if v := recover(); v != nil {
				res = Result[R]{Err: &PanicError{Value: v, Stack: userFrames(debug.Stack())}}
			}
			to.deliver(res)
		}()
		res.Value, res.Err = fn(sys.over.context())
	})
}

// deliver sends a result from a goroutine that holds the system.
func (to replyTo[R]) deliver(res Result[R]) {
	m := to.reply.pool.takeOne()
	m.id = to.reply.id
	*payloadOf[Result[R]](m) = res
	if to.reply.urgent != nil {
		replier{sys: to.asker.sys()}.answer(to.asker, m, to.reply, true)
		return
	}
	to.asker.pushHeld(m)
}

// pushHeld delivers a message from a goroutine that holds the system.
func (b *body) pushHeld(m *message) {
	r := replier{sys: b.sys()}
	b.sys().sim.bookUser(m.id)
	switch b.box.push(m) {
	case pushWoke:
		r.schedule(b)
	case pushClosed:
		r.deadLetter(b, m, b.endedBecause())
	}
}
