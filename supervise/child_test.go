package supervise

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/gallop-go/gallop/actor"
)

var childType = actor.NewType[int]("child")

// TestChildren_StartLooksAtEachOnce: a row of children that starts is looked at once, and not again
// at each start.
func TestChildren_StartLooksAtEachOnce(t *testing.T) {
	cs := newChildren()
	for range 5 {
		cs.add(&childSpec{commonSpec: &commonSpec{}})
	}
	for ch := cs.nextToStart(); ch != nil; ch = cs.nextToStart() {
		cs.setState(ch, Running)
	}
	last := cs.newest
	cs.oldest, last.older = nil, nil // or the walk would begin there
	ch := cs.add(&childSpec{commonSpec: &commonSpec{}})
	if cs.nextToStart() != ch {
		t.Error("who has come is not next")
	}
	last.newer = last // or a walk for a place would not end
	if r := cs.youngerActor(last); !r.IsZero() {
		t.Errorf("%v is behind the last who has an actor", r)
	}
}

// TestChildren_StopLooksAtEachOnce: a row of children that goes down is looked at once, and not
// again at each that is down.
func TestChildren_StopLooksAtEachOnce(t *testing.T) {
	cs := newChildren()
	for range 5 {
		cs.setState(cs.add(&childSpec{commonSpec: &commonSpec{}}), Running)
	}
	oldest, newest := cs.oldest, cs.newest
	for cs.nextToStop(oldest) != oldest {
		cs.setState(cs.nextToStop(oldest), Pending)
	}
	newest.state = Running // or the walk would not begin there
	if ch := cs.nextToStop(oldest); ch != oldest {
		t.Errorf("%d is the lowest, want the oldest", ch.seq)
	}
}

// TestChildIndex_IsNotDeep: "Starting, stopping or restarting one child of OneForOne and
// SimpleOneForOne takes the same time however many there are", in any order of coming and going:
// the tree is nowhere deep.
func TestChildIndex_IsNotDeep(t *testing.T) {
	const n = 5000
	children := make([]*child, n)
	for i := range children {
		children[i] = &child{seq: uint64(i + 1)}
	}
	var deep func(ch *child) int
	deep = func(ch *child) int {
		if ch == nil {
			return 0
		}
		return 1 + max(deep(ch.left), deep(ch.right))
	}
	for name, at := range map[string]func(i int) int{
		"the oldest first":   func(i int) int { return i },
		"the youngest first": func(i int) int { return n - 1 - i },
		"in leaps":           func(i int) int { return i * 7919 % n },
	} {
		var r childIndex
		for i := range n {
			r.add(children[at(i)])
		}
		if d := deep(r.root); d > 60 {
			t.Errorf("%s: %d steps to the last of %d", name, d, n)
		}
		for i := range n - 1 {
			r.remove(children[at(i)])
		}
		if last := children[at(n-1)]; r.after(0) != last || r.after(last.seq) != nil ||
			deep(r.root) != 1 {
			t.Errorf("%s: the last is not alone", name)
		}
		r.remove(r.root)
	}
}

// TestChildren: next, lowest and behind agree with a plain walk over all children, while these
// come, start, fail, end and are removed.
func TestChildren(t *testing.T) {
	sys := actor.Start()
	defer sys.Stop()
	rapid.Check(t, func(t *rapid.T) {
		cs := newChildren()
		var all []*child
		one := func(t *rapid.T) int {
			if len(all) == 0 {
				t.Skip("there is no child, so it draws again")
			}
			return rapid.IntRange(0, len(all)-1).Draw(t, "who")
		}
		states := []State{Pending, Pending, Starting, Running, Running, Running, Suspending,
			BackingOff, Stopped}
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) { cs.check(t, all) },
			"add": func(*rapid.T) {
				all = append(all, cs.add(&childSpec{commonSpec: &commonSpec{}}))
			},
			"set": func(t *rapid.T) {
				cs.setState(all[one(t)], rapid.SampledFrom(states).Draw(t, "state"))
			},
			"start": func(*rapid.T) {
				if ch := cs.nextToStart(); ch != nil {
					cs.setState(ch, Running)
				}
			},
			"born": func(t *rapid.T) {
				if ch := all[one(t)]; ch.ref.IsZero() {
					cs.setActor(ch, childType.Spawn(sys, 0).Any())
				}
			},
			"dead": func(t *rapid.T) {
				if ch := all[one(t)]; !ch.ref.IsZero() {
					cs.clearActor(ch)
				}
			},
			"remove": func(t *rapid.T) {
				i := one(t)
				cs.remove(all[i])
				all = slices.Delete(all, i, i+1)
			},
		})
	})
}

func newChildren() *children {
	return &children{byID: map[uint64]*child{},
		names: newNameTable(nil)}
}

// check compares the answers with the answers of a walk.
func (cs *children) check(t *rapid.T, all []*child) {
	var next *child
	for _, ch := range all {
		if ch.state == Running || ch.state == Stopped {
			continue
		}
		if ch.state == Pending {
			next = ch
		}
		break
	}
	if got := cs.nextToStart(); got != next {
		t.Fatalf("%v is next, want %v", got, next)
	}
	if len(all) == 0 {
		return
	}
	from := rapid.SampledFrom(all).Draw(t, "from")
	var lowest *child
	for _, ch := range slices.Backward(all) {
		if ch.seq >= from.seq && lowest == nil && ch.state != Pending && ch.state != BackingOff {
			lowest = ch
		}
	}
	if got := cs.nextToStop(from); got != lowest {
		t.Fatalf("%v is the lowest from %d on, want %v", got, from.seq, lowest)
	}
	var behind actor.AnyRef
	for _, ch := range slices.Backward(all) {
		if got := cs.youngerActor(ch); got != behind {
			t.Fatalf("%v is behind %d, want %v", got, ch.seq, behind)
		}
		if !ch.ref.IsZero() {
			behind = ch.ref
		}
	}
}
