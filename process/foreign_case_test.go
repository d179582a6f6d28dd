package process

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gallop-go/gallop/sched"
)

// hostile is a context whose methods call code of a test. Each may be nil.
type hostile struct {
	context.Context
	over          chan struct{}
	err           func() error
	done          func()
	value         func()
	register, end func() // AfterFunc, and what that returns
}

func (h *hostile) Err() error {
	if h.err != nil {
		return h.err()
	}
	return nil
}

func (h *hostile) Done() <-chan struct{} {
	if h.done != nil {
		h.done()
	}
	return h.over
}

func (h *hostile) Value(any) any {
	if h.value != nil {
		h.value()
	}
	return nil
}

func (h *hostile) AfterFunc(func()) (stop func() bool) {
	if h.register != nil {
		h.register()
	}
	return func() bool {
		if h.end != nil {
			h.end()
		}
		return true
	}
}

// foreignMisdeeds are the things that a context may do instead of returning. They name how the
// process ends.
var foreignMisdeeds = map[string]struct {
	do  func(p *Proc)
	why string
}{
	"panics": {func(*Proc) { panic("planted") }, "planted"},
	"exits":  {func(*Proc) { runtime.Goexit() }, "<nil>"},
	"uses the process": {func(p *Proc) { p.Sleep(time.Second) },
		"gallop: process: Sleep within a method of a context"},
	"selects": {func(p *Proc) { TrySelect(p, After(1)) },
		"gallop: process: TrySelect within a method of a context"},
	"locks its thread": {func(*Proc) { runtime.LockOSThread() },
		"gallop: process: a method of a context has left its thread locked"},
}

// endsBy checks the value of the panic of a process; of a Goexit it is nil.
func endsBy(t *testing.T, reason error, why string) {
	t.Helper()
	crash, _ := reason.(*sched.Crash)
	if crash == nil || !strings.HasPrefix(fmt.Sprint(crash.Value), why) || crash.Goexit != (why == "<nil>") {
		t.Errorf("the reason is %v, want a panic with %q", reason, why)
	}
}

// TestForeignCase_Committed: what a Select has received or sent by the time at which a context
// misbehaves is received or sent, and its cases may be used again: the value is neither lost nor
// doubled, and the other party goes on. It does not matter whether the other party has committed, or
// the Select itself on its second look.
func TestForeignCase_Committed(t *testing.T) {
	for misdeed, m := range foreignMisdeeds {
		for _, sends := range []bool{false, true} {
			for _, second := range []bool{false, true} {
				t.Run(fmt.Sprint(misdeed, " sends ", sends, " second ", second), func(t *testing.T) {
					onBoth(t, func(t *testing.T, s *System) { committed(t, s, m.do, m.why, sends, second) })
				})
			}
		}
	}
}

func committed(t *testing.T, s *System, misdeed func(*Proc), why string, sends, second bool) {
	c := NewChan[int](1)
	if sends {
		c.TrySend(s, 1) // there is no room
	}
	other := func(env Env) { // the other party
		if sends {
			c.TryRecv(env)
		} else {
			c.TrySend(env, 7)
		}
	}
	got, v := 0, 7
	one := RecvFrom(c, &got, nil)
	if sends {
		one = SendTo(c, &v)
	}
	withdrawn, after := 0, &hostile{over: make(chan struct{})}
	after.end = func() { withdrawn++ }
	p := Go(s, func(p *Proc) {
		bad := &hostile{over: make(chan struct{}), end: func() { misdeed(p) }}
		worse := &hostile{over: make(chan struct{}), end: bad.end}
		if second {
			bad.register = func() { other(s) }
		}
		Select(p, Done(bad), Done(worse), one, Done(after))
	})
	if !second {
		quiet(t, s)
		other(s)
	}
	endsBy(t, result(t, s, p), why)
	equal(t, "withdrawn", withdrawn, 1)
	if sends {
		got, _, _ = c.TryRecv(s)
	}
	equal(t, "value", got, 7)
	equal(t, "left", c.Len(), 0)
	again := false
	Go(s, func(p *Proc) {
		if sends {
			Select(p, one)
			again = c.Len() == 1
			return
		}
		c.TrySend(p, 8)
		Select(p, one)
		again = got == 8
	})
	quiet(t, s)
	equal(t, "used again", again, true)
}

// TestForeignCase_StopBlocks: the other party and the value do not wait for the code of a context.
func TestForeignCase_StopBlocks(t *testing.T) {
	s := Start(Config{Workers: 2})
	defer s.Stop()
	c, got, release := NewChan[int](0), 0, make(chan struct{})
	stops := make(chan int)
	p := Go(s, func(p *Proc) {
		bad := &hostile{over: make(chan struct{}), end: func() {
			stops <- got
			<-release
		}}
		Select(p, Done(bad), RecvFrom(c, &got, nil))
	})
	quiet(t, s)
	q := Go(s, func(q *Proc) { c.Send(q, 7) })
	equal(t, "value when the context is told", <-stops, 7)
	for {
		if _, over := q.Result(); over {
			break
		}
		runtime.Gosched()
	}
	close(release)
	equal(t, "reason", result(t, s, p), nil)
}

// TestForeignCase_Lent: the process must not be used in any method of a context that a Select calls.
func TestForeignCase_Lent(t *testing.T) {
	for misdeed, m := range foreignMisdeeds {
		for name, set := range map[string]func(h *hostile, f func()){
			"Err":       func(h *hostile, f func()) { h.err = func() error { f(); return nil } },
			"Done":      func(h *hostile, f func()) { h.done = f },
			"Value":     func(h *hostile, f func()) { h.value = f },
			"AfterFunc": func(h *hostile, f func()) { h.register = f },
		} {
			t.Run(name+" "+misdeed, func(t *testing.T) {
				s := Start(Config{Workers: 1})
				defer s.Stop()
				c := NewChan[int](0)
				p := Go(s, func(p *Proc) {
					bad := &hostile{over: make(chan struct{})}
					set(bad, func() { m.do(p) })
					Select(p, Done(bad), RecvFrom(c, nil, nil))
				})
				quiet(t, s)
				if _, over := p.Result(); !over {
					c.TrySend(s, 1)
				}
				endsBy(t, result(t, s, p), m.why)
				equal(t, "sent to the dead", c.TrySend(s, 1), false)
			})
		}
	}
}

// TestForeignCase_Goroutine: the same for a goroutine outside.
func TestForeignCase_Goroutine(t *testing.T) {
	s := Start(Config{Workers: 1})
	defer s.Stop()
	g := s.Goroutine()
	bad := &hostile{over: make(chan struct{}), err: func() error {
		TrySelect(g)
		return nil
	}}
	defer func() {
		if says := recover(); !strings.Contains(fmt.Sprint(says), "TrySelect within a method of a context") {
			t.Errorf("panics with %v", says)
		}
		equal(t, "afterwards", TrySelect(g), -1)
	}()
	TrySelect(g, Done(bad))
}
