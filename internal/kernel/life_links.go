package kernel

import (
	"context"
	"slices"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/kernel/indexset"
)

// Exit is actor.Exit, which documents it.
type Exit struct {
	ActorID uint64
	Type    string
	Reason  error
}

// link is one call of Link. Each side keeps it among its links until it is told that the other side
// has ended or has called Unlink. A link is identified by its address: a side ignores news of a
// link that it has dropped meanwhile, and a later Link between the two makes another link. A link
// is added once, before the other side can know it, and once dropped it is never added again. So
// both sides come to agree, even if calls of Link and Unlink cross.
type link struct {
	a, b *Cell
	// Its indexes among the links of a and of b; each is its owner's.
	atA, atB int
}

// Other returns the other side of the link. me is one side. Any goroutine.
func (l *link) Other(me *Cell) *Cell {
	if l.a == me {
		return l.b
	}
	return l.a
}

// at returns the place of the link's index among the links of me. Owner of me only.
func (l *link) at(me *Cell) *int {
	if l.a == me {
		return &l.atA
	}
	return &l.atB
}

// links is the part with the links of an actor. Owner only.
type links struct {
	All     indexset.Multi[*Cell, link] // by the other side
	Trap    *Descriptor                 // the behaviour for exits; nil: they are not trapped
	linking bool                        // it has called Link
}

// LinksOf returns the links of an actor. The first call makes the part. Owner only.
func LinksOf(x *Cold) *links {
	return PartOf[links](x, LinksPart)
}

// Ends implements Part. The links themselves outlive a restart.
func (ls *links) Ends(a *Cell, e Env, at Ending, why error) {
	switch at {
	case atLifeEnd:
		ls.Trap = nil
	case atNews:
		for l := ls.All.Pop(); l != nil; l = ls.All.Pop() {
			l.tellEnd(a, e, why)
		}
		ls.Trap = nil
	}
}

// Link implements the function Link of package actor. to is not nil. Owner only, in a turn.
func (c *Turn) Link(to *Cell) {
	me := c.Self
	ls := LinksOf(me.MakeCold())
	if to == me || ls.All.Find(to) != nil {
		return
	}
	l := &link{a: me, b: to}
	ls.All.Add(to, l, l.at(me))
	ls.linking = true
	me.Sys().StopList.retain(me, to)
	to.Tell(c, Linked{link: l})
}

// Unlink implements the function Unlink of package actor. to is not nil. Owner only, in a turn.
func (c *Turn) Unlink(to *Cell) {
	me := c.Self
	ls := LinksOf(me.MakeCold())
	for l := ls.All.Find(to); l != nil; l = ls.All.Find(to) {
		ls.remove(me, l)
		to.Tell(c, unlinked{link: l})
	}
}

// TrapExit implements the functions TrapExit and UntrapExit of package actor. d is a behaviour for
// Exit, or nil: then exits are not trapped. Owner only, in a turn.
func (c *Turn) TrapExit(d *Descriptor) {
	LinksOf(c.Self.MakeCold()).Trap = d
}

// remove removes a link of me, and reports whether it was there. Owner of me only.
func (ls *links) remove(me *Cell, l *link) bool {
	if !ls.All.Remove(l.at(me)) {
		return false
	}
	me.Sys().StopList.release(me, l.Other(me))
	return true
}

// drop removes the remaining links with an actor that has ended. If both actors have called Link at
// once there are two links. drop searches the links of me, which may be many, so it is called only
// if both actors have called Link.
func (ls *links) drop(me, dead *Cell) {
	for l := ls.All.Find(dead); l != nil; l = ls.All.Find(dead) {
		ls.remove(me, l)
	}
}

// tellEnd tells the other side of the end of a.
func (l *link) tellEnd(a *Cell, e Env, why error) {
	l.Other(a).Tell(e, linkEnded{link: l, twice: mayHaveLinked(a),
		exit: Exit{a.ID, a.Typ().Name, why}})
}

// Linked tells b of a link that a has made.
type Linked struct{ link *link }

// Serve implements Signal.
func (s Linked) Serve(a *Cell, _ *Turn) {
	if invariant.On {
		verifyLink(s.link, a)
	}
	LinksOf(a.MakeCold()).All.Add(s.link.a, s.link, s.link.at(a))
	a.Sys().StopList.retain(a, s.link.a)
}

// Refused implements Signal.
func (s Linked) Refused(a *Cell, e Env) {
	s.link.a.Tell(e, linkEnded{link: s.link, twice: mayHaveLinked(a),
		exit: Exit{a.ID, a.Typ().Name, a.TerminatedRecord().Reason}})
}

// unlinked tells the other side that a link is undone.
type unlinked struct {
	Unanswered
	link *link
}

// Serve implements Signal.
func (s unlinked) Serve(a *Cell, _ *Turn) {
	LinksOf(a.MakeCold()).remove(a, s.link)
}

// linkEnded tells one side of a link that the other has ended.
type linkEnded struct {
	Unanswered
	link  *link
	twice bool // the actor that has ended may have called Link itself: there may be another link
	exit  Exit
}

// mayHaveLinked reports whether an actor that has ended had called Link. It reports true for an
// actor whose system has stopped: the cold state may not be read then.
func mayHaveLinked(a *Cell) bool {
	if !a.Ended() {
		return true
	}
	l, _ := a.Cold.Parts[LinksPart].(*links)
	return l != nil && l.linking
}

// Serve implements Signal.
func (s linkEnded) Serve(a *Cell, c *Turn) {
	if invariant.On {
		verifyLink(s.link, a)
	}
	ls := LinksOf(a.MakeCold())
	if c.Aside && ls.Trap != nil && !ls.Trap.Urgent && a.queueNews(c, s) {
		return
	}
	if !ls.remove(a, s.link) {
		return // unlinked meanwhile, or told already
	}
	if ls.linking && s.twice {
		ls.drop(a, s.link.Other(a))
	}
	switch {
	case ls.Trap != nil:
		deliver(c, a, ls.Trap, s.exit)
	case hasNoEffect(s.exit.Reason):
	case c.Aside:
		a.exit(c, s.exit.Reason)
	default: // it has called UntrapExit
		c.exit(s.exit.Reason)
	}
}

// verifyLink checks a link that one side has in its indexed set.
func verifyLink(l *link, me *Cell) {
	invariant.Check(l.a == me || l.b == me, "%v has a link of others", me)
	invariant.Check(l.a != l.b, "%v is linked to itself", me)
}

// Down is actor.Down, which documents it.
type Down struct {
	ActorID uint64
	Type    string
	Reason  error
	Monitor Monitor
}

// Monitor is actor.Monitor, which documents it.
type Monitor struct{ m *watching }

// watching is shared by the watcher, the target, and the signals between them.
type watching struct {
	watcher, target *Cell
	by              *Descriptor // the watcher's behaviour
	live            bool        // the watcher still wants it; the watcher's
	atWatcher       int         // its index among the watcher's monitors; the watcher's
	atTarget        int         // and among the watchers of the target; the target's
	outside         chan *Cold  // instead of a watcher: gets the remains; has room for one
}

// monitors is the part with the monitors on both sides of an actor. Owner only.
type monitors struct {
	Watchers indexset.Set[watching] // of the actors that watch it
	Watching indexset.Set[watching] // of the actors that it watches
}

// MonitorsOf returns the monitors of an actor. The first call makes the part. Owner only.
func MonitorsOf(x *Cold) *monitors {
	return PartOf[monitors](x, MonitorsPart)
}

// Ends implements Part. The watchers of an actor stay over a restart.
func (ms *monitors) Ends(a *Cell, e Env, at Ending, _ error) {
	switch at {
	case atLifeEnd:
		for _, m := range slices.Backward(ms.Watching.Members()) {
			m.cancel(e)
		}
	case atNews:
		for m := ms.Watching.Pop(); m != nil; m = ms.Watching.Pop() {
			m.live = false
			m.leave(e)
		}
		for m := ms.Watchers.Pop(); m != nil; m = ms.Watchers.Pop() {
			m.report(e, a, a.Cold)
		}
	}
}

// cancel ends a monitor on the watcher's side. It is called in the watcher's turn.
func (m *watching) cancel(e Env) {
	if m.live {
		m.live = false
		MonitorsOf(m.watcher.MakeCold()).Watching.Remove(&m.atWatcher)
		m.watcher.Sys().StopList.release(m.watcher, m.target)
		m.leave(e)
	}
}

// Watch implements the function Watch of package actor. to is not nil, and d is a behaviour for
// Down.
func (c *Turn) Watch(to *Cell, d *Descriptor) Monitor {
	c.MustOwn(d.Made())
	m := &watching{watcher: c.Self, target: to, by: d, live: true}
	MonitorsOf(c.Self.MakeCold()).Watching.Add(m, &m.atWatcher)
	c.Sys.StopList.retain(c.Self, to)
	to.Tell(c, watched{mon: m})
	return Monitor{m}
}

// Unwatch implements the function Unwatch of package actor.
func (c *Turn) Unwatch(m Monitor) {
	if m.m == nil {
		return
	}
	MustRun(c, "Unwatch")
	if m.m.watcher != c.Self {
		panic("gallop: Unwatch: the monitor is another actor's")
	}
	m.m.cancel(c)
}

// Join implements the function Join of package actor. r is not zero.
func (r AnyRef) Join(ctx context.Context) (Down, error) {
	mustBeOutside("Join")
	return join(r.b, MustHave(ctx, "Join"), "Join")
}

// join waits for the end of a.
func join(a *Cell, ctx context.Context, call string) (Down, error) {
	m := &watching{target: a, outside: make(chan *Cold, 1)}
	e := a.Sys()
	a.Tell(e, watched{mon: m})
	a.Sys().Sched.Await(ctx, func() bool { return len(m.outside) > 0 || a.Sys().Done.isDone() })
	select {
	case left := <-m.outside: // it has ended before
		return left.news(a)
	default:
	}
	select {
	case left := <-m.outside:
		return left.news(a)
	case <-a.Sys().Done.Done:
		return Down{}, ErrSystemStopped
	case <-ctx.Done():
		a.Tell(e, unwatched{mon: m})
		return Down{}, joinError(a, ctx, call)
	}
}

// news returns the Down of an ended actor a with cold state x, or ErrSystemStopped if the end of
// its system ended it.
func (x *Cold) news(a *Cell) (Down, error) {
	if x.Taken {
		return Down{}, ErrSystemStopped
	}
	return Down{ActorID: a.ID, Type: a.Typ().Name, Reason: x.Reason}, nil
}

// leave tells the target that the monitor has ended.
func (m *watching) leave(e Env) { m.target.Tell(e, unwatched{mon: m}) }

// report tells the watcher of the end of a, whose cold state is left.
func (m *watching) report(e Env, a *Cell, left *Cold) {
	if m.outside != nil {
		m.outside <- left
		return
	}
	m.watcher.Tell(e, watchedEnded{mon: m, down: Down{a.ID, a.Typ().Name, left.Reason, Monitor{m}}})
}

// watched is the signal that begins a monitor at the target.
type watched struct{ mon *watching }

// Serve implements Signal.
func (s watched) Serve(a *Cell, _ *Turn) {
	MonitorsOf(a.MakeCold()).Watchers.Add(s.mon, &s.mon.atTarget)
	a.Sys().StopList.retain(a, s.mon.watcher)
}

// Refused implements Signal.
func (s watched) Refused(a *Cell, e Env) { s.mon.report(e, a, a.TerminatedRecord()) }

// unwatched is the signal that ends a monitor at the target.
type unwatched struct {
	Unanswered
	mon *watching
}

// Serve implements Signal.
func (s unwatched) Serve(a *Cell, _ *Turn) {
	if MonitorsOf(a.MakeCold()).Watchers.Remove(&s.mon.atTarget) {
		a.Sys().StopList.release(a, s.mon.watcher)
	}
}

// watchedEnded tells the watcher that the target has ended.
type watchedEnded struct {
	Unanswered
	mon  *watching
	down Down
}

// Serve implements Signal.
func (s watchedEnded) Serve(a *Cell, c *Turn) {
	if invariant.On {
		verifyMonitor(s.mon, a)
	}
	if !s.mon.live || c.Aside && !s.mon.by.Urgent && a.queueNews(c, s) {
		return
	}
	s.mon.live = false
	MonitorsOf(a.MakeCold()).Watching.Remove(&s.mon.atWatcher)
	a.Sys().StopList.release(a, s.mon.target)
	deliver(c, a, s.mon.by, s.down)
}

// verifyMonitor checks the news of the end of an actor that a watches.
func verifyMonitor(m *watching, a *Cell) {
	invariant.Check(m.watcher == a && m.outside == nil, "%v hears of an end that another watches", a)
	invariant.Check(m.live == (m.atWatcher > 0), "%v watches: %v, and has place %d", a, m.live,
		m.atWatcher)
}
