package supervise_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/supervise"
)

// TestStorm_QuietProcess: "a restart storm beyond intensity escalates and leaves a quiet
// process", on the machine's clock and with back-off: the tree has ended; nothing is queued
// and no timer is armed, or Wait would not return; no worker takes a turn or wakes any more
// (that such workers cost nothing is shown by TestBug_K48_IdleCostsNothing); and no goroutine is
// left but workers and their monitor.
func TestStorm_QuietProcess(t *testing.T) {
	h := &harness{TB: t, sys: actor.Start(actor.WithWorkers(2), actor.WithLogger(silent))}
	t.Cleanup(h.sys.Stop)
	quick := supervise.Backoff{First: 10 * time.Microsecond, Max: time.Millisecond, Jitter: 0.5}
	h.run(supervise.Spec{Name: "calm", Children: h.workers("a")})
	h.must(actor.StopWait(h.soon(), h.root))
	bad := h.child("bad")
	bad.Backoff = quick
	bad.Init = func(y *testChild) { y.fail = errUser }
	spec := supervise.Spec{Name: "3", Intensity: few, Backoff: quick,
		Children: []supervise.Child{bad}}
	for _, name := range []string{"2", "1"} {
		spec = supervise.Spec{Name: name, Intensity: few, Backoff: quick,
			Strategy: supervise.OneForAll,
			Children: []supervise.Child{h.child("good" + name), spec, h.child("late" + name)}}
	}
	h.root = supervise.Start(h.sys, spec)
	wants(t, h.reason(), supervise.ErrIntensity)
	h.quiet()
	st := h.sys.Stats()
	equal(t, "actors left", st.Spawned-st.Stopped, 0)
	resting := func() (rest [3]uint64) {
		for _, w := range h.sys.Stats().Workers {
			rest[0] += w.Turns
			rest[1] += w.Wakes
			rest[2] += w.Parks
		}
		return rest
	}
	for last := resting(); ; last = resting() { // the last worker may be on its way to sleep
		for range 1000 {
			yield()
		}
		if resting() == last {
			break
		}
	}
	equal(t, "turns of a quiet system", resting()[0], uint64(turnsOf(st)))
	for leftOver() { // one may be about to end
		yield()
	}
}

// leftOver reports whether there is a goroutine with code of the runtime's that is neither a worker,
// nor the monitor, nor a test.
func leftOver() bool {
	all := make([]byte, 1<<20)
	for one := range strings.SplitSeq(string(all[:runtime.Stack(all, true)]), "\n\n") {
		if strings.Contains(one, "gallop-go/gallop/") && !strings.Contains(one, "gallop/sched.") &&
			!strings.Contains(one, "gallop/supervise_test.") {
			return true
		}
	}
	return false
}

func turnsOf(st actor.Stats) (n int) {
	for _, w := range st.Workers {
		n += int(w.Turns)
	}
	return n
}
