package explore_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
	"github.com/gallop-go/gallop/internal/seam"
)

// fake is a testing.TB that records errors, logs and skips.
type fake struct {
	testing.TB
	name            string
	errors, logs    []string
	skipped, fatals int
}

func (f *fake) Helper()                         {}
func (f *fake) Name() string                    { return f.name }
func (f *fake) Log(args ...any)                 { f.logs = append(f.logs, fmt.Sprint(args...)) }
func (f *fake) Logf(format string, args ...any) { f.Log(fmt.Sprintf(format, args...)) }
func (f *fake) Skip(...any)                     { f.skipped++; runtime.Goexit() }
func (f *fake) Fatal(args ...any) {
	f.fatals++
	f.Errorf("%s",
		fmt.Sprint(args...))
	runtime.Goexit()
}
func (f *fake) Fatalf(s string, args ...any) { f.Fatal(fmt.Sprintf(s, args...)) }
func (f *fake) Errorf(s string, args ...any) {
	f.errors = append(f.errors,
		fmt.Sprintf(s, args...))
}

// pretend runs a test function with a fake and waits for its end.
func pretend(name string, test func(testing.TB)) *fake {
	f, done := &fake{name: name}, make(chan bool)
	go func() { defer close(done); test(f) }()
	<-done
	return f
}

// TestPlainSkips: in a build without hooks a scenario does not pretend to pass.
func TestPlainSkips(t *testing.T) {
	f := pretend("TestX", func(t testing.TB) { explore.Portfolio(t, unlucky) })
	if seam.Explored == (f.skipped == 1) {
		t.Errorf("skipped %d", f.skipped)
	}
}

func needsHooks(t *testing.T) {
	t.Helper()
	if !seam.Explored {
		t.Skip("needs -tags gallop_explore") // a plain build has no points to explore
	}
}

const replayLine = "GALLOP_REPLAY='TestX:ab2a2b'"

// TestRunFails: a failing Run ends its test with one replay string.
func TestRunFails(t *testing.T) {
	needsHooks(t)
	f := pretend("TestX", func(t testing.TB) { explore.Portfolio(t, unlucky) })
	if f.fatals != 1 || len(f.errors) != 1 || strings.Count(f.errors[0], replayLine) != 1 {
		t.Errorf("%q", f.errors)
	}
}

// TestRunReplays proves that GALLOP_REPLAY makes the named exploration run only that
// schedule, and does not affect other explorations.
func TestRunReplays(t *testing.T) {
	needsHooks(t)
	t.Setenv("GALLOP_REPLAY", "TestX:ab2a2b")
	for _, f := range []*fake{
		pretend("TestX", func(t testing.TB) { explore.Portfolio(t, unlucky) }),
		pretend("TestX", func(t testing.TB) { explore.Run(t, config(explore.Random(1, 1)), unlucky) }),
	} {
		if named := strings.Contains(fmt.Sprint(f.logs),
			"replay: 1 schedules"); named != (f.fatals == 1) {
			t.Errorf("%q %q", f.logs, f.errors)
		}
	}
	t.Setenv("GALLOP_REPLAY", "TestX#x:ab2a2b")
	f := pretend("TestX", func(t testing.TB) { explore.Run(t, config(explore.Random(1, 1)), unlucky) })
	if f.fatals != 1 {
		t.Errorf("a named one: %q", f.logs)
	}
	f = pretend("TestY", func(t testing.TB) { explore.Portfolio(t, points(ignore, 1, 1)) })
	if strings.Contains(fmt.Sprint(f.logs), "replay") {
		t.Errorf("another one's string: %q", f.logs)
	}
}

// TestGoexitReports: t.Fatal in a thread still prints a replay string.
func TestGoexitReports(t *testing.T) {
	needsHooks(t)
	f := pretend("TestX", func(t testing.TB) {
		explore.Portfolio(t, func(p *explore.Program) {
			p.Go(func() { p.Point(); t.Fatal("from a thread") })
		})
	})
	if len(f.errors) != 2 || !strings.Contains(f.errors[1], "GALLOP_REPLAY='TestX:a'") {
		t.Errorf("%q", f.errors)
	}
}

// TestRefuteSurvivor: a mutant that no strategy finds fails its test.
func TestRefuteSurvivor(t *testing.T) {
	needsHooks(t)
	t.Setenv("GALLOP_EXPLORE_SCALE", "0")
	f := pretend("TestX", func(t testing.TB) { explore.Refute(t, points(ignore, 2, 2)) })
	if f.fatals != 1 || !strings.Contains(f.errors[0], "survived") {
		t.Errorf("%q", f.errors)
	}
	f = pretend("TestX", func(t testing.TB) { explore.Refute(t, unlucky, explore.Bounded(-1, 0)) })
	if f.fatals != 0 || !strings.Contains(fmt.Sprint(f.logs), "refuted by schedule") {
		t.Errorf("%q %q", f.errors, f.logs)
	}
}

// TestSettings: the environment sets seed and number of schedules.
func TestSettings(t *testing.T) {
	needsHooks(t)
	t.Setenv("GALLOP_EXPLORE_SCALE", "2")
	t.Setenv("GALLOP_EXPLORE_SEED", "77")
	f := pretend("TestX", func(t testing.TB) { explore.Portfolio(t, points(ignore, 4, 4)) })
	want := "random(seed 77): 20000 schedules"
	if testing.Short() {
		want = "random(seed 77): 2000 schedules"
	}
	if !strings.Contains(fmt.Sprint(f.logs), want) {
		t.Errorf("%q", f.logs)
	}
}
