package seam

import "time"

// Clock tells the time to the scheduler and to behaviours, and makes alarms. Production
// uses SystemClock; tests and deterministic runs use a VirtualClock.
type Clock interface {
	// Now is the wall-clock time.
	Now() time.Time
	// Nanos is a monotonic reading in nanoseconds from an arbitrary origin.
	Nanos() int64
	// NewAlarm returns an alarm that calls ring at the time to which it was set. ring must be
	// quick. It runs in a goroutine of the clock's, or in the goroutine that moves the clock on.
	NewAlarm(ring func()) Alarm
	// Flows reports whether time passes by itself. If it does not, no caller need wait
	// for an alarm: it rings when the time is moved on.
	Flows() bool
}

// Alarm rings once for each time that it is set. Its caller ensures that calls do
// not overlap. It may ring once more after it was set again or stopped.
type Alarm interface {
	// Set makes the alarm ring when Nanos reaches at. It replaces an earlier time.
	Set(at int64)
	// Stop makes the alarm ring no more.
	Stop()
}

// SystemClock is the machine's clock.
type SystemClock struct{}

// clockStart is before every time that a system sees, even in a bubble of testing/synctest, where
// time begins with the year 2000. So all readings are positive; readers take 0 for never.
// clockStart has a monotonic reading.
var clockStart = startBefore(time.Now())

// beginning is the year 1999, in seconds of Unix. It is a constant because time.Date would be
// linked into every program.
const beginning = 915_148_800

func startBefore(now time.Time) time.Time {
	return now.Add(-max(0, now.Sub(time.Unix(beginning, 0))))
}

// Now is time.Now.
func (SystemClock) Now() time.Time { return time.Now() }

// Nanos is the time since the year 1999, by the wall clock at the start of the program and the
// monotonic clock since then. It costs about 25–40 ns.
func (SystemClock) Nanos() int64 { return int64(time.Since(clockStart)) }

// Flows is true.
func (SystemClock) Flows() bool { return true }

// NewAlarm returns an alarm with a timer of Go's, which is made when the alarm is first set.
func (SystemClock) NewAlarm(ring func()) Alarm { return &systemAlarm{ring: ring} }

type systemAlarm struct {
	ring  func()
	timer *time.Timer
}

func (a *systemAlarm) Set(at int64) {
	d := time.Duration(at) - time.Since(clockStart)
	if a.timer == nil {
		a.timer = time.AfterFunc(d, a.ring)
		return
	}
	a.timer.Reset(d)
}

func (a *systemAlarm) Stop() {
	if a.timer != nil {
		a.timer.Stop()
	}
}
