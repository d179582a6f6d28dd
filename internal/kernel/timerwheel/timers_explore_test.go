//go:build gallop_explore

package timerwheel

import (
	"fmt"
	"testing"
	"time"

	"github.com/gallop-go/gallop/internal/explore"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// alarmWorld is the alarm of a system and its shards under exploration: threads arm timers, time
// passes, the alarm rings, and workers run the shards.
type alarmWorld struct {
	p     *explore.Program
	t     Timers
	now   int64
	at    int64 // the time at which the alarm rings; 0: it is not set
	runs  []*Shard
	whose *sched.Task      // the owner of all timers
	own   map[*Shard]int   // how often a shard is queued or runs
	left  map[uint32]int64 // times of timers that were armed and have not fired, by number<<1|shard
}

// The world is the clock and its alarm.
func (w *alarmWorld) Now() time.Time             { return time.Unix(0, w.now) }
func (w *alarmWorld) Nanos() int64               { return w.now }
func (w *alarmWorld) NewAlarm(func()) seam.Alarm { return w }
func (w *alarmWorld) Flows() bool                { return false }
func (w *alarmWorld) Set(at int64)               { w.at = at }
func (w *alarmWorld) Stop()                      { w.at = 0 }
func (w *alarmWorld) start(_ *sched.Worker, s *Shard) {
	w.runs = append(w.runs, s)
	if w.own[s]++; w.own[s] > 1 {
		w.p.Errorf("a shard has %d owners", w.own[s])
	}
}

// arm arms one timer for each delay.
func (w *alarmWorld) arm(shard int, delays ...int64) {
	for _, d := range delays {
		s := &w.t.shards[shard]
		s.mu.Lock()
		n, k := s.slab.take()
		k.live, k.Owner = true, w.whose
		s.mu.Unlock()
		w.p.Point()
		now := w.now
		w.left[n<<1|uint32(shard)] = now + d
		s.Rearm(nil, n, k, now+d, now)
	}
}

// pass lets time pass.
func (w *alarmWorld) pass(until int64) {
	for w.now < until {
		w.p.Point()
		w.now++
	}
}

func (w *alarmWorld) ring() {
	for {
		w.p.Await(func() bool { return w.at != 0 && w.at <= w.now })
		w.at = 0
		w.t.ring()
	}
}

func (w *alarmWorld) work() {
	for {
		w.p.Await(func() bool { return len(w.runs) > 0 })
		s := w.runs[0]
		w.runs = w.runs[1:]
		s.take(w.now)
		for _, d := range s.due {
			m := d.Number << 1
			if s == &w.t.shards[1] {
				m |= 1
			}
			if w.left[m] > w.now {
				w.p.Errorf("a timer of %d fired at %d", w.left[m], w.now)
			}
			delete(w.left, m)
		}
		// queued of s is still 1: no worker can take s before rest.
		w.own[s]--
		s.rest(nil)
	}
}

// overlooked checks that no due timer is left.
func (w *alarmWorld) overlooked() error {
	for _, at := range w.left {
		if at <= w.now {
			return fmt.Errorf("at %d a timer of %d has not fired; the alarm is set to %d", w.now, at, w.at)
		}
	}
	return nil
}

// TestAlarm_Explored: "Nothing due is overlooked": workers arm timers and the alarm rings at any
// moments, and all due timers fire, none too early. A shard has one owner at a time.
func TestAlarm_Explored(t *testing.T) {
	explore.Portfolio(t, func(p *explore.Program) {
		w := &alarmWorld{p: p, own: map[*Shard]int{}, left: map[uint32]int64{}, whose: new(sched.Task)}
		w.t.Start = w.start
		w.t.prepare(w, 2)
		p.Go(func() { w.arm(0, 3, 1) })
		p.Go(func() { w.arm(1, 2) })
		p.Go(func() { w.arm(0, 2, 0) })
		p.Go(func() { w.pass(6) })
		p.Daemon(w.ring)
		p.Daemon(w.work)
		p.Daemon(w.work)
		p.After(w.overlooked)
	})
}
