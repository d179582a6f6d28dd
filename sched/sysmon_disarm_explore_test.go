//go:build gallop_explore

package sched

import (
	"fmt"
	"testing"
	"time"

	"github.com/gallop-go/gallop/internal/explore"
	"github.com/gallop-go/gallop/internal/seam"
)

// leapingClock leaps so far at each reading that the monitor counts as armed rarely.
type leapingClock struct {
	seam.SystemClock
	now int64
}

// Nanos implements Clock.
func (c *leapingClock) Nanos() int64 { c.now += 2 * armedRarely; return c.now }

// disarming has a number of workers, and threads that ask and send. The monitor's timer expires up
// to ticks times, after any step, and its function runs after any later step.
func disarming(workers, asks, sends, ticks int) func(*explore.Program) {
	return func(p *explore.Program) {
		h := newHouse(p, workers, p.Daemon)
		s, m := h.s, &h.s.monitor
		s.cfg.Clock, s.cfg.LongTurn, s.cfg.OnLongTurn = new(leapingClock), time.Hour, func(*Worker,
			time.Duration) {
		}
		m.ended, m.timer = false, seam.HeldTimer()
		m.armed.Store(false)
		for i := range sends {
			j := h.job(fmt.Sprint("send ", i), nil)
			p.Go(func() { s.Inject(&j.Task) })
		}
		for i := range asks {
			j := h.job(fmt.Sprint("ask ", i), nil)
			p.Go(func() {
				if a, ok := s.Admit(); ok {
					a.InjectTimed(&j.Task, false)
					s.TimeTurns()
				}
			})
		}
		for range ticks {
			p.Go(func() {
				seam.Point()
				if m.timer.Expire() {
					seam.Point()
					m.tick()
				}
			})
		}
		p.After(func() error {
			if armed, set := m.armed.Load(), m.timer.Expire(); armed != set {
				return fmt.Errorf("armed: %v, and its timer is set: %v", armed, set)
			}
			return h.allRan()
		})
	}
}

// TestDisarm_Explored: the monitor's timer runs if and only if the monitor is armed; otherwise it
// would look no more. No goroutine waits for a lock that it holds itself.
func TestDisarm_Explored(t *testing.T) {
	for _, c := range [][4]int{{1, 1, 1, 1}, {1, 1, 2, 1}, {2, 1, 1, 1}, {1, 2, 2, 2}, {2, 2, 2, 1}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) { roam(t, disarming(c[0], c[1], c[2], c[3])) })
	}
}
