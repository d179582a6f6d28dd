//go:build gallop_figures && unix

package process

import (
	"runtime/debug"
	"syscall"
	"testing"
	"time"
)

// TestOutstanding_Linear: 80,000 requests of one process that are outstanding at a time are answered in
// at most ten times the time of 10,000. With lists that are searched from the front it is sixty times.
func TestOutstanding_Linear(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it has its own figures
	few, many := answersOf(t, 10_000), answersOf(t, 80_000)
	t.Logf("10,000: %v, 80,000: %v, which is %.1f times", few, many, float64(many)/float64(few))
	if many > 10*few {
		t.Errorf("80,000 requests take %.1f times as long as 10,000", float64(many)/float64(few))
	}
}

// answersOf returns how long it takes a process to make n requests, which are answered when all have
// come, the newest first, and to receive the answers: the best of nine rounds.
func answersOf(t *testing.T, n int) (best time.Duration) {
	for range 9 {
		s := Start(Config{Workers: 1})
		var took time.Duration
		server := Spawn(s, func(self *Self[ReplyTo[int]]) {
			all := make([]ReplyTo[int], n)
			for i := range all {
				all[i] = self.Receive()
			}
			for i := range all {
				all[n-1-i].Reply(self, i)
			}
		})
		Go(s, func(p *Proc) {
			begin := processorTime()
			all := make([]Asked[int], n)
			for i := range all {
				all[i] = Ask(p, server, func(r ReplyTo[int]) ReplyTo[int] { return r })
			}
			for i := range all {
				if v, err := all[i].Reply(p); v != n-1-i || err != nil {
					t.Errorf("reply %d is %d, %v", i, v, err)
				}
			}
			took = processorTime() - begin
		})
		s.Wait(t.Context())
		s.Stop()
		if best == 0 || took < best {
			best = took
		}
	}
	return best
}

// processorTime is the time that this process of the machine has had. Unlike the time of day it does
// not tell how busy the machine is.
func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
