package actor

import (
	"slices"
	"testing"

	"github.com/gallop-go/gallop/internal/kernel"
	"pgregory.net/rapid"
)

// TestSources_Twin compares the lists of an actor's channel sources with a simple list of all that
// it has ever opened. It checks the sources for which a new one has to wait, and that the lists
// keep few of the sources that are gone.
func TestSources_Twin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l kernel.ChanSources
		var twin []kernel.OpenSource
		most := 0 // the greatest number of sources that were not gone
		ds, life := []*kernel.Descriptor{{}, {}}, make(chan struct{})
		of := func(which func(kernel.OpenSource) bool) (list []kernel.OpenSource) {
			return slices.DeleteFunc(slices.Clone(twin), func(o kernel.OpenSource) bool { return !which(o) })
		}
		open := func(o kernel.OpenSource) bool { return !kernel.IsClosed(o.Stopped) }
		alive := func(o kernel.OpenSource) bool { return !kernel.IsGone(o) }
		one := func(t *rapid.T, list []kernel.OpenSource) kernel.OpenSource {
			if len(list) == 0 {
				t.Skip()
			}
			return rapid.SampledFrom(list).Draw(t, "one")
		}
		t.Repeat(map[string]func(*rapid.T){
			"stop":  func(t *rapid.T) { l.Stop(one(t, of(open))) },
			"gone":  func(t *rapid.T) { close(one(t, of(alive)).Gone) },
			"crash": func(*rapid.T) { close(life); life = make(chan struct{}) },
			"open": func(t *rapid.T) {
				most = max(most, len(of(alive))+1)
				o := openTwin(t, &l, of(alive), rapid.SampledFrom(ds).Draw(t, "d"), life)
				if twin = append(twin, o); rapid.Bool().Draw(t, "passes") {
					close(o.Gone)
				}
				if len(l.Open) > 2*most+2 || len(l.Left) > 2*most {
					t.Fatalf("%d and %d are kept, of %d at most", len(l.Open), len(l.Left), most)
				}
			},
		})
	})
}

// openTwin opens a source, and checks the sources for which it has to wait.
func openTwin(t *rapid.T, l *kernel.ChanSources, alive []kernel.OpenSource, d *kernel.Descriptor,
	life chan struct{}) kernel.OpenSource {
	o := kernel.OpenSource{D: d, Stopped: make(chan struct{}), Ended: life, Gone: make(chan struct{})}
	before := l.Add(o)
	for _, other := range alive {
		comes := other.D == d && (kernel.IsClosed(other.Stopped) || kernel.IsClosed(other.Ended))
		if comes != slices.Contains(before, other.Gone) {
			t.Fatalf("one that is stopped %v and over %v comes before: %v", kernel.IsClosed(other.Stopped),
				kernel.IsClosed(other.Ended), !comes)
		}
	}
	return o
}
