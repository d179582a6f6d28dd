package timerwheel

import (
	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/kernel/msg"
	"github.com/gallop-go/gallop/internal/seam"
	"github.com/gallop-go/gallop/sched"
)

// Fire sends the messages of timers that are due. The shard's worker calls it, in the shard's turn.
type Fire func(w *sched.Worker, s *Shard, due []Due)

// Timers is the shared part of the shards of a system: one alarm, set while timers are armed.
type Timers struct {
	sched  *sched.Scheduler
	clock  seam.Clock
	hold   bool // an armed timer keeps the system from being quiescent
	fire   Fire
	shards []Shard
	set    seam.Int64 // the time at which the alarm rings; written under mu

	// Start makes a shard runnable, from the turn of w or, if w is nil, from outside. Tests
	// replace it.
	Start func(w *sched.Worker, s *Shard)

	mu    seam.Mutex
	alarm seam.Alarm // guarded by mu
	ended bool       // guarded by mu
}

// New returns the timers of a system with a number of workers. If the clock flows, an armed timer
// holds the system.
func New(s *sched.Scheduler, clock seam.Clock, workers int, fire Fire) *Timers {
	t := &Timers{sched: s, hold: clock.Flows(), fire: fire}
	t.Start = t.start
	t.prepare(clock, workers)
	return t
}

// prepare makes the shards and the alarm.
func (t *Timers) prepare(clock seam.Clock, shards int) {
	t.clock = clock
	t.alarm = clock.NewAlarm(t.ring)
	t.set.Store(never)
	t.shards = make([]Shard, shards)
	for i := range t.shards {
		s := &t.shards[i]
		s.all = t
		s.earliest.Store(never)
		s.task.Init(s, nil)
	}
}

func (t *Timers) start(w *sched.Worker, s *Shard) {
	if w != nil {
		w.Schedule(&s.task)
	} else if t.sched.Hold() { // until the task is queued
		t.sched.Inject(&s.task)
		t.sched.Release()
	}
}

// ShardOf returns the shard for an actor that arms its first timer on w.
func (t *Timers) ShardOf(w *sched.Worker) *Shard {
	return &t.shards[w.ID()%len(t.shards)] // a pinned worker has a number after all shards
}

// ringAt ensures that the alarm rings at a time, or earlier. It costs one load if the alarm is set
// so.
func (t *Timers) ringAt(at int64) {
	if at >= t.set.Load() {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.reset(at)
}

// reset sets the alarm if it would ring later. Caller holds mu.
func (t *Timers) reset(at int64) {
	if !t.ended && at < t.set.Load() {
		t.set.Store(at)
		t.alarm.Set(at)
		if invariant.On {
			verifyAlarm(at)
		}
	}
}

// Armed reports whether a timer is armed, or was armed and canceled before its time. The answer
// changes only in turns. Any goroutine.
func (t *Timers) Armed() bool {
	for i := range t.shards {
		if t.shards[i].earliest.Load() != never {
			return true
		}
	}
	return false
}

// ring makes every shard with a due timer runnable, and sets the alarm for the next timer.
func (t *Timers) ring() {
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
			t.Start(nil, s)
		}
	}
	t.reset(next)
}

// Stop ends all timers of a system that stops. It takes constant time, since it leaves the timers
// in the wheels, into which no worker looks any more. After Stop has returned, the alarm has no
// effect.
func (t *Timers) Stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
	t.alarm.Stop()
}

// Finish is for a system that has stopped and whose workers have gone. It calls discard for each
// timer in the wheels, and clears the owners, which the system would keep alive. Timers on
// their way end with the mail of their actor.
func (t *Timers) Finish(discard func(owner *sched.Task, held *msg.Message)) {
	for i := range t.shards {
		t.shards[i].discardAll(discard)
	}
}

// Holding calls f for each armed timer, if armed timers keep the system from being quiescent.
// Otherwise it does nothing. It calls f under the lock of the timer's shard. It releases the lock
// after every few timers, since workers need it to arm other timers of the shard.
func (t *Timers) Holding(f func(owner *sched.Task)) {
	if !t.hold {
		return
	}
	for i := range t.shards {
		for from, used := uint32(0), uint32(1); from < used; from += listBatch {
			used = t.shards[i].list(from, f)
		}
	}
}

// Counts returns the number of timers in the wheels, and the number of timers that are not free.
// For a quiet system.
func (t *Timers) Counts() (armed, taken int) {
	for i := range t.shards {
		s := &t.shards[i]
		armed += s.wheel.Len()
		taken += int(s.slab.used - s.slab.frees - uint32(s.slab.back.Load()>>32))
	}
	return armed, taken
}
