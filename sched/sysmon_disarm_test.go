package sched

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gallop-go/gallop/internal/seam"
)

// handClock shows the time that it is set to.
type handClock struct {
	seam.SystemClock
	now atomic.Int64
}

// Nanos implements Clock.
func (c *handClock) Nanos() int64 { return c.now.Load() }

// startDeaf starts a scheduler whose monitor is not told when its timer expires, so that it looks
// only when the test makes it look.
func startDeaf(t *testing.T, workers int) (*Scheduler, *handClock) {
	c := new(handClock)
	s := startBare(t, Config{Workers: workers, Clock: c, LongTurn: time.Hour,
		OnLongTurn: func(*Worker, time.Duration) {}})
	s.monitor.mu.Lock()
	s.monitor.timer = seam.AfterFunc(time.Hour, func() {})
	s.monitor.mu.Unlock()
	return s, c
}

// hangTimeout is how long nothing may happen before that is a hang: long, because a busy
// machine may halt a whole process for a minute; but mutants have 90 seconds.
const hangTimeout = 80 * time.Second

// comes fails unless cond comes to hold.
func comes(t *testing.T, what string, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(hangTimeout); !cond(); runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatal(what)
		}
	}
}

// TestMonitorDisarmsAtSleep: a monitor that is armed only now and then does not even look.
// Otherwise it is disarmed after one look, when the last worker falls asleep; but not while it
// keeps some asleep.
func TestMonitorDisarmsAtSleep(t *testing.T) {
	for _, workers := range []int{1, 2} {
		s, c := startDeaf(t, workers)
		m := &s.monitor
		disarmed := func() bool { return !m.armed.Load() && !m.disarmOnSleep.Load() }
		hintGone := func() bool { return !m.disarmOnSleep.Load() }
		run := func(look bool) {
			var armed bool
			inject(s, func(*Worker) {
				if armed = m.armed.Load(); look {
					m.tick()
				}
			})
			waitQuiet(t, s)
			if !armed {
				t.Error("nobody watches a turn that runs")
			}
		}
		for range 3 {
			c.now.Add(armedRarely + 1)
			run(false)
			comes(t, "it is armed now and then, and goes on when all sleep", disarmed)
		}
		run(false) // at the same time as the last
		run(true)
		comes(t, "it goes on behind a look", disarmed)
		run(false)
		if !m.armed.Load() {
			t.Error("it is armed again and again, and disarmed at once")
		}
		run(true)
		comes(t, "it goes on behind the second look", disarmed)

		if workers == 2 {
			m.mu.Lock()
			m.governor.limit, m.governor.kept = 1, 1
			m.mu.Unlock()
			c.now.Add(armedRarely + 1)
			run(false)
			comes(t, "it is not to be disarmed at sleep", hintGone)
			if !m.armed.Load() {
				t.Error("it is disarmed, and forgets that one worker is to stay asleep")
			}
		}
	}
}

// TestTimeTurns: a caller that injects a task untimed has it timed if the task still runs when the
// caller looks.
func TestTimeTurns(t *testing.T) {
	s, c := startDeaf(t, 1)
	c.now.Add(armedRarely + 1)
	inject := func(b *bare) {
		a, ok := s.Admit()
		if !ok {
			t.Fatal("the end")
		}
		a.InjectTimed(&b.Task, false)
	}
	inject(newBare(func(*Worker) {
		if s.monitor.armed.Load() {
			t.Error("timed although nobody asked for it")
		}
	}))
	waitQuiet(t, s)
	s.TimeTurns()
	if s.monitor.armed.Load() {
		t.Error("timed although nobody is awake")
	}
	goOn := make(chan struct{})
	inject(newBare(func(*Worker) { <-goOn }))
	s.TimeTurns()
	if !s.monitor.armed.Load() {
		t.Error("not timed although somebody asked for it")
	}
	close(goOn)
	waitQuiet(t, s)
}
