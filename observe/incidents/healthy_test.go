package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"
)

var (
	healthyRuns = flag.Int("healthy.runs", 1, "runs of the healthy service")
	healthyFor  = flag.Duration("healthy.for", 2*time.Minute, "how long each lasts")
)

// TestHealthy looks at the service without an incident. There is no finding, from its start on,
// neither with some load nor with as much as it can bear.
func TestHealthy(t *testing.T) {
	if testing.Short() {
		*healthyFor = 15 * time.Second
	}
	for i := range *healthyRuns {
		for name, load := range map[string]int{"some": someLoad, "full": fullLoad} {
			t.Run(fmt.Sprint(name, "-", i), func(t *testing.T) { healthy(t, load) })
		}
	}
}

// remembered is how long a finding stays after its last signal, and some more.
const remembered = 15 * time.Second

func healthy(t *testing.T, load int) {
	p := play(t, incident{name: "", load: load})
	ctx, cancel := context.WithTimeout(t.Context(), *healthyFor)
	defer cancel()
	others, looks, busy, messages := othersUse(p.pid), 0, 0.0, 0.0
	var starved time.Time     // when others last used the processors
	found := map[string]int{} // looks, by rule
	p.stream(ctx, func(o overview) bool {
		looks++
		if othersUse(p.pid)-others > time.Second/2 {
			starved = time.Now()
		}
		others = othersUse(p.pid)
		busy += o.System.Utilisation
		messages += o.System.PerSecond.Messages
		for _, f := range o.Lints {
			if f.Severity == "info" {
				continue
			}
			if f.Rule == "no-processor" && time.Since(starved) < remembered {
				continue // that is true
			}
			if found[f.Rule]++; found[f.Rule] == 1 {
				t.Errorf("look %d: %s, %s: %s", looks, f.Severity, f.Rule, f.Text)
			}
		}
		return true
	})
	t.Logf("%d looks, %.0f messages a second, workers busy %.0f %%, found %v", looks,
		messages/float64(looks), 100*busy/float64(looks), found)
	if float64(looks) < healthyFor.Seconds()/2 {
		t.Errorf("%d looks only", looks)
	}
}

// othersUse returns the processor time of all programs but one since the machine started; 0 if the
// kernel does not say.
func othersUse(pid int) time.Duration {
	all, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	line, _, _ := bytes.Cut(all, []byte("\n"))
	return ticks(bytes.Fields(line)[1:4]) - use(pid) // user, nice, system
}

// use returns the processor time of a process; 0 if the kernel does not say.
func use(pid int) time.Duration {
	own, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(own, []byte(") "))
	return ticks(bytes.Fields(rest)[11:13]) // user, system
}

// ticks adds up times of /proc.
func ticks(fields [][]byte) (sum time.Duration) {
	for _, f := range fields {
		n, _ := strconv.Atoi(string(f)) // 0 if it is no number
		sum += time.Duration(n) * 10 * time.Millisecond
	}
	return sum
}
