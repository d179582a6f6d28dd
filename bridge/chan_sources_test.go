package bridge

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/gallop-go/gallop/internal/kernel"
)

// TestSources_Twin compares the lists of an actor's channel sources with a simple list of all that
// it has ever opened. It checks the sources for which a new one has to wait, and that the lists
// keep few of the sources that are gone.
func TestSources_Twin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l chanSources
		var twin []openSource
		most := 0 // the greatest number of sources that were not gone
		ds, life := []*kernel.Descriptor{{}, {}}, make(chan struct{})
		of := func(which func(openSource) bool) (list []openSource) {
			return slices.DeleteFunc(slices.Clone(twin), func(o openSource) bool { return !which(o) })
		}
		open := func(o openSource) bool { return !kernel.IsClosed(o.stopped) }
		alive := func(o openSource) bool { return !isGone(o) }
		one := func(t *rapid.T, list []openSource) openSource {
			if len(list) == 0 {
				t.Skip()
			}
			return rapid.SampledFrom(list).Draw(t, "one")
		}
		t.Repeat(map[string]func(*rapid.T){
			"stop":  func(t *rapid.T) { l.stop(one(t, of(open))) },
			"gone":  func(t *rapid.T) { close(one(t, of(alive)).gone) },
			"crash": func(*rapid.T) { close(life); life = make(chan struct{}) },
			"open": func(t *rapid.T) {
				most = max(most, len(of(alive))+1)
				o := openTwin(t, &l, of(alive), rapid.SampledFrom(ds).Draw(t, "d"), life)
				if twin = append(twin, o); rapid.Bool().Draw(t, "passes") {
					close(o.gone)
				}
				if len(l.open) > 2*most+2 || len(l.left) > 2*most {
					t.Fatalf("%d and %d are kept, of %d at most", len(l.open), len(l.left), most)
				}
			},
		})
	})
}

// openTwin opens a source, and checks the sources for which it has to wait.
func openTwin(t *rapid.T, l *chanSources, alive []openSource, d *kernel.Descriptor,
	life chan struct{}) openSource {
	o := openSource{d: d, stopped: make(chan struct{}), ended: life, gone: make(chan struct{})}
	before := l.add(o)
	for _, other := range alive {
		comes := other.d == d && (kernel.IsClosed(other.stopped) || kernel.IsClosed(other.ended))
		if comes != slices.Contains(before, other.gone) {
			t.Fatalf("one that is stopped %v and over %v comes before: %v", kernel.IsClosed(other.stopped),
				kernel.IsClosed(other.ended), !comes)
		}
	}
	return o
}
