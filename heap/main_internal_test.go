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
