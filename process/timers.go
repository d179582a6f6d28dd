package process

import (
	"time"

	"github.com/gallop-go/gallop/internal/seam"
)

// timers are the timers of one system: a heap, and one alarm for the earliest. An armed timer holds
// the scheduler, unless time stands still.
type timers struct {
	sys   *System
	alarm seam.Alarm
	holds bool // time passes by itself: an armed timer holds the scheduler

	mu     seam.QuickMutex
	heap   []*timer // guarded by mu
	made   uint64   // guarded by mu
	closed bool     // guarded by mu
}

// timer wakes a party once, or kills a process.
type timer struct {
	at    int64
	seq   uint64 // among equals, the first armed goes first
	place int    // in the heap, from 1; guarded by mu
	pt    *party
	kills *Proc // nil: it wakes pt
	fired seam.Bool
}

func (ts *timers) init(s *System) {
	ts.sys, ts.holds = s, s.clock.Flows()
	ts.alarm = s.clock.NewAlarm(ts.ring)
}

// arm makes a timer that wakes pt after d, which is positive.
func (ts *timers) arm(pt *party, d time.Duration) *timer { return ts.add(&timer{pt: pt}, d) }

// armKill makes a timer that kills a process after d, which is positive.
func (ts *timers) armKill(p *Proc, d time.Duration) *timer { return ts.add(&timer{kills: p}, d) }

func (ts *timers) add(t *timer, d time.Duration) *timer {
	t.at = seam.After(ts.sys.clock.Nanos(), d)
	if ts.holds && !ts.sys.sched.Hold() {
		return t // the system has ended
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.made++
	t.seq = ts.made
	ts.heap = append(ts.heap, t)
	ts.up(len(ts.heap) - 1)
	if t.place == 1 {
		ts.alarm.Set(t.at)
	}
	return t
}

// disarm takes a timer back, if it has not fired.
func (ts *timers) disarm(t *timer) {
	ts.mu.Lock()
	was := t.place != 0
	if was {
		ts.remove(t)
	}
	ts.mu.Unlock()
	if was && ts.holds {
		ts.sys.sched.Release()
	}
}

// ring fires all timers whose time has come.
func (ts *timers) ring() {
	for t := ts.pop(); t != nil; t = ts.pop() {
		if t.fired.Store(true); t.kills != nil {
			t.kills.tellToEnd(&cancel{reason: ErrKilled, hard: true}, nil, ts.sys)
		} else {
			t.pt.wake(nil, ts.sys)
		}
		if ts.holds {
			ts.sys.sched.Release()
		}
	}
}

// pop takes one timer off whose time has come. If there is none, it sets the alarm.
func (ts *timers) pop() *timer {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if len(ts.heap) == 0 || ts.closed {
		return nil
	}
	t := ts.heap[0]
	if t.at > ts.sys.clock.Nanos() {
		ts.alarm.Set(t.at)
		return nil
	}
	ts.remove(t)
	return t
}

func (ts *timers) close() {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.closed, ts.heap = true, nil
	ts.alarm.Stop()
}

// remove takes t out of the heap. Caller holds mu.
func (ts *timers) remove(t *timer) {
	i, last := t.place-1, len(ts.heap)-1
	t.place = 0
	moved := ts.heap[last]
	ts.heap[last] = nil
	ts.heap = ts.heap[:last]
	if i == last {
		return
	}
	ts.put(i, moved)
	ts.down(i)
	ts.up(i)
}

func (ts *timers) put(i int, t *timer) { ts.heap[i], t.place = t, i+1 }

func (t *timer) before(o *timer) bool { return t.at < o.at || t.at == o.at && t.seq < o.seq }

func (ts *timers) up(i int) {
	t := ts.heap[i]
	for ; i > 0 && t.before(ts.heap[(i-1)/2]); i = (i - 1) / 2 {
		ts.put(i, ts.heap[(i-1)/2])
	}
	ts.put(i, t)
}

func (ts *timers) down(i int) {
	t := ts.heap[i]
	for c := 2*i + 1; c < len(ts.heap); c = 2*i + 1 {
		if c+1 < len(ts.heap) && ts.heap[c+1].before(ts.heap[c]) {
			c++
		}
		if !ts.heap[c].before(t) {
			break
		}
		ts.put(i, ts.heap[c])
		i = c
	}
	ts.put(i, t)
}

// drop is disarm for a timer that there may not be.
func (ts *timers) drop(t *timer) {
	if t != nil {
		ts.disarm(t)
	}
}
