//go:build gallop_figures

package actor_test

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/seam"
)

// TestActor_IdleSize: "An idle actor costs at most 200 bytes besides its state; with
// WithWatermarks 320, with WithBound 368", measured, for actors that have run and are idle again.
func TestActor_IdleSize(t *testing.T) {
	if seam.Explored {
		t.Skip("instrumented words are larger") // the promise is about plain builds
	}
	for _, tc := range []struct {
		name string
		most float64
		opts []actor.TypeOption
	}{
		{"Plain", 200, nil},
		{"Watermarks", 320, []actor.TypeOption{actor.WithWatermarks(10, 5)}},
		{"Bound", 368, []actor.TypeOption{actor.WithBound(10, actor.OverflowMute)}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			typ := actor.NewType[lodger]("lodger", tc.opts...)
			rest := actor.Declare[int](typ, "rest")
			typ.Table(rest.Handle(func(*lodger, *actor.Context, int) {}))
			if per := idleSize(t, typ, rest); per > tc.most {
				t.Errorf("%.1f bytes besides the state, want at most %.0f", per, tc.most)
			}
		})
	}
}

// idleSize returns the number of bytes per actor, for idle actors that have run once.
func idleSize(t *testing.T, typ *actor.Type[lodger], once actor.Behaviour[lodger, int]) float64 {
	actors := max(scaled(100_000), 25_000) // with fewer, the memory that workers keep would show
	sys := start(t)
	refs := make([]actor.Ref[lodger], actors)
	heap := func() int64 {
		runtime.GC()
		runtime.GC() // a sync.Pool keeps its contents over one collection
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	for i := range refs {
		refs[i] = typ.Spawn(sys, lodger{})
		once.Send(sys, refs[i], 1)
	}
	quiet(t, sys)
	per := float64(heap()-before)/float64(actors) - float64(unsafe.Sizeof(lodger{}))
	t.Logf("%.1f bytes besides the state", per)
	runtime.KeepAlive(refs)
	return per
}
