package inspect

import (
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// TestCircles: circles are found in whatever hangs on to them, and each once.
func TestCircles(t *testing.T) {
	sys := actor.Start()
	defer sys.Stop()
	typ := actor.NewType[int]("node")
	var refs []actor.AnyRef
	for range 8 {
		refs = append(refs, typ.Spawn(sys, 0).Any())
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
