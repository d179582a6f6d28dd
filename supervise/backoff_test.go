package supervise_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/supervise"
)

// crashAtOnce runs a tree of one child that fails at every start, and returns when it started.
func crashAtOnce(t testing.TB, b supervise.Backoff, n int, opts ...actor.Option) []time.Duration {
	h := newHarness(t, opts...)
	var at []time.Duration
	w := h.child("a")
	w.Backoff = b
	w.Init = func(y *testChild) { at = append(at, h.clock.Now().Sub(epoch)); y.fail = errUser }
	h.run(supervise.Spec{Name: "root", Intensity: often, Children: []supervise.Child{w}})
	for len(at) < n {
		h.advance(second / 4)
	}
	return at
}

// TestBackoff: "exponentially longer with every consecutive failure", and not longer than Max;
// exact on the runtime's clock.
func TestBackoff(t *testing.T) {
	for _, c := range []struct {
		b    supervise.Backoff
		want []time.Duration // between starts
	}{
		{supervise.Backoff{First: second}, []time.Duration{1, 2, 4, 8, 16, 32, 60, 60, 60}},
		{supervise.Backoff{First: 90 * second}, []time.Duration{90, 90, 90}},
		{supervise.Backoff{First: second, Factor: 3, Max: 20 * second},
			[]time.Duration{1, 3, 9, 20, 20}},
		{supervise.Backoff{First: second, Factor: 1}, []time.Duration{1, 1, 1, 1}},
	} {
		at := crashAtOnce(t, c.b, len(c.want)+1)
		for i, d := range c.want {
			equal(t, "delay", at[i+1]-at[i], d*second)
			equal(t, "Delay", c.b.Delay(i+1, 0), d*second)
		}
	}
	equal(t, "delay of none", supervise.NoBackoff.Delay(9, 0.5), 0)
	equal(t, "delay of many", supervise.Backoff{First: 1, Max: supervise.Forever}.Delay(1<<30, 0),
		supervise.Forever)
	all := supervise.Backoff{First: 1, Max: supervise.Forever, Jitter: 1}
	for _, chance := range []float64{1, 0.75, 0.5, 0.25, 0} {
		d, want := all.Delay(1<<30, chance), supervise.Forever/4*time.Duration(4-4*chance)
		if (d - want).Abs() > 4096 { // the precision of a float
			t.Errorf("delay by a chance of %v: %v, want %v", chance, int64(d), int64(want))
		}
	}
	equal(t, "no delay", all.Delay(1<<30, 1), 0)
}

// TestBackoff_Jitter: "the delay is drawn between (1-Jitter) of its full length and all of it",
// from the system's seed.
func TestBackoff_Jitter(t *testing.T) {
	b := supervise.Backoff{First: 8 * second, Factor: 1, Jitter: 0.5}
	run := func(seed uint64) []time.Duration {
		return crashAtOnce(t, b, 60, actor.WithDeterministic(seed))
	}
	one, again, other := run(1), run(1), run(2)
	low, high, differs := 8*second, 4*second, false
	for i := range 59 {
		d := one[i+1] - one[i]
		if d < 4*second || d > 8*second {
			t.Fatalf("delay %v", d)
		}
		equal(t, "with the same seed", again[i], one[i])
		low, high = min(low, d), max(high, d)
		differs = differs || other[i] != one[i]
	}
	if low > 5*second || high < 7*second || !differs {
		t.Errorf("delays between %v and %v; another seed differs: %v", low, high, differs)
	}
}

// TestBackoff_Calm: "how long a child must have been up without interruption for its next failure
// to count as a first one again".
func TestBackoff_Calm(t *testing.T) {
	h := newHarness(t)
	w := h.child("a")
	w.Backoff = supervise.Backoff{First: second, ResetAfter: 10 * second}
	h.run(supervise.Spec{Name: "root", Intensity: often, Children: []supervise.Child{w}})
	a := h.find("a")
	for _, c := range []struct{ up, delay time.Duration }{
		{0, 1}, {10*second - 1, 2}, {10 * second, 1}, {0, 2}, {0, 4}, {second, 8}, {60 * second, 1},
	} {
		h.advance(c.up)
		do.Send(h.sys, a, crash)
		h.quiet()
		h.d.take()
		h.advance(c.delay*second - 1)
		h.d.says(t)
		h.advance(1)
		h.d.says(t, "+a")
	}
}

// TestBackoff_StoppedMeanwhile: a child in back-off that is stopped by order is restarted as a new
// actor. One that is restarted by hand is up; one that is removed is not restarted.
func TestBackoff_StoppedMeanwhile(t *testing.T) {
	h := newHarness(t)
	w := h.child("a")
	w.Backoff = supervise.Backoff{First: second}
	h.run(supervise.Spec{Name: "root", Intensity: often, Children: []supervise.Child{w}})
	a := h.find("a")
	h.tell(crash, "a")
	h.must(actor.StopWait(h.soon(), a))
	h.quiet()
	equal(t, "states", h.states(), "a backing off")
	_, err := supervise.Find[testChild](h.soon(), h.root, "a")
	wants(t, err, supervise.ErrNoChild)
	h.advance(second)
	equal(t, "states", h.states(), "a running")
	if h.find("a") == a {
		t.Fatal("the ref of an actor that has ended")
	}
	for name, how := range map[string]func() error{
		"RestartChild": func() error {
			return did(supervise.RestartChild, h.soon(), h.root.Ref, "a")
		},
		"Restart": func() error { h.restart(h.find("a").Any()); return nil },
	} {
		h.tell(crash, "a")
		equal(t, name, h.states(), "a backing off")
		h.must(how())
		h.quiet()
		equal(t, name, h.states(), "a running")
		h.d.take()
		h.advance(time.Hour)
		h.d.says(t)
	}
	h.tell(crash, "a")
	h.must(did(supervise.RemoveChild, h.soon(), h.root.Ref, "a"))
	h.advance(time.Hour)
	equal(t, "states", h.states(), "")
}

// TestBackoff_RestartedInVain: a child that waits for its restart, is restarted by others and
// cannot start, goes on waiting and blocks no other caller. It may be one that backs off, or one
// behind it.
func TestBackoff_RestartedInVain(t *testing.T) {
	for _, who := range []string{"a", "b"} {
		h := newHarness(t)
		fails := false
		a, b := h.child("a"), h.child("b")
		a.Backoff = supervise.Backoff{First: second}
		for _, w := range []*supervise.Worker[testChild]{&a, &b} {
			made := w.Init
			w.Init = func(y *testChild) {
				if made(y); fails {
					y.fail = errUser
				}
			}
		}
		h.run(supervise.Spec{Name: "root", Strategy: supervise.OneForAll,
			Children: []supervise.Child{a, b}})
		h.tell(crash, "a")
		h.d.take()
		fails = true
		h.restart(h.find(who).Any())
		h.quiet()
		h.d.says(t, "+"+who)
		equal(t, "states", h.states(), "a backing off, b pending")
		fails = false
		h.advance(second)
		equal(t, "states", h.states(), "a running, b running")
	}
}

// TestBackoff_MutedSender: no sender is muted for a child in back-off. Its messages run after the
// restart.
func TestBackoff_MutedSender(t *testing.T) {
	h := newHarness(t)
	a := h.child("a")
	a.Backoff = supervise.Backoff{First: second}
	h.run(supervise.Spec{Name: "root", Intensity: often, Children: []supervise.Child{a}})
	h.tell(crash, "a")
	h.d.take()
	r := h.find("a")
	sender := testChildType.Spawn(h.sys, testChild{})
	do.Send(h.sys, sender, func(_ *testChild, c *actor.Context) { say.Send(c, r, "hello") })
	do.Send(h.sys, sender, func(*testChild, *actor.Context) { h.d.note("sent") })
	h.quiet()
	h.advance(second - 1)
	h.quiet()
	h.d.says(t, "sent")
	h.advance(1)
	h.quiet()
	h.d.says(t, "+a, a hello")
}

// TestBackoff_MutedSenders: the same holds for a group of which one backs off and the others wait
// for it, and for actors that are muted for the senders. Which child fails and which actor sends is
// random.
func TestBackoff_MutedSenders(t *testing.T) {
	for seed := range uint64(100) {
		h, chance := newHarness(t), rand.New(rand.NewPCG(seed, 0))
		children := []supervise.Child{}
		for _, name := range []string{"a", "b", "c"} {
			w := h.child(name)
			w.Backoff = supervise.Backoff{First: second, Factor: 1}
			children = append(children, w)
		}
		h.run(supervise.Spec{Name: "root",
			Strategy: []supervise.Strategy{supervise.OneForOne, supervise.OneForAll,
				supervise.RestForOne}[seed%3],
			Intensity: often, Children: children})
		to := []actor.Ref[testChild]{h.find("a"), h.find("b"), h.find("c")}
		for range 8 {
			to = append(to, testChildType.Spawn(h.sys, testChild{d: &h.d}))
		}
		for range 100 {
			at := to[chance.IntN(len(to))]
			switch n := chance.IntN(20); n {
			case 0:
				do.Send(h.sys, to[chance.IntN(3)], crash)
			case 1:
				h.quiet()
			case 2:
				h.advance(second / 2)
			default:
				do.Send(h.sys, to[3+chance.IntN(8)],
					func(_ *testChild, c *actor.Context) { say.Send(c, at, "") })
			}
		}
		h.quiet()
		h.advance(time.Hour)
		h.quiet()
		st := h.sys.Stats()
		equal(t, "muted", st.Mutes-st.Unmutes, 0)
		h.sys.Stop()
	}
}

// TestBackoff_UpOnce: the calm time is that before the failure, not an earlier one.
func TestBackoff_UpOnce(t *testing.T) {
	h := newHarness(t)
	var at []time.Duration
	w := h.child("a")
	w.Backoff = supervise.Backoff{First: second, ResetAfter: 3 * second}
	w.Init = func(y *testChild) {
		if at = append(at, h.clock.Now().Sub(epoch)); len(at) > 1 {
			y.fail = errUser
		}
	}
	h.run(supervise.Spec{Name: "root", Intensity: often, Children: []supervise.Child{w}})
	h.tell(crash, "a")
	h.advance(32 * second)
	for i, want := range []time.Duration{0, 1, 3, 7, 15, 31} {
		equal(t, "start", at[i], want*second)
	}
}

// TestBackoff_CalmIsUp: "how long a child must have been up": the time in which it was down does
// not count, whether it was down with others or had ended. The time before that counts.
func TestBackoff_CalmIsUp(t *testing.T) {
	for _, c := range []struct{ up, want time.Duration }{{2 * second, 16 * second},
		{time.Minute, second}} {
		h := newHarness(t)
		var fail error
		a, b := h.child("a"), h.child("b")
		a.Backoff = supervise.Backoff{First: time.Hour}
		b.Backoff = supervise.Backoff{First: second, ResetAfter: time.Minute}
		b.Init = func(y *testChild) { y.name, y.d, y.fail = "b", &h.d, fail }
		h.run(supervise.Spec{Name: "root", Strategy: supervise.RestForOne, Intensity: often,
			Children: []supervise.Child{a, b}})
		for _, d := range []time.Duration{1, 2, 4, 8} {
			h.tell(crash, "b")
			h.advance(d * second)
		}
		h.advance(c.up)
		fail = errUser
		h.tell(crash, "a")
		h.advance(time.Hour)
		equal(t, "states", h.states(), "a running, b backing off")
		h.d.take()
		h.advance(c.want - 1)
		h.d.says(t)
		h.advance(1)
		h.d.says(t, "+b")
	}
}

// TestBackoff_CalmIsUp_ByHand: the same holds for a child that is restarted by hand in its
// place. The time that it takes to start does not count either.
func TestBackoff_CalmIsUp_ByHand(t *testing.T) {
	inPlace := func(h *harness) { h.restart(h.find("a").Any()); h.quiet(); h.tell(crash, "a") }
	for name, c := range map[string]struct {
		first func(*harness)
		up    time.Duration
		want  time.Duration
	}{
		"up": {nil, 0, 4 * second}, "up for a calm time": {nil, time.Minute, second},
		"restarted by others":                   {inPlace, 0, 4 * second},
		"restarted by others after a calm time": {inPlace, time.Minute, second},
	} {
		h := newHarness(t)
		fails := false
		w := h.child("a")
		w.Restart, w.Backoff = supervise.Transient,
			supervise.Backoff{First: second, ResetAfter: time.Minute}
		w.Init = func(y *testChild) {
			if y.name, y.d = "a", &h.d; fails {
				h.clock.Jump(time.Hour) // it takes long
				y.fail, fails = errUser, false
			}
		}
		h.run(supervise.Spec{Name: "root", Intensity: often, Children: []supervise.Child{w}})
		for _, d := range []time.Duration{1, 2} {
			h.tell(crash, "a")
			h.advance(d * second)
		}
		h.advance(c.up)
		if c.first != nil {
			c.first(h)
		}
		if h.states() != "a backing off" {
			fails = true
			wants(t, did(supervise.RestartChild, h.soon(), h.root.Ref, "a"), errUser)
			h.quiet()
		}
		equal(t, name, h.states(), "a backing off")
		h.d.take()
		h.advance(c.want - 1)
		if got := h.d.take(); got != "" {
			t.Errorf("%s: early: %s", name, got)
		}
		h.advance(1)
		h.d.says(t, "+a")
	}
}
