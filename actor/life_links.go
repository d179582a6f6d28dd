package actor

import (
	"context"
	"slices"

	"github.com/gallop-go/gallop/actor/internal/indexset"
	"github.com/gallop-go/gallop/internal/invariant"
)

// Exit is the message that tells an actor that traps exits ([TrapExit]) of the end of an
// actor that it was linked to.
type Exit struct {
	// ActorID and Type name the actor that has ended.
	ActorID uint64
	Type    string
	// Reason is the reason for which the actor ended: nil, an error of its own, or ErrShutdown
	// after an order to end. See [IsNormal].
	Reason error
}

// link is one call of Link. Each side keeps it among its links until it is told that the other side
// has ended or has called Unlink. A link is identified by its address: a side ignores news of a
// link that it has dropped meanwhile, and a later Link between the two makes another link. A link
// is added once, before the other side can know it, and once dropped it is never added again. So
// both sides come to agree, even if calls of Link and Unlink cross.
type link struct {
	a, b *cell
	// Its indexes among the links of a and of b; each is its owner's.
	atA, atB int
}

func (l *link) other(me *cell) *cell {
	if l.a == me {
		return l.b
	}
	return l.a
}

func (l *link) at(me *cell) *int {
	if l.a == me {
		return &l.atA
	}
	return &l.atB
}

// Link ties the running actor to t: when one of them ends for a reason that is not nil,
// the other ends for the same reason, unless it traps exits. If t has ended already, the
// effect is as if it ended now. To link twice, or to itself, has no further effect. Link
// panics if t is a zero Ref.
func Link(c *Context, t Target) {
	turn := c.kernel()
	mustRun(turn, "Link")
	to, me := targetOf("Link", t), turn.self
	ls := linksOf(me.makeCold())
	if to == me || ls.all.Find(to) != nil {
		return
	}
	l := &link{a: me, b: to}
	ls.all.Add(to, l, l.at(me))
	ls.linking = true
	me.sys().stopList.retain(me, to)
	to.tell(turn, linked{link: l})
}

// Unlink undoes [Link]. It does not matter which of the two called Link. When Unlink
// returns, the end of t no longer affects the running actor, even if t has ended already
// and the news is on its way. The end of the running actor no longer affects t once the
// news of Unlink has reached t. Unlink panics if t is a zero Ref.
func Unlink(c *Context, t Target) {
	turn := c.kernel()
	mustRun(turn, "Unlink")
	to, me := targetOf("Unlink", t), turn.self
	ls := linksOf(me.makeCold())
	for l := ls.all.Find(to); l != nil; l = ls.all.Find(to) {
		ls.remove(me, l)
		to.tell(turn, unlinked{link: l})
	}
}

// links is the part with the links of an actor. Owner only.
type links struct {
	all     indexset.Multi[*cell, link] // by the other side
	trap    *descriptor                 // the behaviour for exits; nil: they are not trapped
	linking bool                        // it has called Link
}

// linksOf returns the links of an actor. The first call makes the part. Owner only.
func linksOf(x *coldState) *links {
	return partOf[links](x, linksPart)
}

// ends implements part. The links themselves outlive a restart.
func (ls *links) ends(a *cell, e env, at ending, why error) {
	switch at {
	case atLifeEnd:
		ls.trap = nil
	case atNews:
		for l := ls.all.Pop(); l != nil; l = ls.all.Pop() {
			l.tellEnd(a, e, why)
		}
		ls.trap = nil
	}
}

// remove removes a link of me, and reports whether it was there.
func (ls *links) remove(me *cell, l *link) bool {
	if !ls.all.Remove(l.at(me)) {
		return false
	}
	me.sys().stopList.release(me, l.other(me))
	return true
}

// drop removes the remaining links with an actor that has ended. If both actors have called Link at
// once there are two links. drop searches the links of me, which may be many, so it is called only
// if both actors have called Link.
func (ls *links) drop(me, dead *cell) {
	for l := ls.all.Find(dead); l != nil; l = ls.all.Find(dead) {
		ls.remove(me, l)
	}
}

// TrapExit makes the ends of linked actors, normal ones too, come as messages for b, a
// behaviour of the running actor. Such a message is the last that comes from the actor that
// has ended: see [Watch]. TrapExit is in force until [UntrapExit] or a restart. An exit is
// trapped if TrapExit is in force at the message's turn. TrapExit panics if b belongs to
// another type.
func TrapExit[S any](c *Context, b Behaviour[S, Exit]) {
	d := b.d.made()
	c.kernel().mustOwn(d)
	linksOf(c.kernel().self.makeCold()).trap = d
}

// UntrapExit undoes [TrapExit].
func UntrapExit(c *Context) {
	mustRun(c.kernel(), "UntrapExit")
	linksOf(c.kernel().self.makeCold()).trap = nil
}

// tellEnd tells the other side of the end of a.
func (l *link) tellEnd(a *cell, e env, why error) {
	l.other(a).tell(e, linkEnded{link: l, twice: mayHaveLinked(a),
		exit: Exit{a.id, a.typ().name, why}})
}

// linked tells b of a link that a has made.
type linked struct{ link *link }

func (s linked) serve(a *cell, _ *kernelTurn) {
	if invariant.On {
		verifyLink(s.link, a)
	}
	linksOf(a.makeCold()).all.Add(s.link.a, s.link, s.link.at(a))
	a.sys().stopList.retain(a, s.link.a)
}

func (s linked) refused(a *cell, e env) {
	s.link.a.tell(e, linkEnded{link: s.link, twice: mayHaveLinked(a),
		exit: Exit{a.id, a.typ().name, a.terminatedRecord().reason}})
}

// unlinked tells the other side that a link is undone.
type unlinked struct {
	unanswered
	link *link
}

func (s unlinked) serve(a *cell, _ *kernelTurn) {
	linksOf(a.makeCold()).remove(a, s.link)
}

// linkEnded tells the other side of a link that one has ended.
type linkEnded struct {
	unanswered
	link  *link
	twice bool // the actor that has ended may have called Link itself: there may be another link
	exit  Exit
}

// mayHaveLinked reports whether an actor that has ended had called Link. It reports true for an
// actor whose system has stopped: the cold state may not be read then.
func mayHaveLinked(a *cell) bool {
	if !a.ended() {
		return true
	}
	l, _ := a.cold.parts[linksPart].(*links)
	return l != nil && l.linking
}

func (s linkEnded) serve(a *cell, c *kernelTurn) {
	if invariant.On {
		verifyLink(s.link, a)
	}
	ls := linksOf(a.makeCold())
	if c.aside && ls.trap != nil && !ls.trap.urgent && a.queueNews(c, s) {
		return
	}
	if !ls.remove(a, s.link) {
		return // unlinked meanwhile, or told already
	}
	if ls.linking && s.twice {
		ls.drop(a, s.link.other(a))
	}
	switch {
	case ls.trap != nil:
		deliver(c, a, ls.trap, s.exit)
	case hasNoEffect(s.exit.Reason):
	case c.aside:
		a.exit(c, s.exit.Reason)
	default: // it has called UntrapExit
		c.exit(s.exit.Reason)
	}
}

// verifyLink checks a link that one side has in its indexed set.
func verifyLink(l *link, me *cell) {
	invariant.Check(l.a == me || l.b == me, "%v has a link of others", me)
	invariant.Check(l.a != l.b, "%v is linked to itself", me)
}

// Down is the message that tells an actor of the end of an actor that it watches.
type Down struct {
	// ActorID and Type name the actor that has ended.
	ActorID uint64
	Type    string
	// Reason is the reason for which the actor ended, as in [Exit].
	Reason error
	// Monitor is the value that [Watch] returned.
	Monitor Monitor
}

// Monitor stands for one call of [Watch]. The zero Monitor watches no actor.
type Monitor struct{ m *monitor }

// monitor is shared by the watcher, the target, and the signals between them.
type monitor struct {
	watcher, target *cell
	by              *descriptor     // the watcher's behaviour
	live            bool            // the watcher still wants it; the watcher's
	atWatcher       int             // its index among the watcher's monitors; the watcher's
	atTarget        int             // and among the watchers of the target; the target's
	outside         chan *coldState // instead of a watcher: gets the remains; has room for one
}

// monitors is the part with the monitors on both sides of an actor. Owner only.
type monitors struct {
	watchers indexset.Set[monitor] // of the actors that watch it
	watching indexset.Set[monitor] // of the actors that it watches
}

// monitorsOf returns the monitors of an actor. The first call makes the part. Owner only.
func monitorsOf(x *coldState) *monitors {
	return partOf[monitors](x, monitorsPart)
}

// ends implements part. The watchers of an actor stay over a restart.
func (ms *monitors) ends(a *cell, e env, at ending, _ error) {
	switch at {
	case atLifeEnd:
		for _, m := range slices.Backward(ms.watching.Members()) {
			m.cancel(e)
		}
	case atNews:
		for m := ms.watching.Pop(); m != nil; m = ms.watching.Pop() {
			m.live = false
			m.leave(e)
		}
		for m := ms.watchers.Pop(); m != nil; m = ms.watchers.Pop() {
			m.report(e, a, a.cold)
		}
	}
}

// Watch makes the end of t come as a message for b, a behaviour of the running actor, once
// for each call of Watch. If t has ended long ago, the message is sent now, with the reason
// that t had. Watching does not affect t. Watch panics if t is a zero Ref, or if b belongs
// to another type.
//
// The message is the last that comes from t: messages that t has sent to the running actor
// run before it. So it waits in the mailbox like any message, also while the running actor
// is muted, but it takes no room of a bound. If b is [Urgent], the message overtakes
// ordinary mail, and so also the last messages of t. Use that for a watcher that must be
// told at once. A restart of t is not its end.
func Watch[S any](c *Context, t Target, b Behaviour[S, Down]) Monitor {
	turn := c.kernel()
	to, d := targetOf("Watch", t), b.d.made()
	turn.mustOwn(d)
	m := &monitor{watcher: turn.self, target: to, by: d, live: true}
	monitorsOf(turn.self.makeCold()).watching.Add(m, &m.atWatcher)
	turn.sys.stopList.retain(turn.self, to)
	to.tell(turn, watched{mon: m})
	return Monitor{m}
}

// Unwatch undoes [Watch]. When it returns, the message no longer comes, even if t has
// ended already and the message is on its way. To unwatch twice, or the zero Monitor,
// does nothing. Unwatch panics if another actor has called Watch.
func Unwatch(c *Context, m Monitor) {
	turn := c.kernel()
	if m.m == nil {
		return
	}
	mustRun(turn, "Unwatch")
	if m.m.watcher != turn.self {
		panic("gallop: Unwatch: the monitor is another actor's")
	}
	m.m.cancel(turn)
}

// cancel ends a monitor on the watcher's side. It is called in the watcher's turn.
func (m *monitor) cancel(e env) {
	if m.live {
		m.live = false
		monitorsOf(m.watcher.makeCold()).watching.Remove(&m.atWatcher)
		m.watcher.sys().stopList.release(m.watcher, m.target)
		m.leave(e)
	}
}

// Join blocks, from outside, until t has ended. It does not end t. It returns at once if t
// has ended long ago. It returns ctx's error if ctx ends first, or ErrSystemStopped if the
// system of t stops first. Join panics if t is a zero Ref, or if a behaviour or a process
// calls it, as [StopWait] does.
func Join(ctx context.Context, t Target) (Down, error) {
	a := targetOf("Join", t)
	mustBeOutside("Join")
	ctx = mustHave(ctx, "Join")
	return join(a, ctx, "Join")
}

func join(a *cell, ctx context.Context, call string) (Down, error) {
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
		return Down{}, joinError(a, ctx, call)
	}
}

// news returns the Down of an ended actor a with cold state x, or ErrSystemStopped if the end of
// its system ended it.
func (x *coldState) news(a *cell) (Down, error) {
	if x.taken {
		return Down{}, ErrSystemStopped
	}
	return Down{ActorID: a.id, Type: a.typ().name, Reason: x.reason}, nil
}

// leave tells the target that the monitor has ended.
func (m *monitor) leave(e env) { m.target.tell(e, unwatched{mon: m}) }

// report tells the watcher of the end of a, whose cold state is left.
func (m *monitor) report(e env, a *cell, left *coldState) {
	if m.outside != nil {
		m.outside <- left
		return
	}
	m.watcher.tell(e, watchedEnded{mon: m, down: Down{a.id, a.typ().name, left.reason, Monitor{m}}})
}

// watched is the signal that begins a monitor at the target.
type watched struct{ mon *monitor }

func (s watched) serve(a *cell, _ *kernelTurn) {
	monitorsOf(a.makeCold()).watchers.Add(s.mon, &s.mon.atTarget)
	a.sys().stopList.retain(a, s.mon.watcher)
}

func (s watched) refused(a *cell, e env) { s.mon.report(e, a, a.terminatedRecord()) }

// unwatched is the signal that ends a monitor at the target.
type unwatched struct {
	unanswered
	mon *monitor
}

func (s unwatched) serve(a *cell, _ *kernelTurn) {
	if monitorsOf(a.makeCold()).watchers.Remove(&s.mon.atTarget) {
		a.sys().stopList.release(a, s.mon.watcher)
	}
}

// watchedEnded tells the watcher that the target has ended.
type watchedEnded struct {
	unanswered
	mon  *monitor
	down Down
}

func (s watchedEnded) serve(a *cell, c *kernelTurn) {
	if invariant.On {
		verifyMonitor(s.mon, a)
	}
	if !s.mon.live || c.aside && !s.mon.by.urgent && a.queueNews(c, s) {
		return
	}
	s.mon.live = false
	monitorsOf(a.makeCold()).watching.Remove(&s.mon.atWatcher)
	a.sys().stopList.release(a, s.mon.target)
	deliver(c, a, s.mon.by, s.down)
}

// verifyMonitor checks the news of the end of an actor that a watches.
func verifyMonitor(m *monitor, a *cell) {
	invariant.Check(m.watcher == a && m.outside == nil, "%v hears of an end that another watches", a)
	invariant.Check(m.live == (m.atWatcher > 0), "%v watches: %v, and has place %d", a, m.live,
		m.atWatcher)
}
