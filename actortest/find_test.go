package actortest_test

import (
	"flag"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/actortest"
)

// double stands for a test, so that runs may fail.
type double struct {
	testing.TB
	failed bool
	text   strings.Builder
}

func (d *double) Helper()                   {}
func (d *double) Name() string              { return d.TB.Name() }
func (d *double) Logf(f string, a ...any)   { fmt.Fprintf(&d.text, f+"\n", a...) }
func (d *double) Log(a ...any)              { fmt.Fprintln(&d.text, a...) }
func (d *double) Errorf(f string, a ...any) { d.Logf(f, a...); d.failed = true }
func (d *double) Fatal(a ...any)            { d.Log(a...); d.failed = true }
func (d *double) Failed() bool              { return d.failed }
func (d *double) Fatalf(f string, a ...any) { d.Errorf(f, a...) }

// try runs a scenario for a double and returns its output.
func try(t *testing.T, scenario func(*actortest.R),
	opts ...actortest.Option) (failed bool, said string) {
	d := &double{TB: t}
	actortest.Run(d, scenario, opts...)
	return d.failed, d.text.String()
}

// fails runs a scenario that must fail and say so.
func fails(t *testing.T, say string, scenario func(*actortest.R), opts ...actortest.Option) string {
	t.Helper()
	failed, said := try(t, scenario, opts...)
	if !failed || !strings.Contains(said, say) {
		t.Fatalf("failed: %v, want %q in\n%s", failed, say, said)
	}
	return said
}

var replayLine = regexp.MustCompile(`-gallop\.replay=(\S+)`)

// replayed runs a scenario with the replay string that an earlier run has printed.
func replayed(t *testing.T, said string, scenario func(*actortest.R),
	opts ...actortest.Option) string {
	t.Helper()
	m := replayLine.FindStringSubmatch(said)
	if m == nil {
		t.Fatalf("no replay string in\n%s", said)
	}
	f := flag.Lookup("gallop.replay")
	defer f.Value.Set(f.Value.String())
	f.Value.Set(m[1])
	_, again := try(t, scenario, opts...)
	return again
}

// asFound is the output of a failing run, without the lines on how it was found and made simpler.
func asFound(said string) string { return foundLine.ReplaceAllString(said, "") }

var foundLine = regexp.MustCompile(`actortest: found by .*\n`)

// TestRun_FindsALostReply: "a deliberately broken user program (a lost reply under one rare order)
// is found and replayed", by every strategy alone. The number of runs until then does not depend on
// the machine: so many take a few seconds at most.
func TestRun_FindsALostReply(t *testing.T) {
	for _, c := range []struct {
		s    actortest.Strategy
		runs int
	}{
		{actortest.Random(), 200}, {actortest.PCT(2), 100}, {actortest.PCT(3), 100},
		{actortest.PCT(8), 200}, {actortest.PCT(12), 200},
		{actortest.Exhaustive(2), 20_000},
	} {
		t.Run(c.s.String(), func(t *testing.T) {
			opts := []actortest.Option{actortest.WithStrategies(c.s), actortest.WithRuns(c.runs)}
			said := fails(t, "1 of 2 answers", twoClients, opts...)
			if again := replayed(t, said, twoClients, opts...); again != asFound(said) {
				t.Errorf("first:\n%s\nreplayed:\n%s", said, again)
			}
			t.Log(replayLine.FindString(said))
		})
	}
}

// relay plants an order bug of depth 2: a message that overtakes another one on a
// longer way. The more hops, the rarer.
type relay struct {
	next  actor.Handler[int]
	twice actor.Handler[int]
}

var (
	relayType = actor.NewType[relay]("relay")
	pass      = actor.Declare[int](relayType, "pass")
	_         = relayType.Table(pass.Handle((*relay).pass))
)

func (y *relay) pass(c *actor.Context, n int) {
	if y.twice != nil {
		y.twice.Send(c, n)
	}
	y.next.Send(c, n+1)
}

// overtaken fails if the message that is sent second, over hops relays, comes first.
func overtaken(hops int) func(*actortest.R) {
	return func(r *actortest.R) {
		got := actortest.NewProbe[int](r, "end")
		next := got.Handler()
		for range hops {
			next = pass.To(relayType.Spawn(r.System(), relay{next: next}))
		}
		pass.Send(r.System(), relayType.Spawn(r.System(),
			relay{next, pass.To(relayType.Spawn(r.System(), relay{next: got.Handler()}))}), 0)
		r.WhenQuiet(func() {
			if all := got.Got(); all[0] != 1 {
				r.Fatalf("overtaken: %v", all)
			}
		})
	}
}

// TestStrategies_FindAnOvertaking: each strategy finds a planted bug of order, in which
// one worker has to be held up while a message takes a longer way.
func TestStrategies_FindAnOvertaking(t *testing.T) {
	for _, s := range []actortest.Strategy{actortest.Random(), actortest.PCT(2), actortest.PCT(5),
		actortest.Exhaustive(2)} {
		t.Run(s.String(), func(t *testing.T) {
			said := fails(t, "overtaken", overtaken(4), actortest.WithStrategies(s),
				actortest.WithRuns(20_000))
			t.Log(replayLine.FindString(said))
			if again := replayed(t, said, overtaken(4)); again != asFound(said) {
				t.Errorf("first:\n%s\nreplayed:\n%s", said, again)
			}
		})
	}
}

// TestStrategies_None: without a strategy there is no run, and a test that runs nothing
// would pass.
func TestStrategies_None(t *testing.T) {
	defer func() {
		if v := fmt.Sprint(recover()); v != "gallop: actortest: WithStrategies(): want at least 1" {
			t.Errorf("panic %s", v)
		}
	}()
	actortest.WithStrategies()
}

// TestExhaustive_LongRuns: a failure behind more choices than a run has by default is reported and
// replayed: "Steps sets how many messages and choices a run may have".
func TestExhaustive_LongRuns(t *testing.T) {
	if testing.Short() {
		// One goroutine at a time runs, with nothing for the race detector.
		t.Skip("takes long")
	}
	runs := 0
	marathon := func(r *actortest.R) {
		runs++
		for range 2 {
			left := 20_000
			var step deed
			step = func(c *actor.Context) {
				if left--; left > 0 {
					do.Send(c, actor.Self[puppet](c), step)
				}
			}
			with(r, step)
		}
		r.Quiet()
		if runs > 3 { // the first order is run twice
			r.Fatalf("exhausted")
		}
	}
	opts := []actortest.Option{actortest.WithStrategies(actortest.Exhaustive(3)),
		actortest.WithWorkers(2),
		actortest.WithSteps(1 << 30), actortest.WithShrink(0)}
	said := fails(t, "exhausted\nreplay: ", marathon, opts...)
	t.Log(replayLine.FindString(said))
	if again := replayed(t, said, marathon, opts...); again != asFound(said) {
		t.Errorf("first:\n%s\nreplayed:\n%s", said, again)
	}
}

// TestRun_SaysWhatFailed: a failure is reported even if its run does not repeat itself.
func TestRun_SaysWhatFailed(t *testing.T) {
	runs := 0
	said := fails(t, "does not give the same run", func(r *actortest.R) {
		runs++
		for range runs {
			with(r, func(*actor.Context) {})
		}
		r.Quiet()
		r.Fatalf("here")
	})
	if !strings.Contains(said, "\nhere\n") {
		t.Errorf("it says\n%s", said)
	}
}
