//go:build gallop_figures

package policy

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestInspectIsFree (O1a): a message is sent and run by the same instructions in a program that
// looks into itself with package internal/inspect as in one that does not; and a program without it has
// none of its functions. The same holds of package flight (O3a).
func TestInspectIsFree(t *testing.T) {
	without, with := linked(t, "hello"), linked(t, "inspecting")
	for _, f := range []string{
		`kernel.\(\*TypeInSystem\).RunTask`, `kernel.\(\*Cell\).runSegment`, `kernel.\(\*Cell\).account`,
		`kernel.\(\*Turn\).Send`, `kernel.\(\*Cell\).Init`, `kernel.\(\*Cell\).refillPending`,
		`sched.\(\*Worker\).serve`, `sched.\(\*Worker\).nextTask`, `sched.\(\*Worker\).Schedule`,
	} {
		a, b := instructions(t, without, f), instructions(t, with, f)
		if len(a) < 10 {
			t.Errorf("%s has only %d instructions", f, len(a))
		}
		if a, b := strings.Join(a, "\n"), strings.Join(b, "\n"); a != b {
			t.Errorf("%s has other instructions with package inspect:\n%s\nwithout:\n%s", f, b, a)
		}
	}
	out, err := exec.Command("go", "tool", "nm", without).Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		if inspects.MatchString(line) {
			t.Errorf("a program without package inspect has %s", line)
		}
	}
}

// inspects matches the symbols that only the packages inspect and flight need: their own, and the
// functions of the kernel that they alone call.
var inspects = regexp.MustCompile(`gallop/(internal/inspect|flight)\.|flightlog\.\(\*|` +
	`internal/kernel\.(Glimpse|PeekBegun|PeekLoad|PeekSuspended|peekID|lookAtState|delayProbe|` +
	`\(\*System\)\.(Inspect|EachT|EachW|BlockedGlimpse|Holders)|` +
	`\(\*Cell\)\.(Found|LookAtState|Probe)|\(\*TypeInfo\)\.FlightIndex|\(\*Turn\)\.SetRing)`)

// address matches the addresses of code and data, which differ between two programs.
var address = regexp.MustCompile(`0x[0-9a-f]{5,}|[-+]?0x[0-9a-f]+\(IP\)|\S+\(SB\)`)

// instructions returns those of a function, without addresses.
func instructions(t *testing.T, bin, function string) (all []string) {
	t.Helper()
	out, err := exec.Command("go", "tool", "objdump", "-s", "/"+function+"$", bin).Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		if column := strings.Fields(line); len(column) > 3 && strings.HasPrefix(column[1], "0x") {
			all = append(all, address.ReplaceAllString(strings.Join(column[3:], " "), "at"))
		}
	}
	return all
}
