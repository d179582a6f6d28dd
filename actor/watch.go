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
	watcher, target *body
	deliver         func(c *Context, at *body, d Down)
	calls           *monitorCalls
	live            bool         // the watcher still wants it; the watcher's
	atWatcher       int          // its place in the watcher's roster; the watcher's
	atTarget        int          // and in the target's; the target's
	outside         chan *extras // instead of a watcher: gets the remains; has room for one
}

// monitorCalls is what the end of an actor needs of a monitor, so that a program without
// monitors does not link it.
type monitorCalls struct {
	report func(m *monitor, r replier, b *body, left *extras)
	leave  func(m *monitor, r replier)
}

var watching = monitorCalls{(*monitor).report, (*monitor).leave}

// Watch makes the end of t come as a message for b, a behaviour of the running actor.
// The message overtakes ordinary mail. If t has ended long ago, it comes at once, with
// the reason that t had. It comes once for each call of Watch. Watching does nothing to
// t. Watch panics if t is a zero Ref, or if b belongs to another type.
func Watch[S any](c *Context, t Target, b Behaviour[S, Down]) Monitor {
	to, d := targetOf("Watch", t), b.d.made()
	c.mustOwn(d)
	m := &monitor{watcher: c.self, target: to, live: true, calls: &watching}
	m.deliver = func(c *Context, at *body, down Down) { deliver(c, at, d, down) }
	c.self.mine().watching.add(m, &m.atWatcher)
	c.self.tie(c.self.extra, to)
	to.tell(replier{c: c, sys: c.sys}, watched{mon: m})
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
	m.m.cancel(replier{c: c, sys: c.sys})
}

// cancel ends a monitor on the watcher's side, whose turn it is.
func (m *monitor) cancel(r replier) {
	if m.live {
		m.live = false
		m.watcher.mine().watching.remove(&m.atWatcher)
		m.watcher.untie(m.watcher.extra, m.target)
		m.leave(r)
	}
}

// Join blocks, from outside, until t has ended, and does nothing to end it. It returns
// at once if t has ended long ago. The error is ctx's, or ErrSystemStopped if the
// system of t stops before. Join panics if t is a zero Ref, or if a behaviour calls it,
// as [StopWait] does.
func Join(ctx context.Context, sys *System, t Target) (Down, error) {
	b := targetOf("Join", t)
	split(sys)
	b.mustBeOutside(sys, "Join")
	mustHave(ctx, "Join")
	return b.join(ctx, "Join")
}

func (b *body) join(ctx context.Context, call string) (Down, error) {
	m := &monitor{target: b, calls: &watching, outside: make(chan *extras, 1)}
	r := replier{sys: b.sys()}
	b.tell(r, watched{mon: m})
	b.sys().sched.Await(ctx, func() bool { return len(m.outside) > 0 || b.sys().over.isDone() })
	select {
	case left := <-m.outside: // it has ended before
		return left.news(b)
	default:
	}
	select {
	case left := <-m.outside:
		return left.news(b)
	case <-b.sys().over.done:
		return Down{}, ErrSystemStopped
	case <-ctx.Done():
		b.tell(r, unwatched{mon: m})
		return Down{}, b.stillWaits(ctx, call)
	}
}

// news tells of the end of b, of which x is left, unless its system took it along.
func (x *extras) news(b *body) (Down, error) {
	if x.taken {
		return Down{}, ErrSystemStopped
	}
	return Down{ActorID: b.id, Type: b.typ().name, Reason: x.reason}, nil
}

// leave tells the target that it is watched no more.
func (m *monitor) leave(r replier) { m.target.tell(r, unwatched{mon: m}) }

// report tells the watcher of the end of b.
func (m *monitor) report(r replier, b *body, left *extras) {
	if m.outside != nil {
		m.outside <- left
		return
	}
	m.watcher.tell(r, watchedEnded{mon: m, down: Down{b.id, b.typ().name, left.reason, Monitor{m}}})
}

// watched tells the target that it is watched.
type watched struct{ mon *monitor }

func (s watched) serve(b *body, _ *Context) {
	b.mine().watchers.add(s.mon, &s.mon.atTarget)
	b.tie(b.extra, s.mon.watcher)
}

func (s watched) refused(b *body, r replier) { s.mon.report(r, b, b.remains()) }

// unwatched tells the target that it is watched no more.
type unwatched struct {
	unanswered
	mon *monitor
}

func (s unwatched) serve(b *body, _ *Context) {
	if x := b.mine(); x.watchers.remove(&s.mon.atTarget) {
		b.untie(x, s.mon.watcher)
	}
}

// watchedEnded tells the watcher that the target has ended.
type watchedEnded struct {
	unanswered
	mon  *monitor
	down Down
}

func (s watchedEnded) serve(b *body, c *Context) {
	if invariant.On {
		verifyMonitor(s.mon, b)
	}
	if s.mon.live {
		s.mon.live = false
		b.mine().watching.remove(&s.mon.atWatcher)
		b.untie(b.extra, s.mon.target)
		s.mon.deliver(c, b, s.down)
	}
}
