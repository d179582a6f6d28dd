package actor

import (
	"github.com/gallop-go/gallop/internal/invariant"
)

// child is the record of an actor that ends before its parent, which has spawned it.
type child struct {
	b  *cell  // read-only
	of uint64 // the parent's number; read-only
	// The child's. Nil when it has ended, so that a ref to it keeps no other actor in memory.
	parent *cell

	// The parent's.
	older, younger *child
	listed         bool // it is in the parent's list
	stopSent       bool // it has been told to end
	// All children with this mark are told to end when the first of them is. Read-only after
	// launch.
	together bool
	stopMode stopMode
	stop     func(c *kernelTurn, child AnyRef) // called instead of the first order to end, unless nil
}

// family is the list of the children of an actor, in the order of their births. Owner only.
type family struct {
	youngest *child
	// The stop mode that the children with the mark together were told, plus one; 0: none.
	stoppedTogether stopMode
	guards          int32 // number of supervised children
}

func (f *family) add(k *child) {
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
}

// unlink takes k out of the list.
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

// forget clears the parent's fields of the record.
func (k *child) forget() { k.older, k.younger, k.listed, k.stop = nil, nil, false, nil }

// disband clears the list. It has children left only if the end of the system ended the parent.
func (f *family) disband() {
	for k := f.youngest; k != nil; {
		older := k.older
		k.forget()
		k = older
	}
	f.youngest = nil
}

// orphan tells the supervised children that their parent leaves and makes no more decisions.
func (f *family) orphan(e env, v stopMode) {
	for k := f.youngest; k != nil; k = k.older {
		if k.b.supervised {
			k.b.tell(e, orphaned{mode: v})
		}
	}
}

// SpawnChild is [Type.Spawn] for an actor that ends before the running actor does. When
// the parent is stopped, drained or killed, fails, or is restarted, its children are
// told to end in the same way and waited for, one after another, the youngest first. A
// child that ends does not affect its parent, unless the parent links or watches it.
func (t *Type[S]) SpawnChild(c *Context, state S) Ref[S] {
	a := newCell(t, c)
	*stateOf[S](a) = state
	a.adopt(c.kernel())
	if t.info.onStart != nil {
		a.launch(c)
	}
	return Ref[S]{a}
}

// adopt makes a new actor a child of the running one.
func (a *cell) adopt(c *kernelTurn) {
	k := &child{b: a, of: c.self.id, parent: c.self}
	a.makeCold().child = k
	c.self.makeCold().children.add(k)
}

// requestStop tells a child to end, once for each stop mode.
func (k *child) requestStop(e env, v stopMode) {
	if k.stopSent && k.stopMode >= v {
		return
	}
	if !k.stopSent && v != modeKill && e.askToStop(k) {
		k.stopSent, k.stopMode = true, v
		return
	}
	k.stopSent, k.stopMode = true, v
	o := stopRequest{mode: v, why: ErrShutdown}
	if v == modeKill {
		o.why = ErrKilled
	}
	k.b.tell(e, o)
}

// callChildStop runs ChildOptions.Stop, by which a parent that leaves tells a child to end.
func callChildStop(a *cell, c *kernelTurn, f func()) {
	c.msg, a.cold.where = &noMessage, inChildStop
	f()
	a.cold.where = inNone
	a.keepYielded(c) // as in callStop: the next steps may forget it
}

func (k *child) ended(e env) {
	p := k.parent
	k.parent = nil
	p.tell(e, childEnded{child: k})
}

// childEnded tells a parent that a child has ended.
type childEnded struct {
	unanswered
	child *child
}

func (s childEnded) serve(a *cell, c *kernelTurn) {
	x := a.makeCold()
	if invariant.On {
		verifyChildEnd(s, a, x)
	}
	x.children.remove(s.child)
	if s.child.b.supervised {
		x.children.guards--
	}
	if x.state == leaving {
		a.left(c)
	}
}

// SystemOf returns the system that the actor t belongs to. It panics if t is a zero Ref.
func SystemOf(t Target) *System { return targetOf("SystemOf", t).sys().face() }

// stopTogether tells all children with the mark together to end, once for each stop mode. The other
// children are told one after another. Owner only.
func (f *family) stopTogether(e env, v stopMode) {
	if f.stoppedTogether > v {
		return
	}
	f.stoppedTogether = v + 1
	for k := f.youngest; k != nil; k = k.older {
		if k.together {
			k.requestStop(e, v)
		}
	}
}

// verifyFamily checks the links between a child and its siblings.
func verifyFamily(f *family, k *child) {
	invariant.Check(k.older == nil || k.older.younger == k,
		"the older sibling of %v has another younger one", k.b)
	invariant.Check(k.younger == nil || k.younger.older == k,
		"the younger sibling of %v has another older one", k.b)
	invariant.Check((k.younger == nil) == (f.youngest == k),
		"%v is the youngest, or has younger siblings, not both", k.b)
	invariant.Check(k.listed, "%v stands among its siblings, and is not in the list", k.b)
}

// verifyChildEnd checks the news of a child's end.
func verifyChildEnd(s childEnded, a *cell, x *coldState) {
	invariant.Check(s.child.of == a.id && s.child.listed,
		"%v hears of the end of a child of number %d, listed: %v", a, s.child.of, s.child.listed)
	invariant.Check(s.child.b.system.PeekClosed(), "%v hears of the end of %v, which lives", a,
		s.child.b)
	invariant.Check(!s.child.b.supervised || x.children.guards > 0,
		"%v hears of the end of one it does not supervise", a)
}
