package actortest_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/actortest"
)

// skipped is a test that is skipped, or fails, by itself.
type skipped struct {
	double
	skips bool
}

func (d *skipped) SkipNow()      { d.skips = true; runtime.Goexit() }
func (d *skipped) Skipped() bool { return d.skips }

// onItsOwn runs a scenario with a test to use beside r, and returns how often the scenario ran.
func onItsOwn(t *testing.T, scenario func(*skipped, *actortest.R),
	opts ...actortest.Option) (d *skipped, runs int) {
	d = &skipped{double: double{TB: t}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		actortest.Run(d, func(r *actortest.R) { runs++; scenario(d, r) }, opts...)
	}()
	<-done
	return d, runs
}

// TestRun_EndedOtherwise: "A run fails … if t fails meanwhile; if the scenario ends its goroutine
// other than by r": such a run is no success although no behaviour panicked, and it prints how to
// see it again.
func TestRun_EndedOtherwise(t *testing.T) {
	for name, c := range map[string]struct {
		say      string
		runs     int
		scenario func(*skipped, *actortest.R)
	}{
		"Goexit": {"the scenario has ended its goroutine", 2,
			func(*skipped, *actortest.R) { runtime.Goexit() }},
		"Fatalf": {"the scenario has ended its goroutine", 2,
			func(d *skipped, _ *actortest.R) { d.Fatalf("five"); runtime.Goexit() }},
		"Errorf": {"the test has failed in this run, and not by R", 2,
			func(d *skipped, _ *actortest.R) { d.Errorf("five") }},
	} {
		t.Run(name, func(t *testing.T) {
			d, runs := onItsOwn(t, func(d *skipped, r *actortest.R) {
				with(r, func(*actor.Context) {})
				c.scenario(d, r)
			})
			said := d.text.String()
			if !d.failed || runs != c.runs || !strings.Contains(said, c.say) ||
				!replayLine.MatchString(said) {
				t.Fatalf("failed: %v after %d runs, want %q after %d and a replay line in\n%s",
					d.failed, runs, c.say, c.runs, said)
			}
		})
	}
}

// TestRun_FailedBefore: a failure before Run says nothing about its runs.
func TestRun_FailedBefore(t *testing.T) {
	d := &double{TB: t, failed: true}
	actortest.Run(d, func(*actortest.R) {}, actortest.WithRuns(3))
	if said := d.text.String(); !strings.Contains(said, "3 runs, no failure") {
		t.Error(said)
	}
}

// TestRun_Skips: "If the scenario skips the test, so does Run."
func TestRun_Skips(t *testing.T) {
	d, runs := onItsOwn(t, func(d *skipped, r *actortest.R) { d.SkipNow() })
	if said := d.text.String(); d.failed || runs != 1 || said != "" {
		t.Errorf("failed: %v after %d runs: %s", d.failed, runs, said)
	}
}

// TestFaults_FitNothing: "At its end it logs the Faults that matched nothing."
func TestFaults_FitNothing(t *testing.T) {
	_, said := try(t, func(r *actortest.R) { with(r, func(*actor.Context) {}) }, actortest.WithRuns(3),
		actortest.WithFaults(
			actortest.Fault{Type: "puppet", Behaviour: "do", At: 7, Action: actortest.FaultStop},
			actortest.Fault{Type: "pupet", Action: actortest.FaultStop},
			actortest.Fault{Behaviour: "doo", Action: actortest.FaultRefuse}))
	const want = `actortest: 3 runs, no failure; orders: 1
actortest: fault 2 struck nothing: in no run did anything fit type "pupet" and behaviour ""
actortest: fault 3 struck nothing: in no run did anything fit type "" and behaviour "doo"
`
	if said != want {
		t.Errorf("it said\n%s\nwant\n%s", said, want)
	}
}
