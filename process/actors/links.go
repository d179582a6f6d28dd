package actors

import (
	"fmt"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/face"
	"github.com/gallop-go/gallop/internal/guard"
	"github.com/gallop-go/gallop/internal/kernel"
	"github.com/gallop-go/gallop/process"
)

// Ref returns the proxy of a process among actors: an actor, made at the first call. It ends when
// the process does, for the same reason, and the process ends with it. Watch, link or stop it like
// any actor. It accepts no messages of the user's: send to the process.
//
// The reasons are reasons of actors: nil for a normal end, actor.ErrShutdown after a Cancel without
// a reason, actor.ErrKilled, an *actor.PanicError, or the process's own error. When the proxy is
// told to stop, it cancels its process for actor.ErrShutdown. It ends when the process has unwound,
// or has been killed after 5 seconds. Meanwhile the process may act on actors as before, and no
// send suspends it. When the proxy is killed, it kills its process, which may end a little later.
//
// It panics if the process belongs to a system that is not joined.
func Ref(from actor.Sender, p process.Process) actor.AnyRef {
	kernelOf(parts.ActorsOfProcess(p), "Ref")
	return actor.AnyRef(proxyOf(from, p).AnyRef)
}

// LinkedError is the reason of a process that ended because a linked actor did. A process that
// traps exits receives it as the reason of the [process.Exit].
type LinkedError struct {
	// ActorID and Type identify the actor.
	ActorID uint64
	Type    string
	// Reason is the actor's own reason.
	Reason error
}

// Error implements error.
func (e *LinkedError) Error() string {
	if e == nil {
		return "<nil>"
	}
	return fmt.Sprintf("gallop: linked actor %s#%d: %s", e.Type, e.ActorID, guard.Text(e.Reason))
}

// Unwrap returns Reason.
func (e *LinkedError) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Reason
}

// Link links a process to an actor, like actor.Link: if one of the two ends for a reason other than
// nil, the other ends, or receives an exit if it traps exits. A process ends for a [*LinkedError].
// A second Link does nothing. An actor links a process by actor.Link and [Ref].
func Link(by process.Party, t actor.Target) {
	mustBeTarget(t, "Link")
	inProxy(by, "Link", func(_ *Proxy, c *actor.Context) { actor.Link(c, t) })
}

// Unlink undoes a link, and waits until that is done. Afterwards the process does not end because
// of the actor. If it traps exits, no exit of the actor comes except one that is already in its
// mailbox. A process that must already end because of the actor ends within Unlink.
func Unlink(by process.Party, t actor.Target) {
	mustBeTarget(t, "Unlink")
	p, s := processOf(by, "Unlink"), Sender(by)
	defer parts.Waits(by, "unlink of", refOf(t))()
	h := proxyOf(s, p)
	e := newErrand(by, p, func(c *kernel.Turn) { actor.Unlink(face.Context(c), t) }, func() {})
	e.ask(s, h, h.b.now)
	e.passed.Recv(by)
	r, _, _ := parts.RunningOf(by)
	r.Operation("Unlink") // ends the process if an exit came first
}

// mustBeTarget panics if t is nil or a zero Ref.
func mustBeTarget(t actor.Target, call string) {
	defer func() {
		if recover() != nil {
			panic("gallop: actors: " + call + " of a zero Ref")
		}
	}()
	actor.SystemOf(t)
}

// refOf returns the ref of a target, for reports.
func refOf(t actor.Target) kernel.AnyRef {
	switch t := t.(type) {
	case actor.AnyRef:
		return kernel.AnyRef(t)
	case interface{ Any() actor.AnyRef }:
		return kernel.AnyRef(t.Any())
	}
	return kernel.AnyRef{} // a struct of the user's that embeds an AnyRef
}

// Monitor is one observation of the end of an actor: see [Watch].
type Monitor struct{ w *watch }

// watch is shared by the process and its proxy, and used in the proxy's turns only.
type watch struct{ m actor.Monitor }

// Watch sends the end of an actor to the mailbox of a process, once, as wrap makes it. If the actor
// has ended already, the message comes at once. wrap runs in a goroutine of its own, and must be
// quick. If it panics, or calls runtime.Goexit, the process ends for that reason. An actor watches
// a process by actor.Watch and [Ref].
func Watch[M any](self *process.Self[M], t actor.Target, wrap func(actor.Down) M) Monitor {
	switch {
	case self == nil:
		panic("gallop: actors: Watch by a nil Self")
	case wrap == nil:
		panic("gallop: actors: Watch: wrap is nil")
	}
	mustBeTarget(t, "Watch")
	tell, w := process.ForActorsOf[M]{}.TellerOf(self), &watch{}
	inProxy(self, "Watch", func(p *Proxy, c *actor.Context) {
		w.m = p.watch(c, t, func(env process.Env, d actor.Down) {
			tell(env, func() M { return wrap(d) })
		})
	})
	return Monitor{w}
}

// Stop ends the observation a moment later: a message on its way may still come.
func (m Monitor) Stop(by process.Party) {
	w := m.w
	if w == nil {
		panic("gallop: actors: Stop of a zero Monitor")
	}
	inProxy(by, "Monitor.Stop", func(p *Proxy, c *actor.Context) {
		delete(p.watching, w.m)
		actor.Unwatch(c, w.m)
	})
}

func (p *Proxy) watch(c *actor.Context, t actor.Target,
	tell func(process.Env, actor.Down)) actor.Monitor {
	of := ofOthers
	if p.start != nil {
		of = ofChildren
	}
	m := actor.Watch(c, t, of.down)
	p.watching[m] = tell
	return m
}

// inProxy runs f in a turn of the proxy of by, and does not wait for it.
func inProxy(by process.Party, call string, f func(*Proxy, *actor.Context)) {
	p := processOf(by, call)
	s := Sender(by)
	proxyOf(s, p).do(s, func(x *Proxy, c *actor.Context) {
		if x.of == p {
			f(x, c)
		}
	})
}
