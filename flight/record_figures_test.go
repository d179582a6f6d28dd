//go:build gallop_figures

package flight_test

import (
	"testing"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/internal/invariant"
)

// TestRecorder_AllocatesNothing: a recorded message allocates nothing.
func TestRecorder_AllocatesNothing(t *testing.T) {
	if invariant.On {
		return // with checks each message allocates anyway
	}
	sys := start(t, actor.WithWorkers(1))
	record(t, sys)
	a := pilotType.Spawn(sys, pilot{})
	const messages = 10_000
	perRun := testing.AllocsPerRun(20, func() {
		do.Send(sys, a, func(p *pilot, c *actor.Context) { again(c, messages) })
		quiet(t, sys)
	})
	if perRun > messages/100 {
		t.Errorf("%v allocations for %d messages", perRun, messages)
	}
}
