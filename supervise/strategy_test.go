package supervise_test

import (
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/supervise"
)

// TestStrategies: "OneForOne: only the one that fell. OneForAll: all of them. RestForOne:
// the one that fell and those behind it"; they go down youngest first and come up oldest
// first, and stop in the opposite order of their start.
func TestStrategies(t *testing.T) {
	for _, c := range []struct {
		strategy supervise.Strategy
		after    []string
	}{
		{supervise.OneForOne, []string{"-b", "+b"}},
		{supervise.OneForAll, []string{"-b", "-d", "-c", "-a", "+a", "+b", "+c", "+d"}},
		{supervise.RestForOne, []string{"-b", "-d", "-c", "+b", "+c", "+d"}},
	} {
		t.Run(c.strategy.String(), func(t *testing.T) {
			h := build(t)
			h.run(supervise.Spec{Name: "root", Strategy: c.strategy, Children: h.toys("a", "b", "c", "d")})
			h.d.says(t, "+a", "+b", "+c", "+d")
			before := h.tree()
			h.tell(crash, "b")
			h.d.says(t, c.after...)
			for i, k := range h.tree().Children {
				equal(t, "ref of "+k.Name, k.Ref, before.Children[i].Ref)
			}
			h.must(actor.StopWait(h.soon(), h.sys, h.root))
			h.d.says(t, "-d", "-c", "-b", "-a")
		})
	}
}
