//go:build gallop_explore

package seam

import "time"

// Timer is a time.Timer that calls a function, or a held timer, which expires when an exploration
// calls Expire.
type Timer struct {
	goes *time.Timer // nil: held
	set  bool        // for a held timer; its owner guards it
}

// AfterFunc is time.AfterFunc.
func AfterFunc(d time.Duration, f func()) *Timer { return &Timer{goes: time.AfterFunc(d, f)} }

// HeldTimer returns a timer that is not set and never calls anything: see Expire.
func HeldTimer() *Timer { return new(Timer) }

// Reset is like that of time.Timer.
func (t *Timer) Reset(d time.Duration) bool {
	if t.goes != nil {
		return t.goes.Reset(d)
	}
	was := t.set
	t.set = true
	return was
}

// Stop is like that of time.Timer.
func (t *Timer) Stop() bool {
	if t.goes != nil {
		return t.goes.Stop()
	}
	was := t.set
	t.set = false
	return was
}

// Expire makes a held timer expire, and reports whether it was set. If it was, the caller runs the
// timer's function, now or later.
func (t *Timer) Expire() bool { return t.Stop() }
