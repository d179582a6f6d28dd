package actor

import (
	"sync"
	"time"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/sched"
)

// Blocking calls f, which may block for long, as for a query or a lock, without keeping
// other actors waiting: what is queued behind this actor is run by other workers at
// once. The actor itself waits for f, as for any call: its messages keep their order,
// and the behaviour goes on when f returns. f may use the Context as the behaviour
// does.
//
// A behaviour that blocks without saying so costs its neighbours up to ten
// milliseconds, until the runtime's monitor notices. Blocking costs about two tenths of
// a microsecond if nothing else waits, and waking an idle worker if something does. At
// most [WithMaxBlocked] behaviours can be helped at a time; beyond that, and on a pinned type,
// Blocking just calls f. A call that lasts for longer than [WithLongTurn] is reported, once,
// while it still lasts.
//
// A turn that has blocked for a millisecond, by the runtime's clock ([WithClock]), ends
// with the current message. If a batch of mail or more is left then, the actor is
// overloaded, so that its senders are muted; with [WithBound] or [WithWatermarks] these
// say when it is. The mail that comes while the actor blocks is bounded only by the
// time that this takes: see [WithBound] for less.
func (c *Context) Blocking(f func()) {
	if f == nil {
		panic("gallop: Blocking: a nil function")
	}
	mustRun(c, "Blocking")
	if c.w.InBlocking() {
		f() // the outer one counts
		return
	}
	began := c.beginBlocking()
	defer c.endBlocking(began) // the behaviour may recover from a panic of f
	if c.dry {
		f = c.slowed(f)
	}
	c.w.Blocking(f)
}

// beginBlocking prepares a turn for blocking, and returns the time. Owner only, in a turn.
func (c *Context) beginBlocking() (began int64) {
	c.bias.Forbid() // what is made runnable runs elsewhere
	began = c.sys.opts.clock.Nanos()
	if c.sys.sim == nil {
		c.sys.blocked.begin(c, began)
	}
	return began
}

// endBlocking ends what beginBlocking began. Owner only, in a turn.
func (c *Context) endBlocking(began int64) {
	if c.sys.sim == nil {
		c.sys.blocked.end(c)
	}
	c.blocked(c.sys.opts.clock.Nanos() - began)
}

// longBlocked is how long a turn may block before it is cut short, ns.
const longBlocked = 1_000_000

// blockMeter is how long the turn that runs has blocked, ns. As in a gasMeter, another turn begins
// anew.
type blockMeter struct {
	turn uint64
	time int64
}

// blocked notes that the behaviour that runs has blocked for so many ns. No other actor waited for
// its worker meanwhile, so the turn has outlived nothing. But a batch of such messages may take
// minutes, in which none that sends more would be muted.
func (c *Context) blocked(ns int64) {
	if turn := c.w.Turn(); c.blocking.turn != turn {
		c.blocking = blockMeter{turn: turn}
	}
	c.blocking.time += ns
	if c.blocking.time >= longBlocked && !c.aside {
		c.then |= hasLasted
	}
}

// WithMaxBlocked sets how many behaviours may block at a time while others stand in for their
// workers: at least 1, 100,000 by default.
//
// If more behaviours block, an [AskBehaviour.Ask], [AskAll] or [Replies] in a behaviour
// fails at once with [ErrTooManyBlocked]. Behaviours that block in other ways keep their
// workers from other actors, for ever if one of these is what they wait for. [Stats]
// counts both, and the log has a line of level ERROR, at most once a
// second.
//
// A behaviour that blocks costs its goroutine, whose stack is 2 KiB at least and mostly
// 4 to 8, and a worker of about 3 KiB, or 9 if its turn has woken several new actors. So
// a hundred thousand take 0.6 to 1.7 GB: in a small container set a smaller number. One
// that blocks in a system call, as for a file, also holds a thread of the operating
// system, of which Go allows 10,000 ([runtime/debug.SetMaxThreads]).
//
// Each idle worker keeps messages and memory of [Context.Heap] to use again, as a worker
// does, if it has run behaviours that need them, until it retires: when it was not
// needed for 0.1 to 0.2 s.
func WithMaxBlocked(n int) Option { return systemOption(func(o *options) { o.maxBlocked = n }) }

// noIdleWorker is the hook of sched.Config.
func (s *System) noIdleWorker(soFar uint64) {
	const line = "gallop: too many behaviours block at a time: they hold up other actors, and asks " +
		"in behaviours fail; let fewer behaviours block (AskTo and Pipe do not), or raise " +
		"actor.WithMaxBlocked"
	if _, write := s.mayLog(line, "", ""); write {
		s.log(func(l logSink) {
			l.fail(line, "max_blocked", s.opts.maxBlocked, "so_far", soFar)
		})
	}
}

// A behaviour that blocks and says so has given its slot up, so the scheduler's monitor, which
// looks at slots, does not see how long that takes. This list sees it.
//
// The calls of Blocking that go on are linked in the order in which they began, so the first is the
// oldest, and a timer looks at no others. The timer is not stopped when a call is over: it expires
// once in the time of LongTurn, however often behaviours block, and rests when none does. All
// workers share the lock; they hold it for some ten nanoseconds, and a call of Blocking changes
// other words that all share anyway.
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
}

// blockedCall is a worker's call of Blocking. Guarded by the mu of the list.
type blockedCall struct {
	prev, next *blockedCall
	c          *Context // whose it is, while it goes on; otherwise nil
	listed     bool
	began      int64  // by the system's clock, ns
	number     uint64 // of the worker's calls
	at         doing  // whose behaviour it is
	// Of a process; nil: of a behaviour.
	process *sched.Task
}

// begin enters a call of c's behaviour, or of a process in a turn of c's worker, at the time now.
// Owner of c only, in a turn.
func (l *blockedCalls) begin(c *Context, now int64) {
	task, k := c.w.Task(), &c.call
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
		l.expireIn(c.sys, c.sys.opts.longTurn)
	}
}

// end removes the call. Owner of c only, in a turn.
func (l *blockedCalls) end(c *Context) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remove(&c.call)
	c.call.c, c.call.at, c.call.process = nil, doing{}, nil
}

// append puts k behind all others. Caller holds mu.
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

// remove takes k out, if it is in. Caller holds mu.
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

// stop stops the timer for good: the system has ended, and is not to be kept by it.
func (l *blockedCalls) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	if l.timer != nil {
		l.timer.Stop()
	}
}

// expired reports the calls that have lasted for long, and looks again when the next one will have.
// It runs in the timer's goroutine.
func (l *blockedCalls) expired(s *System) {
	for {
		l.mu.Lock()
		k := l.first
		if k == nil {
			l.set = false
			l.mu.Unlock()
			return
		}
		lasted := time.Duration(s.opts.clock.Nanos() - k.began)
		if lasted < s.opts.longTurn {
			l.expireIn(s, max(s.opts.longTurn-lasted, time.Millisecond))
			l.mu.Unlock()
			return
		}
		l.remove(k) // it is reported once
		c, at, process, number := k.c, k.at, k.process, k.number
		l.mu.Unlock()
		goesOn := func() bool { return l.goesOn(c, number) }
		if process == nil || !s.processes.report(s, c.w, process, lasted, true, goesOn) {
			s.report(c.w, at, lasted, true, goesOn)
		}
	}
}

// goesOn reports whether a call of c's worker still goes on: the one with that number. Any
// goroutine.
func (l *blockedCalls) goesOn(c *Context, number uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return c.call.c != nil && c.call.number == number
}

// has reports whether c's worker is in a call. Any goroutine.
func (l *blockedCalls) has(c *Context) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return c.call.c != nil
}

// lasts returns whose call of Blocking c's worker is in, and for how long. Any goroutine.
func (l *blockedCalls) lasts(c *Context, now int64) (at doing, lasted time.Duration, blocks bool) {
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
		"a call of Blocking begins within another of worker %d", k.c.w.ID())
}
