package supervise_test

import (
	"errors"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/supervise"
)

const second = time.Second

// few is an Intensity that a test exceeds soon.
var few = supervise.Intensity{Restarts: 3, Within: 5 * second}

// TestIntensity: the limits of "3 in 5 seconds", "The effect of the first restart beyond the
// limit", "a restart this long ago still counts".
func TestIntensity(t *testing.T) {
	for _, c := range []struct {
		name     string
		failures []time.Duration // failures, after one another
		lives    bool
	}{
		{"Three", []time.Duration{0, 0, 0}, true},
		{"Four", []time.Duration{0, 0, 0, 0}, false},
		{"FourAtTheEdge", []time.Duration{0, 2 * second, 2 * second, second}, false},
		{"FourOverTheEdge", []time.Duration{0, 2 * second, 2 * second, second + 1}, true},
		{"Slowly", []time.Duration{0, 2 * second, 2 * second, 2 * second, 2 * second, 2 * second,
			2 * second}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHarness(t)
			h.run(supervise.Spec{Name: "root", Intensity: few, Children: h.workers("a")})
			a := h.find("a")
			for _, d := range c.failures {
				h.advance(d)
				do.Send(h.sys, a, crash)
				h.quiet()
			}
			if c.lives {
				equal(t, "states", h.states(), "a running")
				equal(t, "restarts", h.tree().Children[0].Restarts, len(c.failures))
				return
			}
			// otherwise there is no reason, and no end to wait for
			wants(t, do.TrySend(h.sys, a, crash), actor.ErrStopped)
			var e *supervise.EscalationError
			err := h.reason()
			if !errors.As(err, &e) || e.Supervisor != "root" || e.Child != "a" {
				t.Fatalf("reason %v", err)
			}
			wants(t, err, supervise.ErrIntensity)
			wants(t, err, actor.ErrPanicked)
		})
	}
}

// TestIntensity_None: no restart at all.
func TestIntensity_None(t *testing.T) {
	h := newHarness(t)
	h.run(supervise.Spec{Name: "root", Intensity: supervise.Intensity{Within: second},
		Children: h.workers("a")})
	h.tell(finish, "a")
	err := h.reason()
	wants(t, err, supervise.ErrIntensity)
	equal(t, "text", err.Error(),
		`gallop: supervise: too many restarts: "root" gives up over "a": <nil>`)
}

// TestEscalation: a supervisor that gives up stops its children, the youngest first. Its own
// supervisor restarts it, with new children and a new count.
func TestEscalation(t *testing.T) {
	h := newHarness(t)
	h.run(supervise.Spec{Name: "root", Strategy: supervise.OneForAll, Children: []supervise.Child{
		h.child("x"),
		supervise.Spec{Name: "sub", Intensity: supervise.Intensity{Restarts: 1, Within: second},
			Children: h.workers("a", "b", "c")},
		h.child("y"),
	}})
	h.tell(crash, "sub", "b")
	sub, err := supervise.FindSupervisor(h.soon(), h.root, "sub")
	h.must(err)
	h.d.take()
	h.tell(crash, "sub", "b")
	h.d.says(t, "-b", "-c", "-a", "-y", "-x", "+x", "+a", "+b", "+c", "+y")
	after, err := supervise.FindSupervisor(h.soon(), h.root, "sub")
	h.must(err)
	equal(t, "ref of sub", after, sub)
	n := h.tree().Children[1]
	equal(t, "restarts of sub", n.Restarts, 1)
	wants(t, n.Last, supervise.ErrIntensity)
	equal(t, "restarts of b", n.Children[1].Restarts, 0)
}

// TestStorm: "a restart storm beyond intensity escalates and leaves a quiet process": a
// child that always fails, three supervisors deep, takes the whole tree with it; all mail
// becomes dead letters, and nothing runs afterwards.
func TestStorm(t *testing.T) {
	h := newHarness(t)
	starts := 0
	bad := h.child("bad")
	bad.Init = func(y *testChild) { starts++; y.fail = errUser }
	spec := supervise.Spec{Name: "3", Intensity: few, Backoff: supervise.NoBackoff,
		Children: []supervise.Child{bad}}
	for _, name := range []string{"2", "1"} {
		spec = supervise.Spec{Name: name, Intensity: few, Backoff: supervise.NoBackoff,
			Children: []supervise.Child{h.child("good" + name), spec}}
	}
	h.run(spec)
	wants(t, h.reason(), supervise.ErrIntensity)
	wants(t, h.reason(), errUser)
	equal(t, "starts", starts, 4*4*4)
	st := h.sys.Stats()
	equal(t, "actors left", st.Spawned-st.Stopped, 0)
	h.advance(time.Hour)
	equal(t, "messages of an hour", h.sys.Stats().Messages, st.Messages)
	if _, armed := h.clock.Next(); armed {
		t.Error("a timer is left")
	}
}

// TestStorm_Mail: the mail that waited for a restart becomes dead letters, each once.
func TestStorm_Mail(t *testing.T) {
	h := newHarness(t)
	h.run(supervise.Spec{Name: "root", Intensity: few, Children: h.workers("a", "b")})
	a := h.find("a")
	do.Send(h.sys, a, func(_ *testChild, c *actor.Context) {
		for range 4 {
			do.Send(c, a, crash)
		}
		for range 1000 {
			say.Send(c, a, "")
		}
	})
	h.quiet()
	wants(t, h.reason(), supervise.ErrIntensity)
	equal(t, "dead letters", h.deadLetters(), 1000)
}
