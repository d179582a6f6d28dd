package actor

import (
	"context"

	"github.com/gallop-go/gallop/actor/internal/msg"
	"github.com/gallop-go/gallop/internal/guard"
)

// Interceptors: functions around the behaviours of a type, or of all types in a system.
//
// Rejected: one function that is given the rest of the work as a function to call, as in net/http.
// It takes a closure for each message. Rejected as well: a look, for each message, whether there
// are any.
//
// Chosen: a dispatch table of its own for a type with interceptors, made with the first actor of
// the type in a system. Types without any have the table of [Type.Table], and pay nothing.

// Interceptor is a pair of functions around every behaviour of an actor type or of all
// types of a system, by the option [WithInterceptor] of either: for logs, traces,
// figures, or to refuse messages. Either may be nil. They run in the actor's turn, with
// its Context, and must not block.
//
// Of several, those of the system come first, in the order of their options, then those
// of the type. Before is called in this order, and After in the reverse one.
//
// OnStart, OnStop and what the runtime itself does for an actor are not intercepted. An
// intercepted message costs some 50 to 100 ns more and allocates nothing, except what
// the functions do.
type Interceptor struct {
	// Before is called before the behaviour. If it returns an error, the message does not
	// run: the caller of a request gets the error, and nothing else happens; a one-way
	// message becomes a dead letter with the error as its reason. Interceptors that come
	// later are not called then. A message of the runtime's own, such as the news of
	// an end to a supervisor, a pool or a registry, cannot be refused: the error is logged, and the
	// message runs. If
	// Before panics, the actor fails as if its behaviour had panicked, and the caller of a
	// request gets that error.
	Before func(c *Context, in *Invocation) error
	// After is called after the behaviour, if Before returned nil or is nil; also if the
	// behaviour has panicked, or the message was refused by a later interceptor. If After
	// panics, the actor fails as if its behaviour had panicked, but the caller of a request
	// keeps the reply that it has. After of the other interceptors is called in any case.
	After func(c *Context, in *Invocation, out Outcome)
}

// WithInterceptor puts an interceptor around every behaviour of a type, or of every actor in the
// system, those of packages group and supervise included. It may be given several times.
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

// Invocation is a behaviour that is about to run for a message, or has run, as an
// [Interceptor] sees it. It is valid only until the function that it is given to
// returns.
type Invocation struct {
	// Value is the interceptor's own: what Before puts here After finds. It begins as nil.
	Value any

	decl *descriptor
	msg  *message // nil: it has run, and the payload is gone
	from uint64
	sent any // the message, once it was asked for
	c    *Context
	ctx  context.Context // that of the message, once it was asked for
}

// made returns in, which must be what an Interceptor was given, as long as that runs.
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

// IsRequest reports whether the message is a request, so that a caller waits for the
// outcome.
func (in *Invocation) IsRequest() bool { return in.made("IsRequest").decl.reject != nil }

// IsOutcome reports whether the message is the outcome of an [AskTo] or a [Pipe]: a Result or a
// Reply.
func (in *Invocation) IsOutcome() bool { return in.made("IsOutcome").decl.outcome }

// From returns the number of the actor that sent the message; 0 if it came from outside.
func (in *Invocation) From() uint64 { return in.made("From").from }

// Message returns the message; of a request, the request alone. Each message is boxed
// only when it is asked for, which usually allocates. In After, Message returns nil
// unless it was called in Before, by whatever interceptor: the payload is gone.
func (in *Invocation) Message() any {
	if in.made("Message").sent == nil && in.msg != nil {
		in.sent = in.decl.payload(in.msg)
	}
	return in.sent
}

// Context returns the context that the message or the request came with, or the one that was set by
// SetContext; context.Background if it has none. Unlike [Context.Context] it costs nothing, and does
// not end with the actor's life, unless a behaviour has derived it and given it a deadline: then it
// ends when [Context.Context] does. In After it returns context.Background unless it was called in
// Before, by whatever interceptor.
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
// interceptor that adds values to the context of a message calls it in Before, with a context
// derived from that of the message. Unlike [Context.SetContext] it makes nothing travel that the
// behaviour does not pass on. It panics if ctx is nil, or in After.
func (in *Invocation) SetContext(ctx context.Context) {
	ctx = mustHave(ctx, "Invocation.SetContext")
	if in.made("SetContext").msg == nil {
		panicMisuse("Invocation.SetContext", " behind the behaviour")
	}
	in.ctx, in.c.set = ctx, ctx
	in.c.then |= usesContext
}

// Outcome says how a behaviour has ended.
type Outcome struct {
	// Err is the error that the behaviour of a request has returned, or why the message
	// was refused; else nil.
	Err error
	// Refused says that the behaviour has not run: a later interceptor has refused the
	// message.
	Refused bool
	// PutAside says that the message was stashed, or its reply put off ([Defer]).
	PutAside bool
	// Crashed says that the behaviour, or a function of a later interceptor, has panicked,
	// called runtime.Goexit, or was cut by [Kill]. The panic goes on when After has returned.
	Crashed bool
}

// intercepted returns a table of t with the interceptors of t in s around its behaviours: the table
// itself if there are none. Any goroutine.
func (s *System) intercepted(t *typeInfo, runs []runFunc) []runFunc {
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

// variantOf returns the table of a variant in s, as intercepted does.
func (s *System) variantOf(v *variantInfo) *table {
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
	return func(c *Context, a *cell, m *message) {
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
		// c.msg is m, or what has carried it: see Stash.
		v.out = Outcome{Err: c.failed, PutAside: c.msg.From&msg.WasStashed != 0}
		c.failed = nil
	}
}

// refuseBefore ends a message that an interceptor has refused. The caller of a request hears so, and
// the request counts as one that has run. A one-way message is a dead letter.
func refuseBefore(c *Context, a *cell, m *message, d *descriptor, err error) {
	if d.reject == nil {
		c.count.notRun++
		declareDeadUnder(c, a, m, err, c.cameWith())
		return
	}
	d.discardOwned(m)
	d.reject(c, m, err)
}

// logUnrefused logs that an interceptor has refused a message of the runtime's own.
func (s *System) logUnrefused(a *cell, d *descriptor, err error) {
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

// visit is one message on its way through interceptors. Its worker uses it again. Owner only.
type visit struct {
	in     Invocation
	list   []Interceptor
	values []any // of those whose Before has returned, their Value
	out    Outcome
}

// newVisit returns a visit that is at its beginning.
func (c *Context) newVisit(d *descriptor, m *message, list []Interceptor) *visit {
	v := c.visit
	if c.visit = nil; v == nil {
		v = new(visit)
	}
	v.in = Invocation{decl: d, msg: m, from: m.From &^ msg.WasStashed, c: c}
	v.list, v.out = list, Outcome{Crashed: true} // until it has returned
	return v
}

// enter calls Before of all, up to the first that returns an error.
func (v *visit) enter(c *Context) error {
	for _, i := range v.list {
		v.in.Value = nil
		if i.Before != nil {
			if err := i.Before(c, &v.in); err != nil {
				return err
			}
		}
		v.values = append(v.values, v.in.Value)
	}
	return nil
}

// leave calls After of all that have let the message pass, the last one first. It is deferred, so
// that it runs beside a panic as well. If After of one does not return, the others are called all
// the same.
func (v *visit) leave(c *Context) {
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
			f(c, &v.in, v.out)
		}
	}
	left = true
	v.in, v.list, v.out = Invocation{}, nil, Outcome{}
	c.visit = v
}
