package supervise_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/supervise"
)

// served runs Serve, and returns when the tree is up.
func (h *harness) served(ctx context.Context, spec supervise.Spec,
	grace time.Duration) <-chan error {
	up, done := make(chan struct{}), make(chan error, 1)
	spec.Children = append(spec.Children,
		siblingWorker("last", func(*actor.Context) error { close(up); return nil }))
	go func() { done <- supervise.Serve(ctx, h.sys, spec, grace) }()
	<-up
	return done
}

// TestServe: it "waits until ctx ends …, and then ends everything: the root is drained, so its
// children end in the opposite order of their start, each as its Stop says; then the system is shut
// down", and returns nil.
func TestServe(t *testing.T) {
	h := newHarness(t)
	ctx, cancel := context.WithCancel(h.soon())
	b := h.child("b")
	b.Stop = supervise.DrainWithin(time.Minute)
	ref := make(chan actor.Ref[testChild], 1)
	look := siblingWorker("look", func(c *actor.Context) error {
		r, err := supervise.Sibling[testChild](c, "b")
		ref <- r
		return err
	})
	done := h.served(ctx, supervise.Spec{Name: "app",
		Children: []supervise.Child{h.child("a"), b, look}}, hangTimeout)
	r := <-ref
	for _, s := range []string{"1", "2", "3"} {
		say.Send(h.sys, r, s)
	}
	cancel()
	h.must(<-done)
	h.d.says(t, "+a", "+b", "b 1", "b 2", "b 3", "-b", "-a")
	wants(t, h.sys.Wait(h.soon()), actor.ErrSystemStopped)
}

// TestServe_Ends: "Otherwise the error is that of StartWait, or the reason of the root"; the
// system has stopped.
func TestServe_Ends(t *testing.T) {
	h := newHarness(t)
	wants(t, supervise.Serve(h.soon(), h.sys,
		supervise.Spec{Name: "app", Children: []supervise.Child{h.failing("bad", errUser)}},
		hangTimeout), errUser)
	wants(t, h.sys.Wait(h.soon()), actor.ErrSystemStopped)

	h = newHarness(t)
	w := h.failing("later", nil)
	w.Intensity = supervise.Intensity{Within: second, Escalate: true}
	ref := make(chan actor.Ref[testChild], 1)
	look := siblingWorker("look", func(c *actor.Context) error {
		r, err := supervise.Sibling[testChild](c, "later")
		ref <- r
		return err
	})
	done := h.served(h.soon(), supervise.Spec{Name: "app", Children: []supervise.Child{w, look}},
		hangTimeout)
	do.Send(h.sys, <-ref, exitWithError)
	err := <-done
	wants(t, err, supervise.ErrIntensity)
	wants(t, err, errUser)
	wants(t, h.sys.Wait(h.soon()), actor.ErrSystemStopped)
}

// TestServe_StoppedWhileItStarts: a signal that comes before the tree is up is an order to end,
// too.
func TestServe_StoppedWhileItStarts(t *testing.T) {
	h := newHarness(t)
	ctx, cancel := context.WithCancel(h.soon())
	w := h.child("a")
	w.Init = func(y *testChild) { y.name, y.d = "a", &h.d; cancel() }
	h.must(supervise.Serve(ctx, h.sys, supervise.Spec{Name: "app", Children: []supervise.Child{w}},
		hangTimeout))
	wants(t, h.sys.Wait(h.soon()), actor.ErrSystemStopped)
}

// jumpUntil moves the clock on by seconds until done brings an error.
func (h *harness) jumpUntil(done <-chan error) error {
	for {
		select {
		case err := <-done:
			return err
		default:
			h.clock.Jump(second)
			yield()
		}
	}
}

// TestServe_Overdue: "or it names a child that was killed at the deadline of its Stop".
func TestServe_Overdue(t *testing.T) {
	h := newHarness(t)
	ctx, cancel := context.WithCancel(h.soon())
	stuck := make(chan struct{})
	hang := siblingWorker("hang", func(c *actor.Context) error {
		kinDo.Send(c, actor.Self[siblingProbe](c), func(c *actor.Context) {
			close(stuck)
			for {
				c.Checkpoint()
				yield()
			}
		})
		return nil
	})
	hang.Stop = supervise.StopWithin(second)
	done := h.served(ctx, supervise.Spec{Name: "app", Children: []supervise.Child{hang}}, hangTimeout)
	<-stuck
	cancel()
	err := h.jumpUntil(done) // or a timer of the start is the first
	wants(t, err, actor.ErrKilled)
	if !strings.Contains(fmt.Sprint(err), "app/hang (kin): gallop: supervise: not ended within 1s") {
		t.Error(err)
	}
}

// TestServe_Grace: "After that the root is killed", and the error names the actors that did not
// end.
func TestServe_Grace(t *testing.T) {
	h := newHarness(t)
	ctx, cancel := context.WithCancel(h.soon())
	release := make(chan struct{})
	slow := siblingWorker("slow", func(*actor.Context) error { return nil })
	slow.Stop = supervise.StopWithin(supervise.Forever)
	hang := siblingWorker("hang", func(c *actor.Context) error {
		kinDo.Send(c, actor.Self[siblingProbe](c), func(*actor.Context) { <-release })
		return nil
	})
	hang.Stop = supervise.StopWithin(supervise.Forever)
	done := h.served(ctx, supervise.Spec{Name: "app", Children: []supervise.Child{hang, slow}},
		time.Millisecond)
	cancel()
	err := <-done
	wants(t, err, context.DeadlineExceeded)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	t.Log(err)
	close(release)
	h.sys.Stop()
}

// TestServe_WhenUp: WhenUp is given the root when "the whole tree is up", also of slow children; a
// panic in it, or one that does not return, does no harm. It is not called if the tree does not come
// up.
func TestServe_WhenUp(t *testing.T) {
	h := newHarness(t)
	ctx, cancel := context.WithCancel(h.soon())
	stay := make(chan struct{})
	defer close(stay)
	states := make(chan string, 1)
	done := make(chan error, 1)
	go func() {
		done <- supervise.Serve(ctx, h.sys, supervise.Spec{Name: "app",
			Children: []supervise.Child{h.child("a"),
				supervise.Spec{Name: "sub", Children: h.workers("b")}}}, hangTimeout,
			supervise.WhenUp(func(supervise.Supervisor) { panic("user's") }),
			supervise.WhenUp(func(supervise.Supervisor) { <-stay }),
			supervise.WhenUp(func(root supervise.Supervisor) {
				n, err := supervise.Tree(h.soonOnce(), root)
				states <- fmt.Sprint(n.Children[0].State, " ", n.Children[1].State, " ",
					n.Children[1].Children[0].State, " ", err)
			}))
	}()
	equal(t, "states", <-states, "running running running <nil>")
	cancel()
	h.must(<-done)

	h = newHarness(t)
	err := supervise.Serve(h.soon(), h.sys, supervise.Spec{Name: "app",
		Children: []supervise.Child{h.failing("bad", errUser)}}, hangTimeout,
		supervise.WhenUp(func(supervise.Supervisor) { t.Error("called") }))
	wants(t, err, errUser)
}

// ExampleWhenUp tells a service manager that a service is ready, and looks at the tree.
func ExampleWhenUp() {
	ctx, cancel := context.WithCancel(context.Background())
	typ := actor.NewType[struct{}]("store")
	typ.Table()
	app := supervise.Spec{Name: "app", Children: []supervise.Child{
		supervise.Worker[struct{}]{Name: "store", Type: typ}}}
	err := supervise.Serve(ctx, actor.Start(), app, time.Minute,
		supervise.WhenUp(func(root supervise.Supervisor) {
			fmt.Println("READY=1") // to the socket $NOTIFY_SOCKET of systemd
			tree, _ := supervise.Tree(ctx, root)
			fmt.Println(tree.Children[0].Name, tree.Children[0].State)
			cancel() // the example ends here
		}))
	fmt.Println(err)
	// Output:
	// READY=1
	// store running
	// <nil>
}
