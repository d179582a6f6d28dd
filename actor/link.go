package actor

import "github.com/gallop-go/gallop/internal/invariant"

// Exit is the message by which an actor that traps exits ([TrapExit]) learns of the end
// of an actor that it was linked to.
type Exit struct {
	// ActorID and Type say who has ended.
	ActorID uint64
	Type    string
	// Reason says why; nil, or ErrShutdown after an order to end: see [IsNormal].
	Reason error
}

// link is one call of Link. Each side keeps it in its roster until it hears that the other side has
// ended or does not want it any more. It is its own name: news of a link that a side has dropped
// meanwhile means nothing to that side, and a new link between the two is another one. So both
// sides come to agree, however Link and Unlink cross: a link is added once, before the other side
// can know it, and once dropped it never comes back.
type link struct {
	a, b     *body
	ended    func(l *link, b *body, r replier, why error) // tellEnd: linked only with Link
	atA, atB int                                          // its places in the rosters of a and b; each is its owner's

	moreA, moreB *link // the next in their indexes with the same other; each is its owner's
}

func (l *link) other(me *body) *body {
	if l.a == me {
		return l.b
	}
	return l.a
}

func (l *link) at(me *body) *int {
	if l.a == me {
		return &l.atA
	}
	return &l.atB
}

func (l *link) more(me *body) **link {
	if l.a == me {
		return &l.moreA
	}
	return &l.moreB
}

// Link ties the running actor to t: when one of them ends for a reason that is not nil,
// the other ends for the same reason, unless it traps exits. If t has ended already, it
// is as if it ended now. Linking twice, or to itself, does nothing more. Link panics if
// t is a zero Ref.
func Link(c *Context, t Target) {
	mustRun(c, "Link")
	to, me := targetOf("Link", t), c.self
	x := me.mine()
	if to == me || x.links.with(me, to) != nil {
		return
	}
	l := &link{a: me, b: to, ended: (*link).tellEnd}
	x.links.join(me, l)
	x.linking = true
	me.tie(x, to)
	to.tell(replier{c: c, sys: c.sys}, linked{link: l})
}

// Unlink undoes [Link], whichever of the two called it. When Unlink returns, the end of
// t does nothing to the running actor any more, even if t has ended already and the
// news is on its way. In the other direction, that is true once t has heard of it.
// Unlink panics if t is a zero Ref.
func Unlink(c *Context, t Target) {
	mustRun(c, "Unlink")
	to, me := targetOf("Unlink", t), c.self
	x := me.mine()
	for l := x.links.with(me, to); l != nil; l = x.links.with(me, to) {
		x.links.part(me, l)
		me.untie(x, to)
		to.tell(replier{c: c, sys: c.sys}, unlinked{link: l})
	}
}

// dropLinks removes what is left of the links with an actor that has ended. If both have called
// Link at once there are two links, and still one end. The caller has seen that both have: many may
// be linked to one actor that has called it, or that they have called it for.
func (x *extras) dropLinks(me, dead *body) {
	for l := x.links.with(me, dead); l != nil; l = x.links.with(me, dead) {
		x.links.part(me, l)
		me.untie(x, dead)
	}
}

// TrapExit makes the ends of linked actors, normal ones too, come as messages for b, a
// behaviour of the running actor. These messages overtake ordinary mail. TrapExit holds
// until [UntrapExit] or a restart. It panics if b belongs to another type.
func TrapExit[S any](c *Context, b Behaviour[S, Exit]) {
	d := b.d.made()
	c.mustOwn(d)
	c.self.mine().trap = func(c *Context, at *body, e Exit) { deliver(c, at, d, e) }
}

// UntrapExit undoes [TrapExit].
func UntrapExit(c *Context) {
	mustRun(c, "UntrapExit")
	c.self.mine().trap = nil
}

// deliver runs a message of the runtime's making at once. An actor that leaves hears no
// more: what it watched and trapped goes with its life.
func deliver[M any](c *Context, at *body, d *declaration, v M) {
	if at.mine().phase != alive {
		return
	}
	m := newMessage(c, d.pool)
	m.id, m.from, m.next = d.id, 0, nil
	*payloadOf[M](m) = v
	at.runUrgent(c, at.mine(), m)
}

// tellEnd tells the other side of the end of b.
func (l *link) tellEnd(b *body, r replier, why error) {
	l.other(b).tell(r, linkEnded{link: l, twice: b.mayHaveLinked(), exit: Exit{b.id, b.typ().name, why}})
}

// linked tells b of a link that a has made.
type linked struct{ link *link }

func (s linked) serve(b *body, _ *Context) {
	if invariant.On {
		verifyLink(s.link, b)
	}
	x := b.mine()
	x.links.join(b, s.link)
	b.tie(x, s.link.a)
}

func (s linked) refused(b *body, r replier) {
	s.link.a.tell(r, linkEnded{link: s.link, twice: b.mayHaveLinked(), exit: Exit{b.id, b.typ().name, b.remains().reason}})
}

// unlinked tells the other side that a link is undone.
type unlinked struct {
	unanswered
	link *link
}

func (s unlinked) serve(b *body, _ *Context) {
	if x := b.mine(); x.links.part(b, s.link) {
		b.untie(x, s.link.other(b))
	}
}

// linkEnded tells the other side of a link that one has ended.
type linkEnded struct {
	unanswered
	link  *link
	twice bool // there may be another, by the one that has ended
	exit  Exit
}

// mayHaveLinked tells whether an actor that has ended had called Link. Of an actor that its system
// took along only the system may ask: it may have.
func (b *body) mayHaveLinked() bool { return !b.ended() || b.extra.linking }

func (s linkEnded) serve(b *body, c *Context) {
	if invariant.On {
		verifyLink(s.link, b)
	}
	x := b.mine()
	if !x.links.part(b, s.link) {
		return // unlinked meanwhile, or told already
	}
	b.untie(x, s.link.other(b))
	if x.linking && s.twice {
		x.dropLinks(b, s.link.other(b))
	}
	switch {
	case x.trap != nil:
		x.trap(c, b, s.exit)
	case !hasNoEffect(s.exit.Reason):
		b.exit(c, s.exit.Reason)
	}
}
