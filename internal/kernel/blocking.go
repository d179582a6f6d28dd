package kernel

import (
	"sync"
	"time"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/sched"
)

// Blocking implements actor.Context.Blocking.
func (c *Turn) Blocking(f func()) {
	if f == nil {
		panic("gallop: Blocking: a nil function")
	}
	MustRun(c, "Blocking")
	if c.W.InBlocking() {
		f() // only the outer call is measured
		return
	}
	began := c.beginBlocking()
	defer c.endBlocking(began) // the behaviour may recover from a panic of f
	if c.Dry {
		f = c.slowed(f)
	}
	c.W.Blocking(f)
}

// beginBlocking prepares a turn for blocking, and returns the time. Owner only, in a turn.
func (c *Turn) beginBlocking() (began int64) {
	c.Bias.Forbid() // actors that are made runnable run on other workers
	began = c.Sys.Opts.Clock.Nanos()
	if c.Sys.Sim == nil {
		c.Sys.blocked.begin(c, began)
	}
	return began
}

// endBlocking is called after the blocking, with the time that beginBlocking returned. Owner only,
// in a turn.
func (c *Turn) endBlocking(began int64) {
	if c.Sys.Sim == nil {
		c.Sys.blocked.end(c)
	}
	c.blocked(c.Sys.Opts.Clock.Nanos() - began)
}

// longBlocked is the time, in ns, after which a turn that blocks is cut short.
const longBlocked = 1_000_000

// blockMeter measures the time for which the running turn has blocked. As in a gasMeter, the time
// of another turn begins at 0.
type blockMeter struct {
	turn uint64
	time int64 // ns
}

// blocked records that the running behaviour has blocked for the given time. Other actors did not
// wait for the worker meanwhile. But a batch of such messages may take minutes, in which no sender
// would be muted. So a turn that has blocked for longBlocked ends early.
func (c *Turn) blocked(ns int64) {
	if turn := c.W.Turn(); c.blocking.turn != turn {
		c.blocking = blockMeter{turn: turn}
	}
	c.blocking.time += ns
	if c.blocking.time >= longBlocked && !c.Aside {
		c.Then |= hasLasted
	}
}

// noIdleWorker is sched.Config.OnDetachLimit.
func (s *System) noIdleWorker(soFar uint64) {
	const line = "gallop: too many behaviours block at a time: they hold up other actors, and asks " +
		"in behaviours fail; let fewer behaviours block (AskTo and Pipe do not), or raise " +
		"actor.WithMaxBlocked"
	if _, write := s.mayLog(line, "", ""); write {
		s.log(func(l logSink) {
			l.fail(line, "max_blocked", s.Opts.MaxBlocked, "so_far", soFar)
		})
	}
}

// blockedCalls is the list of the calls of Blocking that are going on, with a timer that reports
// long ones. The scheduler's monitor cannot: it looks at slots, and a behaviour in Blocking has
// given its slot up.
//
// The calls are linked in the order in which they began. So the first is the oldest, and the timer
// looks only at the first. The timer is not stopped at the end of a call: it expires once in the
// time of WithLongTurn, for any number of calls, and is not set while no behaviour blocks. All
// workers share the lock. They hold it for some ten nanoseconds, and a call of Blocking changes
// other shared words anyway.
//
// Rejected: a timer for each worker, without a lock that is shared. With ten thousand blocked
// behaviours the timers cost as much as the workers: 5 µs each, in a heap, and then a goroutine for
// each of them to expire in.
type blockedCalls struct {
	mu          sync.Mutex
	first, last *blockedCall // guarded by mu
	set         bool         // guarded by mu: the timer is to expire
	timer       *time.Timer  // guarded by mu; nil: it was never needed
	ended       bool         // guarded by mu
	long        int          // guarded by mu: the calls that have lasted for long, and go on
}

// blockedCall is a worker's call of Blocking. Guarded by the mu of the list.
type blockedCall struct {
	prev, next *blockedCall
	c          *Turn // of the worker, while the call goes on; otherwise nil
	listed     bool
	began      int64  // by the system's clock, ns
	number     uint64 // of the worker's calls
	at         doing  // the actor and its behaviour
	// The process that called; nil: a behaviour called.
	process *sched.Task
}

// begin enters a call of c's behaviour, or of a process in a turn of c's worker, at the time now.
// Owner of c only, in a turn.
func (l *blockedCalls) begin(c *Turn, now int64) {
	task, k := c.W.Task(), &c.call
	at := c.peek(task)
	if at.who != nil {
		task = nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	k.c, k.began, k.at, k.process = c, now, at, task
	k.number++
	l.append(k)
	if !l.set {
		l.expireIn(c.Sys, c.Sys.Opts.LongTurn)
	}
}

// end removes the call. Owner of c only, in a turn.
func (l *blockedCalls) end(c *Turn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !c.call.listed {
		l.long--
	}
	l.remove(&c.call)
	c.call.c, c.call.at, c.call.process = nil, doing{}, nil
}

// append adds k at the end of the list. Caller holds mu.
func (l *blockedCalls) append(k *blockedCall) {
	if invariant.On {
		verifyBlockedCall(k)
	}
	k.prev, k.listed = l.last, true
	if l.last == nil {
		l.first = k
	} else {
		l.last.next = k
	}
	l.last = k
}

// remove removes k if it is in the list. Caller holds mu.
func (l *blockedCalls) remove(k *blockedCall) {
	if !k.listed {
		return
	}
	if k.prev == nil {
		l.first = k.next
	} else {
		k.prev.next = k.next
	}
	if k.next == nil {
		l.last = k.prev
	} else {
		k.next.prev = k.prev
	}
	k.prev, k.next, k.listed = nil, nil, false
}

// expireIn sets the timer. Caller holds mu.
func (l *blockedCalls) expireIn(s *System, d time.Duration) {
	switch {
	case l.ended:
		return
	case l.timer == nil:
		l.timer = time.AfterFunc(d, func() { l.expired(s) })
	default:
		l.timer.Reset(d)
	}
	l.set = true
}

// stop stops the timer for good when the system has ended, so that the timer does not keep the
// system in memory.
func (l *blockedCalls) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	if l.timer != nil {
		l.timer.Stop()
	}
}

// expired reports the calls that have lasted for the time of WithLongTurn, and sets the timer for
// the next call. It runs in the timer's goroutine.
func (l *blockedCalls) expired(s *System) {
	for {
		l.mu.Lock()
		k := l.first
		if k == nil {
			l.set = false
			l.mu.Unlock()
			return
		}
		lasted := time.Duration(s.Opts.Clock.Nanos() - k.began)
		if lasted < s.Opts.LongTurn {
			l.expireIn(s, max(s.Opts.LongTurn-lasted, time.Millisecond))
			l.mu.Unlock()
			return
		}
		l.remove(k) // it is reported once
		l.long++
		c, at, process, number := k.c, k.at, k.process, k.number
		l.mu.Unlock()
		goesOn := func() bool { return l.goesOn(c, number) }
		if process == nil || !s.processes.report(s, c.W, process, lasted, true, goesOn) {
			s.report(c.W, at, lasted, true, goesOn)
		}
	}
}

// goesOn reports whether the call of c's worker with the given number still goes on. Any goroutine.
func (l *blockedCalls) goesOn(c *Turn, number uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return c.call.c != nil && c.call.number == number
}

// longNow returns how many calls have lasted for long, and go on. Any goroutine.
func (l *blockedCalls) longNow() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.long
}

// has reports whether c's worker is in a call. Any goroutine.
func (l *blockedCalls) has(c *Turn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return c.call.c != nil
}

// lasts returns whose call of Blocking c's worker is in, and for how long. Any goroutine.
func (l *blockedCalls) lasts(c *Turn, now int64) (at doing, lasted time.Duration, blocks bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.call.c == nil {
		return doing{}, 0, false
	}
	return c.call.at, time.Duration(now - c.call.began), true
}

// verifyBlockedCall checks a call of Blocking that begins. Caller holds mu.
func verifyBlockedCall(k *blockedCall) {
	invariant.Check(!k.listed && k.prev == nil && k.next == nil,
		"a call of Blocking begins within another of worker %d", k.c.W.ID())
}
