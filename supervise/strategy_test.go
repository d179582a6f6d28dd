package supervise_test

import (
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/supervise"
)

// TestStrategies: OneForOne restarts "only the child that failed", OneForAll "all children",
// RestForOne "the child that failed and all younger ones". They are suspended youngest
// first and started oldest first, and stop in the opposite order of their start.
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
			h := newHarness(t)
			h.run(supervise.Spec{Name: "root", Strategy: c.strategy,
				Children: h.workers("a", "b", "c", "d")})
			h.d.says(t, "+a", "+b", "+c", "+d")
			before := h.tree()
			h.tell(crash, "b")
			h.d.says(t, c.after...)
			for i, k := range h.tree().Children {
				equal(t, "ref of "+k.Name, k.Ref, before.Children[i].Ref)
			}
			h.must(actor.StopWait(h.soon(), h.root))
			h.d.says(t, "-d", "-c", "-b", "-a")
		})
	}
}

// TestKinds: "Permanent: every end is one. Transient: every end but a normal one. Temporary: none;
// a child that ends is forgotten." Orders are ends too: a child that others have stopped or killed,
// and that is to be restarted, is a new actor.
func TestKinds(t *testing.T) {
	const again, same, gone, forgotten = "again", "same", "gone", "forgotten"
	stop := func(end func(actor.Sender, actor.Target)) act {
		return func(_ *testChild, c *actor.Context) { end(c, actor.Self[testChild](c)) }
	}
	for _, c := range []struct {
		name                            string
		end                             act
		permanent, transient, temporary string
	}{
		{"Panic", crash, same, same, forgotten},
		{"Exit", exitWithError, same, same, forgotten},
		{"PanicOverShutdown", func(*testChild, *actor.Context) { panic(errPeer) }, same, same,
			forgotten},
		{"PanicOfShutdown", func(*testChild, *actor.Context) { panic(actor.ErrShutdown) }, same,
			same, forgotten},
		{"ExitOverShutdown", func(_ *testChild, c *actor.Context) { c.Exit(errPeer) }, same, same,
			forgotten},
		{"Normal", finish, same, gone, forgotten},
		{"Shutdown", exitShutdown, same, gone, forgotten},
		{"Stop", stop(actor.Stop), again, gone, forgotten},
		{"Drain", stop(actor.Drain), again, gone, forgotten},
		{"Kill", stop(actor.Kill), again, again, forgotten},
	} {
		for kind, want := range map[supervise.Restart]string{
			supervise.Permanent: c.permanent, supervise.Transient: c.transient,
			supervise.Temporary: c.temporary,
		} {
			t.Run(c.name+"_"+kind.String(), func(t *testing.T) {
				h := newHarness(t)
				w := h.child("a")
				w.Restart = kind
				h.run(supervise.Spec{Name: "root", Children: []supervise.Child{w}})
				before := h.find("a").Any()
				h.tell(c.end, "a")
				got := forgotten
				if children := h.tree().Children; len(children) > 0 {
					switch k := children[0]; {
					case k.Ref == before && k.State == supervise.Running && k.Restarts == 1:
						got = same
					case k.State == supervise.Running && k.Restarts == 1:
						got = again
					case k.State == supervise.Stopped && k.Ref.IsZero() && k.Restarts == 0:
						got = gone
					}
				}
				equal(t, "afterwards", got, want)
			})
		}
	}
}

// TestKinds_Start: a Transient child that cannot start because a peer has been stopped has not
// ended normally, and is started again.
func TestKinds_Start(t *testing.T) {
	h := newHarness(t)
	w := h.child("a")
	w.Restart, w.Backoff = supervise.Transient, supervise.NoBackoff
	fails := 2
	w.Init = func(y *testChild) {
		if y.name, y.d = "a", &h.d; fails > 0 {
			fails--
			y.fail = errPeer
		}
	}
	h.run(supervise.Spec{Name: "root", Children: []supervise.Child{w}})
	equal(t, "states", h.states(), "a running")
	h.d.says(t, "+a", "+a", "+a")
}

// TestRestart_KeepsMail: "same ref, queued mail kept; the crashing message is not run again". The
// mail of siblings that are restarted with it is kept too.
func TestRestart_KeepsMail(t *testing.T) {
	for _, s := range []supervise.Strategy{supervise.OneForOne, supervise.OneForAll,
		supervise.RestForOne} {
		h := newHarness(t)
		h.run(supervise.Spec{Name: "root", Strategy: s, Children: h.workers("a", "b")})
		h.d.take()
		a, b := h.find("a"), h.find("b")
		runs := 0
		do.Send(h.sys, a, func(_ *testChild, c *actor.Context) {
			runs++
			say.Send(c, a, "1")
			say.Send(c, a, "2")
			say.Send(c, b, "3")
			panic("crash")
		})
		h.quiet()
		h.d.mu.Lock()
		n := 0
		for _, l := range h.d.lines {
			if l == "a 1" || l == "a 2" || l == "b 3" {
				n++
			}
		}
		h.d.mu.Unlock()
		equal(t, "runs of the crash", runs, 1)
		equal(t, "mail that ran", n, 3)
		equal(t, "dead letters", h.deadLetters(), 0)
	}
}

// TestStrategies_Temporary: "Temporary: … forgotten, and so is one that is ended by a group restart
// of others"; a transient one that has stopped comes back with them, as in OTP.
func TestStrategies_Temporary(t *testing.T) {
	h := newHarness(t)
	temp, trans := h.child("temp"), h.child("trans")
	temp.Restart, trans.Restart = supervise.Temporary, supervise.Transient
	h.run(supervise.Spec{Name: "root", Strategy: supervise.OneForAll,
		Children: []supervise.Child{h.child("a"), temp, trans}})
	h.tell(finish, "trans")
	equal(t, "states", h.states(), "a running, temp running, trans stopped")
	h.d.take()
	h.tell(crash, "a")
	h.d.says(t, "-a", "-temp", "+a", "+trans")
	equal(t, "states", h.states(), "a running, trans running")
}

// TestStrategies_WhoWaits: a child in back-off keeps down the children that start after it, with
// their mail. A failure of an older child restarts more.
func TestStrategies_WhoWaits(t *testing.T) {
	h := newHarness(t)
	a, b := h.child("a"), h.child("b")
	a.Backoff, b.Backoff = supervise.Backoff{First: second}, supervise.Backoff{First: 10 * second}
	h.run(supervise.Spec{Name: "root", Strategy: supervise.RestForOne, Intensity: often,
		Children: []supervise.Child{a, b, h.child("c")}})
	h.d.take()
	c := h.find("c")
	h.tell(crash, "b")
	h.d.says(t, "-b", "-c")
	equal(t, "states", h.states(), "a running, b backing off, c pending")
	_, err := ping.Ask(h.soon(), c, struct{}{})
	wants(t, err, actor.ErrSuspended)
	say.Send(h.sys, c, "kept")
	h.tell(crash, "a")
	h.d.says(t, "-a")
	h.advance(second)
	h.d.says(t, "+a")
	h.advance(9*second - 1)
	h.d.says(t)
	h.advance(1)
	h.d.says(t, "+b", "+c", "c kept")
}

// TestStart_InOrder: "Children start one after another, each when the child before it is up"; a
// failed start counts as a failure.
func TestStart_InOrder(t *testing.T) {
	for _, s := range []supervise.Strategy{supervise.OneForOne, supervise.OneForAll,
		supervise.RestForOne} {
		h := newHarness(t)
		fails := 2
		a := h.child("a")
		a.Backoff = supervise.Backoff{First: second}
		a.Init = func(y *testChild) {
			if y.name, y.d = "a", &h.d; fails > 0 {
				fails--
				y.fail = errUser
			}
		}
		h.run(supervise.Spec{Name: "root", Strategy: s,
			Children: []supervise.Child{a, h.child("b")}})
		h.d.says(t, "+a")
		equal(t, "states", h.states(), "a backing off, b pending")
		h.advance(second)
		h.d.says(t, "+a")
		h.advance(2 * second)
		h.d.says(t, "+a", "+b")
		equal(t, "states", h.states(), "a running, b running")
	}
}

// TestPlace: a child that was restarted as a new actor ends in its old place.
func TestPlace(t *testing.T) {
	h := newHarness(t)
	h.run(supervise.Spec{Name: "root", Children: h.workers("a", "b", "c")})
	h.must(actor.KillWait(h.soon(), h.find("b")))
	h.quiet()
	h.d.take()
	h.must(actor.StopWait(h.soon(), h.root))
	h.d.says(t, "-c", "-b", "-a")
}
