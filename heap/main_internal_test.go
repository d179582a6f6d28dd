package heap

import (
	"flag"
	"reflect"
	"testing"

	"go.uber.org/goleak"
)

// TestMain: "a verifier runs after every collection" in these tests, but for benchmarks.
func TestMain(m *testing.M) {
	flag.Parse()
	if f := flag.Lookup("test.bench"); f.Value.String() == "" {
		verifying = true
	}
	goleak.VerifyTestMain(m)
}

// ForceGenerations gives arenas two generations from the first byte on, or never.
func ForceGenerations(force bool) {
	if generationsFrom = 1 << 60; force {
		generationsFrom = 0
	}
}

// UsualGenerations ends ForceGenerations.
func UsualGenerations() { generationsFrom = generationsAbove }

// CollectDue is a whole collection of the kind that is due, verified, and tells whether
// it was one of the young.
func (a *Arena) CollectDue(roots ...Root) (young bool) {
	a.Finish()
	before := a.graph(roots)
	young = a.pages.gc != nil && a.reserved <= a.threshold
	a.BeginDue(roots...)
	a.Finish()
	before.mustEqual(a.graph(roots))
	return young
}

// verifierSees runs f and tells whether the verifier has panicked in it.
func verifierSees(f func()) (seen bool) {
	defer func() { seen = recover() != nil }()
	f()
	return false
}

var typeOfPair, typeOfPairPtr = reflect.TypeFor[pair](), reflect.TypeFor[Ptr[pair]]()

type pair struct{ left, right Ptr[pair] }

// "A verifier runs after every collection in tests": a collector that skips a field is
// seen by it, at once, whoever looks at what was lost.
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
	a.Begin(Root{at: RootAt(&root).at, layout: &sees}) // one that does not know of right
	a.Finish()
	if !verifierSees(func() { before.mustEqual(a.graph([]Root{RootAt(&root)})) }) {
		t.Error("a lost object was not seen")
	}
}
