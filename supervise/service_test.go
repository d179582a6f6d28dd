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

var kinds = []supervise.Restart{supervise.Permanent, supervise.Transient, supervise.Temporary}

// TestStartChild_Fails: "If the child does not come up, the error is a *StartError …, and the
// supervisor forgets the child. The start is not retried, even if the child is Permanent. Its
// siblings are not restarted, and it does not count for the supervisor's Intensity."
func TestStartChild_Fails(t *testing.T) {
	for _, s := range []supervise.Strategy{supervise.OneForOne, supervise.OneForAll,
		supervise.RestForOne} {
		for _, kind := range kinds {
			h := newHarness(t)
			h.run(supervise.Spec{Name: "app", Strategy: s,
				Intensity: supervise.Intensity{Within: second}, Children: h.workers("a")})
			h.d.take()
			for range 20 {
				bad := h.failing("bad", errUser)
				bad.Restart = kind
				r, err := supervise.StartChild.Ask(h.soon(), h.root.Ref, bad)
				var e *supervise.StartError
				if !errors.Is(err, errUser) || !errors.As(err, &e) || e.Path != "app/bad" ||
					!r.IsZero() {
					t.Fatalf("%v, %v: ref %v, error %v", s, kind, r, err)
				}
				h.d.says(t, "+bad")
				equal(t, "states", h.states(), "a running")
			}
			_, err := supervise.StartChild.Ask(h.soon(), h.root.Ref, h.child("bad"))
			h.must(err)
		}
	}
}

// TestStartChild_TreeFails: "for a Spec, when its whole subtree is up": the path is that of the
// child that did not come up.
func TestStartChild_TreeFails(t *testing.T) {
	h := newHarness(t)
	h.run(supervise.Spec{Name: "app", Children: h.workers("a")})
	h.d.take()
	sub := supervise.Spec{Name: "sub",
		Children: []supervise.Child{h.child("x"), h.failing("y", errUser)}}
	_, err := supervise.StartChild.Ask(h.soon(), h.root.Ref, sub)
	wants(t, err, errUser)
	equal(t, "error", err.Error(), `gallop: supervise: "app/sub/y" did not start: user's own`)
	h.d.says(t, "+x", "+y", "-x")
	equal(t, "states", h.states(), "a running")
}

// TestStartChild_Simple: the same holds for a child that is made from a template.
func TestStartChild_Simple(t *testing.T) {
	h := newHarness(t)
	h.run(h.sessions())
	_, err := supervise.StartChild.Ask(h.soon(), h.root.Ref,
		supervise.FromTemplate("bob", func(y *testChild) { y.fail = errUser }))
	wants(t, err, errUser)
	equal(t, "children", h.count(), count{})
}

// TestStartChild_ContextEnds: "If the context of the request ends before the child is up, the child
// is not started, or it is stopped as soon as it is up."
func TestStartChild_ContextEnds(t *testing.T) {
	h := newHarness(t)
	h.run(supervise.Spec{Name: "app", Children: h.workers("a")})
	h.d.take()
	ctx, cancel := context.WithCancel(h.soon())
	release := make(chan struct{})
	slow := h.child("slow")
	slow.Init = func(y *testChild) { y.name, y.d = "slow", &h.d; cancel(); <-release }
	_, err := supervise.StartChild.Ask(ctx, h.root.Ref, slow)
	wants(t, err, context.Canceled)
	close(release)
	h.quiet()
	equal(t, "states", h.states(), "a running")
}

// TestStartChild_AgainWhilePending: while an older sibling waits for its back-off, a StartChild
// whose context has ended leaves the name to the next StartChild.
func TestStartChild_AgainWhilePending(t *testing.T) {
	for _, s := range []supervise.Strategy{supervise.RestForOne, supervise.OneForAll} {
		h := newHarness(t)
		a := h.child("a")
		a.Backoff = supervise.Backoff{First: time.Hour}
		h.run(supervise.Spec{Name: "app", Strategy: s, Children: []supervise.Child{a}})
		h.tell(crash, "a")
		ctx, cancel := context.WithCancel(h.soon())
		abandoned := make(chan error)
		go func() {
			_, err := supervise.StartChild.Ask(ctx, h.root.Ref, h.child("b"))
			abandoned <- err
		}()
		h.until("a backing off, b pending")
		cancel()
		wants(t, <-abandoned, context.Canceled)
		heard := make(starter, 1)
		starterDo.Send(h.sys, starterType.Spawn(h.sys, heard), func(c *actor.Context) {
			actor.AskTo(c, supervise.StartChild, h.root.Ref, supervise.Child(h.child("b")), starterHear)
		})
		h.quiet()
		equal(t, "states", h.states(), "a backing off, b pending")
		h.advance(time.Hour)
		equal(t, "outcomes", len(heard), 1)
		h.must(<-heard)
		equal(t, "states", h.states(), "a running, b running")
	}
}

// TestStartChild_Within: "Within limits only the wait of the caller: the child starts, and stays."
func TestStartChild_Within(t *testing.T) {
	h := newHarness(t)
	a := h.child("a")
	a.Backoff = supervise.Backoff{First: time.Hour}
	h.run(supervise.Spec{Name: "app", Strategy: supervise.RestForOne,
		Children: []supervise.Child{a}})
	h.tell(crash, "a")
	heard := make(starter, 2)
	starterDo.Send(h.sys, starterType.Spawn(h.sys, heard), func(c *actor.Context) {
		actor.AskTo(c, supervise.StartChild, h.root.Ref, supervise.Child(h.child("b")), starterHear,
			actor.Within(second))
	})
	h.advance(second)
	wants(t, <-heard, actor.ErrNoReply)
	h.advance(time.Hour)
	equal(t, "states", h.states(), "a running, b running")
}

// TestStartChild_GivenUp: a request whose caller gives up while the supervisor does not come to
// it starts no child.
func TestStartChild_GivenUp(t *testing.T) {
	h := newHarness(t)
	gate, reached := make(chan struct{}), make(chan struct{}, 1)
	h.run(supervise.Spec{Name: "app", Children: h.workers("a"),
		OnEvent: func(supervise.Event) { reached <- struct{}{}; <-gate }})
	h.d.take()
	do.Send(h.sys, h.find("a"), exitWithError)
	<-reached // the supervisor is in OnEvent
	spawned := h.sys.Stats().Spawned
	ctx, cancel := context.WithTimeout(h.soon(), time.Millisecond)
	defer cancel()
	_, err := supervise.StartChild.Ask(ctx, h.root.Ref, h.child("b"))
	wants(t, err, context.DeadlineExceeded)
	go func() {
		for range reached {
		}
	}()
	close(gate)
	h.quiet()
	close(reached)
	h.d.says(t, "-a", "+a")
	equal(t, "states", h.states(), "a running")
	equal(t, "spawned", h.sys.Stats().Spawned, spawned)
}

// TestStartChild_Ignored: "If OnStart returns ErrIgnore, the ref is zero and the error nil"; a
// declared child stays down, its younger siblings start, and RestartChild brings it up.
func TestStartChild_Ignored(t *testing.T) {
	h := newHarness(t)
	off := true
	a := h.child("a")
	a.Init = func(y *testChild) {
		if y.name, y.d = "a", &h.d; off {
			y.fail = supervise.ErrIgnore
		}
	}
	root, err := supervise.StartWait(h.soon(), h.sys,
		supervise.Spec{Name: "app", Strategy: supervise.OneForAll,
			Children: []supervise.Child{a, h.child("b")}})
	h.must(err)
	h.root = root
	equal(t, "states", h.states(), "a stopped, b running")
	h.tell(crash, "b")
	equal(t, "states", h.states(), "a stopped, b running")
	h.d.says(t, "+a", "+b", "-b", "+b")
	r, err := supervise.StartChild.Ask(h.soon(), h.root.Ref, h.failing("c", supervise.ErrIgnore))
	h.must(err)
	equal(t, "ref", r, actor.AnyRef{})
	off = false
	h.must(did(supervise.RestartChild, h.soon(), h.root.Ref, "a"))
	equal(t, "states", h.states(), "a running, b running, c stopped")
}

// TestRestartChild_Fails: "If the child does not come up, the error is a *StartError. A child that
// had stopped then stays stopped. Any other is retried with its Backoff". Neither counts for the
// Intensity.
func TestRestartChild_Fails(t *testing.T) {
	for _, s := range []supervise.Strategy{supervise.OneForOne, supervise.OneForAll,
		supervise.RestForOne} {
		h := newHarness(t)
		var fail error
		a := h.child("a")
		a.Backoff = supervise.Backoff{First: second}
		a.Init = func(y *testChild) { y.name, y.d, y.fail = "a", &h.d, fail }
		h.run(supervise.Spec{Name: "app", Strategy: s,
			Intensity: supervise.Intensity{Within: second},
			Children:  []supervise.Child{a, h.child("b")}})
		fail = errUser
		h.d.take()
		wants(t, did(supervise.RestartChild, h.soon(), h.root.Ref, "a"), errUser)
		equal(t, "states", h.states(), "a backing off, b running")
		fail = nil
		h.advance(second)
		equal(t, "states", h.states(), "a running, b running")
		h.must(did(supervise.StopChild, h.soon(), h.root.Ref, "a"))
		fail = errUser
		for range 5 {
			wants(t, did(supervise.RestartChild, h.soon(), h.root.Ref, "a"), errUser)
			equal(t, "states", h.states(), "a stopped, b running")
		}
		fail = nil
		h.must(did(supervise.RestartChild, h.soon(), h.root.Ref, "a"))
		equal(t, "states", h.states(), "a running, b running")
		h.d.says(t, "-a", "+a", "+a", "-a", "+a", "+a", "+a", "+a", "+a", "+a")
	}
}

// TestStopChild: "returns when it has ended. The supervisor keeps the declaration: the child
// stays down, also when its siblings are restarted, until RestartChild brings it up as a new
// actor".
func TestStopChild(t *testing.T) {
	for _, kind := range kinds[:2] {
		h := newHarness(t)
		a := h.child("a")
		a.Restart = kind
		h.run(supervise.Spec{Name: "app", Strategy: supervise.OneForAll,
			Children: []supervise.Child{a, h.child("b")}})
		before := h.find("a")
		h.must(did(supervise.StopChild, h.soon(), h.root.Ref, "a"))
		equal(t, "standing", before.Status(), actor.StatusEnded)
		equal(t, "states", h.states(), "a stopped, b running")
		h.tell(crash, "b")
		equal(t, "states", h.states(), "a stopped, b running")
		h.must(did(supervise.StopChild, h.soon(), h.root.Ref, "a"))
		h.must(did(supervise.RestartChild, h.soon(), h.root.Ref, "a"))
		equal(t, "states", h.states(), "a running, b running")
		equal(t, "a new actor", h.find("a") != before, true)
		h.tell(crash, "b")
		h.d.says(t, "+a", "+b", "-a", "-b", "+b", "+a", "-b", "-a", "+a", "+b")
		h.must(did(supervise.RemoveChild, h.soon(), h.root.Ref, "a"))
		wants(t, did(supervise.StopChild, h.soon(), h.root.Ref, "a"), supervise.ErrNoChild)
	}
	h := newHarness(t)
	trans := h.child("trans")
	trans.Restart = supervise.Transient
	h.run(supervise.Spec{Name: "app", Strategy: supervise.OneForAll,
		Children: []supervise.Child{trans, h.child("b")}})
	h.tell(finish, "trans")
	// it has ended by itself, and a group restart would start it
	h.must(did(supervise.StopChild, h.soon(), h.root.Ref, "trans"))
	h.tell(crash, "b")
	equal(t, "states", h.states(), "trans stopped, b running")

	h = newHarness(t)
	h.run(h.sessions())
	_, err := supervise.StartChild.Ask(h.soon(), h.root.Ref, h.like("ann"))
	h.must(err)
	h.must(did(supervise.StopChild, h.soon(), h.root.Ref, "ann"))
	equal(t, "children", h.count(), count{})
}

// TestOwnIntensity: "As that of a Worker …, it counts the restarts of that child, which then do not
// count for the supervisor's Intensity. The child ends for good; with Escalate the supervisor gives
// up."
func TestOwnIntensity(t *testing.T) {
	var seen events
	var log logged
	h := newHarness(t, log.option())
	a := h.child("a")
	a.Intensity = supervise.Intensity{Restarts: 2, Within: time.Minute}
	h.run(supervise.Spec{Name: "app",
		Intensity: supervise.Intensity{Restarts: 1, Within: time.Minute}, OnEvent: seen.add,
		Children: []supervise.Child{a, h.child("b")}})
	for range 2 {
		h.tell(exitWithError, "a")
	}
	seen.take()
	h.tell(exitWithError, "a")
	equal(t, "events", seen.take(), "app/a (toy) gave up: user's own; restarts: 2")
	equal(t, "states", h.states(), "a stopped, b running")
	if got := strings.Join(log.lines(), ""); !strings.Contains(got,
		`level=ERROR msg="gallop: child failed too often, and is not restarted"`) {
		t.Errorf("the log has %s", got)
	}
	h.must(did(supervise.RestartChild, h.soon(), h.root.Ref, "a"))
	for range 2 { // they count anew
		h.tell(exitWithError, "a")
	}
	h.quiet()
	equal(t, "root", h.root.Status(), actor.StatusIdle)
	equal(t, "states", h.states(), "a running, b running")

	h = newHarness(t)
	a = h.child("a")
	a.Intensity = supervise.Intensity{Restarts: 1, Within: time.Minute, Escalate: true}
	h.run(supervise.Spec{Name: "app", Children: []supervise.Child{a, h.child("b")}})
	h.tell(crash, "a")
	h.tell(crash, "a")
	wants(t, h.reason(), supervise.ErrIntensity)
}

// TestOwnIntensity_Simple: "As that of a Spec with SimpleOneForOne, it applies to each child alone
// …; with Escalate it is as for other strategies": one poisoned child does not take its siblings.
func TestOwnIntensity_Simple(t *testing.T) {
	for _, shared := range []bool{false, true} {
		h := newHarness(t)
		spec := h.sessions()
		spec.Intensity = supervise.Intensity{Restarts: 3, Within: time.Minute, Escalate: shared}
		h.run(spec)
		for _, name := range []string{"ann", "bob"} {
			_, err := supervise.StartChild.Ask(h.soon(), h.root.Ref, h.like(name))
			h.must(err)
		}
		for range 3 {
			h.tell(crash, "bob")
		}
		equal(t, "states", h.states(), "ann running, bob running")
		if shared {
			h.tell(crash, "ann")
			wants(t, h.reason(), supervise.ErrIntensity)
			continue
		}
		for range 3 {
			h.tell(crash, "ann")
		}
		h.tell(crash, "bob")
		equal(t, "states", h.states(), "ann running")
		_, err := supervise.StartChild.Ask(h.soon(), h.root.Ref, h.like("bob"))
		h.must(err)
	}
}

// TestSimple_StopsAllAtOnce: "Children of SimpleOneForOne end all at once, so that many children
// that hang cost one deadline". One helper sees to all deadlines.
func TestSimple_StopsAllAtOnce(t *testing.T) {
	const n = 50
	set := make(chan struct{}, n) // of a deadline of a child
	h := newHarness(t, actor.WithWorkers(4), actor.WithMaxBlocked(2*n),
		actor.WithInterceptor(actor.Interceptor{
			After: func(_ *actor.Context, in *actor.Invocation, _ actor.Outcome) {
				if in.Type() == "killtimer" && in.Behaviour() == "set" {
					set <- struct{}{}
				}
			}}))
	spec := h.sessions()
	spec.Template = h.stubborn("session", supervise.StopWithin(5*second))
	h.run(spec)
	for i := range n {
		name := fmt.Sprint("s", i)
		_, err := supervise.StartChild.Ask(h.soon(), h.root.Ref, h.like(name))
		h.must(err)
		h.stick(name)
	}
	spawned := h.sys.Stats().Spawned
	actor.Stop(h.sys, h.root)
	for range n {
		<-set
	}
	h.clock.Jump(5*second - 1)
	equal(t, "before", h.root.Status() == actor.StatusEnded && h.sys.Stats().Stopped > 0, false)
	h.clock.Jump(1)
	h.must(h.root.Wait(h.soon()))
	h.quiet()
	equal(t, "time", h.clock.Now().Sub(epoch), 5*second)
	equal(t, "helpers", h.sys.Stats().Spawned-spawned, 1)
	equal(t, "actors left", h.sys.Stats().Spawned-h.sys.Stats().Stopped, 0)
}

// TestDown_AnswersAtOnce: while a sibling backs off, questions to a supervisor that is down
// with its group, or waits behind a supervisor in which one backs off, are answered at once.
func TestDown_AnswersAtOnce(t *testing.T) {
	c1 := func(h *harness) map[string]supervise.Child {
		w := h.child("c1")
		w.Backoff = supervise.Backoff{First: time.Hour}
		return map[string]supervise.Child{"worker": w,
			"tree": supervise.Spec{Name: "c1", Strategy: supervise.OneForAll,
				Intensity: supervise.Intensity{Within: 1}, Backoff: supervise.NoBackoff,
				Children: []supervise.Child{h.slowStart("w"), h.child("x")}}}
	}
	for _, kind := range []string{"worker", "tree"} {
		h := newHarness(t)
		h.run(supervise.Spec{Name: "top", Strategy: supervise.RestForOne,
			Children: []supervise.Child{
				c1(h)[kind], supervise.Spec{Name: "c2", Children: h.workers("w")}}})
		if kind == "tree" {
			h.advance(time.Hour)
		}
		c2, err := supervise.FindSupervisor(h.soon(), h.root, "c2")
		h.must(err)
		if kind == "tree" {
			h.tell(crash, "c1", "x")
		} else {
			h.tell(crash, "c1")
		}
		ctx := h.soon()
		_, err = supervise.Find[testChild](ctx, h.root, "c2", "w")
		wants(t, err, supervise.ErrNoChild)
		if s := err.Error(); strings.Contains(s, "shut down") || // nobody has shut anything down
			!strings.Contains(s, "actor suspended: taken down to be restarted") {
			t.Errorf("the text is %q", s)
		}
		_, err = supervise.Tree(ctx, c2)
		wants(t, err, actor.ErrSuspended)
		_, err = supervise.StartChild.Ask(ctx, c2.Ref, h.child("x"))
		wants(t, err, actor.ErrSuspended)
		wants(t, did(supervise.RemoveChild, ctx, c2.Ref, "w"), actor.ErrSuspended)
		equal(t, "nodes", len(h.tree().Children), 2)
		h.advance(time.Hour)
		h.find("c2", "w")
		n, err := supervise.Tree(ctx, c2)
		h.must(err)
		equal(t, "children", countIn(n), count{Children: 1, Running: 1})
	}
}

// slowStart is a child whose every start fails once, so that it backs off for an hour.
func (h *harness) slowStart(name string) supervise.Child {
	w, n := h.child(name), 0
	w.Backoff = supervise.Backoff{First: time.Hour, Factor: 1}
	w.Intensity = often
	w.Init = func(y *testChild) {
		if y.name, y.d = name, &h.d; n%2 == 0 {
			y.fail = errUser
		}
		n++
	}
	return w
}
