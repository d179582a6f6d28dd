package seam

import (
	"math"
	"slices"
	"time"
)

// VirtualClock is a clock that stands still until it is moved on. Several
// systems may share one. The zero value is not ready: use NewVirtualClock.
type VirtualClock struct {
	start time.Time // the result of Now when Nanos returned first
	first int64
	nanos Int64

	mu Mutex
	// The alarms that are set, in the order of setting. Guarded by mu.
	alarms []*virtualAlarm
}

type virtualAlarm struct {
	c    *VirtualClock
	ring func()
	at   int64 // guarded by c.mu
}

// NewVirtualClock returns a clock that shows start, and whose Nanos begin with nanos.
func NewVirtualClock(start time.Time, nanos int64) *VirtualClock {
	c := &VirtualClock{start: start, first: nanos}
	c.nanos.Store(nanos)
	return c
}

// Now is start plus the time by which the clock was moved on.
func (c *VirtualClock) Now() time.Time {
	return c.start.Add(time.Duration(c.nanos.Load() - c.first))
}

// Nanos is the reading to which the clock was last moved.
func (c *VirtualClock) Nanos() int64 { return c.nanos.Load() }

// Flows is false.
func (c *VirtualClock) Flows() bool { return false }

// NewAlarm returns an alarm that rings in MoveTo, or in a goroutine of its own if it
// is set to a time in the past.
func (c *VirtualClock) NewAlarm(ring func()) Alarm { return &virtualAlarm{c: c, ring: ring} }

func (a *virtualAlarm) Set(at int64) {
	a.c.mu.Lock()
	defer a.c.mu.Unlock()
	a.unset()
	if at <= a.c.nanos.Load() {
		go a.ring() // the caller may hold a lock that ring takes
		return
	}
	a.at = at
	a.c.alarms = append(a.c.alarms, a)
}

func (a *virtualAlarm) Stop() {
	a.c.mu.Lock()
	defer a.c.mu.Unlock()
	a.unset()
}

// unset removes the alarm from the list of alarms that are set. The caller holds c.mu.
func (a *virtualAlarm) unset() {
	a.c.alarms = slices.DeleteFunc(a.c.alarms, func(o *virtualAlarm) bool { return o == a })
}

// Next returns the time of the next alarm, and false if no alarm is set.
func (c *VirtualClock) Next() (at int64, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at = math.MaxInt64
	for _, a := range c.alarms {
		at, ok = min(at, a.at), true
	}
	return at, ok
}

// MoveTo moves the clock on, never back, and rings the alarms that are due, in the order in which
// they were set. It moves the clock at most to one nanosecond before math.MaxInt64, which stands
// for never: see After.
func (c *VirtualClock) MoveTo(at int64) {
	for _, a := range c.expired(min(at, math.MaxInt64-1)) {
		a.ring()
	}
}

func (c *VirtualClock) expired(at int64) (expired []*virtualAlarm) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.nanos.Store(max(at, c.nanos.Load()))
	c.alarms = slices.DeleteFunc(c.alarms, func(a *virtualAlarm) bool {
		if a.at > at {
			return false
		}
		expired = append(expired, a)
		return true
	})
	return expired
}

// After adds d to a reading of a clock. If the sum overflows, After returns math.MaxInt64, a time
// that never comes.
func After(nanos int64, d time.Duration) int64 {
	if d > 0 && nanos > math.MaxInt64-int64(d) {
		return math.MaxInt64
	}
	return nanos + int64(d)
}
