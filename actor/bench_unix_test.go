//go:build unix

package actor_test

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime returns the processor time that the process has used.
func cpuTime(b *testing.B) time.Duration {
	var u unix.Rusage
	must(b, unix.Getrusage(unix.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkIdle: "an idle runtime uses under 1 ms of CPU in 5 s". One iteration is a
// second of a system that has worked and has nothing to do any more.
func BenchmarkIdle(b *testing.B) {
	sys := start(b)
	for range 100 {
		count.Send(sys, puppetType.Spawn(sys, puppet{}), 1)
	}
	quiet(b, sys)
	time.Sleep(10 * time.Millisecond) // let the monitor expire
	before := cpuTime(b)
	n := 0
	for b.Loop() {
		time.Sleep(time.Second) // the processor time of the process in it is measured
		n++
	}
	b.ReportMetric(float64((cpuTime(b)-before).Microseconds())/float64(n), "cpu-µs/s")
}
