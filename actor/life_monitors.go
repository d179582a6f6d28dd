package actor

import (
	"context"

	"github.com/gallop-go/gallop/internal/invariant"
)

// Down is the message by which an actor learns of the end of one that it watches.
type Down struct {
	// ActorID and Type say who has ended.
	ActorID uint64
	Type    string
	// Reason says why; nil, or ErrShutdown after an order to end: see [IsNormal].
	Reason error
	// Monitor is what [Watch] returned.
	Monitor Monitor
}

// Monitor stands for one call of [Watch]. The zero Monitor watches nobody.
type Monitor struct{ m *monitor }

// monitor is known to the watcher, the target, and the signals between them.
type monitor struct {
	watcher, target *cell
	deliver         func(c *Context, at *cell, d Down)
	live            bool            // the watcher still wants it; the watcher's
	atWatcher       int             // its index among what the watcher watches; the watcher's
	atTarget        int             // and among the watchers of the target; the target's
	outside         chan *coldState // instead of a watcher: gets the remains; has room for one
}

// Watch makes the end of t come as a message for b, a behaviour of the running actor.
// The message overtakes ordinary mail. If t has ended long ago, it comes at once, with
// the reason that t had. It comes once for each call of Watch. Watching does nothing to
// t. Watch panics if t is a zero Ref, or if b belongs to another type.
func Watch[S any](c *Context, t Target, b Behaviour[S, Down]) Monitor {
	to, d := targetOf("Watch", t), b.d.made()
	c.mustOwn(d)
	m := &monitor{watcher: c.self, target: to, live: true}
	m.deliver = func(c *Context, at *cell, down Down) { deliver(c, at, d, down) }
	c.self.makeCold().watching.Add(m, &m.atWatcher)
	c.self.retain(c.self.cold, to)
	to.tell(c, watched{mon: m})
	return Monitor{m}
}

// Unwatch undoes [Watch]. When it returns, the message does not come any more, even if
// t has ended already and the message is on its way. Unwatching twice, or the zero
// Monitor, does nothing. Unwatch panics if another actor has called Watch.
func Unwatch(c *Context, m Monitor) {
	if m.m == nil {
		return
	}
	mustRun(c, "Unwatch")
	if m.m.watcher != c.self {
		panic("gallop: Unwatch: the monitor is another actor's")
	}
	m.m.cancel(c)
}

// cancel ends a monitor on the watcher's side, whose turn it is.
func (m *monitor) cancel(e env) {
	if m.live {
		m.live = false
		m.watcher.makeCold().watching.Remove(&m.atWatcher)
		m.watcher.release(m.watcher.cold, m.target)
		m.leave(e)
	}
}

// Join blocks, from outside, until t has ended, and does nothing to end it. It returns
// at once if t has ended long ago. The error is ctx's, or ErrSystemStopped if the
// system of t stops before. Join panics if t is a zero Ref, or if a behaviour calls it,
// as [StopWait] does.
func Join(ctx context.Context, t Target) (Down, error) {
	a := targetOf("Join", t)
	mustBeOutside("Join")
	mustHave(ctx, "Join")
	return a.join(ctx, "Join")
}

func (a *cell) join(ctx context.Context, call string) (Down, error) {
	m := &monitor{target: a, outside: make(chan *coldState, 1)}
	e := a.sys()
	a.tell(e, watched{mon: m})
	a.sys().sched.Await(ctx, func() bool { return len(m.outside) > 0 || a.sys().done.isDone() })
	select {
	case left := <-m.outside: // it has ended before
		return left.news(a)
	default:
	}
	select {
	case left := <-m.outside:
		return left.news(a)
	case <-a.sys().done.done:
		return Down{}, ErrSystemStopped
	case <-ctx.Done():
		a.tell(e, unwatched{mon: m})
		return Down{}, a.stillWaits(ctx, call)
	}
}

// news tells of the end of b, of which x is left, unless its system took it along.
func (x *coldState) news(a *cell) (Down, error) {
	if x.taken {
		return Down{}, ErrSystemStopped
	}
	return Down{ActorID: a.id, Type: a.typ().name, Reason: x.reason}, nil
}

// leave tells the target that it is watched no more.
func (m *monitor) leave(e env) { m.target.tell(e, unwatched{mon: m}) }

// report tells the watcher of the end of b.
func (m *monitor) report(e env, a *cell, left *coldState) {
	if m.outside != nil {
		m.outside <- left
		return
	}
	m.watcher.tell(e, watchedEnded{mon: m, down: Down{a.id, a.typ().name, left.reason, Monitor{m}}})
}

// watched tells the target that it is watched.
type watched struct{ mon *monitor }

func (s watched) serve(a *cell, _ *Context) {
	a.makeCold().watchers.Add(s.mon, &s.mon.atTarget)
	a.retain(a.cold, s.mon.watcher)
}

func (s watched) refused(a *cell, e env) { s.mon.report(e, a, a.terminatedRecord()) }

// unwatched tells the target that it is watched no more.
type unwatched struct {
	unanswered
	mon *monitor
}

func (s unwatched) serve(a *cell, _ *Context) {
	if x := a.makeCold(); x.watchers.Remove(&s.mon.atTarget) {
		a.release(x, s.mon.watcher)
	}
}

// watchedEnded tells the watcher that the target has ended.
type watchedEnded struct {
	unanswered
	mon  *monitor
	down Down
}

func (s watchedEnded) serve(a *cell, c *Context) {
	if invariant.On {
		verifyMonitor(s.mon, a)
	}
	if s.mon.live {
		s.mon.live = false
		a.makeCold().watching.Remove(&s.mon.atWatcher)
		a.release(a.cold, s.mon.target)
		s.mon.deliver(c, a, s.down)
	}
}

// verifyMonitor checks the news of the end of one that b watches.
func verifyMonitor(m *monitor, a *cell) {
	invariant.Check(m.watcher == a && m.outside == nil, "%v hears of an end that another watches", a)
	invariant.Check(m.live == (m.atWatcher > 0), "%v watches: %v, and has place %d", a, m.live, m.atWatcher)
}
