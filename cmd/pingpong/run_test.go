package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"log/slog"
	"strings"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// try runs the command in this process and returns its exit code and both outputs.
func try(ctx context.Context, known []scenario, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	inside := measureBeside(func(s scenario, _ options, _ io.Writer) (baseline,
		error) {
		return localBaseline{s}, nil
	})
	code = command{known: known, stdout: &out, stderr: &errs, measure: inside}.run(ctx, args)
	return code, out.String(), errs.String()
}

// "Bad flags: usage and exit 2."
func TestRun_BadFlagsExit2WithUsage(t *testing.T) {
	for _, c := range []struct{ args, says string }{
		{"-scenario nonesuch", `unknown scenario "nonesuch"`},
		{"-scenario=", `unknown scenario ""`},
		{"-n 0", "-n is 0"},
		{"-n -5", "-n is -5"},
		{"-n many", "invalid value"},
		{"-workers -1", "-workers is -1"},
		{"-workers 1025", "-workers is 1025: gallop: Start: WithWorkers(1025): want 1 to 1024"},
		{"-workers 1000000", "-workers is 1000000"},
		{"-rounds 0", "-rounds is 0"},
		{"-seed -1", "invalid value"},
		{"-nonesuch", "not defined"},
		{"pairs", `unexpected argument "pairs"`},
		{"-n 10 pairs ring", `unexpected argument "pairs"`},
	} {
		code, stdout, stderr := try(t.Context(), registry, strings.Fields(c.args)...)
		if code != exitUsage || stdout != "" {
			t.Errorf("%s: exit %d, stdout %q", c.args, code, stdout)
		}
		if !strings.Contains(stderr, c.says) || !strings.Contains(stderr, "usage: pingpong") {
			t.Errorf("%s: stderr does not say %q and the usage:\n%s", c.args, c.says, stderr)
		}
	}
}

func TestRun_NamesAllThatIsWrongAtOnce(t *testing.T) {
	_, _, stderr := try(t.Context(), registry, "-scenario", "x", "-n", "-1", "-workers", "-2", "y")
	for _, want := range []string{`"x"`, "-n is -1", "-workers is -2", `"y"`} {
		if !strings.Contains(stderr, want) {
			t.Errorf("stderr does not mention %s:\n%s", want, stderr)
		}
	}
}

func TestRun_HelpExits0AndListsEveryScenario(t *testing.T) {
	code, _, stderr := try(t.Context(), registry, "-h")
	if code != exitOK {
		t.Errorf("exit %d", code)
	}
	for _, s := range registry {
		if !strings.Contains(stderr, "\n  "+s.name+" ") {
			t.Errorf("the usage does not list %s", s.name)
		}
	}
}

// "-json prints one object per run with at least …": all eleven, each on a line.
func TestRun_JSONHasAllKeys(t *testing.T) {
	code, stdout, stderr := try(t.Context(), registry, "-json", "-scenario", "all", "-n", "1000",
		"-rounds", "1", "-workers", "2")
	lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	if code != exitOK || stderr != "" || len(lines) != len(registry) {
		t.Fatalf("exit %d, %d lines, stderr %q", code, len(lines), stderr)
	}
	keys := strings.Fields("scenario n workers ns_per_op baseline_ns_per_op wall_ms messages " +
		"steals parks mutes " +
		"dead_letters allocs_per_op peak_rss_kb ok ratio go per_worker seed")
	for i, line := range lines {
		var got map[string]any
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		for _, k := range keys {
			if got[k] == nil {
				t.Errorf("%s: %s is missing or null", registry[i].name, k)
			}
		}
		if got["scenario"] != registry[i].name || got["ok"] != true || got["workers"] != 2.0 ||
			got["n"] != 1000.0 {
			t.Errorf("line %d: %s", i+1, line)
		}
	}
}

// "-baseline=false skips the channels (null then)."
func TestRun_WithoutBaselineItIsNull(t *testing.T) {
	s := pingpong
	s.channels = func(job) <-chan uint64 { t.Error("the channels ran"); return nil }
	code, stdout, _ := try(t.Context(), []scenario{s}, "-json", "-baseline=false", "-n", "100")
	if code != exitOK || !strings.Contains(stdout, `"baseline_ns_per_op":null`) ||
		!strings.Contains(stdout, `"ratio":null`) {
		t.Errorf("exit %d: %s", code, stdout)
	}
	code, stdout, _ = try(t.Context(), []scenario{s}, "-baseline=false", "-n", "100")
	if code != exitOK || strings.Contains(stdout, "channels") {
		t.Errorf("exit %d: %s", code, stdout)
	}
}

// "A wrong count exits 1", whichever side it is on, and the other scenarios still run.
func TestRun_WrongCountExits1(t *testing.T) {
	never := pingpong
	never.name, never.want = "never", func(n int) uint64 { return uint64(n) + 1 }
	half := pingpong
	half.name, half.channels = "half",
		func(j job) <-chan uint64 { return pingpong.channels(job{n: j.n / 2}) }
	for _, c := range []struct {
		wrong scenario
		says  string
	}{{never, "gallop counted 100, but 101 is right"},
		{half, "the channels counted 50, but 100 is right"}} {
		known := []scenario{c.wrong, count}
		code, stdout, _ := try(t.Context(), known, "-scenario", "all", "-n", "100", "-json")
		if code != exitWrong || strings.Count(stdout, `"ok":false`) != 1 ||
			strings.Count(stdout, `"ok":true`) != 1 ||
			!strings.Contains(stdout, c.says) {
			t.Errorf("exit %d, want 1 and %q: %s", code, c.says, stdout)
		}
		code, stdout, _ = try(t.Context(), known, "-scenario", "all", "-n", "100")
		if code != exitWrong || !strings.Contains(stdout, "WRONG: "+c.says) {
			t.Errorf("exit %d, want 1 and %q: %s", code, c.says, stdout)
		}
	}
}

// "Ctrl-C: a clean stop, the summary so far, "ok":false, exit 130", in the middle of
// gallop's first turn, when its actor would run for ever.
func TestRun_InterruptedOnGallop(t *testing.T) {
	for _, asJSON := range []bool{true, false} {
		ctx, interrupt := context.WithCancel(t.Context())
		endless := broken(func(_ context.Context, sys *actor.System, _ job) <-chan uint64 {
			spinnerSpin.Send(sys,
				spinnerType.Spawn(sys, spinner{first: func(*actor.Context) { interrupt() }}),
				struct{}{})
			return nil
		})
		args := []string{"-scenario", "all", "-n", "100"}
		if asJSON {
			args = append(args, "-json")
		}
		code, stdout, stderr := try(ctx, []scenario{endless, count}, args...)
		if code != exitInterrupted || stderr != "" {
			t.Errorf("exit %d, stderr %q", code, stderr)
		}
		checkInterrupted(t, asJSON, stdout, "0 complete turns")
		if strings.Contains(stdout, "times as fast\n") {
			t.Errorf("an overview of nothing:\n%s", stdout)
		}
		if strings.Contains(stdout, "count:") || strings.Contains(stdout, `"count"`) {
			t.Errorf("the next scenario ran all the same:\n%s", stdout)
		}
	}
}

// The same in the middle of a turn of the channels, when gallop has already had one.
func TestRun_InterruptedOnChannels(t *testing.T) {
	for _, asJSON := range []bool{true, false} {
		ctx, interrupt := context.WithCancel(t.Context())
		s := pingpong
		s.channels = func(job) <-chan uint64 { interrupt(); return nil }
		args := []string{"-n", "100"}
		if asJSON {
			args = append(args, "-json")
		}
		code, stdout, _ := try(ctx, []scenario{s}, args...)
		if code != exitInterrupted {
			t.Errorf("exit %d", code)
		}
		checkInterrupted(t, asJSON, stdout, "1 complete turn:")
	}
}

func checkInterrupted(t *testing.T, asJSON bool, stdout, turns string) {
	t.Helper()
	want := []string{"interrupted after " + turns}
	if asJSON {
		want = []string{`"ok":false`, `"interrupted":true`, `"baseline_ns_per_op":null`}
	}
	for _, w := range want {
		if !strings.Contains(stdout, w) {
			t.Errorf("the output lacks %s:\n%s", w, stdout)
		}
	}
}

// A spinner keeps its system busy until the system is stopped, unless it runs once.
type spinner struct {
	first func(*actor.Context)
	once  bool // does nothing but one message
}

var (
	spinnerType = actor.NewType[spinner]("spinner")
	spinnerSpin = actor.Declare[struct{}](spinnerType, "spin")
	_           = spinnerType.Table(spinnerSpin.Handle((*spinner).spin))
)

func (s *spinner) spin(ctx *actor.Context, _ struct{}) {
	if s.once {
		return
	}
	s.first(ctx)
	spinnerSpin.Send(ctx, actor.Self[spinner](ctx), struct{}{})
}

// Something that no scenario does when all is well ends the turn at once and does not hang it.
func TestRun_TroubleExits1(t *testing.T) {
	for says, first := range map[string]func(*actor.Context){
		"a behaviour panicked":  func(*actor.Context) { panic("on purpose") },
		"a message was not run": func(ctx *actor.Context) { ctx.Stop() },
	} {
		s := broken(func(_ context.Context, sys *actor.System, _ job) <-chan uint64 {
			spinnerSpin.Send(sys, spinnerType.Spawn(sys, spinner{first: first}), struct{}{})
			return nil
		})
		code, stdout, _ := try(t.Context(), []scenario{s}, "-scenario", "broken", "-n", "100")
		if code != exitWrong || !strings.Contains(stdout, "WRONG: "+says) {
			t.Errorf("exit %d, want 1 and %q:\n%s", code, says, stdout)
		}
	}
}

// Other messages of the runtime go to their usual log.
func TestAlarm_LeavesTheRestToTheLog(t *testing.T) {
	var said []string
	var logged bytes.Buffer
	defer log.SetOutput(log.Writer())
	log.SetOutput(&logged)
	to := slog.New(failureLog{slog.Default().Handler(),
		func(format string, about any) { said = append(said, fmt.Sprintf(format, about)) }})
	to.Warn("gallop: long turn", "worker", 1, "stack", "one\n\ttwo")
	to.Warn(letterLogged, "actor", 7)
	if len(said) != 1 || said[0] != "a message was not run: actor=7" ||
		!strings.HasSuffix(logged.String(), "WARN gallop: long turn worker=1 stack=one\n\ttwo\n") ||
		strings.Contains(logged.String(), "letter") {
		t.Errorf("reported %q, logged %q", said, &logged)
	}
}

// A full disk or a closed pipe is no success, even if only the overview finds no room.
func TestRun_UnwritableOutputExits1(t *testing.T) {
	for begin, args := range map[string]string{"\npingpong: ": "-n 10",
		"\nscenario ": "-scenario all -n 10"} {
		var stderr bytes.Buffer
		code := command{known: []scenario{pingpong, count}, stdout: fullDisk{begin},
			stderr: &stderr}.run(t.Context(), strings.Fields(args))
		if code != exitWrong || stderr.String() != "pingpong: "+io.ErrShortWrite.Error()+"\n" {
			t.Errorf("%s: exit %d, stderr %q", args, code, &stderr)
		}
	}
}

// fullDisk has no room for a text with that beginning.
type fullDisk struct{ begin string }

func (d fullDisk) Write(p []byte) (int, error) {
	if bytes.HasPrefix(p, []byte(d.begin)) {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}

// TestRun_ManyWorkers: all scenarios come out right with far more workers than processors, and than
// there are bits in the scheduler's idle word.
func TestRun_ManyWorkers(t *testing.T) {
	counts := []string{"57", "192", "1024"}
	if testing.Short() {
		counts = []string{"192"}
	}
	for _, workers := range counts {
		code, _, stderr := try(t.Context(), registry, "-scenario", "all", "-n", "1000", "-rounds", "1",
			"-workers", workers)
		if code != exitOK {
			t.Errorf("%s workers: exit %d\n%s", workers, code, stderr)
		}
	}
}
