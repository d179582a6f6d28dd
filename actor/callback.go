package actor

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
	i.onStart = func(a *cell, c *Context) error { return f(stateOf[S](a), c) }
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
	i.onStop = func(a *cell, c *Context, why error) { f(stateOf[S](a), c, why) }
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
	inChildStop
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

func (started) serve(a *cell, c *Context) { a.start(c) }

// launch makes a new actor start by itself. The caller owns it until launch returns: by then it may
// run, or have ended.
func (a *cell) launch(from Sender) {
	if a.system.closed() {
		return
	}
	x := a.makeCold()
	x.unstarted, x.down = true, true
	c, _ := split(from)
	if m := newSignal(c, started{}); c == nil {
		if a.pushFromOutside(m) != nil {
			a.sys().unspawn()
			a.neverLived()
		}
	} else if a.box.push(m) == pushWoke {
		c.w.Schedule(&a.task)
	}
}

// start brings an actor up: a fresh state if it is supervised, and OnStart.
func (a *cell) start(c *Context) {
	x := a.makeCold()
	if !x.unstarted {
		return
	}
	x.unstarted = false
	if c.aside {
		c.msg = &noMessage
	}
	if x.sup != nil {
		x.where = inInit
		a.sys().sim.callback(c, a, x.where.name())
		x.sup.init(a)
	}
	if a.typ().onStart != nil {
		x.where = inOnStart
		a.sys().sim.callback(c, a, x.where.name())
		err := a.typ().onStart(a, c)
		if c.then&usesContext != 0 {
			c.leaveContext()
		}
		if c.aside {
			a.keepYielded(c)
		}
		if err != nil {
			c.exit(err)
			return
		}
	}
	x.where, x.down = inNone, false
	if x.sup != nil {
		x.sup.tellChildUp(c, a)
	}
}

// callStop runs OnStop. What it says about its own end comes too late.
func (a *cell) callStop(c *Context, x *coldState) {
	c.msg, x.where = &noMessage, inOnStop
	a.sys().sim.callback(c, a, x.where.name())
	a.typ().onStop(a, c, x.reason)
	if c.then&usesContext != 0 {
		c.leaveContext()
	}
	x.where, x.exitWhy = inNone, nil
	c.then &^= mustEnd
	a.keepYielded(c)
}
