package main

import (
	"strings"
	"testing"
)

// collecting counts the GC percentages on the channels' side.
var collecting = scenario{name: "collecting", op: "percent", ops: "percent",
	actors: pingpong.actors, want: func(int) uint64 { return 100 },
	channels: func(job) <-chan uint64 {
		out := make(chan uint64, 1)
		if percent := gogc(); percent != nil {
			out <- *percent
		}
		return out
	}}

// TestCollector: both sides have GOGC=400, unless the environment says otherwise, and the figures
// say which.
func TestCollector(t *testing.T) {
	for environment, want := range map[string]string{"": `"gogc":400`, "50": `"gogc":50`,
		"off": `"gogc":null`} {
		t.Setenv("GOGC", environment)
		code, stdout, stderr := tryApart(t.Context(), []scenario{pingpong, ring}, nil, "-json",
			"-baseline=false")
		if code != exitOK || strings.Count(stdout, want+",") != 2 {
			t.Errorf("GOGC=%s: exit %d, no %s:\n%s%s", environment, code, want, stdout, stderr)
		}
	}
}

// TestCollector_OfTheChannels: so has the process of the channels.
func TestCollector_OfTheChannels(t *testing.T) {
	for environment, want := range map[string]string{"": "the channels counted 400,",
		"50": "the channels counted 50,"} {
		t.Setenv("GOGC", environment)
		code, stdout, stderr := tryApart(t.Context(), []scenario{collecting, pingpong}, nil,
			"-json")
		if code != exitWrong || !strings.Contains(stdout, want) {
			t.Errorf("GOGC=%s: exit %d, not %q:\n%s%s", environment, code, want, stdout, stderr)
		}
	}
}
