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

// Link is one call of Link. Each side keeps it among its links until it is told that the other side
// has ended or has called Unlink. A link is identified by its address: a side ignores news of a
// link that it has dropped meanwhile, and a later Link between the two makes another link. A link
// is added once, before the other side can know it, and once dropped it is never added again. So
// both sides come to agree, even if calls of Link and Unlink cross.
type Link struct {
	A, B *Cell
	// Its indexes among the links of A and of B; each is its owner's.
	atA, atB int
}

// Other returns the other side of the link. me is one side. Any goroutine.
func (l *Link) Other(me *Cell) *Cell {
	if l.A == me {
		return l.B
	}
	return l.A
}

// At returns the place of the link's index among the links of me. Owner of me only.
func (l *Link) At(me *Cell) *int {
	if l.A == me {
		return &l.atA
	}
	return &l.atB
}

// links is the part with the links of an actor. Owner only.
type links struct {
	All     indexset.Multi[*Cell, Link] // by the other side
	Trap    *Descriptor                 // the behaviour for exits; nil: they are not trapped
	Linking bool                        // it has called Link
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

// Link implements the function Link of package actor. to is not nil.
func (c *Turn) Link(to *Cell) {
	MustRun(c, "Link")
	me := c.Self
	ls := LinksOf(me.MakeCold())
	if to == me || ls.All.Find(to) != nil {
		return
	}
	l := &Link{A: me, B: to}
	ls.All.Add(to, l, l.At(me))
	ls.Linking = true
	me.Sys().StopList.Retain(me, to)
	to.Tell(c, Linked{Link: l})
}

// Unlink implements the function Unlink of package actor. to is not nil.
func (c *Turn) Unlink(to *Cell) {
	MustRun(c, "Unlink")
	me := c.Self
	ls := LinksOf(me.MakeCold())
	for l := ls.All.Find(to); l != nil; l = ls.All.Find(to) {
		ls.Remove(me, l)
		to.Tell(c, Unlinked{Link: l})
	}
}

// TrapExit implements the functions TrapExit and UntrapExit of package actor. d is a behaviour for
// Exit, or nil: then exits are not trapped. Owner only, in a turn.
func (c *Turn) TrapExit(d *Descriptor) {
	LinksOf(c.Self.MakeCold()).Trap = d
}

// Remove removes a link of me, and reports whether it was there. Owner of me only.
func (ls *links) Remove(me *Cell, l *Link) bool {
	if !ls.All.Remove(l.At(me)) {
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
		ls.Remove(me, l)
	}
}

// tellEnd tells the other side of the end of a.
func (l *Link) tellEnd(a *Cell, e Env, why error) {
	l.Other(a).Tell(e, linkEnded{link: l, twice: mayHaveLinked(a),
		exit: Exit{a.ID, a.Typ().Name, why}})
}

// Linked tells B of a link that A has made.
type Linked struct{ Link *Link }

// Serve implements Signal.
func (s Linked) Serve(a *Cell, _ *Turn) {
	if invariant.On {
		verifyLink(s.Link, a)
	}
	LinksOf(a.MakeCold()).All.Add(s.Link.A, s.Link, s.Link.At(a))
	a.Sys().StopList.Retain(a, s.Link.A)
}

// Refused implements Signal.
func (s Linked) Refused(a *Cell, e Env) {
	s.Link.A.Tell(e, linkEnded{link: s.Link, twice: mayHaveLinked(a),
		exit: Exit{a.ID, a.Typ().Name, a.TerminatedRecord().Reason}})
}

// Unlinked tells the other side that a link is undone.
type Unlinked struct {
	Unanswered
	Link *Link
}

// Serve implements Signal.
func (s Unlinked) Serve(a *Cell, _ *Turn) {
	LinksOf(a.MakeCold()).Remove(a, s.Link)
}

// linkEnded tells one side of a link that the other has ended.
type linkEnded struct {
	Unanswered
	link  *Link
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
	return l != nil && l.Linking
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
	if !ls.Remove(a, s.link) {
		return // unlinked meanwhile, or told already
	}
	if ls.Linking && s.twice {
		ls.drop(a, s.link.Other(a))
	}
	switch {
	case ls.Trap != nil:
		deliver(c, a, ls.Trap, s.exit)
	case HasNoEffect(s.exit.Reason):
	case c.Aside:
		a.exit(c, s.exit.Reason)
	default: // it has called UntrapExit
		c.exit(s.exit.Reason)
	}
}

// verifyLink checks a link that one side has in its indexed set.
func verifyLink(l *Link, me *Cell) {
	invariant.Check(l.A == me || l.B == me, "%v has a link of others", me)
	invariant.Check(l.A != l.B, "%v is linked to itself", me)
}

// Down is actor.Down, which documents it.
type Down struct {
	ActorID uint64
	Type    string
	Reason  error
	Monitor Monitor
}

// Monitor is actor.Monitor, which documents it.
type Monitor struct{ m *Watching }

// Watching is shared by the watcher, the target, and the signals between them.
type Watching struct {
	Watcher, Target *Cell
	By              *Descriptor // the watcher's behaviour
	Live            bool        // the watcher still wants it; the watcher's
	AtWatcher       int         // its index among the watcher's monitors; the watcher's
	atTarget        int         // and among the watchers of the target; the target's
	outside         chan *Cold  // instead of a watcher: gets the remains; has room for one
}

// monitors is the part with the monitors on both sides of an actor. Owner only.
type monitors struct {
	Watchers indexset.Set[Watching] // of the actors that watch it
	Watching indexset.Set[Watching] // of the actors that it watches
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
			m.Cancel(e)
		}
	case atNews:
		for m := ms.Watching.Pop(); m != nil; m = ms.Watching.Pop() {
			m.Live = false
			m.leave(e)
		}
		for m := ms.Watchers.Pop(); m != nil; m = ms.Watchers.Pop() {
			m.report(e, a, a.Cold)
		}
	}
}

// Cancel ends a monitor on the watcher's side. It is called in the watcher's turn.
func (m *Watching) Cancel(e Env) {
	if m.Live {
		m.Live = false
		MonitorsOf(m.Watcher.MakeCold()).Watching.Remove(&m.AtWatcher)
		m.Watcher.Sys().StopList.release(m.Watcher, m.Target)
		m.leave(e)
	}
}

// Watch implements the function Watch of package actor. to is not nil, and d is a behaviour for
// Down.
func (c *Turn) Watch(to *Cell, d *Descriptor) Monitor {
	c.MustOwn(d.Made())
	m := &Watching{Watcher: c.Self, Target: to, By: d, Live: true}
	MonitorsOf(c.Self.MakeCold()).Watching.Add(m, &m.AtWatcher)
	c.Sys.StopList.Retain(c.Self, to)
	to.Tell(c, Watched{Mon: m})
	return Monitor{m}
}

// Unwatch implements the function Unwatch of package actor.
func (c *Turn) Unwatch(m Monitor) {
	if m.m == nil {
		return
	}
	MustRun(c, "Unwatch")
	if m.m.Watcher != c.Self {
		panic("gallop: Unwatch: the monitor is another actor's")
	}
	m.m.Cancel(c)
}

// Join implements the function Join of package actor. r is not zero.
func (r AnyRef) Join(ctx context.Context) (Down, error) {
	MustBeOutside("Join")
	return join(r.b, MustHave(ctx, "Join"), "Join")
}

// join waits for the end of a.
func join(a *Cell, ctx context.Context, call string) (Down, error) {
	m := &Watching{Target: a, outside: make(chan *Cold, 1)}
	e := a.Sys()
	a.Tell(e, Watched{Mon: m})
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
func (m *Watching) leave(e Env) { m.Target.Tell(e, unwatched{mon: m}) }

// report tells the watcher of the end of a, whose cold state is left.
func (m *Watching) report(e Env, a *Cell, left *Cold) {
	if m.outside != nil {
		m.outside <- left
		return
	}
	m.Watcher.Tell(e, watchedEnded{mon: m, down: Down{a.ID, a.Typ().Name, left.Reason, Monitor{m}}})
}

// Watched is the signal that begins a monitor at the target.
type Watched struct{ Mon *Watching }

// Serve implements Signal.
func (s Watched) Serve(a *Cell, _ *Turn) {
	MonitorsOf(a.MakeCold()).Watchers.Add(s.Mon, &s.Mon.atTarget)
	a.Sys().StopList.Retain(a, s.Mon.Watcher)
}

// Refused implements Signal.
func (s Watched) Refused(a *Cell, e Env) { s.Mon.report(e, a, a.TerminatedRecord()) }

// unwatched is the signal that ends a monitor at the target.
type unwatched struct {
	Unanswered
	mon *Watching
}

// Serve implements Signal.
func (s unwatched) Serve(a *Cell, _ *Turn) {
	if MonitorsOf(a.MakeCold()).Watchers.Remove(&s.mon.atTarget) {
		a.Sys().StopList.release(a, s.mon.Watcher)
	}
}

// watchedEnded tells the watcher that the target has ended.
type watchedEnded struct {
	Unanswered
	mon  *Watching
	down Down
}

// Serve implements Signal.
func (s watchedEnded) Serve(a *Cell, c *Turn) {
	if invariant.On {
		verifyMonitor(s.mon, a)
	}
	if !s.mon.Live || c.Aside && !s.mon.By.Urgent && a.queueNews(c, s) {
		return
	}
	s.mon.Live = false
	MonitorsOf(a.MakeCold()).Watching.Remove(&s.mon.AtWatcher)
	a.Sys().StopList.release(a, s.mon.Target)
	deliver(c, a, s.mon.By, s.down)
}

// verifyMonitor checks the news of the end of an actor that a watches.
func verifyMonitor(m *Watching, a *Cell) {
	invariant.Check(m.Watcher == a && m.outside == nil, "%v hears of an end that another watches", a)
	invariant.Check(m.Live == (m.AtWatcher > 0), "%v watches: %v, and has place %d", a, m.Live,
		m.AtWatcher)
}
