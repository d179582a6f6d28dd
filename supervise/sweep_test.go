package supervise_test

import (
	"sync"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/supervise"
)

// TestSweep: children go down "each when the one behind it is down", and who falls
// meanwhile does not spare those further in front.
func TestSweep(t *testing.T) {
	h := build(t, actor.Workers(3))
	h.run(supervise.Spec{Name: "root", Strategy: supervise.RestForOne, Children: h.toys("a", "m", "b", "c")})
	h.d.take()
	release, stuck := make(chan struct{}), make(chan struct{})
	do.Send(h.sys, h.find("c"), func(*toy, *actor.Context) { close(stuck); <-release })
	<-stuck
	do.Send(h.sys, h.find("a"), crash)
	for h.tree().Children[3].State != supervise.Falling {
		yield()
	}
	equal(t, "states", h.states(), "a pending, m running, b running, c falling")
	do.Send(h.sys, h.find("b"), crash)
	for h.tree().Children[2].State == supervise.Running {
		yield()
	}
	h.d.says(t, "-a", "-b")
	close(release)
	h.quiet()
	h.d.says(t, "-c", "-m", "+a", "+m", "+b", "+c")
}

// TestSweep_CountsOnce: "One restart of a group counts once", also if one falls that has
// not had its turn to go down; one that ends for good meanwhile is forgotten all the same.
func TestSweep_CountsOnce(t *testing.T) {
	for _, s := range []supervise.Strategy{supervise.OneForAll, supervise.RestForOne} {
		h := build(t, actor.Workers(3))
		temp := h.toy("temp")
		temp.Restart = supervise.Temporary
		h.run(supervise.Spec{Name: "root", Strategy: s, Intensity: supervise.Intensity{Restarts: 1, Within: time.Hour},
			Children: []supervise.Child{h.toy("a"), h.toy("b"), temp, h.toy("c")}})
		release, stuck := make(chan struct{}), make(chan struct{})
		free := sync.OnceFunc(func() { close(release) })
		t.Cleanup(free) // a test that fails ends too
		do.Send(h.sys, h.find("c"), func(*toy, *actor.Context) { close(stuck); <-release })
		<-stuck
		b, gone := h.find("b"), h.find("temp")
		do.Send(h.sys, h.find("a"), crash)
		for h.tree().Children[3].State != supervise.Falling {
			yield()
		}
		h.d.take()
		do.Send(h.sys, b, crash)
		do.Send(h.sys, gone, crash)
		for h.states() != "a pending, b pending, c falling" {
			yield()
		}
		free()
		h.quiet()
		equal(t, "states", h.states(), "a running, b running, c running")
		equal(t, "ref of b", h.find("b"), b)
		equal(t, "restarts of b", h.tree().Children[1].Restarts, 0)
	}
}
