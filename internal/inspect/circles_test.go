package inspect

import (
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/kernel"
)

// TestCircles: each circle is found once, whatever other waits lead into it.
func TestCircles(t *testing.T) {
	sys := actor.Start()
	defer sys.Stop()
	typ := actor.NewType[int]("node")
	var refs []kernel.AnyRef
	for range 8 {
		refs = append(refs, kernel.AnyRef(typ.Spawn(sys, 0)))
	}
	for name, c := range map[string]struct {
		waits [][2]int
		want  [][]int
	}{
		"none":       {[][2]int{{0, 1}, {1, 2}, {0, 2}}, nil},
		"two":        {[][2]int{{0, 1}, {1, 0}}, [][]int{{0, 1}}},
		"with tails": {[][2]int{{5, 2}, {2, 3}, {3, 4}, {4, 2}, {3, 6}}, [][]int{{2, 3, 4}}},
		"one":        {[][2]int{{3, 3}}, [][]int{{3}}},
		"two of two": {[][2]int{{0, 1}, {1, 0}, {2, 3}, {3, 2}, {1, 2}}, [][]int{{0, 1}, {2, 3}}},
	} {
		var waits []wait
		for _, w := range c.waits {
			waits = append(waits, wait{who: refs[w[0]], to: refs[w[1]]})
		}
		var got [][]int
		for _, circle := range circles(waits) {
			var ids []int
			for _, ref := range circle {
				for i, r := range refs {
					if r == ref {
						ids = append(ids, i)
					}
				}
			}
			got = append(got, ids)
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
			continue
		}
		for i, circle := range got {
			if len(circle) != len(c.want[i]) {
				t.Errorf("%s: %v, want %v", name, got, c.want)
				continue
			}
			for j, id := range circle {
				if id != c.want[i][j] {
					t.Errorf("%s: %v, want %v", name, got, c.want)
				}
			}
		}
	}
}

// TestStanding: a circle counts if all of its waits are dated well before the first look, and
// are the same at the second. Else they may never have stood together.
func TestStanding(t *testing.T) {
	sys := actor.Start()
	defer sys.Stop()
	typ := actor.NewType[int]("node")
	a, b := kernel.AnyRef(typ.Spawn(sys, 0)), kernel.AnyRef(typ.Spawn(sys, 0))
	const now = int64(10 * time.Second)
	old, young := now-int64(leastWait), now-int64(leastWait)+1
	at := func(since1, since2 int64) []wait {
		return []wait{{a, b, since1, false}, {b, a, since2, false}}
	}
	for name, c := range map[string]struct {
		first, second []wait
		circles       int
	}{
		"stands":                 {at(old, old-5), at(old, old-5), 1},
		"one is young":           {at(old, young), at(old, young), 0},
		"not dated yet":          {at(old, 0), at(old, 0), 0},
		"one is over":            {at(old, old), at(old, old)[:1], 0},
		"one has begun anew":     {at(old, old), at(old, now), 0},
		"came at the second one": {at(old, old)[:1], at(old, old), 0},
	} {
		stood := standing(now, leastWait, c.first, func() []wait { return c.second })
		if got := circles(stood); len(got) != c.circles {
			t.Errorf("%s: %v", name, got)
		}
	}
}
