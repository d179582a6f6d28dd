package process

import (
	"fmt"
	"strings"
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
			"call":     func() { ref.Send(lent, 1) },
			"Blocking": func() { lent.Blocking(func() {}) },
			"TrapExit": func() { lent.TrapExit(func(Exit) int { return 0 }) },
			"Notify":   func() { e.Notify(lent) },
		}
		for op, f := range ops {
			say := op
			if op == "Notify" {
				say = "call"
			}
			panics(t, say+" with a process that does not run here", f)
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
		done := 0
		Go(s, func(p *Proc) {
			panics(t, "Chan.Send: the channel is closed", func() { closed.Send(p, 1) })
			one := 1
			panics(t, "send on a closed channel", func() { Select(p, SendTo(closed, &one)) })
			done++
		})
		Go(s, func(p *Proc) {
			panics(t, "Chan.Send: the channel was closed", func() { full.Send(p, 1) })
			done++
		})
		idle := Go(s, func(p *Proc) { Select(p) })
		quiet(t, s)
		full.Close(s)
		quiet(t, s)
		blocked := s.Blocked()
		if done != 2 || len(blocked) != 1 || blocked[0].Process != idle ||
			blocked[0].On != "nil channel or empty select" {
			t.Errorf("%d done, blocked: %v", done, blocked)
		}
	})
}
