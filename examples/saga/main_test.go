package main

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

// TestSaga: after any crashes, each transfer is done or undone, once, and no money is lost or made.
func TestSaga(t *testing.T) {
	for _, style := range []string{inActors, inProcesses} {
		for _, faults := range []float64{0, 0.1, 0.3} {
			t.Run(fmt.Sprint(style, faults), func(t *testing.T) {
				testSaga(t, newBank(accounts, start, faults, style))
			})
		}
	}
}

func testSaga(t *testing.T, b *bank) {
	const n = 100
	defer b.sys.Stop()
	done, refused, err := b.transfers(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	if done+refused != n || done == 0 || refused == 0 {
		t.Errorf("%d done, %d refused", done, refused)
	}
	if got := b.disk.total(); got != accounts*start {
		t.Errorf("%d of %d are left", got, accounts*start)
	}
	if crashes := b.sys.Stats().Panics; (crashes > 0) != (b.faults > 0) {
		t.Errorf("%d crashes", crashes)
	}
	b.audit(t)
}

// audit checks the steps: each amount taken was given, or given back.
func (b *bank) audit(t *testing.T) {
	moved := map[int]int{}
	for s, err := range b.disk.done {
		if err == nil {
			moved[s.transfer] += s.amount
		}
	}
	for id, sum := range moved {
		if sum != 0 {
			t.Errorf("transfer %d is off by %d", id, sum)
		}
	}
}

// TestDemo: the output in the README, except for the number of crashes.
func TestDemo(t *testing.T) {
	var out strings.Builder
	if err := demo(&out, 100, 0.05, inProcesses); err != nil {
		t.Fatal(err)
	}
	var done, refused, crashes int
	if _, err := fmt.Sscanf(out.String(),
		"100 transfers: %d done, %d refused and undone\n%d crashes\nmoney at the start 1000, at "+
			"the end 1000\n",
		&done, &refused, &crashes); err != nil || done+refused != 100 || crashes == 0 {
		t.Errorf("it prints\n%s%v", &out, err)
	}
}

// Bad arguments print an error and the usage, exit with 2, and run nothing.
func TestRun_BadArgumentsExit2WithUsage(t *testing.T) {
	for args, says := range map[string]string{
		"-faults 2": "-faults is 2", "-faults -1": "-faults is -1",
		"-faults 0.51": "-faults is 0.51", "-faults NaN": "-faults is NaN",
		"-n -1": "-n is -1", "-n 0": "-n is 0", "-n x": "invalid value", "-x": "not defined",
		"-style x":  `-style is "x"`,
		"-n 5 more": `unexpected argument "more"`,
	} {
		var stdout, stderr strings.Builder
		code := run(strings.Fields(args), &stdout, &stderr)
		if code != 2 || stdout.Len() > 0 || !strings.Contains(stderr.String(), says) ||
			!strings.Contains(stderr.String(), "Usage of saga:") {
			t.Errorf("%s: exit %d, stdout %q, stderr %q, want %q", args, code, &stdout, &stderr,
				says)
		}
	}
	if code := run([]string{"-h"}, io.Discard, io.Discard); code != 0 {
		t.Errorf("-h: exit %d", code)
	}
}

// Too many transfers are rejected.
func TestParse_TooMany(t *testing.T) {
	for n, want := range map[string]string{
		"10000000": "", "10000001": "saga: -n is 10000001; it must be from 1 to 10000000\nUsage " +
			"of saga:", "2147483647": "saga: -n is 2147483647; it must be",
	} {
		var stderr strings.Builder
		_, _, _, err := parse([]string{"-n", n}, &stderr)
		if (err != nil) != (want != "") || !strings.HasPrefix(stderr.String(), want) {
			t.Errorf("-n %s: %v, %q, want %q", n, err, &stderr, want)
		}
	}
}
