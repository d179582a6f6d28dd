package heap

import (
	"flag"
	"math"
	"reflect"
	"testing"

	"go.uber.org/goleak"
)

// TestMain: "a verifier runs after every collection" in these tests, except in benchmarks.
func TestMain(m *testing.M) {
	flag.Parse()
	if f := flag.Lookup("test.bench"); f.Value.String() == "" {
		verifying = true
	}
	goleak.VerifyTestMain(m)
}

// ForceGenerations gives all arenas two generations if force is set, and otherwise none.
func ForceGenerations(force bool) {
	if generationsFrom = math.MaxInt; force {
		generationsFrom = 0
	}
}

// UsualGenerations ends ForceGenerations.
func UsualGenerations() { generationsFrom = generationsAbove }

// CollectDue does the collection that is due, to its end, and verifies it. It reports whether only
// the young were collected.
func (a *Arena) CollectDue(roots ...Root) (young bool) {
	a.Finish()
	before := a.graph(roots)
	young = a.pages.gc != nil && a.reserved <= a.threshold
	a.BeginDue(roots...)
	a.Finish()
	before.mustEqual(a.graph(roots))
	return young
}

// verifierSees runs f and reports whether the verifier has panicked in it.
func verifierSees(f func()) (seen bool) {
	defer func() { seen = recover() != nil }()
	f()
	return false
}

var typeOfPair, typeOfPairPtr = reflect.TypeFor[pair](), reflect.TypeFor[Ptr[pair]]()

type pair struct{ left, right Ptr[pair] }

// "A verifier runs after every collection in tests": it finds a collector that skips a field at
// once, even if no code looks at the lost object.
func TestVerifier(t *testing.T) {
	var a Arena
	root := New[pair](&a)
	root.Deref(&a).right = New[pair](&a)
	blind := &Layout{typ: LayoutOf(typeOfPair).typ, size: LayoutOf(typeOfPair).size}
	blind.parts = LayoutOf(typeOfPair).parts[:1]
	state := LayoutOf(typeOfPairPtr).parts
	sees := *LayoutOf(typeOfPairPtr)
	sees.parts = []part{{at: state[0].at, kind: state[0].kind, size: state[0].size, sub: blind}}
	if verifierSees(func() { a.Collect(RootAt(&root)) }) {
		t.Fatal("the verifier objects to what is right")
	}
	before := a.graph([]Root{RootAt(&root)})
	a.Begin(Root{at: RootAt(&root).at, layout: &sees}) // a layout without the field right
	a.Finish()
	if !verifierSees(func() { before.mustEqual(a.graph([]Root{RootAt(&root)})) }) {
		t.Error("a lost object was not seen")
	}
}

// twoPairs returns an arena with an old object, on a page that was not touched since it became old,
// and a young object to which the old one does not lead.
func twoPairs() (a *Arena, old, young Ptr[pair]) {
	a = new(Arena)
	old = New[pair](a)
	a.Collect(RootAt(&old))
	return a, old, New[pair](a)
}

// The verifier finds an old page that leads to the young and is not in the arena's table, and wrong
// records and counts.
func TestVerifierOfGenerations(t *testing.T) {
	ForceGenerations(true)
	defer UsualGenerations()
	pageOf := func(a *Arena, p Ptr[pair]) *oldPage { return a.pages.gc.old.pages[p.h.page()] }
	for name, harm := range map[string]func(a *Arena, old, young Ptr[pair]){
		"nothing": func(*Arena, Ptr[pair], Ptr[pair]) {},
		"a write without a look-up": func(a *Arena, old, young Ptr[pair]) {
			(*pair)(pageOf(a, old).base).left = young
		},
		"a record that is missing": func(a *Arena, old, _ Ptr[pair]) { pageOf(a, old).records = nil },
		"a record of another type": func(a *Arena, old, _ Ptr[pair]) {
			a.pages.gc.old.layouts[LayoutOf(typeOfPair).id] = LayoutOf(typeOfPairPtr)
		},
		"a record of too many": func(a *Arena, old, _ Ptr[pair]) { pageOf(a, old).records[0].n++ },
		"wrong counts":         func(a *Arena, _, _ Ptr[pair]) { a.pages.gc.old.bytes++ },
	} {
		a, old, young := twoPairs()
		harm(a, old, young)
		if verifierSees(func() { a.CollectDue(RootAt(&old)) }) != (name != "nothing") {
			t.Errorf("%s: the verifier is wrong about it", name)
		}
	}
}
