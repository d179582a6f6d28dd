package actor

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// timers is what the shards of a system share: one alarm, set while timers are armed.
// The protocol is at timerShard.
type timers struct {
	sys    *System
	clock  seam.Clock
	hold   bool // an armed timer keeps the system from being quiescent
	start  func(*Context, *timerShard)
	shards []timerShard
	set    seam.Int64 // when the alarm rings; written under mu

	mu    seam.Mutex
	alarm seam.Alarm // guarded by mu
	ended bool       // guarded by mu
}

// makeTimers returns the timers of the system, and makes them at first. Any worker. If
// the system stops meanwhile, either its stop sees them or they see it.
func (s *System) makeTimers() *timers {
	if t := s.timers.Load(); t != nil {
		return t
	}
	t := new(timers)
	t.init(s)
	if !s.timers.CompareAndSwap(nil, t) { // publishes them
		return s.timers.Load()
	}
	if s.sched.Stopping() {
		t.stopAll()
	}
	return t
}

func (t *timers) init(sys *System) {
	t.sys = sys
	t.hold = sys.opts.clock.Flows()
	t.start = t.schedule
	t.prepare(sys.opts.clock, sys.opts.workers)
}

// prepare makes everything that the protocol knows of.
func (t *timers) prepare(clock seam.Clock, shards int) {
	t.clock = clock
	t.alarm = clock.NewAlarm(t.ring)
	t.set.Store(never)
	t.shards = make([]timerShard, shards)
	for i := range t.shards {
		s := &t.shards[i]
		s.all = t
		s.earliest.Store(never)
		s.task.Init(s, nil)
	}
}

// schedule makes a shard runnable, from a turn or, if c is nil, from outside.
func (t *timers) schedule(c *Context, s *timerShard) {
	if c != nil {
		c.w.Schedule(&s.task)
	} else if t.sys.sched.Hold() { // between two places it is in none
		t.sys.sched.Inject(&s.task)
		t.sys.sched.Release()
	}
}

// shardOf returns the shard for an actor that arms its first timer.
func (t *timers) shardOf(c *Context) *timerShard {
	return &t.shards[c.w.ID()%len(t.shards)] // a pinned worker has a number behind the others
}

// ringAt sees to it that the alarm rings at a time, or earlier. One load if it does.
func (t *timers) ringAt(at int64) {
	if at >= t.set.Load() {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.reset(at)
}

// reset sets the alarm if it would ring later. Caller holds mu.
func (t *timers) reset(at int64) {
	if !t.ended && at < t.set.Load() {
		t.set.Store(at)
		t.alarm.Set(at)
		if invariant.On {
			verifyAlarm(at)
		}
	}
}

// armed reports whether any timer is armed, or was and has been canceled before its time. That
// changes in turns only. Any goroutine.
func (t *timers) armed() bool {
	for i := range t.shards {
		if t.shards[i].earliest.Load() != never {
			return true
		}
	}
	return false
}

// ring makes runnable every shard that has something due.
func (t *timers) ring() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return
	}
	now := t.clock.Nanos()
	t.set.Store(never) // before the look at the shards: F1
	next := int64(never)
	for i := range t.shards {
		s := &t.shards[i]
		if at := s.earliest.Load(); at > now {
			next = min(next, at)
		} else if s.queued.CompareAndSwap(0, 1) {
			t.start(nil, s)
		}
	}
	t.reset(next)
}

// stopAll ends all timers of a system that stops, however many there are: nobody looks
// into the wheels any more. No alarm does anything when it returns.
func (t *timers) stopAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
	t.alarm.Stop()
}

// finish is for a system that has stopped and whose workers have gone. It discards what the timers
// in the wheels own, and forgets whose they are, or the system would keep their actors. Timers on
// their way end with the mail of their actor.
func (t *timers) finish() {
	for i := range t.shards {
		t.shards[i].discardAll()
	}
}

// count calls f for each timer that is armed, if that holds the system. It holds a shard's lock for
// some of its timers at a time, since workers arm others there.
func (t *timers) count(f func(of *cell, n int)) {
	if !t.hold {
		return
	}
	for i := range t.shards {
		s := &t.shards[i]
		for from, used := uint32(0), uint32(1); from < used; from += countedTimers {
			s.mu.Lock()
			used = s.slab.used
			for n := from; n < min(from+countedTimers, used); n++ {
				if k := s.slab.at(n); k.in {
					f(k.body, 1)
				}
			}
			s.mu.Unlock()
		}
	}
}

// countedTimers is how many timers are looked at under the lock.
const countedTimers = 64

func (s *timerShard) discardAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n := range s.slab.used {
		k := s.slab.at(n)
		if !k.in {
			continue
		}
		env{sys: s.all.sys}.discardAll(k.body, k.takeHeld())
		k.body = nil
	}
}

var _ sched.Runner = (*timerShard)(nil)
