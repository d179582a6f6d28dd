package actor

import "github.com/gallop-go/gallop/internal/invariant"

// child is the record of an actor that ends before the one that spawned it. The actor leads to its
// record for good, so that the parent finds it without a search: see placeUnder.
type child struct {
	b      *body       // read-only
	of     uint64      // the parent's number; read-only
	calls  *childCalls // read-only once it was launched
	parent *body       // the child's; nil when it has ended: a ref to the dead keeps nobody else

	// The parent's.
	older, younger *child
	listed         bool // it is in the parent's list
	told           bool // it has been told to end
	together       bool // it is told when the first of those with this mark is; read-only once it was launched
	verb           verb
	stop           func(c *Context, child AnyRef) // tells it to end instead of an order; nil: nothing does
}

// childCalls is what the ends of parent and child need, so that a program without
// children does not link it.
type childCalls struct {
	order   func(k *child, r replier, v verb)
	ended   func(k *child, r replier)
	forsake func(k *child, r replier, v verb) // the parent leaves, and decides nothing any more; nil: there is nothing to be decided
}

var parenting = childCalls{order: (*child).order, ended: (*child).ended}

// family is the children of an actor, in the order of their births. Owner only.
type family struct {
	youngest     *child
	toldTogether verb // one more than what those with that mark were told; 0: nothing
}

func (f *family) add(k *child) {
	if invariant.On {
		verifyBirth(f, k)
	}
	k.listed = true
	k.older = f.youngest
	if k.older != nil {
		k.older.younger = k
	}
	f.youngest = k
}

func (f *family) remove(k *child) {
	f.unlink(k)
	k.forget()
	if invariant.On {
		verifyForgotten(k)
	}
}

// unlink takes k out of the row.
func (f *family) unlink(k *child) {
	if invariant.On {
		verifyFamily(f, k)
	}
	if k.younger != nil {
		k.younger.older = k.older
	} else {
		f.youngest = k.older
	}
	if k.older != nil {
		k.older.younger = k.younger
	}
	k.older, k.younger = nil, nil
}

// forget drops what the parent has in the record, to which the actor leads for good.
func (k *child) forget() { k.older, k.younger, k.listed, k.stop = nil, nil, false, nil }

// disband is for a parent that its system took along before its children had ended.
func (f *family) disband() {
	for k := f.youngest; k != nil; {
		older := k.older
		k.forget()
		k = older
	}
	f.youngest = nil
}

// forsake tells the children that their parent will decide nothing any more.
func (f *family) forsake(r replier, v verb) {
	for k := f.youngest; k != nil; k = k.older {
		if k.calls.forsake != nil {
			k.calls.forsake(k, r, v)
		}
	}
}

// SpawnChild is [Type.Spawn] for an actor that ends before the running actor does. When
// the parent is stopped, drained or killed, fails, or is restarted, its children are
// told to end in the same way and waited for, one after another, the youngest first. A
// child that ends does nothing to its parent: link or watch it if it should.
func (t *Type[S]) SpawnChild(c *Context, state S) Ref[S] {
	b := newBody(t, c)
	*stateOf[S](b) = state
	b.adopt(c)
	if t.info.onStart != nil {
		b.launch(c)
	}
	return Ref[S]{b}
}

// adopt makes a new actor a child of the running one.
func (b *body) adopt(c *Context) {
	k := &child{b: b, of: c.self.id, parent: c.self, calls: &parenting}
	b.mine().kid = k
	c.self.mine().children.add(k)
}

// order tells a child to end, once for each verb.
func (k *child) order(r replier, v verb) {
	if k.told && k.verb >= v {
		return
	}
	if stop := k.stop; !k.told && stop != nil && v != verbKill && r.c != nil {
		k.stop = nil // if it crashes, left comes here again
		r.c.self.callCare(r.c, func() { stop(r.c, AnyRef{k.b}) })
		k.told, k.verb = true, v
		return
	}
	k.told, k.verb = true, v
	o := order{verb: v, why: ErrShutdown}
	if v == verbKill {
		o.why = ErrKilled
	}
	k.b.tell(r, o)
}

// callCare runs a Care.Stop: what a parent that leaves itself has to say to one of its children.
func (b *body) callCare(c *Context, f func()) {
	c.msg, b.extra.where = &noMessage, inCareStop
	f()
	b.extra.where = inNone
	b.keepYielded(c) // as in callStop: what comes next may forget it
}

func (k *child) ended(r replier) {
	p := k.parent
	k.parent = nil
	p.tell(r, childEnded{kid: k})
}

// childEnded tells a parent that a child has ended.
type childEnded struct {
	unanswered
	kid *child
}

func (s childEnded) serve(b *body, c *Context) {
	x := b.mine()
	if invariant.On {
		verifyChildEnd(s, b, x)
	}
	x.children.remove(s.kid)
	if s.kid.b.supervised {
		x.guards--
	}
	if x.phase == leaving {
		b.left(c)
	}
}
