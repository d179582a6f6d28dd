package sched

import (
	"testing"
	"time"

	"github.com/gallop-go/gallop/internal/seam"
)

// shift is a worker that runs messages on a virtual clock, one after the other, as an actor with
// mail does.
type shift struct {
	w     *Worker
	clock *seam.VirtualClock
	own   *numbered // whose turn runs
	other *numbered // the task that it makes runnable
	more  bool      // it has another message in hand
}

func newShift(t *testing.T) *shift {
	s := &shift{w: beside(t, 2)[0], clock: seam.NewVirtualClock(time.Unix(0, 0), 0)}
	s.w.sched.cfg.Clock = s.clock
	tasks := numberedTasks(2)
	s.own, s.other = tasks[0], tasks[1]
	s.own.Class().GoesOn(func(*Worker, *Task) bool { return s.more })
	s.w.current, s.w.inTurn = entered(&s.own.Task), true
	s.w.timeslice.stale = false
	return s
}

// message runs a message of so many ns, which schedules the other task after at ns, or never if at
// is negative. It reports whether the task is shared.
func (s *shift) message(length, at int64, more bool) (shared bool) {
	if s.more = more; at >= 0 {
		s.pass(at)
		s.w.Schedule(&s.other.Task)
		shared = s.w.queue.len() > 0
		t := s.w.next.take()
		if t == nil {
			t = s.w.queue.next()
		}
		checkLeave(t)
		length -= at
	}
	s.pass(length)
	s.w.Spend(1)
	return shared
}

func (s *shift) pass(ns int64) { s.clock.MoveTo(s.clock.Nanos() + ns) }

// TestSharing: "A task may go to the next-slot only if the turn that makes it runnable ends soon."
func TestSharing(t *testing.T) {
	for _, c := range []struct {
		name       string
		length, at int64
		more       bool
		want       bool
	}{
		{"short messages, and more of them", 200, 100, true, false},
		{"more messages", 660, 600, true, true},
		{"no more, and it sends last", 10_000, 9_900, false, false},
		{"no more, and it computes afterwards", 10_000, 100, false, true},
		{"it computes for less than a wake-up takes", 10_000, 9_000, false, false},
		{"a long one that sends last", 1_000_000, 999_900, false, false},
		{"a long one that sends first", 1_000_000, 0, false, true},
	} {
		s := newShift(t)
		for range 5000 { // until the averages are right
			s.message(c.length, c.at, c.more)
		}
		if got := s.message(c.length, c.at, c.more); got != c.want {
			t.Errorf("%s: shared is %v, want %v: %+v", c.name, got, c.want, s.w.sharing)
		}
		if !c.want {
			continue
		}
		s.w.inTurn = false
		if s.w.sharing.after = 0; s.message(c.length, c.length, true) {
			t.Errorf("%s: a worker shares between two turns", c.name)
		}
		s.w.inTurn = true
		for range 5000 {
			s.message(100, 50, true)
		}
		if s.message(100, 50, true) || s.w.asks {
			t.Errorf("%s: it shares what a program of short messages makes runnable", c.name)
		}
	}
}

// A worker that falls asleep after every message learns all the same how long they are, and that
// they have become short.
func TestSharing_SleepsInBetween(t *testing.T) {
	s := newShift(t)
	for _, length := range []int64{10_000, 100, 10_000} {
		for range 2000 {
			s.message(length, length-10, true)
			s.w.timeslice.stale = true // as in announceSleep
			s.pass(50_000)
			s.w.timeslice.wake(s.w)
			if length == 100 {
				s.message(length, length-10, true) // a short one seldom comes alone
			}
		}
		if got := s.message(length, length-10, true); got != (length == 10_000) {
			t.Errorf("messages of %d ns: shared is %v: %+v, a unit of %d ns", length, got, s.w.sharing,
				s.w.timeslice.unit/16)
		}
	}
}

// Where messages are long, a worker is woken for each waiting task, up to the limit of searchers.
// Elsewhere one worker is woken, which wakes the next.
func TestSharing_WakesForEach(t *testing.T) {
	for _, c := range []struct {
		long        bool
		tasks, want int
	}{{false, 5, 1}, {true, 1, 1}, {true, 3, 3}, {true, 7, 4}} {
		s, tasks := bench(t, 8)
		for _, w := range s.workers {
			w.started = true // it gets a token, and no goroutine
		}
		w := s.workers[0]
		s.idle.v.Store(s.idle.all &^ 1) // it is awake, alone
		w.queue.begin()
		w.asks = c.long
		for _, task := range tasks[:c.tasks] {
			w.enqueue(entered(&task.Task))
		}
		if got := searching(s.idle.v.Load()); got != c.want {
			t.Errorf("%+v: %d search", c, got)
		}
		for t := w.queue.next(); t != nil; t = w.queue.next() {
			checkLeave(t)
		}
	}
}

// Where only one worker may be awake, it shares no tasks.
func TestSharing_Alone(t *testing.T) {
	s := newShift(t)
	for _, limit := range []uint32{2, 1, 2} {
		s.w.sched.idle.limit.Store(limit)
		for range 100 {
			s.message(10_000, 9_900, true)
		}
		if got := s.message(10_000, 9_900, true); got != (limit == 2) {
			t.Errorf("%d workers may be awake: shared is %v", limit, got)
		}
	}
}

// Gas that a behaviour declares makes its messages no shorter.
func TestSharing_Gas(t *testing.T) {
	s := newShift(t)
	for range 1000 {
		s.w.SpendGas(100)
		s.message(10_000, 9_900, true)
	}
	if !s.message(10_000, 9_900, true) {
		t.Errorf("a message of 10 µs with gas counts as short: %+v", s.w.sharing)
	}
}

// A worker without a slot shares all tasks, through the inject queue, with short and long messages.
func TestSharing_WithoutASlot(t *testing.T) {
	s := newShift(t)
	for _, length := range []int64{100, 10_000} {
		for range 5000 {
			s.message(length, -1, false)
		}
		s.w.setDetached(true)
		s.w.Schedule(&s.other.Task)
		if got := s.w.sched.inject.pop(); got != &s.other.Task {
			t.Errorf("messages of %d ns: the inject queue has %v", length, got)
		} else {
			checkLeave(got)
		}
		if s.w.setDetached(false); s.w.asks != (length == 10_000) {
			t.Errorf("messages of %d ns: asks is %v", length, s.w.asks)
		}
	}
}
