package supervise_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/supervise"
)

// hold keeps a child in a behaviour until it is let go.
func (h *harness) hold(path ...string) (free func()) {
	h.Helper()
	release, stuck := make(chan struct{}), make(chan struct{})
	do.Send(h.sys, h.find(path...), func(*testChild, *actor.Context) { close(stuck); <-release })
	<-stuck
	free = sync.OnceFunc(func() { close(release) })
	h.Cleanup(free) // a test that fails ends too
	return free
}

// until waits for the states of the children of the root.
func (h *harness) until(states string) {
	h.Helper()
	for h.states() != states {
		yield()
	}
}

// TestGroupRestart_DrainsMuted: a child that drains and sends to its failed sibling, or to another
// that is muted for that one, ends all the same: "a child that drains is not muted", since the
// failed one waits for its end. It drains because it was declared so, or because its user says so.
func TestGroupRestart_DrainsMuted(t *testing.T) {
	for _, s := range []supervise.Strategy{supervise.OneForAll, supervise.RestForOne} {
		for _, byUser := range []bool{false, true} {
			for _, first := range []bool{false, true} { // it is muted before it drains
				for _, to := range []string{"a", "x"} {
					t.Run(fmt.Sprintf("%v/%v/%v/%s", s, byUser, first, to), func(t *testing.T) {
						h := newHarness(t, actor.WithWorkers(4))
						b := h.child("b")
						if !byUser {
							b.Restart, b.Stop = supervise.Temporary,
								supervise.DrainWithin(supervise.Forever)
						}
						h.run(supervise.Spec{Name: "root", Strategy: s,
							Children: []supervise.Child{h.child("a"), h.child("x"), b,
								h.child("c")}})
						h.drainsMuted(byUser, first, to)
						want := "a running, x running, c running"
						if byUser {
							want = "a running, x running, b running, c running"
						}
						equal(t, "states", h.states(), want)
						ran := h.d.take()
						if before, _, _ := strings.Cut(ran, "-b"); !strings.Contains(before,
							"b last") || !strings.Contains(ran, to+" hello") {
							t.Errorf("what happened: %s", ran)
						}
						equal(t, "dead letters", h.deadLetters(), 0)
					})
				}
			}
		}
	}
}

// drainsMuted makes a fail while c keeps the others up. Then x is muted for a, and b, which drains,
// for one of the two.
func (h *harness) drainsMuted(byUser, first bool, to string) {
	a, x, b, last := h.find("a"), h.find("x"), h.find("b"), h.find(to)
	letC, letB := h.hold("c"), h.hold("b")
	do.Send(h.sys, b, func(_ *testChild, c *actor.Context) { say.Send(c, last, "hello") })
	say.Send(h.sys, b, "last")
	do.Send(h.sys, a, crash)
	h.until("a pending, x running, b running, c suspending")
	do.Send(h.sys, x, func(_ *testChild, c *actor.Context) { say.Send(c, a, "hello") })
	h.muted(1)
	drain := func() {
		if byUser {
			actor.Drain(h.sys, b)
		}
		letC()
	}
	if first {
		letB()
		if to == "a" { // x is only muted, and receives b's messages
			h.muted(2)
		}
		drain()
	} else {
		drain()
		for h.count().Running > 1 { // x goes down after b
			yield()
		}
		letB()
	}
	h.quiet()
}

// muted waits until n children are muted.
func (h *harness) muted(n uint64) {
	for st := h.sys.Stats(); st.Mutes-st.Unmutes < n; st = h.sys.Stats() {
		yield()
	}
}
