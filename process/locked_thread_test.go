package process

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/internal/seam"
)

// knowsLocks skips a test where Go does not say whether a goroutine has locked its thread.
func knowsLocks(t *testing.T) {
	t.Helper()
	if seam.FindThreadLock(); runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("not known on this machine") // there is no assembly for it
	}
}

// says checks that a process has ended for a panic with a text.
func says(t *testing.T, reason error, text string) {
	t.Helper()
	v, _ := Panicked(reason)
	if s, _ := v.(string); !strings.HasPrefix(s, "gallop: process: ") || !strings.Contains(s, text) {
		t.Errorf("the reason is %v, want a panic with %q", reason, text)
	}
}

// TestThreadLocked_Waits: a process that has locked its thread and then waits, or may wait, ends by
// a misuse panic that says so. Go would end the program.
func TestThreadLocked_Waits(t *testing.T) {
	knowsLocks(t)
	c, full := NewChan[int](0), NewChan[int](1)
	for name, wait := range map[string]func(s *Self[int], o Ref[int]){
		"Sleep":      func(s *Self[int], _ Ref[int]) { s.Sleep(time.Millisecond) },
		"Yield":      func(s *Self[int], _ Ref[int]) { s.Yield() },
		"Receive":    func(s *Self[int], _ Ref[int]) { s.Receive() },
		"Chan.Recv":  func(s *Self[int], _ Ref[int]) { c.Recv(s) },
		"Chan.Send":  func(s *Self[int], _ Ref[int]) { full.Send(s, 1) },
		"Select":     func(s *Self[int], _ Ref[int]) { Select(s) },
		"Ref.Send":   func(s *Self[int], o Ref[int]) { o.Send(s, 1); o.Send(s, 1) },
		"Mutex.Lock": func(s *Self[int], _ Ref[int]) { new(Mutex).Lock(s) },
		"Blocking":   func(s *Self[int], _ Ref[int]) { s.Blocking(func() {}) },
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, s *System) {
				gate := NewChan[int](0)
				o := Spawn(s, func(self *Self[int]) { gate.Recv(self) }, WithBound(1))
				p := Spawn(s, func(self *Self[int]) {
					runtime.LockOSThread()
					wait(self, o)
				})
				says(t, result(t, s, p.Process), name+" by a process that has locked its thread")
				r := Go(s, func(p *Proc) { p.Yield() })
				equal(t, "reason of a later one", result(t, s, r), nil)
			})
		})
	}
}

// TestThreadLocked_Ends: a process that ends with its thread locked has failed, and its coroutine
// serves others. Deferred functions may unlock it.
func TestThreadLocked_Ends(t *testing.T) {
	knowsLocks(t)
	onBoth(t, func(t *testing.T, s *System) {
		p := Go(s, func(*Proc) { runtime.LockOSThread(); runtime.LockOSThread() })
		says(t, result(t, s, p), "its end with its thread locked")
		p = Go(s, func(*Proc) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
		})
		equal(t, "reason", result(t, s, p), nil)
		for range 50 {
			p = Go(s, func(p *Proc) { p.Yield(); p.Sleep(1) })
		}
		equal(t, "reason of a later one", result(t, s, p), nil)
	})
}

// TestThreadLocked_Blocking: within Blocking a process may lock its thread, and must unlock it.
func TestThreadLocked_Blocking(t *testing.T) {
	knowsLocks(t)
	onBoth(t, func(t *testing.T, s *System) {
		p := Go(s, func(p *Proc) {
			p.Blocking(func() {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
			})
			p.Yield()
		})
		equal(t, "reason", result(t, s, p), nil)
		p = Go(s, func(p *Proc) { p.Blocking(runtime.LockOSThread); p.Yield() })
		says(t, result(t, s, p), "Blocking has left its thread locked")
		q := Spawn(s, func(self *Self[int]) {
			self.ReceiveMatch(func(int) bool { runtime.LockOSThread(); return true })
		})
		q.Send(s, 1)
		says(t, result(t, s, q.Process), "the match of a receive has left its thread locked")
	})
}

// TestThreadLocked_Outside: a goroutine that has locked its thread starts, waits for and stops
// systems with processes that wait.
func TestThreadLocked_Outside(t *testing.T) {
	knowsLocks(t)
	for name, cfg := range map[string]Config{"workers": {Workers: 2}, "deterministic": {Seed: 1}} {
		t.Run(name, func(t *testing.T) {
			runtime.LockOSThread() // here: a test has a goroutine of its own
			defer runtime.UnlockOSThread()
			unwound := 0
			s := Start(cfg)
			c := NewChan[int](0)
			Go(s, func(p *Proc) { c.Send(p, 1) })
			Go(s, func(p *Proc) {
				defer func() { unwound++ }()
				defer p.Yield()
				Select(p)
			})
			Go(s, func(p *Proc) { p.Sleep(1) })
			c.Recv(s.Goroutine())
			quiet(t, s)
			s.Stop()
			equal(t, "unwound", unwound, 1)
			equal(t, "locked still", seam.ThreadLocked(seam.Goroutine()), true)
		})
	}
}
