package supervise_test

import (
	"testing"

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
