package kernel

import (
	"github.com/gallop-go/gallop/internal/invariant"
)

// child is the record of an actor that ends before its parent, which has spawned it.
type child struct {
	b  *Cell  // read-only
	of uint64 // the parent's number; read-only
	// The child's. Nil when it has ended, so that a ref to it keeps no other actor in memory.
	parent *Cell

	// The parent's.
	Older, younger *child
	listed         bool // it is in the parent's list
	stopSent       bool // it has been told to end
	// All children with this mark are told to end when the first of them is. Read-only after
	// launch.
	together bool
	stopMode StopMode
	stop     func(c *Turn, child AnyRef) // called instead of the first order to end, unless nil
}

// family is the list of the children of an actor, in the order of their births. Owner only.
type family struct {
	Youngest *child
	// The stop mode that the children with the mark together were told, plus one; 0: none.
	stoppedTogether StopMode
	Guards          int32 // number of supervised children
}

func (f *family) add(k *child) {
	k.listed = true
	k.Older = f.Youngest
	if k.Older != nil {
		k.Older.younger = k
	}
	f.Youngest = k
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
		k.younger.Older = k.Older
	} else {
		f.Youngest = k.Older
	}
	if k.Older != nil {
		k.Older.younger = k.younger
	}
	k.Older, k.younger = nil, nil
}

// forget clears the parent's fields of the record.
func (k *child) forget() { k.Older, k.younger, k.listed, k.stop = nil, nil, false, nil }

// disband clears the list. It has children left only if the end of the system ended the parent.
func (f *family) disband() {
	for k := f.Youngest; k != nil; {
		older := k.Older
		k.forget()
		k = older
	}
	f.Youngest = nil
}

// orphan tells the supervised children that their parent leaves and makes no more decisions.
func (f *family) orphan(e Env, v StopMode) {
	for k := f.Youngest; k != nil; k = k.Older {
		if k.b.Supervised {
			k.b.Tell(e, orphaned{mode: v})
		}
	}
}

// Adopt makes a new actor a child of the actor that runs in c. The caller owns both.
func (a *Cell) Adopt(c *Turn) {
	k := &child{b: a, of: c.Self.ID, parent: c.Self}
	a.MakeCold().Child = k
	c.Self.MakeCold().Children.add(k)
}

// requestStop tells a child to end, once for each stop mode.
func (k *child) requestStop(e Env, v StopMode) {
	if k.stopSent && k.stopMode >= v {
		return
	}
	if !k.stopSent && v != ModeKill && askToStop(e, k) {
		k.stopSent, k.stopMode = true, v
		return
	}
	k.stopSent, k.stopMode = true, v
	o := StopRequest{Mode: v, Why: ErrShutdown}
	if v == ModeKill {
		o.Why = ErrKilled
	}
	k.b.Tell(e, o)
}

// callChildStop runs ChildOptions.Stop, by which a parent that leaves tells a child to end.
func callChildStop(a *Cell, c *Turn, f func()) {
	c.Msg, a.Cold.where = &noMessage, inChildStop
	f()
	a.Cold.where = inNone
	a.keepYielded(c) // as in callStop: the next steps may forget it
}

func (k *child) ended(e Env) {
	p := k.parent
	k.parent = nil
	p.Tell(e, childEnded{child: k})
}

// childEnded tells a parent that a child has ended.
type childEnded struct {
	Unanswered
	child *child
}

// Serve implements Signal.
func (s childEnded) Serve(a *Cell, c *Turn) {
	x := a.MakeCold()
	if invariant.On {
		verifyChildEnd(s, a, x)
	}
	x.Children.remove(s.child)
	if s.child.b.Supervised {
		x.Children.Guards--
	}
	if x.State == leaving {
		a.left(c)
	}
}

// stopTogether tells all children with the mark together to end, once for each stop mode. The other
// children are told one after another. Owner only.
func (f *family) stopTogether(e Env, v StopMode) {
	if f.stoppedTogether > v {
		return
	}
	f.stoppedTogether = v + 1
	for k := f.Youngest; k != nil; k = k.Older {
		if k.together {
			k.requestStop(e, v)
		}
	}
}

// verifyFamily checks the links between a child and its siblings.
func verifyFamily(f *family, k *child) {
	invariant.Check(k.Older == nil || k.Older.younger == k,
		"the older sibling of %v has another younger one", k.b)
	invariant.Check(k.younger == nil || k.younger.Older == k,
		"the younger sibling of %v has another older one", k.b)
	invariant.Check((k.younger == nil) == (f.Youngest == k),
		"%v is the youngest, or has younger siblings, not both", k.b)
	invariant.Check(k.listed, "%v stands among its siblings, and is not in the list", k.b)
}

// verifyChildEnd checks the news of a child's end.
func verifyChildEnd(s childEnded, a *Cell, x *Cold) {
	invariant.Check(s.child.of == a.ID && s.child.listed,
		"%v hears of the end of a child of number %d, listed: %v", a, s.child.of, s.child.listed)
	invariant.Check(s.child.b.System.PeekClosed(), "%v hears of the end of %v, which lives", a,
		s.child.b)
	invariant.Check(!s.child.b.Supervised || x.Children.Guards > 0,
		"%v hears of the end of one it does not supervise", a)
}
