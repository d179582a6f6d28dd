package heap_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gallop-go/gallop/heap"
)

// ordered is the model of a map: a Go map, and the keys in the order of their puts.
type ordered struct {
	at   map[int]int
	keys []int
}

func (o *ordered) put(k, v int) {
	if _, ok := o.at[k]; !ok {
		o.keys = append(o.keys, k)
	}
	o.at[k] = v
}

func (o *ordered) remove(k int) bool {
	_, ok := o.at[k]
	if i := slices.Index(o.keys, k); i >= 0 {
		o.keys = slices.Delete(o.keys, i, i+1)
	}
	delete(o.at, k)
	return ok
}

// maps are two maps with the same contents: the keys are numbers in one map and texts in the other.
type maps struct {
	byInt  heap.Map[int, heap.Ptr[int]]
	byText heap.TextMap[heap.Ptr[int]]
}

// TestMapModel compares maps with their model, over collections.
func TestMapModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a heap.Arena
		var m maps
		twin := ordered{at: map[int]int{}}
		key := rapid.IntRange(0, 40)
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				k, v := key.Draw(t, "key"), rapid.Int().Draw(t, "value")
				p := heap.New[int](&a)
				*p.Deref(&a) = v
				m.byInt.Put(&a, k, p)
				m.byText.Put(&a, fmt.Sprint(k), p)
				twin.put(k, v)
			},
			"delete": func(t *rapid.T) {
				k := key.Draw(t, "key")
				was := twin.remove(k)
				if m.byInt.Delete(&a, k) != was || m.byText.Delete(&a, fmt.Sprint(k)) != was {
					t.Fatalf("delete of %d", k)
				}
			},
			"collect": func(*rapid.T) { a.Collect(heap.RootAt(&m)) },
			"":        func(t *rapid.T) { m.mustBe(t, &a, &twin) },
		})
	})
}

func (m *maps) mustBe(t *rapid.T, a *heap.Arena, twin *ordered) {
	if m.byInt.Len(a) != len(twin.at) || m.byText.Len(a) != len(twin.at) {
		t.Fatalf("%d keys, want %d", m.byInt.Len(a), len(twin.at))
	}
	var ints []int
	for k, p := range m.byInt.All(a) {
		ints = append(ints, k)
		if *p.Deref(a) != twin.at[k] {
			t.Fatalf("key %d", k)
		}
	}
	var texts []int
	for k, p := range m.byText.All(a) {
		var n int
		_, _ = fmt.Sscan(k, &n)
		if texts = append(texts, n); *p.Deref(a) != twin.at[n] {
			t.Fatalf("key %q", k)
		}
	}
	if !slices.Equal(ints, twin.keys) || !slices.Equal(texts, twin.keys) {
		t.Fatalf("order %v and %v, want %v", ints, texts, twin.keys)
	}
	for k := range 41 {
		_, want := twin.at[k]
		if _, ok := m.byInt.Get(a, k); ok != want {
			t.Fatalf("key %d is there: %v", k, ok)
		}
		if _, ok := m.byText.Get(a, fmt.Sprint(k)); ok != want {
			t.Fatalf("key %q is there: %v", fmt.Sprint(k), ok)
		}
	}
}

// "Its key and value keep nothing alive any more."
func TestMapDeleteLetsGo(t *testing.T) {
	var a heap.Arena
	var m heap.Map[int, heap.Slice[byte]]
	for i := range 10 {
		m.Put(&a, i, heap.MakeSlice[byte](&a, 5000))
	}
	for i := range 9 {
		m.Delete(&a, i)
	}
	a.Collect(heap.RootAt(&m))
	if s := a.Stats(); s.Used > 7000 {
		t.Errorf("%+v for one value", s)
	}
}

// "keys that are deleted meanwhile are not" visited, and values are the present values, also if the
// table grows meanwhile: up to 100 new keys are put during the first visit.
func TestMapChangesWhileVisited(t *testing.T) {
	for _, grown := range []int{0, 1, 100} {
		var a heap.Arena
		var m heap.Map[int, int]
		var tm heap.TextMap[int]
		for k := range 4 {
			m.Put(&a, k+1, k+1)
			tm.Put(&a, fmt.Sprint(k+1), k+1)
		}
		var got, texts []string
		for k, v := range m.All(&a) {
			if got = append(got, fmt.Sprintf("%d=%d", k, v)); k == 1 {
				for i := range grown {
					m.Put(&a, 100+i, 0)
				}
				m.Delete(&a, 2)
				m.Put(&a, 3, 333)
			}
		}
		for k, v := range tm.All(&a) {
			if texts = append(texts, fmt.Sprintf("%s=%d", k, v)); k == "1" {
				for i := range grown {
					tm.Put(&a, fmt.Sprint(100+i), 0)
				}
				tm.Delete(&a, "2")
				tm.Put(&a, "3", 333)
			}
		}
		if want := []string{"1=1", "3=333", "4=4"}; !slices.Equal(got, want) ||
			!slices.Equal(texts, want) {
			t.Errorf("%d new: visited %q and %q, want %q", grown, got, texts, want)
		}
	}
}

// Each key is visited once, although it is deleted and put again meanwhile. So are keys that no
// look-up finds because they do not equal themselves.
func TestMapVisitsOnce(t *testing.T) {
	var a heap.Arena
	var m heap.Map[float64, int]
	for i := range 3 {
		m.Put(&a, float64(i), i)
		m.Put(&a, math.NaN(), 10+i)
	}
	var got []int
	for k, v := range m.All(&a) {
		got = append(got, v)
		m.Delete(&a, k) // the Put below adds it at the end
		m.Put(&a, k, v)
		for i := range 20 {
			m.Put(&a, float64(100*len(got)+i), -1)
		}
	}
	if slices.Sort(got); !slices.Equal(got, []int{0, 1, 2, 10, 11, 12}) {
		t.Errorf("visited %v", got)
	}
}

// The first Put, too, "leaves the map as it was": a zero map stays zero if one of the allocations
// of its first Put fails.
func TestMapFirstPutRefused(t *testing.T) {
	type large [100]int64 // does not fit beside the table
	for _, room := range []int{1, 1 << 10, 3 << 10} {
		a := limited(room)
		var m heap.Map[int, large]
		var tm heap.TextMap[int]
		wantPanic(t, "arena limit", func() { m.Put(a, 1, large{}) })
		wantPanic(t, "arena limit", func() { tm.Put(a, text(5000), 1) })
		if m != (heap.Map[int, large]{}) || tm != (heap.TextMap[int]{}) {
			t.Errorf("%d bytes: a map that was refused its first key is not zero", room)
		}
		a.SetLimit(0)
		m.Put(a, 1, large{7})
		tm.Put(a, "x", 1)
		if m.Len(a) != 1 || m.At(a, 1)[0] != 7 || tm.Len(a) != 1 {
			t.Errorf("%d bytes: the next Put was lost", room)
		}
	}
}

// The zero value is empty, and misuse panics with a text.
func TestMapEdges(t *testing.T) {
	var a heap.Arena
	var m heap.Map[int, int]
	var tm heap.TextMap[int]
	if _, ok := m.Get(&a, 1); ok || m.Delete(&a, 1) || m.Len(&a)+tm.Len(&a) != 0 ||
		tm.Delete(&a, "") || tm.At(&a, "x") != nil {
		t.Error("zero maps are not empty")
	}
	for range m.All(&a) {
		t.Error("a zero map has entries")
	}
	for range tm.All(&a) {
		t.Error("a zero map has entries")
	}
	wantPanic(t,
		"must not have handles in them, which collections change: heap.String (use heap.TextMap for "+
			"texts)", func() {
			var m heap.Map[heap.String, int]
			m.Put(&a, heap.String{}, 1)
		})
	wantPanic(t, "is not pointer-free", func() {
		var m heap.Map[int, *int]
		m.Put(&a, 1, nil)
	})
	m.Put(&a, 1, 1)
	m.Put(&a, 2, 2)
	for k := range m.All(&a) { // keys that are deleted meanwhile are not visited
		m.Delete(&a, 3-k)
	}
	if *m.At(&a, 1)++; m.Len(&a) != 1 || *m.At(&a, 1) != 2 {
		t.Error("delete while visiting, or At")
	}
	a.SetLimit(a.Stats().Reserved)
	err := recovered(func() {
		for i := range 1000 {
			m.Put(&a, i, i)
		}
	})
	if n := m.Len(&a); !strings.Contains(err, "arena limit") || n == 0 || m.At(&a, n-1) == nil {
		t.Errorf("%q with %d keys", err, n)
	}
}
