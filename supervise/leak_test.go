package supervise_test

import (
	"runtime"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/supervise"
)

// live is the heap that is in use, after two collections.
func live() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestCycles: 3000 children (10⁶ in the long form) that are spawned, restarted and stopped
// leave nothing: no actor, no timer, and no memory to speak of.
func TestCycles(t *testing.T) {
	h := newHarness(t)
	spec := h.sessions()
	spec.Intensity = supervise.Intensity{Restarts: 1 << 30, Within: 1}
	h.run(spec)
	cycle := func(n int) {
		for range n {
			r, err := supervise.StartChild.Ask(h.soonOnce(), h.root.Ref,
				supervise.FromTemplate("", func(*testChild) {}))
			h.must(err)
			typed, _ := actor.As[testChild](r)
			do.Send(h.sys, typed, crash)
			// it is up again
			if _, err := ping.Ask(h.soonOnce(), typed, struct{}{}); err != nil {
				t.Fatal(err)
			}
			h.must(did(supervise.RemoveChild, h.soonOnce(), h.root.Ref, r.String()))
			h.clock.Jump(1)
		}
		h.quiet()
	}
	cycle(2000)
	before, n := live(), nightly(3000, 1_000_000)
	cycle(n)
	after := live()
	if grown := int64(after) - int64(before); figures && grown > int64(n)*8+256<<10 {
		t.Errorf("%d cycles left %d bytes", n, grown)
	}
	equal(t, "children", h.count(), count{})
	st := h.sys.Stats()
	equal(t, "actors left", st.Spawned-st.Stopped, 1)
	equal(t, "panics", int(st.Panics), 2000+n)
}
