package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// The scenarios that only the processes started by these tests know.
var (
	// retainer leaves memory that Go never frees: descriptors of very many goroutines.
	retainer = scenario{name: "retainer", op: "goroutine", ops: "goroutines",
		actors: pingpong.actors,
		channels: func(j job) <-chan uint64 {
			var all, held sync.WaitGroup
			held.Add(1)
			for range 100_000 {
				all.Go(held.Wait)
			}
			held.Done()
			all.Wait()
			return pingpong.channels(j)
		}}
	// endless never ends, and says when it has begun.
	endless = scenario{name: "endless", op: "spin", ops: "spins", channels: pingpong.channels,
		actors: func(_ context.Context, sys *actor.System, _ job) <-chan uint64 {
			var once sync.Once
			begun := func(*actor.Context) { once.Do(func() { fmt.Fprintln(os.Stderr, "begun") }) }
			spinnerSpin.Send(sys, spinnerType.Spawn(sys, spinner{first: begun}), struct{}{})
			return nil
		}}
	// miscounted wants one more than there is.
	miscounted = scenario{name: "miscounted", op: "message", ops: "messages",
		actors: pingpong.actors, channels: pingpong.channels,
		want: func(n int) uint64 { return uint64(n) + 1 }}
	// lost takes its process with it.
	lost = scenario{name: "lost", op: "loss", ops: "losses", channels: pingpong.channels,
		actors: func(context.Context, *actor.System, job) <-chan uint64 { os.Exit(3); return nil }}
	// signaled is interrupted as if it had not seen that yet, and killedBy is told to end in the
	// same way.
	signaled, killedBy = signaledBy("signaled", os.Interrupt), signaledBy("killed", syscall.SIGTERM)
)

func signaledBy(name string, s os.Signal) scenario {
	return scenario{name: name, op: "stroke", ops: "strokes", channels: pingpong.channels,
		actors: func(context.Context, *actor.System, job) <-chan uint64 {
			signal.Reset(s)
			self, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = self.Signal(s)
			}
			fmt.Fprintln(os.Stderr, err)
			select {}
		}}
}

// tryApart is try with a process for each scenario. If onStderr is not nil, it is called when one
// of them writes to stderr.
func tryApart(ctx context.Context, known []scenario, onStderr func(),
	args ...string) (code int, stdout, stderr string) {
	var out bytes.Buffer
	errs := listener{heard: onStderr}
	code = command{known: known, stdout: &out, stderr: &errs}.run(ctx,
		append([]string{"-scenario", "all", "-n", "100", "-rounds", "1"}, args...))
	return code, out.String(), errs.said.String()
}

type listener struct {
	said  bytes.Buffer // no part of it: Copy would read into it by ReadFrom
	heard func()
}

func (l *listener) Write(p []byte) (int, error) {
	if l.heard != nil {
		l.heard()
	}
	return l.said.Write(p)
}

// lines are the figures that -json has printed.
func lines(t *testing.T, stdout string) (all []figures) {
	t.Helper()
	for line := range strings.Lines(stdout) {
		var f figures
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatal(err, line)
		}
		all = append(all, f)
	}
	return all
}

// The processes get the same flags.
func TestApart_PassesFlagsOn(t *testing.T) {
	_, stdout, stderr := tryApart(t.Context(), []scenario{ask, count}, nil,
		"-json", "-n", "321", "-workers", "3", "-seed", "77", "-rounds", "2", "-baseline=false")
	all := lines(t, stdout)
	if len(all) != 2 {
		t.Fatalf("stderr %q: %s", stderr, stdout)
	}
	for i, f := range all {
		if f.N != 321 || f.Workers != 3 || f.Seed != 77 || f.Rounds != 2 ||
			f.BaselineNsPerOp != nil || f.Scenario != []string{"ask", "count"}[i] {
			t.Errorf("%+v", f)
		}
	}
}

// "Ctrl-C": the running scenario ends with its results so far, no other begins, and finished
// scenarios are in the overview.
func TestApart_InterruptedHasAnOverview(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	code, stdout, stderr := tryApart(ctx, []scenario{ask, endless, count}, interrupt)
	if code != exitInterrupted || stderr != "begun\n" {
		t.Errorf("exit %d, stderr %q", code, stderr)
	}
	summaries, table, _ := strings.Cut(stdout, "\nscenario ")
	if !strings.Contains(summaries, "\nendless: ") ||
		!strings.Contains(summaries, "interrupted after 0 complete turns") ||
		strings.Contains(summaries, "\ncount: ") {
		t.Errorf("the summaries:\n%s", summaries)
	}
	if !strings.Contains(table, "times as fast\nask ") || strings.Count(table, "\n") != 2 {
		t.Errorf("the overview:\n%s", table)
	}
}

// A process that is interrupted before it sees that: there is no error, and the scenarios that
// have finished are in the overview.
func TestApart_StruckIsInterrupted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no signal for one process") // it is the end of its input there
	}
	for _, s := range []scenario{signaled, killedBy} {
		code, stdout, stderr := tryApart(t.Context(), []scenario{ask, s, count}, nil)
		if code != exitInterrupted || strings.Contains(stderr, "pingpong:") ||
			!strings.Contains(stdout, "times as fast\nask ") {
			t.Errorf("%s: exit %d, stderr %q: %s", s.name, code, stderr, stdout)
		}
	}
}

// A process that dies is named, with its cause of death.
func TestApart_LostProcessExits1(t *testing.T) {
	code, stdout, stderr := tryApart(t.Context(), []scenario{lost, count}, nil)
	if code != exitWrong || stdout != "" ||
		stderr != "pingpong: lost in a process of its own: exit status 3\n" {
		t.Errorf("exit %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}

// Scenarios that have finished before a process is lost are in the overview.
func TestApart_LostProcessHasAnOverview(t *testing.T) {
	code, stdout, stderr := tryApart(t.Context(), []scenario{ask, lost, count}, nil)
	_, table, _ := strings.Cut(stdout, "\nscenario ")
	if code != exitWrong || !strings.Contains(stderr, "lost in a process of its own") ||
		!strings.Contains(table, "times as fast\nask ") {
		t.Errorf("exit %d, stderr %q: %s", code, stderr, stdout)
	}
}

// A wrong count in a process of its own is just as wrong, and the other scenarios run.
func TestApart_WrongCountExits1(t *testing.T) {
	code, stdout, _ := tryApart(t.Context(), []scenario{miscounted, count}, nil)
	if code != exitWrong || !strings.Contains(stdout,
		"WRONG: gallop counted 100, but 101 is right") || !strings.Contains(stdout, "\ncount ") {
		t.Errorf("exit %d: %s", code, stdout)
	}
}
