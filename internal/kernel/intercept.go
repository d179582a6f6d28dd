package kernel

import (
	"context"

	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/kernel/msg"
)

// Interceptors are functions around the behaviours of a type, or of all types in a system.
//
// Rejected: one function that is given the rest of the work as a function to call, as in net/http.
// It needs a closure for each message. Also rejected: a check, for each message, whether there are
// interceptors.
//
// Chosen: a dispatch table of its own for each type with interceptors. It is made with the first
// actor of the type in a system. Types without interceptors use the table of actor.Type.Table, and
// pay nothing.

// Interceptor has the functions of an Interceptor of package actor.
type Interceptor struct {
	Before func(c *Turn, in *Invocation) error
	After  func(c *Turn, in *Invocation, out Outcome)
}

// Invocation has the layout of an Invocation of package actor.
type Invocation struct {
	Value any // see visit
	In    InvocationState
}

// InvocationState is an Invocation without its Value. Its methods implement those of Invocation.
type InvocationState struct {
	decl *Descriptor
	msg  *Message // nil: the message has run, and the payload is gone
	from uint64
	sent any // the message, after the first call of Message
	c    *Turn
	ctx  context.Context // the context of the message, after the first call of Context
}

// made returns in, and panics unless in was given to an Interceptor that is still running.
func (in *InvocationState) made(call string) *InvocationState {
	if in == nil || in.decl == nil {
		PanicMisuse("Invocation."+call, " of none that an Interceptor was given, or after that has returned")
	}
	return in
}

// Type implements actor.Invocation.Type.
func (in *InvocationState) Type() string { return in.made("Type").decl.Typ.Name }

// Behaviour implements actor.Invocation.Behaviour.
func (in *InvocationState) Behaviour() string { return in.made("Behaviour").decl.Name }

// IsRequest implements actor.Invocation.IsRequest.
func (in *InvocationState) IsRequest() bool { return in.made("IsRequest").decl.Reject != nil }

// IsOutcome implements actor.Invocation.IsOutcome.
func (in *InvocationState) IsOutcome() bool { return in.made("IsOutcome").decl.Outcome }

// From implements actor.Invocation.From.
func (in *InvocationState) From() uint64 { return in.made("From").from }

// Message implements actor.Invocation.Message.
func (in *InvocationState) Message() any {
	if in.made("Message").sent == nil && in.msg != nil {
		in.sent = in.decl.Payload(in.msg)
	}
	return in.sent
}

// Context implements actor.Invocation.Context.
func (in *InvocationState) Context() context.Context {
	if in.made("Context").ctx == nil && in.msg != nil {
		in.ctx = in.c.cameWith()
		if d, ok := in.ctx.(*detached); ok && d.isLimited() {
			in.ctx = in.c.bind(d, lifeContextOf(in.c.Self))
		}
	}
	if in.ctx == nil {
		return context.Background()
	}
	return guard.Bare(in.ctx)
}

// SetContext implements actor.Invocation.SetContext.
func (in *InvocationState) SetContext(ctx context.Context) {
	ctx = MustHave(ctx, "Invocation.SetContext")
	if in.made("SetContext").msg == nil {
		PanicMisuse("Invocation.SetContext", " behind the behaviour")
	}
	in.ctx, in.c.set = ctx, ctx
	in.c.Then |= usesContext
}

// Outcome has the fields of an Outcome of package actor.
type Outcome struct {
	Err      error
	Refused  bool
	PutAside bool
	Crashed  bool
}

// intercepted returns a table with the interceptors of s and t around the behaviours of t. If there
// are no interceptors, it returns runs. Any goroutine.
func (s *System) intercepted(t *TypeInfo, runs []RunFunc) []RunFunc {
	list := append(append([]Interceptor(nil), s.Opts.Interceptors...), t.Interceptors...)
	if len(list) == 0 {
		return runs
	}
	wrapped := make([]RunFunc, len(runs))
	for i, run := range runs {
		if isOwn(uint16(i)) {
			wrapped[i] = run
			continue
		}
		wrapped[i] = interceptedRun(t.Decls[i], run, list)
	}
	return wrapped
}

// variantOf returns the table of a variant in s, with interceptors as intercepted adds them.
func (s *System) variantOf(v *VariantInfo) *table {
	if len(s.Opts.Interceptors) == 0 && len(v.Typ.Interceptors) == 0 {
		return &v.table
	}
	if t, ok := s.variants.Load(v); ok {
		return t.(*table)
	}
	t, _ := s.variants.LoadOrStore(v, &table{s.intercepted(v.Typ, v.table.Runs)})
	return t.(*table)
}

// interceptedRun puts interceptors around one behaviour.
func interceptedRun(d *Descriptor, run RunFunc, list []Interceptor) RunFunc {
	return func(c *Turn, a *Cell, m *Message) {
		v := c.newVisit(d, m, list)
		defer v.leave(c)
		if err := v.enter(c); err != nil {
			if !d.Typ.Unrefused && !d.Unrefused {
				refuseBefore(c, a, m, d, err)
				v.out = Outcome{Err: err, Refused: true}
				return
			}
			c.Sys.logUnrefused(a, d, err)
		}
		c.Failed = nil
		run(c, a, m)
		// c.Msg is m, or the message that carried it: see Stash.
		v.out = Outcome{Err: c.Failed, PutAside: c.Msg.From&msg.WasStashed != 0}
		c.Failed = nil
	}
}

// refuseBefore ends a message that an interceptor has refused. A request is answered with the error
// and counts as one that has run. A one-way message becomes a dead letter.
func refuseBefore(c *Turn, a *Cell, m *Message, d *Descriptor, err error) {
	if d.Reject == nil {
		c.Count.NotRun++
		declareDeadUnder(c, a, m, err, c.cameWith())
		return
	}
	d.discardOwned(m)
	d.Reject(c, m, err)
}

// logUnrefused logs that an interceptor has tried to refuse a message of the runtime's own.
func (s *System) logUnrefused(a *Cell, d *Descriptor, err error) {
	const line = "gallop: an interceptor cannot refuse a message of the runtime's own"
	n, write := s.mayLog(line, d.Typ.Name, d.Name)
	if !write {
		return
	}
	who := a.ownName()
	s.log(func(l logSink) {
		l.warn(line, who.attrs("behaviour", d.Name, "reason", guard.Text(err), "so_far", n)...)
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
func (c *Turn) newVisit(d *Descriptor, m *Message, list []Interceptor) *visit {
	v := c.visit
	if c.visit = nil; v == nil {
		v = new(visit)
	}
	v.in = Invocation{In: InvocationState{decl: d, msg: m, from: m.From &^ msg.WasStashed, c: c}}
	v.list, v.out = list, Outcome{Crashed: true} // until the behaviour has returned
	return v
}

// enter calls Before of each interceptor, until one returns an error.
func (v *visit) enter(c *Turn) error {
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

// leave calls After of each interceptor whose Before let the message pass, in reverse order. It is
// deferred, so that it also runs after a panic. If one After does not return, the others are called
// all the same.
func (v *visit) leave(c *Turn) {
	v.in.In.msg = nil
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
