package supervise

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/gallop-go/gallop/actor"
)

var kidType = actor.NewType[int]("kid")

// TestFamily_IsWalkedOnce: a row of children that starts is looked at once, and not again at
// each start.
func TestFamily_IsWalkedOnce(t *testing.T) {
	f := newFamily()
	for range 5 {
		f.add(&childSpec{traits: &traits{}})
	}
	for k := f.next(); k != nil; k = f.next() {
		f.set(k, Running)
	}
	last := f.newest
	f.oldest, last.older = nil, nil // or the walk would begin there
	k := f.add(&childSpec{traits: &traits{}})
	if f.next() != k {
		t.Error("who has come is not next")
	}
	last.newer = last // or a walk for a place would not end
	if r := f.behind(last); !r.IsZero() {
		t.Errorf("%v is behind the last who has an actor", r)
	}
}

// TestFamily_IsWalkedDownOnce: a row of children that goes down is looked at once, and not
// again at each that is down.
func TestFamily_IsWalkedDownOnce(t *testing.T) {
	f := newFamily()
	for range 5 {
		f.set(f.add(&childSpec{traits: &traits{}}), Running)
	}
	oldest, newest := f.oldest, f.newest
	for f.lowest(oldest) != oldest {
		f.set(f.lowest(oldest), Pending)
	}
	newest.state = Running // or the walk would not begin there
	if k := f.lowest(oldest); k != oldest {
		t.Errorf("%d is the lowest, want the oldest", k.no)
	}
}

// TestRow_IsNotDeep: "Whatever happens to one child of OneForOne and SimpleOneForOne takes the same
// time however many there are", in whatever order they come and go: the tree is nowhere deep.
func TestRow_IsNotDeep(t *testing.T) {
	const n = 5000
	kids := make([]*kid, n)
	for i := range kids {
		kids[i] = &kid{no: uint64(i + 1)}
	}
	var deep func(k *kid) int
	deep = func(k *kid) int {
		if k == nil {
			return 0
		}
		return 1 + max(deep(k.left), deep(k.right))
	}
	for name, at := range map[string]func(i int) int{
		"the oldest first":   func(i int) int { return i },
		"the youngest first": func(i int) int { return n - 1 - i },
		"in leaps":           func(i int) int { return i * 7919 % n },
	} {
		var r row
		for i := range n {
			r.add(kids[at(i)])
		}
		if d := deep(r.top); d > 60 {
			t.Errorf("%s: %d steps to the last of %d", name, d, n)
		}
		for i := range n - 1 {
			r.remove(kids[at(i)])
		}
		if last := kids[at(n-1)]; r.after(0) != last || r.after(last.no) != nil || deep(r.top) != 1 {
			t.Errorf("%s: the last is not alone", name)
		}
		r.remove(r.top)
	}
}

// TestFamily: next, lowest and behind agree with a plain walk over all children, while these come,
// start, fall, end and are removed.
func TestFamily(t *testing.T) {
	sys := actor.Start()
	defer sys.Stop()
	rapid.Check(t, func(t *rapid.T) {
		f := newFamily()
		var all []*kid
		one := func(t *rapid.T) int {
			if len(all) == 0 {
				t.Skip("there is nobody, so it draws again")
			}
			return rapid.IntRange(0, len(all)-1).Draw(t, "who")
		}
		states := []State{Pending, Pending, Starting, Running, Running, Running, Falling, BackingOff, Stopped}
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) { f.check(t, all) },
			"add": func(*rapid.T) {
				all = append(all, f.add(&childSpec{traits: &traits{}}))
			},
			"set": func(t *rapid.T) {
				f.set(all[one(t)], rapid.SampledFrom(states).Draw(t, "state"))
			},
			"start": func(*rapid.T) {
				if k := f.next(); k != nil {
					f.set(k, Running)
				}
			},
			"born": func(t *rapid.T) {
				if k := all[one(t)]; k.ref.IsZero() {
					f.born(k, kidType.Spawn(sys, 0).Any())
				}
			},
			"dead": func(t *rapid.T) {
				if k := all[one(t)]; !k.ref.IsZero() {
					f.dead(k)
				}
			},
			"remove": func(t *rapid.T) {
				i := one(t)
				f.remove(all[i])
				all = slices.Delete(all, i, i+1)
			},
		})
	})
}

func newFamily() *family { return &family{byID: map[uint64]*kid{}, table: newTable(nil)} }

// check compares the answers with those of a walk.
func (f *family) check(t *rapid.T, all []*kid) {
	var next *kid
	for _, k := range all {
		if k.state == Running || k.state == Stopped {
			continue
		}
		if k.state == Pending {
			next = k
		}
		break
	}
	if got := f.next(); got != next {
		t.Fatalf("%v is next, want %v", got, next)
	}
	if len(all) == 0 {
		return
	}
	from := rapid.SampledFrom(all).Draw(t, "from")
	var lowest *kid
	for _, k := range slices.Backward(all) {
		if k.no >= from.no && lowest == nil && k.state != Pending && k.state != BackingOff {
			lowest = k
		}
	}
	if got := f.lowest(from); got != lowest {
		t.Fatalf("%v is the lowest from %d on, want %v", got, from.no, lowest)
	}
	var behind actor.AnyRef
	for _, k := range slices.Backward(all) {
		if got := f.behind(k); got != behind {
			t.Fatalf("%v is behind %d, want %v", got, k.no, behind)
		}
		if !k.ref.IsZero() {
			behind = k.ref
		}
	}
}
