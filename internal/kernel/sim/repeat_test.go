package sim_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gallop-go/gallop/internal/kernel/sim"
)

// TestRepeats: "it says if one seed gives two orders, or all seeds give one".
func TestRepeats(t *testing.T) {
	runs := 0
	for say, program := range map[string]func(h *sim.Hooks, seed uint64) string{
		"": func(h *sim.Hooks,
			seed uint64) string {
			h.Event(sim.Event{Actor: seed})
			return ""
		},
		"8 seeds gave one order": func(h *sim.Hooks,
			_ uint64) string {
			h.Event(sim.Event{})
			return ""
		},
		`line 1 was "1", and then "2"`: func(*sim.Hooks, uint64) string { runs++; return fmt.Sprint(runs) },
		"seed 0 is not the same run twi": func(h *sim.Hooks,
			_ uint64) string {
			runs++
			return strings.Repeat("\n", runs)
		},
	} {
		orders, err := sim.Repeats(program)
		if (err == nil) != (say == "") || err != nil && !strings.Contains(err.Error(), say) &&
			!strings.Contains(err.Error(), "seed 0") {
			t.Errorf("%v, want %q", err, say)
		}
		if err == nil && orders != sim.Seeds() {
			t.Errorf("%d orders of %d seeds", orders, sim.Seeds())
		}
	}
}
