package actor

import (
	"context"

	"github.com/gallop-go/gallop/actor/internal/msg"
	"github.com/gallop-go/gallop/internal/guard"
)

// Interceptors are functions around the behaviours of a type, or of all types in a system.
//
// Rejected: one function that is given the rest of the work as a function to call, as in net/http.
// It needs a closure for each message. Also rejected: a check, for each message, whether there are
// interceptors.
//
// Chosen: a dispatch table of its own for each type with interceptors. It is made with the first
// actor of the type in a system. Types without interceptors use the table of [Type.Table], and pay
// nothing.

// Interceptor is a pair of functions around every behaviour of an actor type, or of all types of a
// system, by the option [WithInterceptor] of either. It is for logs, traces and figures, or to
// refuse messages. Either function may be nil. They run in the actor's turn, with its Context, and
// must not block.
//
// If there are several interceptors, those of the system come first, in the order of their options.
// Those of the type follow. Before is called in this order, and After in the reverse order.
//
// OnStart, OnStop and the runtime's own work for an actor are not intercepted. An intercepted
// message costs about 50 to 100 ns more. Interception allocates nothing, unless the functions do.
// the functions do.
type Interceptor struct {
	// Before is called before the behaviour. If it returns an error, the message is refused: its
	// behaviour does not run, and Before of later interceptors is not called. If the message is a
	// request, its caller gets the error, and there is no other effect. If it is a one-way message,
	// it becomes a dead letter with the error as its reason.
	//
	// A message of the runtime's own cannot be refused, such as the report of an end to a
	// supervisor, a pool or a registry. The error is logged, and the message runs.
	//
	// If Before panics, the actor fails as if its behaviour had panicked. The caller of a request
	// gets that error.
	Before func(c *Context, in *Invocation) error
	// After is called after the behaviour, if Before returned nil or is nil. It is also called if
	// the behaviour has panicked, or if a later interceptor has refused the message. If After
	// panics, the actor fails as if its behaviour had panicked, but the caller of a request keeps
	// the reply that it has. After of the other interceptors is called in any case.
	After func(c *Context, in *Invocation, out Outcome)
}

// WithInterceptor puts an interceptor around behaviours. As an option of [NewType], it applies to
// every behaviour of the type. As an option of [Start], it applies to every behaviour of all actors
// in the system, including actors of packages group and supervise. The option may be given several
// times: [Interceptor] has the order.
func WithInterceptor(i Interceptor) interface {
	Option
	TypeOption
} {
	const empty = "WithInterceptor of an Interceptor without functions"
	return sharedOption{
		system: func(o *options) {
			if i.isEmpty() {
				o.wrong = append(o.wrong, empty)
				return
			}
			o.interceptors = append(o.interceptors, i)
		},
		typ: func(t *typeInfo) {
			if i.isEmpty() {
				panicMisuse(empty, "")
			}
			t.interceptors = append(t.interceptors, i)
		},
	}
}

func (i Interceptor) isEmpty() bool { return i.Before == nil && i.After == nil }

// Invocation describes to an [Interceptor] a behaviour that is about to run for a message, or has
// run. It is valid until the function that it was given to returns.
type Invocation struct {
	// Value belongs to the interceptor. After finds the value that Before has stored. It begins as
	// nil.
	Value any

	decl *descriptor
	msg  *message // nil: the message has run, and the payload is gone
	from uint64
	sent any // the message, after the first call of Message
	c    *kernelTurn
	ctx  context.Context // the context of the message, after the first call of Context
}

// made returns in, and panics unless in was given to an Interceptor that is still running.
func (in *Invocation) made(call string) *Invocation {
	if in == nil || in.decl == nil {
		panicMisuse("Invocation."+call, " of none that an Interceptor was given, or after that has returned")
	}
	return in
}

// Type returns the name of the actor's type.
func (in *Invocation) Type() string { return in.made("Type").decl.typ.name }

// Behaviour returns the name of the behaviour.
func (in *Invocation) Behaviour() string { return in.made("Behaviour").decl.name }

// IsRequest reports whether the message is a request, so that a caller waits for its outcome.
func (in *Invocation) IsRequest() bool { return in.made("IsRequest").decl.reject != nil }

// IsOutcome reports whether the message is the outcome of an [AskTo] or a [Pipe]: a Result or a
// Reply.
func (in *Invocation) IsOutcome() bool { return in.made("IsOutcome").decl.outcome }

// From returns the number of the actor that sent the message, or 0 if it came from outside.
func (in *Invocation) From() uint64 { return in.made("From").from }

// Message returns the message. For a request, it returns the request without the reply address. Its
// first call boxes the message, which usually allocates. In After, the payload is gone, and Message
// returns nil unless some interceptor has called it in Before.
func (in *Invocation) Message() any {
	if in.made("Message").sent == nil && in.msg != nil {
		in.sent = in.decl.payload(in.msg)
	}
	return in.sent
}

// Context returns the context that the message or the request came with, or the context that
// SetContext has set. If there is none it returns context.Background. Unlike [Context.Context] it
// costs nothing, and its context does not end with the actor's life. There is one exception: a
// context that a behaviour has derived from its own and given a deadline ends when
// [Context.Context] does. In After, Context returns context.Background unless some interceptor has
// called it in Before.
func (in *Invocation) Context() context.Context {
	if in.made("Context").ctx == nil && in.msg != nil {
		in.ctx = in.c.cameWith()
		if d, ok := in.ctx.(*detached); ok && d.isLimited() {
			in.ctx = in.c.bind(d, lifeContextOf(in.c.self))
		}
	}
	if in.ctx == nil {
		return context.Background()
	}
	return guard.Bare(in.ctx)
}

// SetContext makes ctx the context of the behaviour: [Context.Context] derives from it. An
// interceptor that adds values to the context of a message calls SetContext in Before, with a
// context derived from that of the message. Unlike [Context.SetContext], it does not add ctx to the
// messages that the behaviour sends. It panics if ctx is nil, or in After.
func (in *Invocation) SetContext(ctx context.Context) {
	ctx = mustHave(ctx, "Invocation.SetContext")
	if in.made("SetContext").msg == nil {
		panicMisuse("Invocation.SetContext", " behind the behaviour")
	}
	in.ctx, in.c.set = ctx, ctx
	in.c.then |= usesContext
}

// Outcome describes how a behaviour has ended.
type Outcome struct {
	// Err is the error that the behaviour of a request has returned, or the reason for which the
	// message was refused. Otherwise it is nil.
	Err error
	// Refused says that the behaviour has not run, because a later interceptor has refused the
	// message.
	Refused bool
	// PutAside says that the message was stashed, or that its reply was deferred ([Defer]).
	PutAside bool
	// Crashed says that the behaviour, or a function of a later interceptor, has panicked, called
	// runtime.Goexit, or was cut by [Kill]. The panic continues after After has returned.
	Crashed bool
}

// intercepted returns a table with the interceptors of s and t around the behaviours of t. If there
// are no interceptors, it returns runs. Any goroutine.
func (s *kernelSystem) intercepted(t *typeInfo, runs []runFunc) []runFunc {
	list := append(append([]Interceptor(nil), s.opts.interceptors...), t.interceptors...)
	if len(list) == 0 {
		return runs
	}
	wrapped := make([]runFunc, len(runs))
	for i, run := range runs {
		if isOwn(uint16(i)) {
			wrapped[i] = run
			continue
		}
		wrapped[i] = interceptedRun(t.decls[i], run, list)
	}
	return wrapped
}

// variantOf returns the table of a variant in s, with interceptors as intercepted adds them.
func (s *kernelSystem) variantOf(v *variantInfo) *table {
	if len(s.opts.interceptors) == 0 && len(v.typ.interceptors) == 0 {
		return &v.table
	}
	if t, ok := s.variants.Load(v); ok {
		return t.(*table)
	}
	t, _ := s.variants.LoadOrStore(v, &table{s.intercepted(v.typ, v.table.runs)})
	return t.(*table)
}

// interceptedRun puts interceptors around one behaviour.
func interceptedRun(d *descriptor, run runFunc, list []Interceptor) runFunc {
	return func(c *kernelTurn, a *cell, m *message) {
		v := c.newVisit(d, m, list)
		defer v.leave(c)
		if err := v.enter(c); err != nil {
			if !d.typ.unrefused && !d.unrefused {
				refuseBefore(c, a, m, d, err)
				v.out = Outcome{Err: err, Refused: true}
				return
			}
			c.sys.logUnrefused(a, d, err)
		}
		c.failed = nil
		run(c, a, m)
		// c.msg is m, or the message that carried it: see Stash.
		v.out = Outcome{Err: c.failed, PutAside: c.msg.From&msg.WasStashed != 0}
		c.failed = nil
	}
}

// refuseBefore ends a message that an interceptor has refused. A request is answered with the error
// and counts as one that has run. A one-way message becomes a dead letter.
func refuseBefore(c *kernelTurn, a *cell, m *message, d *descriptor, err error) {
	if d.reject == nil {
		c.count.notRun++
		declareDeadUnder(c, a, m, err, c.cameWith())
		return
	}
	d.discardOwned(m)
	d.reject(c, m, err)
}

// logUnrefused logs that an interceptor has tried to refuse a message of the runtime's own.
func (s *kernelSystem) logUnrefused(a *cell, d *descriptor, err error) {
	const line = "gallop: an interceptor cannot refuse a message of the runtime's own"
	n, write := s.mayLog(line, d.typ.name, d.name)
	if !write {
		return
	}
	who := a.ownName()
	s.log(func(l logSink) {
		l.warn(line, who.attrs("behaviour", d.name, "reason", guard.Text(err), "so_far", n)...)
	})
}

// visit is the way of one message through the interceptors. Its worker reuses it. Owner only.
type visit struct {
	in     Invocation
	list   []Interceptor
	values []any // the Value of each interceptor whose Before has returned
	out    Outcome
}

// newVisit returns a visit for a message that no interceptor has seen.
func (c *kernelTurn) newVisit(d *descriptor, m *message, list []Interceptor) *visit {
	v := c.visit
	if c.visit = nil; v == nil {
		v = new(visit)
	}
	v.in = Invocation{decl: d, msg: m, from: m.From &^ msg.WasStashed, c: c}
	v.list, v.out = list, Outcome{Crashed: true} // until the behaviour has returned
	return v
}

// enter calls Before of each interceptor, until one returns an error.
func (v *visit) enter(c *kernelTurn) error {
	for _, i := range v.list {
		v.in.Value = nil
		if i.Before != nil {
			if err := i.Before(c.face(), &v.in); err != nil {
				return err
			}
		}
		v.values = append(v.values, v.in.Value)
	}
	return nil
}

// leave calls After of each interceptor whose Before let the message pass, in reverse order. It is
// deferred, so that it also runs after a panic. If one After does not return, the others are called
// all the same.
func (v *visit) leave(c *kernelTurn) {
	v.in.msg = nil
	left := false
	defer func() {
		if !left {
			v.out.Crashed = true
			v.leave(c)
		}
	}()
	for n := len(v.values) - 1; n >= 0; n-- {
		v.in.Value = v.values[n]
		v.values[n] = nil
		v.values = v.values[:n]
		if f := v.list[n].After; f != nil {
			f(c.face(), &v.in, v.out)
		}
	}
	left = true
	v.in, v.list, v.out = Invocation{}, nil, Outcome{}
	c.visit = v
}
