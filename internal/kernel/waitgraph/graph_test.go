package waitgraph

import (
	"runtime"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"
)

// flag is a call that is open if it is true.
type flag bool

func (f *flag) IsOpen() bool { return bool(*f) }

// TestGraph_Twin: an actor may wait unless the open calls lead from the actor that it asks to
// itself.
func TestGraph_Twin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n = 6
		var g Graph
		to, open := map[int]int{}, make([]flag, n)
		leads := func(from, me int) bool { // a plain walk
			for range n {
				next, waits := to[from]
				if !waits || !bool(open[from]) {
					return false
				}
				if next == me {
					return true
				}
				from = next
			}
			return false
		}
		t.Repeat(map[string]func(*rapid.T){
			"enter": func(t *rapid.T) {
				me, other := rapid.IntRange(0, n-1).Draw(t, "me"), rapid.IntRange(0, n-1).Draw(t, "to")
				if _, waits := to[me]; waits || me == other {
					t.Skip("it waits, or asks itself") // rapid draws another action
				}
				open[me] = true
				want := !leads(other, me)
				if got := g.Enter(me, other, &open[me]); got != want {
					t.Fatalf("%d asks %d: %v, want %v; %v %v", me, other, got, want, to, open)
				} else if got {
					to[me] = other
				}
			},
			"reply": func(t *rapid.T) { open[rapid.IntRange(0, n-1).Draw(t, "call")] = false },
			"leave": func(t *rapid.T) {
				me := rapid.IntRange(0, n-1).Draw(t, "me")
				g.Leave(me)
				delete(to, me)
			},
			"": func(t *rapid.T) {
				if g.Len() != len(to) {
					t.Fatalf("%d wait, want %d", g.Len(), len(to))
				}
			},
		})
	})
}

// TestRegistry: "the GC takes objects that sync.Pool drops", and the list does not grow with
// objects that were freed.
func TestRegistry(t *testing.T) { synctest.Test(t, testRegistry) }

func testRegistry(t *testing.T) {
	var r Registry[[64]byte]
	kept := new([64]byte)
	r.Add(kept)
	for n := range 1280 {
		r.Add(new([64]byte))
		if n%64 == 0 {
			runtime.GC()
		}
		synctest.Wait() // for the end of tidying, if it has begun
	}
	runtime.GC()
	found := false
	r.Each(func(p *[64]byte) { found = found || p == kept })
	n := len(r.list.All())
	if !found || n > 640 {
		t.Errorf("found: %v; %d are listed", found, n)
	}
	runtime.KeepAlive(kept)
}
