package supervise_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/supervise"
)

// deep is a tree in which that child is three supervisors down.
func (h *harness) deep(bad supervise.Child) supervise.Spec {
	return supervise.Spec{Name: "app", Children: []supervise.Child{h.child("first"),
		supervise.Spec{Name: "storage", Strategy: supervise.RestForOne, Children: []supervise.Child{
			supervise.Spec{Name: "disks",
				Children: []supervise.Child{h.child("left"), bad, h.child("right")}},
		}}, h.child("last")}}
}

// TestStartWait: "returns when the whole tree is up".
func TestStartWait(t *testing.T) {
	for seed := range uint64(20) {
		h := newHarness(t, actor.WithDeterministic(seed+1))
		root, err := supervise.StartWait(h.soon(), h.sys, h.deep(h.child("bad")))
		h.must(err)
		h.d.says(t, "+first", "+left", "+bad", "+right", "+last")
		_, err = supervise.Find[testChild](h.soon(), root, "storage", "disks", "right")
		h.must(err)
		h.sys.Stop()
	}
}

// TestStartWait_Fails: "If a child does not come up, … the start is not retried: the tree is
// stopped, and when it has ended StartWait returns … a *StartError with the child's path, which
// wraps the error of OnStart".
func TestStartWait_Fails(t *testing.T) {
	for seed := range uint64(20) {
		h := newHarness(t, actor.WithDeterministic(seed+1))
		root, err := supervise.StartWait(h.soon(), h.sys, h.deep(h.failing("bad", errUser)))
		var e *supervise.StartError
		if wants(t, err, errUser); !errors.As(err, &e) || e.Path != "app/storage/disks/bad" ||
			!root.IsZero() {
			t.Fatalf("root %v, error %v", root, err)
		}
		equal(t, "error", err.Error(),
			`gallop: supervise: "app/storage/disks/bad" did not start: user's own`)
		h.d.says(t, "+first", "+left", "+bad", "-left", "-first")
		h.quiet() // the actor that would have killed the child has ended
		st := h.sys.Stats()
		equal(t, "actors left", st.Spawned-st.Stopped, 0)
		h.sys.Stop()
	}
}

// TestStartWait_FailsLater: "This holds only for the first start of each child: once a child has
// been up, it is restarted after a failure as usual", also a start that fails afterwards, while
// other children are still starting.
func TestStartWait_FailsLater(t *testing.T) {
	h := newHarness(t, actor.WithWorkers(3))
	var starts atomic.Int32
	first := h.child("first")
	first.Init = func(y *testChild) {
		y.name, y.d = "first", &h.d
		if starts.Add(1) == 2 {
			y.fail = errUser
		}
	}
	slow := siblingWorker("slow", func(c *actor.Context) error {
		r, err := supervise.Sibling[testChild](c, "first")
		do.Send(c, r, crash)
		for err == nil && starts.Load() < 2 {
			yield()
		}
		return err
	})
	_, err := supervise.StartWait(h.soon(), h.sys,
		supervise.Spec{Name: "app", Children: []supervise.Child{first, slow}})
	h.must(err)
	h.quiet()
	h.d.says(t, "+first", "-first", "+first", "+first")
}

// TestStartWait_AfterRestart: after a restart of a supervisor below, a failed start is a failure,
// which is retried.
func TestStartWait_AfterRestart(t *testing.T) {
	h := newHarness(t)
	n := 0
	w := h.child("w")
	w.Backoff = supervise.Backoff{First: second}
	w.Init = func(y *testChild) {
		if y.name, y.d = "w", &h.d; n == 1 {
			y.fail = errUser
		}
		n++
	}
	sub := supervise.Spec{Name: "sub",
		Intensity: supervise.Intensity{Restarts: 1, Within: time.Hour},
		Children:  []supervise.Child{w, h.child("x")}}
	root, err := supervise.StartWait(h.soon(), h.sys,
		supervise.Spec{Name: "app", Children: []supervise.Child{sub}})
	h.must(err)
	h.root = root
	for range 2 {
		h.tell(crash, "sub", "x")
	}
	equal(t, "restarts of sub", h.tree().Children[0].Restarts, 1)
	equal(t, "state of w", h.tree().Children[0].Children[0].State, supervise.BackingOff)
	h.advance(second)
	equal(t, "states", h.states(), "sub running")
}

// TestStartWait_Panics: a panic in init or OnStart is such an error too.
func TestStartWait_Panics(t *testing.T) {
	h := newHarness(t)
	w := h.child("bad")
	w.Init = func(*testChild) { panic("no state") }
	_, err := supervise.StartWait(h.soon(), h.sys,
		supervise.Spec{Name: "app", Children: []supervise.Child{w}})
	wants(t, err, actor.ErrPanicked)
}

// TestStartWait_ContextEnds: "the tree is told to stop … The error names the child that was
// starting and wraps ctx's error".
func TestStartWait_ContextEnds(t *testing.T) {
	h := newHarness(t)
	ctx, cancel := context.WithCancel(h.soon())
	release := make(chan struct{})
	w := h.child("slow")
	w.Init = func(y *testChild) { y.name, y.d = "slow", &h.d; cancel(); <-release }
	_, err := supervise.StartWait(ctx, h.sys, h.deep(w))
	close(release)
	wants(t, err, context.Canceled)
	equal(t, "error", err.Error(),
		`gallop: supervise: "app/storage/disks/slow" did not start: context canceled`)
	h.quiet()
	st := h.sys.Stats()
	equal(t, "actors left", st.Spawned-st.Stopped, 0)
	_, err = supervise.StartWait(ctx, h.sys, h.deep(w))
	wants(t, err, context.Canceled)
	equal(t, "spawned", h.sys.Stats().Spawned, st.Spawned)
}

// TestReady: "until the whole tree of the supervisor is up", one that backs off too.
func TestReady(t *testing.T) {
	h := newHarness(t)
	fails := 1
	w := h.child("a")
	w.Backoff = supervise.Backoff{First: second}
	w.Init = func(y *testChild) {
		if y.name, y.d = "a", &h.d; fails > 0 {
			fails--
			y.fail = errUser
		}
	}
	root := supervise.Start(h.sys,
		supervise.Spec{Name: "app", Children: []supervise.Child{w, h.child("b")}})
	ready := make(chan error, 1)
	go func() { ready <- root.Ready(h.soon()) }()
	h.armed()
	h.advance(second)
	h.must(<-ready)
	h.d.says(t, "+a", "+a", "+b")
	h.must(actor.StopWait(h.soon(), root))
	wants(t, root.Ready(h.soon()), actor.ErrStopped)
}

// TestWait: "It returns nil if the supervisor was stopped or drained, or has ended normally, and
// otherwise its reason".
func TestWait(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(h *harness)
		want error
	}{
		"Stop":  {func(h *harness) { actor.Stop(h.sys, h.root) }, nil},
		"Drain": {func(h *harness) { actor.Drain(h.sys, h.root) }, nil},
		"Kill":  {func(h *harness) { actor.Kill(h.sys, h.root) }, actor.ErrKilled},
		"With":  {func(h *harness) { actor.StopWith(h.sys, h.root, errUser) }, errUser},
		"GaveUp": {func(h *harness) {
			for range 2 {
				do.Send(h.sys, h.find("a"), crash)
			}
		}, supervise.ErrIntensity},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t)
			h.run(supervise.Spec{Name: "app",
				Intensity: supervise.Intensity{Restarts: 1, Within: time.Minute},
				Children:  h.workers("a")})
			waited := make(chan error, 1)
			go func() { waited <- h.root.Wait(h.soon()) }()
			c.end(h)
			if err := <-waited; !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
		})
	}
	h := newHarness(t)
	h.run(supervise.Spec{Name: "app"})
	ctx, cancel := context.WithCancel(h.soon())
	cancel()
	wants(t, h.root.Wait(ctx), context.Canceled)
}

// TestDefaults: with the defaults, a child that cannot start does not end the tree within
// milliseconds: it is started after 0, 0.1, 0.2, 0.4 … seconds, and the supervisor gives up after
// 51. One that fails rarely is restarted at once.
func TestDefaults(t *testing.T) {
	h := newHarness(t)
	var at []time.Duration
	w := supervise.Worker[testChild]{Name: "a", Type: testChildType,
		Init: func(y *testChild) { at = append(at, h.clock.Now().Sub(epoch)); y.fail = errUser }}
	h.run(supervise.Spec{Name: "app", Children: []supervise.Child{w}})
	h.advance(51 * second)
	for i, want := range []time.Duration{0, 0, 100, 300, 700, 1500, 3100, 6300, 12700, 25500} {
		equal(t, "start", at[i], want*time.Millisecond)
	}
	equal(t, "states", h.states(), "a backing off")
	h.advance(100 * time.Millisecond)
	wants(t, h.reason(), supervise.ErrIntensity)
	equal(t, "starts", len(at), 11)

	h = newHarness(t)
	h.run(supervise.Spec{Name: "app",
		Children: []supervise.Child{supervise.Worker[testChild]{Name: "a", Type: testChildType}}})
	for range 20 {
		h.tell(crash, "a")
		equal(t, "states", h.states(), "a running")
		h.advance(10 * second)
	}
}
