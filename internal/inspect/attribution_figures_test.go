//go:build gallop_figures

package inspect_test

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/inspect"
)

// burner computes, in behaviours of different weight.
type burner struct{ sum uint64 }

//go:noinline
func burnLight(b *burner) {
	for i := range uint64(20_000) {
		b.sum += i * b.sum
	}
}

//go:noinline
func burnHeavy(b *burner) {
	for i := range uint64(60_000) {
		b.sum += i * b.sum
	}
}

var (
	burnerType = actor.NewType[burner]("burner")
	light      = actor.Declare[int](burnerType, "light")
	heavy      = actor.Declare[int](burnerType, "heavy")
	_          = burnerType.Table(
		light.Handle(func(b *burner, _ *actor.Context, _ int) { burnLight(b) }),
		heavy.Handle(func(b *burner, _ *actor.Context, _ int) { burnHeavy(b) }))
)

// "a profile of a known mix attributes ≥ 95 % of samples to the right (type, behaviour)": the
// labels of each sample are compared with the functions on its stack. The nightly form profiles for
// longer.
func TestLabels_Attribution(t *testing.T) {
	work := 2 * time.Second
	if nightly(0, 1) == 1 {
		work = 10 * time.Second
	}
	sys := start(t)
	inspect.Labels(sys)
	all := []actor.Ref[burner]{burnerType.Spawn(sys, burner{1}), burnerType.Spawn(sys, burner{1})}
	file := filepath.Join(t.TempDir(), "cpu")
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := pprof.StartCPUProfile(out); err != nil {
		t.Skip(err) // they are being profiled themselves
	}
	for begin := time.Now(); time.Since(begin) < work; {
		for i := range 60 { // a mix: each behaviour after itself, and after the other
			for _, r := range all {
				if i%5 < 3 {
					light.Send(sys, r, i)
				} else {
					heavy.Send(sys, r, i)
				}
			}
		}
		quiet(t, sys)
	}
	pprof.StopCPUProfile()
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	right, wrong := attributed(t, file)
	t.Logf("%d samples are attributed right, %d wrong", right, wrong)
	if right < 5 || 20*wrong > right+wrong {
		t.Errorf("%d samples are attributed right, %d wrong", right, wrong)
	}
}

var (
	sampleLine   = regexp.MustCompile(`^ +(\d+) +\d+:((?: \d+)+)`)
	labelLine    = regexp.MustCompile(`gallop\.behaviour:\[(\w+)\].*`)
	locationLine = regexp.MustCompile(`^ +(\d+): 0x[0-9a-f]+ .*inspect_test\.burn(Light|Heavy) `)
)

// attributed counts the samples with one of the burning functions on the stack, by whether their
// labels say so.
func attributed(t *testing.T, file string) (right, wrong int) {
	raw, err := exec.Command("go", "tool", "pprof", "-raw", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	type sample struct {
		at     []string
		labels string
	}
	var samples []sample
	burns := map[string]string{}
	for lines := bufio.NewScanner(bytes.NewReader(raw)); lines.Scan(); {
		line := lines.Text()
		if m := sampleLine.FindStringSubmatch(line); m != nil {
			samples = append(samples, sample{at: strings.Fields(m[2])})
		} else if m := labelLine.FindStringSubmatch(line); m != nil && len(samples) > 0 {
			samples[len(samples)-1].labels += m[1] + line
		} else if m := locationLine.FindStringSubmatch(line); m != nil {
			burns[m[1]] = strings.ToLower(m[2])
		}
	}
	for _, s := range samples {
		for _, at := range s.at {
			if of := burns[at]; of != "" {
				if strings.HasPrefix(s.labels, of) && strings.Contains(s.labels, "burner") {
					right++
				} else {
					wrong++
				}
				break
			}
		}
	}
	return right, wrong
}
