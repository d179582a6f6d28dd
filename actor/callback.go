package actor

import "github.com/gallop-go/gallop/internal/invariant"

// OnStart sets a function that runs in every actor of the type before its first
// message, even an urgent one, and again when a supervised actor is restarted. If f
// returns an error, the actor ends for that reason. An actor with a start function runs
// once without being sent anything. OnStart returns t. It panics if f is nil, if there
// is a start function already, or after the first spawn.
//
// Call OnStart after [Type.Table], as in the example, or in an init function. Chained
// onto [NewType] it makes Go refuse the program (initialization cycle) once f names a
// behaviour of the type, as most do some day: the behaviour needs the type, and the
// type needs f.
func (t *Type[S]) OnStart(f func(*S, *Context) error) *Type[S] {
	i := infoOf(t).made("OnStart").unsealed("OnStart", f == nil, func(i *typeInfo) bool { return i.onStart != nil })
	i.onStart = func(b *body, c *Context) error { return f(stateOf[S](b), c) }
	return t
}

// OnStop sets a function that runs in every actor of the type after its last message,
// when its mailbox is closed and its children have ended. f is given the reason of the
// end: nil if the actor ended by itself, ErrShutdown if it was told to; [IsNormal] tells
// a normal end from a fault. What f sends is sent. OnStop returns t. It panics if f is
// nil, if there is a stop function already, or after the first spawn. Call it after
// [Type.Table], for the reason that [Type.OnStart] gives.
//
// f runs after a panic too, and finds the state as the panic left it. It also runs
// before a restart. It does not run in an actor that was killed, that has not been
// started or failed in OnStart, or whose system stops.
func (t *Type[S]) OnStop(f func(*S, *Context, error)) *Type[S] {
	i := infoOf(t).made("OnStop").unsealed("OnStop", f == nil, func(i *typeInfo) bool { return i.onStop != nil })
	i.onStop = func(b *body, c *Context, why error) { f(stateOf[S](b), c, why) }
	return t
}

// unsealed returns t if a callback may be set.
func (t *typeInfo) unsealed(what string, isNil bool, has func(*typeInfo) bool) *typeInfo {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case isNil:
		panicMisuse(t.name+"."+what, ": a nil function")
	case t.sealed.Load():
		panicMisuse(t.name+"."+what, " was set after the first spawn of its type")
	case has(t):
		panicMisuse(t.name+"."+what, " was set twice")
	}
	return t
}

// callback says which callback of an actor runs.
type callback uint8

const (
	inNone callback = iota
	inInit
	inOnStart
	inOnStop
	inCareStop
	inDecide
)

// name is the callback's name in reports.
func (k callback) name() string {
	return [...]string{"", "init", "OnStart", "OnStop", "Care.Stop", "Care.Decide"}[k]
}

// noMessage is what runs while a callback runs.
var noMessage = message{id: systemID}

// started is the first message of an actor that has to be started.
type started struct{ unanswered }

func (started) serve(b *body, c *Context) { b.start(c) }

// launch makes a new actor start by itself. The caller owns it until launch returns: by then it may
// run, or have ended.
func (b *body) launch(from Sender) {
	if b.lane.closed() {
		return
	}
	x := b.mine()
	x.due, x.down = true, true
	c, _ := split(from)
	if m := newSignal(c, started{}); c == nil {
		if b.pushFromOutside(m) != nil {
			b.sys().unspawn()
			b.neverLived()
		}
	} else if b.box.push(m) == pushWoke {
		c.w.Schedule(&b.task)
	}
}

// start brings an actor up: a fresh state if it is supervised, and OnStart.
func (b *body) start(c *Context) {
	x := b.mine()
	if !x.due {
		return
	}
	x.due = false
	if c.aside {
		c.msg = &noMessage
	}
	if x.sup != nil {
		x.where = inInit
		b.sys().sim.callback(c, b, x.where.name())
		x.sup.renew(b)
	}
	if b.typ().onStart != nil {
		x.where = inOnStart
		b.sys().sim.callback(c, b, x.where.name())
		err := b.typ().onStart(b, c)
		if c.then&usesContext != 0 {
			c.leaveContext()
		}
		if c.aside {
			b.keepYielded(c)
		}
		if err != nil {
			c.exit(err)
			return
		}
	}
	x.where, x.down = inNone, false
	if x.sup != nil {
		x.sup.tellRisen(c, b)
	}
}

// callStop runs OnStop. What it says about its own end comes too late.
func (b *body) callStop(c *Context, x *extras) {
	if invariant.On {
		verifyCallStop(b, c, x)
	}
	c.msg, x.where = &noMessage, inOnStop
	b.sys().sim.callback(c, b, x.where.name())
	b.typ().onStop(b, c, x.reason)
	if c.then&usesContext != 0 {
		c.leaveContext()
	}
	x.where, x.exitWhy = inNone, nil
	c.then &^= mustEnd
	b.keepYielded(c)
}
