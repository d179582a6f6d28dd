package process

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// panics runs f, and checks that it panics with a text that begins with "gallop: process: " and has
// say in it.
func panics(t *testing.T, say string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		text := fmt.Sprint(recover())
		if !strings.HasPrefix(text, "gallop: process: ") || !strings.Contains(text, say) {
			t.Errorf("panics with %q, want %q", text, say)
		}
	}()
	f()
}

// TestMisuse_SelfOutside: "its methods and all operations that take it panic in any other
// goroutine", also in another process.
func TestMisuse_SelfOutside(t *testing.T) {
	onBoth(t, func(t *testing.T, s *System) {
		var lent *Self[int]
		ref := Spawn(s, func(self *Self[int]) {
			lent = self
			self.Receive()
		})
		quiet(t, s)
		c, e := NewChan[int](1), &Event{}
		ops := map[string]func(){
			"Receive": func() { lent.Receive() }, "Send": func() { c.Send(lent, 1) },
			"Recv": func() { c.Recv(lent) }, "Select": func() { Select(lent, After(1)) },
			"Sleep": func() { lent.Sleep(time.Second) }, "Yield": func() { lent.Yield() },
			"Mark": func() { lent.Mark() }, "Exit": func() { lent.Exit(nil) },
			"Link": func() { lent.Link(ref.Process) }, "Gas": func() { lent.Gas(1) },
			"Ref.Send":     func() { ref.Send(lent, 1) },
			"Blocking":     func() { lent.Blocking(func() {}) },
			"TrapExit":     func() { lent.TrapExit(func(Exit) int { return 0 }) },
			"Event.Notify": func() { e.Notify(lent) },
		}
		for op, f := range ops {
			panics(t, op+" with a process that does not run here", f)
		}
		Go(s, func(*Proc) {
			//gallop:allow GV4 used by another process on purpose: it must panic
			panics(t, "Receive with a process that does not run here", func() { lent.Receive() })
		})
		quiet(t, s)
		if ref.Status() != Waiting {
			t.Errorf("the process is %v", ref.Status())
		}
	})
}

// TestMisuse_Channels: a send on a closed channel panics at the call, also where it waits, as does
// the second close; a select without a case waits for ever, and says so.
func TestMisuse_Channels(t *testing.T) {
	onBoth(t, func(t *testing.T, s *System) {
		closed, full := NewChan[int](0), NewChan[int](0)
		closed.Close(s)
		panics(t, "closed", func() { closed.Close(s) })
		panics(t, "closed", func() { closed.TrySend(s, 1) })
		var done atomic.Int32
		Go(s, func(p *Proc) {
			panics(t, "Chan.Send: the channel is closed", func() { closed.Send(p, 1) })
			one := 1
			panics(t, "send on a closed channel", func() { Select(p, SendTo(closed, &one)) })
			done.Add(1)
		})
		Go(s, func(p *Proc) {
			panics(t, "Chan.Send: the channel was closed", func() { full.Send(p, 1) })
			done.Add(1)
		})
		idle := Go(s, func(p *Proc) { Select(p) })
		quiet(t, s)
		full.Close(s)
		quiet(t, s)
		blocked := s.Blocked()
		if done.Load() != 2 || len(blocked) != 1 || blocked[0].Process != idle ||
			blocked[0].On != "nil channel or empty select" {
			t.Errorf("%d done, blocked: %v", done.Load(), blocked)
		}
	})
}

// TestMisuse_WaitsForItself: "It panics in a process or behaviour of the system, which would wait
// for itself; so do System.Run and System.Stop", also in a deferred function while Stop unwinds the
// process. The system goes on.
func TestMisuse_WaitsForItself(t *testing.T) {
	onBoth(t, func(t *testing.T, s *System) {
		calls := map[string]func(){
			"Wait": func() { _ = s.Wait(t.Context()) }, "Run": func() { s.Run() }, "Stop": s.Stop,
		}
		all := func() {
			for call, f := range calls {
				panics(t, call+" called from a process, which would wait for itself", f)
			}
		}
		var tried atomic.Int32
		Go(s, func(*Proc) { all(); tried.Add(1) })
		Go(s, func(p *Proc) { p.Blocking(all); tried.Add(1) })
		Go(s, func(p *Proc) {
			defer func() { all(); tried.Add(1) }()
			p.Wait(t.Context()) // until Stop
		})
		quiet(t, s)
		s.Stop()
		equal(t, "tried", tried.Load(), int32(3))
	})
}

// TestWaitForAnother: a process that waits for another system keeps its worker waiting, and no
// more; a goroutine that is outside for a process, though it was made in one, is outside.
func TestWaitForAnother(t *testing.T) {
	s, other := Start(Config{Workers: 1}), Start(Config{Workers: 1})
	defer s.Stop()
	waited := false
	p := Go(s, func(*Proc) {
		c := NewChan[int](1)
		Go(other, func(p *Proc) { c.TrySend(p, 1) })
		waited = other.Wait(t.Context()) == nil && c.Len() == 1
		other.Stop()
		outside := make(chan struct{})
		go func() {
			defer close(outside)
			Go(other, func(*Proc) {}).Join(other.Goroutine())
		}()
		<-outside
	})
	equal(t, "reason", result(t, s, p), nil)
	equal(t, "waited", waited, true)
}

// TestGoroutineInAProcess: a process that waits as a goroutine outside does so as in Proc.Blocking:
// another process has its only worker meanwhile.
func TestGoroutineInAProcess(t *testing.T) {
	onBoth(t, func(t *testing.T, s *System) {
		c := NewChan[int](0)
		p := Go(s, func(p *Proc) {
			Go(p, func(p *Proc) { c.Send(p, 1) })
			v, _ := c.Recv(s.Goroutine())
			equal(t, "received", v, 1)
		})
		equal(t, "reason", result(t, s, p), nil)
	})
}
