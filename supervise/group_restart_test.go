package supervise_test

import (
	"sync"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/supervise"
)

// TestGroupRestart: children are suspended each when its younger sibling is down. A child that
// fails meanwhile does not stop the restart of older ones.
func TestGroupRestart(t *testing.T) {
	h := newHarness(t, actor.WithWorkers(3))
	h.run(supervise.Spec{Name: "root", Strategy: supervise.RestForOne,
		Children: h.workers("a", "m", "b", "c")})
	h.d.take()
	release, stuck := make(chan struct{}), make(chan struct{})
	do.Send(h.sys, h.find("c"), func(*testChild, *actor.Context) { close(stuck); <-release })
	<-stuck
	do.Send(h.sys, h.find("a"), crash)
	for h.tree().Children[3].State != supervise.Suspending {
		yield()
	}
	equal(t, "states", h.states(), "a pending, m running, b running, c suspending")
	do.Send(h.sys, h.find("b"), crash)
	for h.tree().Children[2].State == supervise.Running {
		yield()
	}
	h.d.says(t, "-a", "-b")
	close(release)
	h.quiet()
	h.d.says(t, "-c", "-m", "+a", "+m", "+b", "+c")
}

// TestGroupRestart_CountsOnce: "A group restart counts once", also if a child fails that has not
// been suspended yet. A child that ends for good meanwhile is still forgotten.
func TestGroupRestart_CountsOnce(t *testing.T) {
	for _, s := range []supervise.Strategy{supervise.OneForAll, supervise.RestForOne} {
		h := newHarness(t, actor.WithWorkers(3))
		temp := h.child("temp")
		temp.Restart = supervise.Temporary
		h.run(supervise.Spec{Name: "root", Strategy: s,
			Intensity: supervise.Intensity{Restarts: 1, Within: time.Hour},
			Children:  []supervise.Child{h.child("a"), h.child("b"), temp, h.child("c")}})
		release, stuck := make(chan struct{}), make(chan struct{})
		free := sync.OnceFunc(func() { close(release) })
		t.Cleanup(free) // a test that fails ends too
		do.Send(h.sys, h.find("c"), func(*testChild, *actor.Context) { close(stuck); <-release })
		<-stuck
		b, gone := h.find("b"), h.find("temp")
		do.Send(h.sys, h.find("a"), crash)
		for h.tree().Children[3].State != supervise.Suspending {
			yield()
		}
		h.d.take()
		do.Send(h.sys, b, crash)
		do.Send(h.sys, gone, crash)
		for h.states() != "a pending, b pending, c suspending" {
			yield()
		}
		free()
		h.quiet()
		equal(t, "states", h.states(), "a running, b running, c running")
		equal(t, "ref of b", h.find("b"), b)
		equal(t, "restarts of b", h.tree().Children[1].Restarts, 0)
	}
}

// blocked makes a grandchild below b that does not end before it is let go: b is a
// supervisor, or a worker with a child of its own.
func (h *harness) blocked(sub bool) (free func()) {
	release, stuck := make(chan struct{}), make(chan struct{})
	block := func(*testChild, *actor.Context) { close(stuck); <-release }
	if sub {
		do.Send(h.sys, h.find("b", "sub"), block)
	} else {
		do.Send(h.sys, h.find("b"), func(_ *testChild, c *actor.Context) {
			do.Send(c, testChildType.SpawnChild(c, testChild{name: "sub", d: &h.d}), block)
		})
	}
	<-stuck
	free = sync.OnceFunc(func() { close(release) })
	h.Cleanup(free) // a test that fails ends too
	return free
}

// TestGroupRestart_Restarted: a child that is restarted alone, and has not come down for that yet,
// goes down with others all the same. So does one that is restarted by others while it goes down.
func TestGroupRestart_Restarted(t *testing.T) {
	restart := (*harness).restart
	ask := func(h *harness, _ actor.AnyRef) { h.beginRestart("b") }
	for _, c := range []struct {
		name          string
		sub           bool
		before, after func(*harness, actor.AnyRef)
		want          []string
	}{
		{"Supervisor_RestartChild", true, ask, nil, []string{"-a", "-sub", "+a", "+sub"}},
		{"Supervisor_Restart", true, restart, nil, []string{"-a", "-sub", "+a", "+sub"}},
		{"Supervisor_RestartLater", true, nil, restart,
			[]string{"-a", "-sub", "+sub", "-sub", "+a", "+sub"}},
		{"Worker_RestartChild", false, ask, nil, []string{"-a", "-sub", "-b", "+a", "+b"}},
		{"Worker_Restart", false, restart, nil, []string{"-a", "-sub", "-b", "+a", "+b"}},
		{"Worker_RestartLater", false, nil, restart,
			[]string{"-a", "-sub", "-b", "+b", "-b", "+a", "+b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHarness(t, actor.WithWorkers(3))
			var b supervise.Child = h.child("b")
			if c.sub {
				b = supervise.Spec{Name: "b", Children: h.workers("sub")}
			}
			h.run(supervise.Spec{Name: "root", Strategy: supervise.OneForAll,
				Children: []supervise.Child{h.child("a"), b}})
			ref := h.tree().Children[1].Ref
			free := h.blocked(c.sub)
			h.d.take()
			if c.before != nil {
				c.before(h, ref)
			}
			do.Send(h.sys, h.find("a"), crash)
			for h.count().Running > 0 { // a tree would ask b
				yield()
			}
			if c.after != nil {
				c.after(h, ref)
			}
			free()
			h.quiet()
			equal(t, "states", h.states(), "a running, b running")
			h.d.says(t, c.want...)
		})
	}
}

// twins are two children of a group that ends at its second restart.
func (h *harness) twins(stop supervise.Shutdown) {
	h.run(supervise.Spec{Name: "root", Strategy: supervise.OneForAll,
		Intensity: supervise.Intensity{Restarts: 1, Within: time.Hour},
		Children:  []supervise.Child{h.stubborn("a", stop), h.stubborn("b", stop)}})
}

// restartedOnce: one failure was counted, and both are up.
func (h *harness) restartedOnce() {
	h.Helper()
	h.quiet()
	equal(h, "root", h.root.Status(), actor.StatusIdle)
	equal(h, "states", h.states(), "a running, b running")
	children := h.tree().Children
	equal(h, "restarts", children[0].Restarts+children[1].Restarts, 1)
}

// TestGroupRestart_CountsKilledOnce: "A group restart counts once", also if a child fails by itself
// and is killed with the others before its failure is known.
func TestGroupRestart_CountsKilledOnce(t *testing.T) {
	for seed := range uint64(100) {
		h := newHarness(t, actor.WithDeterministic(seed+1))
		h.twins(supervise.KillAtOnce())
		a, b := h.find("a"), h.find("b")
		do.Send(h.sys, a, crash)
		do.Send(h.sys, b, crash)
		h.restartedOnce()
		h.sys.Stop()
	}
}

// TestGroupRestart_CountsOverdueOnce: "A group restart counts once", also if the oldest goes down
// as it was told, but so late that it has been killed too.
func TestGroupRestart_CountsOverdueOnce(t *testing.T) {
	h := newHarness(t, actor.WithWorkers(3))
	h.twins(supervise.StopWithin(second))
	a := h.find("a")
	stuck := make(chan struct{})
	do.Send(h.sys, a, func(_ *testChild, c *actor.Context) {
		for close(stuck); !killed(c) && h.Context().Err() == nil; {
			yield()
		}
	})
	<-stuck
	do.Send(h.sys, h.find("b"), crash)
	h.armed()
	h.clock.Jump(second)
	h.restartedOnce()
	if h.find("a") == a {
		t.Error("the ref of an actor that was killed")
	}
}

// killed reports whether the running actor has been killed.
func killed(c *actor.Context) (is bool) {
	defer func() { is = recover() != nil }()
	c.Checkpoint()
	return false
}
