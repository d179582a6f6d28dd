package actor

import (
	"sync"
	"time"
)

// A behaviour that blocks and says so has given its seat up, so the scheduler's monitor, which looks
// at seats, does not see how long that takes. Each worker has a watch of its own instead.
//
// Rejected: a list of all that block, in the order of their beginnings, of which the monitor looks
// at the first. It needs a lock that all workers share, twice for each call of Blocking, and a
// monitor that does not rest. Rejected as well: a timer that is set and stopped for each call, which
// costs as much as all else that Blocking does. So the timer is left to run when the call is over,
// and expires once in the time of LongTurn, however often the worker blocks meanwhile.
//
// The watch has a mutex, which the worker and the timer's goroutine take: uncontended, as a rule.
type blockWatch struct {
	mu    sync.Mutex
	since int64       // guarded by mu: when the call began, by the system's clock
	on    bool        // guarded by mu: a call goes on
	set   bool        // guarded by mu: the timer is to expire
	calls uint64      // guarded by mu: how many have begun
	at    doing       // guarded by mu: whose call it is
	timer *time.Timer // guarded by mu; nil: it was never needed
}

// begin begins to watch a call of c's behaviour, at the time now. Owner only, in a turn.
func (w *blockWatch) begin(c *Context, now int64) {
	at := c.glimpse(c.w.Task())
	w.mu.Lock()
	w.since, w.at, w.on = now, at, true
	w.calls++
	if !w.set {
		w.expireIn(c, c.sys.opts.longTurn)
	}
	w.mu.Unlock()
}

// expireIn sets the timer. Caller holds mu.
func (w *blockWatch) expireIn(c *Context, d time.Duration) {
	w.set = true
	if w.timer == nil {
		w.timer = time.AfterFunc(d, func() { w.expired(c) })
		return
	}
	w.timer.Reset(d)
}

// end ends the watch of a call. Owner only.
func (w *blockWatch) end() {
	w.mu.Lock()
	w.on, w.at = false, doing{}
	w.mu.Unlock()
}

// isOn reports whether a call goes on. Any goroutine.
func (w *blockWatch) isOn() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.on
}

// stop stops the timer: the worker's goroutine ends. Owner only, in no turn.
func (w *blockWatch) stop() {
	w.mu.Lock()
	if w.timer != nil && w.timer.Stop() {
		w.set = false
	}
	w.mu.Unlock()
}

// expired reports the call that goes on, if it has lasted for long. It runs in the timer's
// goroutine. A call that is reported is not looked at again: the next one sets the timer anew.
func (w *blockWatch) expired(c *Context) {
	w.mu.Lock()
	w.set = false
	age := time.Duration(c.sys.opts.clock.Nanos() - w.since)
	call, at, on := w.calls, w.at, w.on
	if on && age < c.sys.opts.longTurn {
		w.expireIn(c, max(c.sys.opts.longTurn-age, time.Millisecond))
		on = false
	}
	w.mu.Unlock()
	if on {
		c.sys.report(c.w, at, age, true, func() bool { return w.goesOn(call) })
	}
}

// goesOn reports whether that call still goes on. Any goroutine.
func (w *blockWatch) goesOn(call uint64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.on && w.calls == call
}
