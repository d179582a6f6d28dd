package supervise_test

import (
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/supervise"
)

// stubborn is a child with that Ending: see stick for how it keeps from ending.
func (h *harness) stubborn(name string, stop supervise.Shutdown) supervise.Worker[testChild] {
	w := h.child(name)
	w.Stop = stop
	return w
}

// stick makes a child run until it is killed. It returns when the child runs.
func (h *harness) stick(path ...string) {
	h.Helper()
	stuck := make(chan struct{})
	do.Send(h.sys, h.find(path...), func(_ *testChild, c *actor.Context) {
		close(stuck)
		c.Blocking(func() {
			for {
				c.Checkpoint()
				yield()
			}
		})
	})
	<-stuck
}

// TestShutdown: "StopWithin stops a child after the message that it is handling, and kills it if it
// has not ended when d has passed"; DrainWithin lets it "run its queued messages first"; KillAtOnce
// kills it. It is so when its supervisor ends and when it is removed.
func TestShutdown(t *testing.T) {
	for _, c := range []struct {
		name string
		stop supervise.Shutdown
		want []string
	}{
		{"Default", supervise.Shutdown{}, []string{"-a"}},
		{"Stop", supervise.StopWithin(supervise.Forever), []string{"-a"}},
		{"Drain", supervise.DrainWithin(second), []string{"a 1", "a 2", "-a"}},
		{"Kill", supervise.KillAtOnce(), nil},
	} {
		for _, remove := range []bool{false, true} {
			t.Run(c.name, func(t *testing.T) {
				h := newHarness(t)
				h.run(supervise.Spec{Name: "root",
					Children: []supervise.Child{h.stubborn("a", c.stop)}})
				h.d.take()
				a := h.find("a")
				busy, release := make(chan struct{}), make(chan struct{})
				do.Send(h.sys, a, func(_ *testChild, c *actor.Context) {
					close(busy)
					<-release
					for !c.Stopping() {
						yield()
					}
				})
				<-busy
				say.Send(h.sys, a, "1")
				say.Send(h.sys, a, "2")
				if remove {
					h.must(did(supervise.RemoveChild, h.soon(), h.root.Ref, "a"))
				} else {
					actor.Stop(h.sys, h.root)
				}
				close(release)
				h.quiet()
				h.d.says(t, c.want...)
				equal(t, "ended", a.Status(), actor.StatusEnded)
			})
		}
	}
}

// TestShutdown_Deadline: a child that does not end in time is killed when its supervisor ends, when
// it is removed, and in a group restart.
func TestShutdown_Deadline(t *testing.T) {
	crashA := func(h *harness) { do.Send(h.sys, h.find("a"), crash) }
	for name, how := range map[string]func(h *harness){
		"End":    func(h *harness) { actor.Stop(h.sys, h.root) },
		"Remove": func(h *harness) { h.must(did(supervise.RemoveChild, h.soon(), h.root.Ref, "b")) },
		"Group":  crashA,
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t)
			h.run(supervise.Spec{Name: "root", Strategy: supervise.OneForAll,
				Children: []supervise.Child{
					h.child("a"), h.stubborn("b", supervise.StopWithin(3*second)),
				}})
			b := h.find("b")
			h.stick("b")
			how(h)
			h.armed()
			h.clock.Jump(3*second - 1)
			equal(t, "before", b.Status() == actor.StatusEnded, false)
			h.clock.Jump(1)
			d, err := actor.Join(h.soon(), b)
			h.must(err)
			wants(t, d.Reason, actor.ErrKilled)
			h.quiet()
			if name == "Group" {
				equal(t, "states", h.states(), "a running, b running")
			}
		})
	}
}

// TestShutdown_InGroups: in a group restart, a child with KillAtOnce comes up as a new actor. Its
// OnStop does not run.
func TestShutdown_InGroups(t *testing.T) {
	h := newHarness(t)
	h.run(supervise.Spec{Name: "root", Strategy: supervise.OneForAll, Children: []supervise.Child{
		h.child("a"), h.stubborn("b", supervise.KillAtOnce()),
	}})
	b := h.find("b")
	h.d.take()
	h.tell(crash, "a")
	h.d.says(t, "-a", "+a", "+b")
	if h.find("b") == b {
		t.Error("the ref of an actor that was killed")
	}
}

// TestShutdown_DrainInGroups: "In a group restart a child keeps its mail … also with DrainWithin,
// and queued messages run after the restart".
func TestShutdown_DrainInGroups(t *testing.T) {
	h := newHarness(t, actor.WithWorkers(3))
	b := h.child("b")
	b.Stop = supervise.DrainWithin(second)
	h.run(supervise.Spec{Name: "root", Strategy: supervise.OneForAll,
		Children: []supervise.Child{h.child("a"), b}})
	r := h.find("b")
	h.d.take()
	free := h.hold("b")
	say.Send(h.sys, r, "one")
	say.Send(h.sys, r, "two")
	do.Send(h.sys, h.find("a"), crash)
	h.until("a pending, b suspending")
	free()
	h.quiet()
	h.d.says(t, "-a", "-b", "+a", "+b", "b one", "b two")
	equal(t, "ref", h.find("b"), r)
}

// TestShutdown_LeavesNothing: a deadline that was kept leaves no timer and no actor.
func TestShutdown_LeavesNothing(t *testing.T) {
	h := newHarness(t)
	h.run(supervise.Spec{Name: "root", Strategy: supervise.OneForAll,
		Children: h.workers("a", "b", "c")})
	h.tell(crash, "a")
	h.must(did(supervise.RemoveChild, h.soon(), h.root.Ref, "b"))
	h.quiet()
	h.must(actor.StopWait(h.soon(), h.root))
	h.quiet()
	st := h.sys.Stats()
	h.advance(time.Hour)
	equal(t, "messages of an hour", h.sys.Stats().Messages, st.Messages)
	equal(t, "actors left", st.Spawned-st.Stopped, 0)
}

// TestUnder: "a supervisor that ends with the running actor"; a killed one takes all along.
func TestUnder(t *testing.T) {
	h := newHarness(t)
	parent := testChildType.Spawn(h.sys, testChild{name: "parent", d: &h.d})
	do.Send(h.sys, parent, func(_ *testChild, c *actor.Context) {
		h.root = supervise.StartUnder(c,
			supervise.Spec{Name: "root", Children: h.workers("a", "b")})
	})
	h.quiet()
	h.d.take()
	actor.Stop(h.sys, parent)
	h.quiet()
	h.d.says(t, "-b", "-a", "-parent")
	h.run(supervise.Spec{Name: "root", Children: h.workers("a", "b")})
	a := h.find("a")
	h.d.take()
	h.must(actor.KillWait(h.soon(), h.root))
	h.d.says(t)
	equal(t, "ended", a.Status(), actor.StatusEnded)
}

// TestStopping: "reports whether the running actor has been told to end, or is to be taken down …":
// so a behaviour that runs long does not keep a group waiting.
func TestStopping(t *testing.T) {
	for name, c := range map[string]struct {
		how  func(h *harness)
		want bool
	}{
		"Group": {func(h *harness) {
			do.Send(h.sys, h.find("a"), crash)
			for h.states() != "a pending, b suspending" {
				yield()
			}
		}, true},
		"RestartChild": {func(h *harness) { h.beginRestart("b") }, true},
		"RemoveChild": {func(h *harness) {
			h.must(did(supervise.RemoveChild, h.soon(), h.root.Ref, "b"))
		}, true},
		"Restart":  {func(h *harness) { h.restart(h.find("b").Any()) }, true},
		"Suspend":  {func(h *harness) { h.suspend(h.find("b").Any()) }, true},
		"Postpone": {func(h *harness) { h.postpone(h.find("b").Any()) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t, actor.WithWorkers(3))
			h.run(supervise.Spec{Name: "root", Strategy: supervise.OneForAll,
				Children: h.workers("a", "b")})
			begun, look, saw := make(chan struct{}), make(chan struct{}), make(chan [2]bool, 1)
			do.Send(h.sys, h.find("b"), func(_ *testChild, c *actor.Context) {
				before := c.Stopping()
				close(begun)
				<-look
				c.Checkpoint() // returns only in actors that are not killed
				saw <- [2]bool{before, c.Stopping()}
			})
			<-begun
			c.how(h)
			close(look)
			equal(t, "Stopping, before and after", <-saw, [2]bool{false, c.want})
			h.quiet()
		})
	}
}
