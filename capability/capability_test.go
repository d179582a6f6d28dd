package capability_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"runtime"
	"strings"
	"sync"
	"testing"
	"weak"

	"github.com/gallop-go/gallop/capability"
	"github.com/gallop-go/gallop/internal/invariant"
)

// caught returns the value with which f panics, or nil.
func caught(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

func mustBeGone(t *testing.T, f func()) {
	t.Helper()
	if err, _ := caught(f).(error); !errors.Is(err, capability.ErrGone) {
		t.Errorf("got %v, want ErrGone", err)
	}
}

type doc struct{ words []string }

// "An Iso that was moved, taken or frozen is gone, from whichever copy of the handle."
func TestIso_GoneIsGone(t *testing.T) {
	for name, give := range map[string]func(capability.Iso[doc]){
		"move":   func(i capability.Iso[doc]) { i.Move() },
		"take":   func(i capability.Iso[doc]) { i.Take() },
		"freeze": func(i capability.Iso[doc]) { i.Freeze() },
	} {
		t.Run(name, func(t *testing.T) {
			i := capability.NewIso(func(d *doc) { d.words = []string{"a"} })
			twin := i
			if give(i); !twin.Gone() || i.IsZero() {
				t.Error("it is not gone")
			}
			for _, f := range []func(){
				func() { twin.Move() }, func() { twin.Take() }, func() { twin.Freeze() },
				func() { twin.Tag() },
				func() { twin.Use(func(*doc) {}) },
			} {
				mustBeGone(t, f)
			}
		})
	}
}

// The value arrives, and its identity with it.
func TestIso_Move(t *testing.T) {
	i := capability.NewIso(func(d *doc) { d.words = []string{"a"} })
	tag := i.Tag()
	i.Use(func(d *doc) { d.words = append(d.words, "b") })
	j := i.Move().Move()
	j.Use(func(d *doc) { d.words = append(d.words, "c") })
	if got := j.Take(); strings.Join(got.words, "") != "abc" || !tag.Is(got) || tag.IsZero() {
		t.Errorf("got %v", got)
	}
	mustBeGone(t, func() {
		k := capability.NewIso[doc](nil)
		k.Use(func(*doc) { k.Move() })
	})
}

// "Also after a panic half way": a panic between Move and the send comes after the value was given
// away; with a panic before Move it was not.
func TestIso_PanicHalfWay(t *testing.T) {
	i := capability.NewIso[doc](nil)
	_ = caught(func() { i.Use(func(*doc) { panic("before") }) })
	if i.Gone() {
		t.Error("gone without a Move")
	}
	_ = caught(func() { i.Move(); panic("behind") })
	mustBeGone(t, func() { i.Take() })
}

// "Two goroutines that race to move one cannot both succeed."
func TestIso_OneOfManyMoves(t *testing.T) {
	for range 200 {
		i := capability.NewIso[doc](nil)
		var won sync.Map
		var wg sync.WaitGroup
		for n := range 4 {
			wg.Go(func() {
				if caught(func() { i.Move() }) == nil {
					won.Store(n, true)
				}
			})
		}
		wg.Wait()
		winners := 0
		won.Range(func(any, any) bool { winners++; return true })
		if winners != 1 {
			t.Fatalf("%d of 4 moved it", winners)
		}
	}
}

// Many may read a Val at a time, and a write to it is found.
func TestVal(t *testing.T) {
	v := capability.NewIso(func(d *doc) { d.words = []string{"a", "b"} }).Freeze()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			v.View(func(d *doc) {
				if len(d.words) != 2 || len(v.Get().words) != 2 {
					t.Error("not what was frozen")
				}
			})
		})
	}
	wg.Wait()
	//gallop:allow GV3 written to on purpose: builds with invariants must notice
	got := caught(func() { v.View(func(d *doc) { d.words[0] = "x" }) })
	if invariant.On != strings.Contains(fmt.Sprint(got),
		"gallop: invariant: a Val was written to") {
		t.Errorf("a write got %v", got)
	}
	if capability.NewVal(3).Get() != 3 || v.Tag().IsZero() {
		t.Error("Frozen or Tag")
	}
}

// chapter has something to write to by mistake for each of several ways to reach it.
type chapter struct {
	page  int
	words [][]string
	notes map[string][]int
	next  *chapter
}

// "A write to a Val is found at the next View, if it is to the value itself or to its slices and
// maps. A write behind a pointer in it is not found."
func TestVal_WhichWritesAreFound(t *testing.T) {
	for what, c := range map[string]struct {
		write func(*chapter)
		found bool
	}{
		"nothing":          {func(*chapter) {}, false},
		"itself":           {func(c *chapter) { c.page++ }, true},
		"a slice":          {func(c *chapter) { c.words[0][0] = "x" }, true},
		"a map":            {func(c *chapter) { c.notes["a"][0]++ }, true},
		"a pointer":        {func(c *chapter) { c.next = new(chapter) }, true},
		"behind a pointer": {func(c *chapter) { c.next.page++ }, false},
	} {
		made := chapter{words: [][]string{{"a"}}, notes: map[string][]int{"a": {1}},
			next: new(chapter)}
		v := capability.NewVal(made)
		got := caught(func() { v.View(c.write) })
		if want := c.found && invariant.On; want != (got != nil) {
			t.Errorf("a write to %s: got %v", what, got)
		}
	}
}

// shy is a value whose GoString does not show its field.
type shy struct{ s string }

func (shy) GoString() string { return "shy" }

// mute is a number whose String does not show the number.
type mute uint8

func (mute) String() string { return "mute" }

// TestVal_NoMethodIsAsked: the check calls no method of the value, which may follow pointers or
// omit something. It sees a change of the type of a value in an interface, and of the bits of a
// float. It ends even where slices and maps hold themselves.
func TestVal_NoMethodIsAsked(t *testing.T) {
	ring := make([]any, 2)
	ring[0] = ring
	loop := map[string]any{}
	loop["me"] = loop
	odd := map[float64]int{}
	for i := range 8 {
		odd[math.NaN()] = i
	}
	number := big.NewInt(3)
	for what, c := range map[string]struct {
		view  func() any
		found bool
	}{
		"keys in any order": {func() any { return viewed(odd, func(*map[float64]int) {}) },
			false},
		"behind one with GoString": {func() any {
			return viewed([]*big.Int{number}, func(*[]*big.Int) { number.SetInt64(7) })
		}, false},
		"one that says less": {func() any {
			return viewed(shy{"a"}, func(s *shy) { s.s = "b" })
		}, true},
		"a number with a String": {func() any {
			return viewed(mute(1), func(m *mute) { *m = 2 })
		}, true},
		"an imaginary part": {func() any {
			return viewed([]complex64{1}, func(c *[]complex64) { (*c)[0] = 1i })
		}, true},
		"of another type": {func() any {
			return viewed([]any{1}, func(s *[]any) { (*s)[0] = int64(1) })
		}, true},
		"another zero": {func() any {
			return viewed([]float64{0}, func(s *[]float64) { (*s)[0] = math.Copysign(0, -1) })
		}, true},
		"a slice that holds itself": {func() any {
			return viewed(ring, func(s *[]any) { (*s)[1] = "x" })
		}, true},
		"a map that holds itself": {func() any {
			return viewed(loop, func(m *map[string]any) { (*m)["x"] = 1 })
		}, true},
	} {
		if got := c.view(); (got != nil) != (c.found && invariant.On) {
			t.Errorf("%s: got %v", what, got)
		}
	}
}

// TestVal_ManyWaysToOnePart: the time of the check is proportional to the number of slices and
// maps, and not to the number of paths to them. The check finds a write to the innermost one.
func TestVal_ManyWaysToOnePart(t *testing.T) {
	bottom := []any{1}
	var top any = bottom
	for i := range 60 {
		if i%2 == 0 {
			top = []any{top, top}
		} else {
			top = map[string]any{"a": top, "b": top, "c": []any{top}}
		}
	}
	if got := viewed(top, func(*any) {}); got != nil {
		t.Errorf("no write: %v", got)
	}
	if got := viewed(top, func(*any) { bottom[0] = 2 }); (got != nil) != invariant.On {
		t.Errorf("a write to the last: %v", got)
	}
}

// viewed is the value with which a View panics.
func viewed[T any](v T, f func(*T)) any {
	frozen := capability.NewVal(v)
	return caught(func() { frozen.View(f) })
}

// "targets of pointers in it are not checked", also if the value itself is a pointer, or an
// interface that holds one.
func TestVal_OfAPointer(t *testing.T) {
	behind := &chapter{}
	for what, view := range map[string]func(write func()){
		"pointer": func(write func()) {
			capability.NewVal(behind).View(func(**chapter) { write() })
		},
		"interface": func(write func()) {
			capability.NewVal(any(behind)).View(func(*any) { write() })
		},
	} {
		if got := caught(func() { view(func() { behind.page++ }) }); got != nil {
			t.Errorf("%s: a write behind it got %v", what, got)
		}
	}
	other := capability.NewVal(behind)
	if got := caught(func() {
		//gallop:allow GV3 written to on purpose: builds with invariants must notice
		other.View(func(c **chapter) { *c = nil })
	}); invariant.On != (got != nil) {
		t.Errorf("a write to the pointer itself got %v", got)
	}
}

// Zero values panic with a text that names the function to use.
func TestZeroValues(t *testing.T) {
	var i capability.Iso[int]
	var v capability.Val[int]
	if !i.IsZero() || i.Gone() || !v.IsZero() || !(capability.Tag[int]{}).IsZero() ||
		(capability.Tag[int]{}).Is(nil) {
		t.Error("zero values hold something")
	}
	for want, f := range map[string]func(){
		"gallop: capability: Move of a zero Iso: use NewIso":              func() { i.Move() },
		"gallop: capability: Get of a zero Val: use Iso.Freeze or NewVal": func() { v.Get() },
		"gallop: capability: View of a zero Val: use Iso.Freeze or NewVal": func() {
			v.View(func(*int) {})
		},
		"gallop: capability: Tag of a zero Val: use Iso.Freeze or NewVal": func() { v.Tag() },
		"gallop: capability: Freeze of a zero Iso: use NewIso":            func() { i.Freeze() },
	} {
		if got := fmt.Sprint(caught(f)); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestMisuse_NilFunctions: Use and View panic with a text if their function is nil.
func TestMisuse_NilFunctions(t *testing.T) {
	iso := capability.NewIso[int](nil)
	for want, f := range map[string]func(){
		"gallop: capability: Use with a nil function":  func() { iso.Use(nil) },
		"gallop: capability: View with a nil function": func() { capability.NewVal(3).View(nil) },
	} {
		if got := fmt.Sprint(caught(f)); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if iso.Gone() {
		t.Error("a Use that panics gave the value away")
	}
}

// "i no longer holds it": an old handle does not keep the value alive.
func TestIso_GoneIsForgotten(t *testing.T) {
	for how, give := range map[string]func(capability.Iso[[64]int]){
		"Move":   func(i capability.Iso[[64]int]) { i.Move().Use(func(*[64]int) {}) },
		"Take":   func(i capability.Iso[[64]int]) { i.Take()[0]++ },
		"Freeze": func(i capability.Iso[[64]int]) { i.Freeze().Get() },
	} {
		i, value := gaveUp(give)
		for range 2 {
			runtime.GC()
		}
		if value.Value() != nil {
			t.Errorf("%s: the value is still held", how)
		}
		runtime.KeepAlive(i)
	}
}

// gaveUp makes a value and moves it to a handle that is not kept.
//
//go:noinline
func gaveUp(give func(capability.Iso[[64]int])) (i capability.Iso[[64]int],
	value weak.Pointer[[64]int]) {
	i = capability.NewIso(func(v *[64]int) { value = weak.Make(v) })
	give(i)
	return i, value
}
