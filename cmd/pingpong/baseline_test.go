package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// The scenarios whose channels run only in their own process.
var (
	// gone takes the process of the channels with it.
	gone = scenario{name: "gone", op: "loss", ops: "losses", actors: pingpong.actors,
		channels: func(job) <-chan uint64 { os.Exit(3); return nil }}
	// stuck never ends, and says when it has begun.
	stuck = scenario{name: "stuck", op: "wait", ops: "waits", actors: pingpong.actors,
		channels: func(job) <-chan uint64 { fmt.Fprintln(os.Stderr, "begun"); return nil }}
	// shaken is interrupted, as all processes of a terminal are, and told to end, as all processes
	// of a group are.
	shaken = scenario{name: "shaken", op: "message", ops: "messages", actors: pingpong.actors,
		channels: func(j job) <-chan uint64 {
			if self, err := os.FindProcess(os.Getpid()); err == nil {
				_ = self.Signal(os.Interrupt) // there is neither on Windows
				_ = self.Signal(syscall.SIGTERM)
			}
			return pingpong.channels(j)
		}}
)

// tryBeside is try for one scenario whose channels have a process of their own.
func tryBeside(ctx context.Context, s scenario, onStderr func(),
	args ...string) (code int, stdout, stderr string) {
	var out bytes.Buffer
	errs := listener{heard: onStderr}
	code = command{known: []scenario{s}, stdout: &out, stderr: &errs}.run(ctx,
		append([]string{"-json", "-scenario", s.name, "-n", "100"}, args...))
	return code, out.String(), errs.said.String()
}

// The channels' process counts as this one would, with the same size and seed.
func TestRival_CountRight(t *testing.T) {
	for _, s := range []scenario{count, chameneos, skynet} {
		for _, n := range []string{"7", "2500"} {
			code, stdout, stderr := tryBeside(t.Context(), s, nil, "-n", n, "-seed", "77",
				"-rounds", "2")
			if code != exitOK || stderr != "" {
				t.Errorf("%s of %s: exit %d, stderr %q: %s", n, s.name, code, stderr, stdout)
			}
		}
	}
}

// "Ctrl-C" while the channels run: the summary so far is printed, and the process has ended when
// the command ends.
func TestRival_Interrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	code, stdout, stderr := tryBeside(ctx, stuck, interrupt)
	if code != exitInterrupted || stderr != "begun\n" {
		t.Errorf("exit %d, stderr %q", code, stderr)
	}
	if f := lines(t, stdout); len(f) != 1 || !f[0].Interrupted || f[0].OK || f[0].Rounds != 1 ||
		f[0].BaselineNsPerOp != nil {
		t.Errorf("%s", stdout)
	}
}

// A terminal's Ctrl-C, or a group's SIGTERM, reaches the channels' process too. That process leaves
// the decision to gallop's.
func TestRival_IgnoresSignals(t *testing.T) {
	code, stdout, stderr := tryBeside(t.Context(), shaken, nil, "-rounds", "2")
	if f := lines(t, stdout); code != exitOK || stderr != "" || len(f) != 1 ||
		f[0].BaselineRounds != 2 {
		t.Errorf("exit %d, stderr %q: %s", code, stderr, stdout)
	}
}

// A signal to the group ends the channels' process before that ignores it, and this process has not
// heard of it yet.
func TestRival_StruckIsInterrupted(t *testing.T) {
	if runtime.GOOS == "windows" {
		// only other systems report the signal that ended a process
		t.Skip("there is no signal for one process")
	}
	for _, s := range []scenario{signaled, killedBy} { // in place of the channels' process
		var out, errs bytes.Buffer
		early := measureBeside(func(_ scenario, opts options, stderr io.Writer) (baseline, error) {
			opts.baseline = false
			p, err := opts.part(s, scenarioPart)
			if err != nil {
				return nil, err
			}
			return startBaselineProcess(p, stderr)
		})
		code := command{known: registry, stdout: &out, stderr: &errs,
			measure: early}.run(t.Context(), []string{"-json", "-n", "100"})
		if f := lines(t, out.String()); code != exitInterrupted || len(f) != 1 ||
			!f[0].Interrupted || f[0].OK || f[0].Rounds != 1 {
			t.Errorf("%s: exit %d, stderr %q: %s", s.name, code, &errs, &out)
		}
	}
}

// This process hears of an interruption only when the channels' process is gone.
func TestRival_LostWhenInterrupted(t *testing.T) {
	r, err := startBaseline(gone, options{rounds: 1}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	if got := r.turn(hearsLate{t.Context()}, job{n: 1}, &progress{}, 0); !errors.Is(got.err,
		errInterrupted) {
		t.Errorf("%+v", got)
	}
}

// hearsLate is a context that has ended, but whose Done is never closed.
type hearsLate struct{ context.Context }

func (hearsLate) Err() error { return context.Canceled }

// A process that dies is named, with its cause of death, and gallop's figures are shown.
func TestRival_LostProcessExits1(t *testing.T) {
	code, stdout, stderr := tryBeside(t.Context(), gone, nil)
	if code != exitWrong || stderr != "" ||
		!strings.Contains(stdout, `"error":"the channels' process: exit status 3"`) {
		t.Errorf("exit %d, stderr %q: %s", code, stderr, stdout)
	}
}

// A process that is gone before its next turn is named as well, with its cause of death.
func TestRival_LostBetweenTurns(t *testing.T) {
	r, err := startBaseline(gone, options{rounds: 2}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	for i := range 2 {
		got := r.turn(t.Context(), job{n: 1}, &progress{}, 0)
		if want := "the channels' process: exit status 3"; got.err == nil ||
			got.err.Error() != want {
			t.Errorf("turn %d: %v, want %s", i, got.err, want)
		}
	}
}

// A turn begins only after the reader of the orders has had time to wait for the next one: in the
// kernel, and not on the way there.
func TestTakeTurns_ReaderIsInTheKernel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns, ended, began := 0, false, time.Now()
		err := takeTurns(strings.NewReader("\n\n"), func() { ended = true }, func() error {
			turns++
			if took := time.Since(began); took < time.Duration(turns)*warmDelay {
				t.Errorf("turn %d begins after %v", turns, took)
			}
			return nil
		})
		if err != nil || turns != 2 || !ended {
			t.Errorf("%d turns, ended: %v, %v", turns, ended, err)
		}
	})
}
