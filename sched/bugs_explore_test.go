//go:build gallop_explore

package sched

import (
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
)

// TestBug_K12_DiagnosisDisturbsNoWorker: asking for figures while workers fall asleep wakes none,
// and work from outside is run.
func TestBug_K12_DiagnosisDisturbsNoWorker(t *testing.T) {
	roam(t, func(p *explore.Program) {
		h := newHouse(p, 2, p.Daemon)
		h.addIdleWorkers(1, p.Daemon)
		for i := range 2 {
			j := h.job(fmt.Sprint("job ", i), nil)
			p.Go(func() { h.s.Inject(&j.Task) })
		}
		p.Go(func() {
			for range 2 {
				h.s.Counters()
				h.s.DetachedStats()
			}
		})
		p.After(h.noneDetached)
	})
}
