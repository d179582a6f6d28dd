//go:build gallop_explore

package process

import (
	"fmt"
	"testing"
	"time"

	"github.com/gallop-go/gallop/internal/explore"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// handClock stands still until a thread of the scenario moves it on and rings.
type handClock struct {
	seam.SystemClock
	now seam.Int64
}

func (c *handClock) Nanos() int64             { return c.now.Load() }
func (*handClock) Flows() bool                { return false }
func (*handClock) NewAlarm(func()) seam.Alarm { return noAlarm{} }

type noAlarm struct{}

func (noAlarm) Set(int64) {}
func (noAlarm) Stop()     {}

// TestWaitWithin_Explored: a caller waits for room in a full mailbox for a limited time, another
// one without a limit, the process takes messages, and the time passes at any moment. The caller
// gets a place or has none: none is given to a caller that has gone, none is lost, and a wake-up
// that comes late harms no later wait. So it is if the caller gives its place back, since it has no
// message. Mutants: internal/mutants/full_process.json.
func TestWaitWithin_Explored(t *testing.T) {
	for schedules, givesBack := range map[int]bool{400_000: false, 40_000: true} {
		t.Run(fmt.Sprint("gives back ", givesBack), func(t *testing.T) {
			outcomes := map[admission]int{}
			explore.PortfolioOf(t, schedules, schedules/40, func(p *explore.Program) {
				waitWithinScene(p, givesBack, outcomes)
			})
			if outcomes[admitted] == 0 || outcomes[mustWait] == 0 {
				t.Errorf("outcomes %v: want some admitted (%d), and some out of time (%d)", outcomes,
					admitted, mustWait)
			}
		})
	}
}

func waitWithinScene(p *explore.Program, givesBack bool, outcomes map[admission]int) {
	clock := &handClock{}
	sys := &System{clock: clock, sched: &sched.Scheduler{}}
	sys.timers.init(sys)
	thread := func() *Goroutine {
		g := threadParty()
		g.sys = sys
		return g
	}
	s := &Self[int]{}
	g := thread()
	s.party = party{sys: sys, outer: g}
	s.mailbox.p = &s.Proc
	s.limit("Spawn", []Option{WithBound(1)})
	b := s.mailbox.rare.bound
	b.force()
	b.own.send(&node[int]{m: 1}, nil, sys)

	p.Go(func() {
		g := thread()
		r := b.waitWithin(&g.party, time.Nanosecond)
		outcomes[r]++
		switch {
		case r != admitted && !b.wait(&g.party):
		case givesBack:
			b.giveBack(g)
		default:
			b.own.send(&node[int]{m: 10}, nil, sys)
		}
	})
	p.Go(func() {
		if b.wait(&thread().party) {
			b.own.send(&node[int]{m: 100}, nil, sys)
		}
	})
	p.Go(func() {
		clock.now.Store(1)
		sys.timers.ring()
	})
	sum, most, messages := 0, 0, 3
	if givesBack {
		messages = 2
	}
	p.Go(func() {
		for taken := 0; taken < messages; {
			prev, n := s.find(nil, func(int) bool { return true })
			if n == nil {
				waitOutside(s)
				continue
			}
			waiting := 0
			for m := s.first; m != nil; m = m.next {
				waiting++
			}
			most = max(most, waiting)
			sum += s.take(prev, n)
			taken++
		}
	})
	p.After(func() error {
		if most > 1 {
			return fmt.Errorf("%d messages in a mailbox for 1", most)
		}
		if b.n != 0 || b.full || b.line.first != nil || len(sys.timers.heap) != 0 {
			return fmt.Errorf("%d places taken, in line %v, %d timers", b.n, b.line.first,
				len(sys.timers.heap))
		}
		return wants("sum", sum, map[bool]int{true: 101, false: 111}[givesBack])
	})
}
