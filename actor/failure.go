package actor

import (
	"bytes"
	"fmt"

	"github.com/gallop-go/gallop/internal/sim"
	"github.com/gallop-go/gallop/sched"
)

// PanicReport tells of a behaviour that panicked, or called runtime.Goexit.
type PanicReport struct {
	// ActorID, Type and Behaviour say where.
	ActorID   uint64
	Type      string
	Behaviour string
	// From is the number of the actor that sent the message; 0 if it came from
	// outside.
	From uint64
	// Value is what was panicked with; nil for a Goexit.
	Value any
	// Goexit tells that the behaviour called runtime.Goexit, as a failing test does.
	Goexit bool
	// Stack is the goroutine's stack, beginning with the frame that panicked.
	Stack []byte
}

// PanicError is what an ask returns whose behaviour panicked. It wraps
// ErrPanicked, and the value if that is an error.
type PanicError struct {
	// Value is what was panicked with; nil for a Goexit.
	Value any
	// Goexit tells that the behaviour called runtime.Goexit.
	Goexit bool
}

// Error implements error.
func (e *PanicError) Error() string {
	if e.Goexit {
		return "gallop: actor panicked: runtime.Goexit"
	}
	return fmt.Sprintf("gallop: actor panicked: %v", e.Value)
}

// Unwrap returns ErrPanicked and, if it is one, the error that was panicked with.
func (e *PanicError) Unwrap() []error {
	if err, ok := e.Value.(error); ok {
		return []error{ErrPanicked, err}
	}
	return []error{ErrPanicked}
}

// crashed ends an actor whose behaviour did not return: the asker is told, the
// panic reported, and what is left becomes dead letters.
func (b *body) crashed(c *Context, crash *sched.Crash) {
	c.reset()
	c.count.Panics++
	c.count.Stopped++
	m, d := c.msg, b.typ.decls[c.msg.id]
	c.count.Messages += b.in.runUpTo(m)
	r := replier{c: c, sys: b.sys}
	b.sys.sim.tell(sim.Event{Kind: sim.Died, Worker: r.workerOf(), Actor: b.id, Type: b.typ.name, Behaviour: d.name, From: m.from})
	b.sys.reportPanic(b, m, d, crash)
	if d.reject != nil {
		d.reject(r, m, &PanicError{Value: crash.Value, Goexit: crash.Goexit})
	}
	b.bury(r, ErrStopped)
}

func (s *System) reportPanic(b *body, m *message, d *declaration, crash *sched.Crash) {
	p := PanicReport{
		ActorID: b.id, Type: b.typ.name, Behaviour: d.name, From: m.from,
		Value: crash.Value, Goexit: crash.Goexit, Stack: userFrames(crash.Stack),
	}
	if s.opts.onPanic != nil {
		s.guard("OnPanic", func() { s.opts.onPanic(p) })
		return
	}
	s.log(func(l logSink) {
		l.fail("gallop: behaviour panicked", "actor", p.ActorID, "type", p.Type, "behaviour", p.Behaviour,
			"from", p.From, "value", fmt.Sprint(p.Value), "goexit", p.Goexit, "stack", string(p.Stack))
	})
}

// userFrames drops what lies above the frame that panicked: the deferred functions
// of the runtime, down to and with the last panic call, and what lies below the
// dispatch.
func userFrames(stack []byte) []byte {
	if i := bytes.LastIndex(stack, []byte("\npanic(")); i >= 0 {
		stack = dropLines(stack[i+1:], 2)
	}
	if i := bytes.Index(stack, []byte("github.com/gallop-go/gallop/actor.(*body).RunTask")); i > 0 {
		stack = stack[:i]
	}
	return stack
}

func dropLines(b []byte, n int) []byte {
	for range n {
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			return b
		}
		b = b[i+1:]
	}
	return b
}
