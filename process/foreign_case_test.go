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
	register, end func() // AfterFunc, and the function that it returns
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

// TestForeignCase_Committed: a Select has received or sent a value when a context misbehaves. The
// value is neither lost nor doubled, the cases may be used again, and the other party goes on. The
// test commits by the other party, and by the Select itself on its second look.
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

// foreign is a context without a method AfterFunc, so that package context asks it in a goroutine of its
// own.
type foreign struct {
	context.Context
	over chan struct{}
	err  func(over bool) error
}

func (f *foreign) Done() <-chan struct{} { return f.over }

func (f *foreign) Err() error {
	select {
	case <-f.over:
		return f.err(true)
	default:
		return f.err(false)
	}
}

func (f *foreign) Value(any) any { panic("planted") }

// TestForeignCase_Ends: when a context ends in any way, the Select that waits for it goes on. Only
// the process is affected by misbehaviour of the context, also if other contexts are derived from
// it.
func TestForeignCase_Ends(t *testing.T) {
	derived := map[string]func(ctx context.Context) context.Context{
		"itself": func(ctx context.Context) context.Context { return ctx },
		"value": func(ctx context.Context) context.Context {
			return context.WithValue(ctx, new(int), 1)
		},
	}
	for name, c := range map[string]struct {
		err func() error
		why string // the process ends for it; "": it goes on
	}{
		"no error":    {func() error { return nil }, ""},
		"a nil error": {func() error { return (*nilError)(nil) }, ""},
		"Err panics":  {func() error { panic("planted") }, "planted"},
		"Err ends":    {func() error { runtime.Goexit(); return nil }, "runtime.Goexit"},
	} {
		for how, derive := range derived {
			t.Run(name+"/"+how, func(t *testing.T) {
				s := Start(Config{Workers: 2, Panic: func(PanicReport) {}})
				defer s.Stop()
				f := &foreign{over: make(chan struct{}), err: func(over bool) error {
					if !over {
						return nil
					}
					return c.err()
				}}
				ctx, gate := derive(f), NewChan[int](0)
				p := Go(s, func(p *Proc) { Select(p, Done(ctx), RecvFrom(gate, nil, nil)) })
				q := Go(s, func(p *Proc) {
					if p.Wait(ctx) == nil {
						t.Error("Wait returns no error")
					}
				})
				quiet(t, s)
				close(f.over)
				for _, p := range []Process{p, q} {
					reason := p.Join(s.Goroutine())
					switch c.why {
					case "":
						equal(t, "reason", reason, nil)
					case "runtime.Goexit":
						equal(t, "reason", reason.Error(), "gallop: runtime.Goexit in a turn")
					default:
						endsBy(t, reason, c.why)
					}
				}
			})
		}
	}
}

// nilError is an error whose text panics for a nil pointer.
type nilError struct{ text string }

func (e *nilError) Error() string { return e.text }

// TestDone_Nil: a context that is a nil pointer is none.
func TestDone_Nil(t *testing.T) {
	panics(t, "Done: the context is nil", func() { Done((*foreign)(nil)) })
	s := Start(Config{Workers: 1})
	defer s.Stop()
	says(t, result(t, s, Go(s, func(p *Proc) { _ = p.Wait((*foreign)(nil)) })), "Proc.Wait: the context is nil")
}

// TestGoroutine_OfTwo: a Goroutine is used by one goroutine at a time: an operation that may wait panics
// while another waits by it, who goes on as if nothing had been.
func TestGoroutine_OfTwo(t *testing.T) {
	s := Start(Config{Workers: 1})
	defer s.Stop()
	g, c, got := s.Goroutine(), NewChan[int](0), make(chan int)
	go func() {
		v, _ := c.Recv(g)
		got <- v
	}()
	for g.state.Load()&parked == 0 {
		runtime.Gosched()
	}
	panics(t, "Chan.Recv with a Goroutine by which another goroutine waits", func() { c.Recv(g) })
	panics(t, "Select with a Goroutine by which another goroutine waits", func() { Select(g, RecvFrom(c, nil, nil)) })
	c.Send(s.Goroutine(), 7)
	equal(t, "received", <-got, 7)
}
