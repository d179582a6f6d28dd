package inspect_test

import (
	"bytes"
	"runtime/trace"
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/inspect"
)

// TestRegions: the trace has the name of a behaviour once its n-th message has run, and not after
// stop.
func TestRegions(t *testing.T) {
	for name, c := range map[string]struct {
		oneIn, sends int
		stopped      bool
		want         bool
	}{
		"each":    {1, 1, false, true},
		"few":     {10, 9, false, false},
		"enough":  {10, 10, false, true},
		"default": {0, 1023, false, false},
		"stopped": {1, 10, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			sys := start(t, actor.WithWorkers(1))
			r := probedType.Spawn(sys, doll{})
			stop := inspect.Regions(sys, c.oneIn, "probed")
			defer stop()
			if c.stopped {
				stop()
			}
			hear.Send(sys, r, 1) // while there is no trace
			quiet(t, sys)
			var out bytes.Buffer
			if err := trace.Start(&out); err != nil {
				t.Skip("there is a trace already:", err) // that of go test -trace
			}
			for range c.sends {
				hear.Send(sys, r, 1)
			}
			quiet(t, sys)
			trace.Stop()
			equal(t, "in the trace", bytes.Contains(out.Bytes(), []byte("probed.hear")), c.want)
		})
	}
}

// TestRegions_Panic: a region that a panic has left open ends with the next message.
func TestRegions_Panic(t *testing.T) {
	sys := start(t, actor.WithWorkers(1))
	stop := inspect.Regions(sys, 1)
	defer stop()
	var out bytes.Buffer
	if err := trace.Start(&out); err != nil {
		t.Skip("there is a trace already:", err) // that of go test -trace
	}
	defer trace.Stop()
	do.Send(sys, dollType.Spawn(sys, doll{}), func(*doll, *actor.Context) { panic("over") })
	quiet(t, sys)
	count.Send(sys, dollType.Spawn(sys, doll{}), 1)
	quiet(t, sys)
	equal(t, "panics", sys.Stats().Panics, 1)
	equal(t, "messages", sys.Stats().Messages, 2)
}

func TestRegions_Misuse(t *testing.T) {
	defer func() {
		equal(t, "panic", recover(), any("gallop: observe.Regions with a negative number"))
	}()
	inspect.Regions(start(t), -1)
}
