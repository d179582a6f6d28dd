package process

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/gallop-go/gallop/internal/seam"
)

// The cases of OTP's suites about receive, links, monitors and processes, as far as they apply.

// inOne runs f in one process on workers and under seeds, and fails unless it ends normally.
func inOne(t *testing.T, f func(t *testing.T, s *Self[any])) {
	t.Helper()
	onBoth(t, func(t *testing.T, s *System) {
		r := Spawn(s, func(s *Self[any]) { f(t, s) })
		equal(t, "reason", result(t, s, r.Process), nil)
	})
}

var errWhy = errors.New("why")

func isInt(m any) bool    { _, ok := m.(int); return ok }
func isString(m any) bool { _, ok := m.(string); return ok }
func wrapExit(e Exit) any { return e }
func wrapDown(d Down) any { return d }

// fails starts a process that waits for a message and then ends for errWhy.
func fails(from Env) Ref[any] {
	return Spawn(from, func(s *Self[any]) { s.Receive(); s.Exit(errWhy) })
}

func TestErlang(t *testing.T) {
	for name, f := range map[string]func(t *testing.T, s *Self[any]){
		"receive: order of one sender": func(t *testing.T, s *Self[any]) {
			Go(s, func(p *Proc) {
				for i := range 500 {
					s.Ref().Send(p, i)
				}
			})
			for i := range 500 {
				equal(t, "message", s.Receive(), any(i))
			}
		},
		"receive: to itself": func(t *testing.T, s *Self[any]) {
			s.Ref().Send(s, 1)
			equal(t, "message", s.Receive(), any(1))
		},
		"receive: selective, order kept": func(t *testing.T, s *Self[any]) {
			for _, m := range []any{1, "a", 2, "b", 3} {
				s.Ref().Send(s, m)
			}
			got := fmt.Sprint(s.ReceiveMatch(isString), s.ReceiveMatch(isString),
				s.Receive(), s.Receive(), s.Receive())
			equal(t, "order", got, "ab1 2 3")
		},
		"receive: what does not match stays": func(t *testing.T, s *Self[any]) {
			s.Ref().Send(s, 1)
			_, ok := s.ReceiveWithin(0, isString)
			equal(t, "matched", ok, false)
			equal(t, "pending", s.Pending(), 1)
			equal(t, "message", s.Receive(), any(1))
		},
		"receive: match comes while waiting": func(t *testing.T, s *Self[any]) {
			Go(s, func(p *Proc) {
				for i := range 10 {
					s.Ref().Send(p, i)
					p.Yield()
				}
				s.Ref().Send(p, "x")
			})
			equal(t, "message", s.ReceiveMatch(isString), any("x"))
			equal(t, "pending", s.Pending(), 10)
		},
		"receive: after 0 with an empty mailbox": func(t *testing.T, s *Self[any]) {
			_, ok := s.ReceiveWithin(0, nil)
			equal(t, "received", ok, false)
		},
		"receive: after 0 looks first": func(t *testing.T, s *Self[any]) {
			s.Ref().Send(s, 1)
			_, ok := s.ReceiveWithin(0, nil)
			equal(t, "received", ok, true)
		},
		"receive: negative time-out is none": func(t *testing.T, s *Self[any]) {
			_, ok := s.ReceiveWithin(-time.Hour, nil)
			equal(t, "received", ok, false)
		},
		"receive: time-out": func(t *testing.T, s *Self[any]) {
			_, ok := s.ReceiveWithin(time.Millisecond, nil)
			equal(t, "received", ok, false)
		},
		"receive: messages that do not match restart no time-out": func(t *testing.T, s *Self[any]) {
			var quit seam.Bool
			Go(s, func(p *Proc) {
				for !quit.Load() {
					s.Ref().Send(p, 1)
					p.Sleep(time.Millisecond)
				}
			})
			_, ok := s.ReceiveWithin(5*time.Millisecond, isString)
			equal(t, "received", ok, false)
			quit.Store(true)
		},
		"receive: message before the time-out": func(t *testing.T, s *Self[any]) {
			Go(s, func(p *Proc) { s.Ref().Send(p, 1) })
			_, ok := s.ReceiveWithin(time.Hour, nil)
			equal(t, "received", ok, true)
		},
		"receive: a match that panics keeps the mailbox": func(t *testing.T, s *Self[any]) {
			s.Ref().Send(s, 1)
			func() {
				defer func() { recover() }()
				s.ReceiveMatch(func(any) bool { panic("match") })
			}()
			equal(t, "message", s.Receive(), any(1))
		},
		"receive: mark": func(t *testing.T, s *Self[any]) {
			for range 5 {
				s.Ref().Send(s, 0)
			}
			mark, looked := s.Mark(), 0
			s.Ref().Send(s, 1)
			m, _ := s.ReceiveAfter(mark, -1, func(any) bool { looked++; return true })
			equal(t, "message", m, any(1))
			equal(t, "looked at", looked, 1)
			equal(t, "pending", s.Pending(), 5)
		},
		"receive: mark whose message is taken": func(t *testing.T, s *Self[any]) {
			for i := range 3 {
				s.Ref().Send(s, i)
			}
			mark := s.Mark()
			equal(t, "last", s.ReceiveMatch(func(m any) bool { return m == any(2) }), any(2))
			s.Ref().Send(s, 3)
			m, _ := s.ReceiveAfter(mark, -1, nil)
			equal(t, "message", m, any(3))
		},
		"receive: all before the mark is taken": func(t *testing.T, s *Self[any]) {
			s.Ref().Send(s, 1)
			mark := s.Mark()
			s.Receive()
			s.Ref().Send(s, 2)
			m, _ := s.ReceiveAfter(mark, -1, nil)
			equal(t, "message", m, any(2))
		},
		"receive: an older mark looks at all": func(t *testing.T, s *Self[any]) {
			old := s.Mark()
			s.Ref().Send(s, 1)
			s.Mark()
			m, _ := s.ReceiveAfter(old, -1, nil)
			equal(t, "message", m, any(1))
		},
		"process: send to one that has ended": func(t *testing.T, s *Self[any]) {
			r := Spawn(s, func(*Self[int]) {})
			r.Join(s)
			r.Send(s, 1)
		},
		"process: exit reasons": func(t *testing.T, s *Self[any]) {
			r := fails(s)
			r.Send(s, 1)
			equal(t, "reason", r.Join(s), errWhy)
		},
		"process: status": func(t *testing.T, s *Self[any]) {
			r := fails(s)
			for r.Status() != Waiting {
				s.Yield()
			}
			r.Send(s, 1)
			r.Join(s)
			equal(t, "status", r.Status(), Ended)
		},
		"process: references are equal to themselves": func(t *testing.T, s *Self[any]) {
			own := s.Ref()
			equal(t, "own", s.Ref() == own, true)
			equal(t, "another", s.Ref() == fails(s), false)
		},
		"process: kill cannot be trapped": func(t *testing.T, s *Self[any]) {
			r := Spawn(s, func(s *Self[any]) { s.TrapExit(wrapExit); s.Receive() })
			for r.Status() != Waiting {
				s.Yield()
			}
			r.Kill(s)
			equal(t, "reason", r.Join(s), ErrKilled)
		},
		"process: cancel is trapped": func(t *testing.T, s *Self[any]) {
			var got any
			r := Spawn(s, func(s *Self[any]) { s.TrapExit(wrapExit); got = s.Receive() })
			for r.Status() != Waiting {
				s.Yield()
			}
			r.Cancel(s, errWhy)
			equal(t, "reason", r.Join(s), nil)
			equal(t, "exit", got, any(Exit{Process{}, errWhy}))
		},
		"process: cancel before its first turn": func(t *testing.T, s *Self[any]) {
			r := Spawn(s, func(s *Self[any]) { s.Receive(); t.Error("went on") })
			r.Cancel(s, errWhy)
			equal(t, "reason", r.Join(s), errWhy)
		},
		"process: cancel of one that has ended": func(t *testing.T, s *Self[any]) {
			r := Spawn(s, func(*Self[int]) {})
			r.Join(s)
			r.Cancel(s, errWhy)
			equal(t, "reason", r.Join(s), nil)
		},
		"link: the reason is handed on": func(t *testing.T, s *Self[any]) {
			var of Process
			r := Spawn(s, func(o *Self[any]) {
				of = SpawnLinked(&o.Proc, func(x *Self[any]) { x.Exit(errWhy) }).Process
				o.Receive()
			})
			reason := r.Join(s)
			var l *LinkedError
			equal(t, "is a LinkedError", errors.As(reason, &l), true)
			equal(t, "from", l.From, of)
			equal(t, "wraps", errors.Is(reason, errWhy), true)
		},
		"link: along a chain": func(t *testing.T, s *Self[any]) {
			var chain func(o *Self[any], n int)
			chain = func(o *Self[any], n int) {
				if n == 0 {
					o.Exit(errWhy)
				}
				SpawnLinked(&o.Proc, func(x *Self[any]) { chain(x, n-1) })
				o.Receive()
			}
			r := Spawn(s, func(o *Self[any]) { chain(o, 10) })
			equal(t, "wraps", errors.Is(r.Join(s), errWhy), true)
		},
		"link: a normal end does not end the other": func(t *testing.T, s *Self[any]) {
			SpawnLinked(&s.Proc, func(*Self[any]) {}).Join(s)
			s.Yield()
		},
		"link: trapped": func(t *testing.T, s *Self[any]) {
			s.TrapExit(wrapExit)
			r := SpawnLinked(&s.Proc, func(x *Self[any]) { x.Exit(errWhy) })
			equal(t, "exit", s.Receive(), any(Exit{r.Process, errWhy}))
		},
		"link: a normal end is trapped too": func(t *testing.T, s *Self[any]) {
			s.TrapExit(wrapExit)
			r := SpawnLinked(&s.Proc, func(*Self[any]) {})
			equal(t, "exit", s.Receive(), any(Exit{r.Process, nil}))
		},
		"link: to one that has ended": func(t *testing.T, s *Self[any]) {
			s.TrapExit(wrapExit)
			r := Spawn(s, func(*Self[int]) {})
			r.Join(s)
			s.Link(r.Process)
			equal(t, "exit", s.Receive(), any(Exit{r.Process, ErrNoProcess}))
		},
		"link: twice is once": func(t *testing.T, s *Self[any]) {
			s.TrapExit(wrapExit)
			r := fails(s)
			s.Link(r.Process)
			s.Link(r.Process)
			r.Send(s, 1)
			s.Receive()
			_, again := s.ReceiveWithin(time.Millisecond, nil)
			equal(t, "again", again, false)
		},
		"link: to itself": func(t *testing.T, s *Self[any]) { s.Link(s.Process()) },
		"unlink": func(t *testing.T, s *Self[any]) {
			r := fails(s)
			s.Link(r.Process)
			s.Unlink(r.Process)
			r.Send(s, 1)
			r.Join(s)
			s.Yield()
		},
		"unlink: from the other side": func(t *testing.T, s *Self[any]) {
			me := s.Process()
			r := SpawnLinked(&s.Proc, func(x *Self[any]) { x.Unlink(me); x.Exit(errWhy) })
			r.Join(s)
			s.Yield()
		},
		"link: a panic is the reason": func(t *testing.T, s *Self[any]) {
			s.TrapExit(wrapExit)
			SpawnLinked(&s.Proc, func(*Self[any]) { panic(7) })
			v, _ := Panicked(s.Receive().(Exit).Reason)
			equal(t, "value", v, any(7))
		},
		"link: trapping ends": func(t *testing.T, s *Self[any]) {
			r := Spawn(s, func(o *Self[any]) {
				o.TrapExit(wrapExit)
				o.TrapExit(nil)
				SpawnLinked(&o.Proc, func(x *Self[any]) { x.Exit(errWhy) })
				o.Receive()
			})
			equal(t, "wraps", errors.Is(r.Join(s), errWhy), true)
		},
		"monitor": func(t *testing.T, s *Self[any]) {
			r := fails(s)
			s.Watch(r.Process, wrapDown)
			r.Send(s, 1)
			equal(t, "down", s.Receive(), any(Down{r.Process, errWhy}))
		},
		"monitor: messages come before the down": func(t *testing.T, s *Self[any]) {
			me := s.Ref()
			r := Spawn(s, func(o *Self[any]) { o.Receive(); me.Send(o, 1); me.Send(o, 2) })
			s.Watch(r.Process, wrapDown)
			r.Send(s, 0)
			equal(t, "order", fmt.Sprint(s.Receive(), s.Receive()), "1 2")
			equal(t, "down", s.Receive(), any(Down{r.Process, nil}))
		},
		"monitor: one that has ended": func(t *testing.T, s *Self[any]) {
			r := Spawn(s, func(*Self[int]) {})
			r.Join(s)
			s.Watch(r.Process, wrapDown)
			equal(t, "down", s.Receive(), any(Down{r.Process, ErrNoProcess}))
		},
		"monitor: each is one message": func(t *testing.T, s *Self[any]) {
			r := fails(s)
			for range 3 {
				s.Watch(r.Process, wrapDown)
			}
			r.Send(s, 1)
			r.Join(s)
			for range 3 {
				s.Receive()
			}
			equal(t, "pending", s.Pending(), 0)
		},
		"monitor: stopped": func(t *testing.T, s *Self[any]) {
			r := fails(s)
			equal(t, "stopped", s.Watch(r.Process, wrapDown).Stop(), true)
			r.Send(s, 1)
			r.Join(s)
			s.Yield()
			equal(t, "pending", s.Pending(), 0)
		},
		"monitor: stopped too late": func(t *testing.T, s *Self[any]) {
			r := fails(s)
			m := s.Watch(r.Process, wrapDown)
			r.Send(s, 1)
			s.Receive()
			equal(t, "stopped", m.Stop(), false)
		},
		"monitor: of a killed one": func(t *testing.T, s *Self[any]) {
			r := fails(s)
			s.Watch(r.Process, wrapDown)
			r.Kill(s)
			equal(t, "down", s.Receive(), any(Down{r.Process, ErrKilled}))
		},
		"monitor: does not link": func(t *testing.T, s *Self[any]) {
			r := Spawn(s, func(o *Self[any]) { o.Watch(s.Process(), wrapDown); o.Exit(errWhy) })
			r.Join(s)
			s.Yield()
		},
		"call": func(t *testing.T, s *Self[any]) {
			v, err := Call(s, doubler(s), func(r ReplyTo[int]) request { return request{21, r} })
			equal(t, "reply", v, 42)
			equal(t, "error", err, nil)
		},
		"call: the callee ends": func(t *testing.T, s *Self[any]) {
			r := Spawn(s, func(s *Self[request]) { s.Receive(); s.Exit(errWhy) })
			_, err := Call(s, r, func(r ReplyTo[int]) request { return request{1, r} })
			equal(t, "error", err, errWhy)
		},
		"call: the callee has ended": func(t *testing.T, s *Self[any]) {
			r := Spawn(s, func(s *Self[request]) {})
			r.Join(s)
			_, err := Call(s, r, func(r ReplyTo[int]) request { return request{1, r} })
			equal(t, "error", err, ErrNoProcess)
		},
		"call: time-out": func(t *testing.T, s *Self[any]) {
			r := Spawn(s, func(s *Self[request]) { s.Receive(); s.Receive() })
			_, err := Call(s, r, func(r ReplyTo[int]) request { return request{1, r} },
				Within(time.Millisecond))
			equal(t, "error", err, ErrTimeout)
			r.Kill(s)
		},
		"call: the second reply is refused": func(t *testing.T, s *Self[any]) {
			second := true
			r := Spawn(s, func(s *Self[request]) {
				m := s.Receive()
				m.to.Reply(s, 1)
				second = m.to.Reply(s, 2)
			})
			Call(s, r, func(r ReplyTo[int]) request { return request{1, r} })
			r.Join(s)
			equal(t, "second", second, false)
		},
		"name": func(t *testing.T, s *Self[any]) {
			r := fails(s)
			equal(t, "error", Register("n", r), nil)
			equal(t, "taken", Register("n", s.Ref()), ErrNameTaken)
			got, ok := Lookup[any](s.sys, "n")
			equal(t, "found", ok && got == r, true)
			_, ok = Lookup[int](s.sys, "n")
			equal(t, "of another type", ok, false)
			r.Send(s, 1)
			r.Join(s)
			_, ok = Lookup[any](s.sys, "n")
			equal(t, "after its end", ok, false)
			equal(t, "of one that has ended", Register("n", r), ErrNoProcess)
		},
		"name: given on": func(t *testing.T, s *Self[any]) {
			r := fails(s)
			equal(t, "error", Register("n", r), nil)
			equal(t, "had", s.sys.Unregister("n"), true)
			equal(t, "had twice", s.sys.Unregister("n"), false)
			equal(t, "error", Register("n", s.Ref()), nil)
			r.Kill(s)
			r.Join(s)
			got, _ := Lookup[any](s.sys, "n")
			equal(t, "the new one keeps it", got, s.Ref())
		},
		"many": func(t *testing.T, s *Self[any]) {
			next := s.Ref()
			for range 1000 {
				to := next
				next = Spawn(s, func(s *Self[any]) { to.Send(s, s.Receive()) })
			}
			next.Send(s, "round")
			equal(t, "message", s.Receive(), any("round"))
		},
	} {
		t.Run(name, func(t *testing.T) { inOne(t, f) })
	}
}

type request struct {
	n  int
	to ReplyTo[int]
}

// doubler starts a process that replies with twice the number.
func doubler(from Env) Ref[request] {
	return Spawn(from, func(s *Self[request]) {
		m := s.Receive()
		m.to.Reply(s, 2*m.n)
	})
}

func TestDeadLetters(t *testing.T) {
	var dead []any
	s := Start(Config{Workers: 1, DeadLetters: func(d DeadLetter) { dead = append(dead, d.Message) }})
	defer s.Stop()
	r := Spawn(s, func(s *Self[int]) { s.ReceiveMatch(func(m int) bool { return m == 3 }) })
	for i := range 4 {
		r.Send(s, i)
	}
	equal(t, "reason", result(t, s, r.Process), nil)
	r.Send(s, 4)
	seen := map[any]bool{}
	for _, m := range dead {
		seen[m] = true
	}
	for _, m := range []int{0, 1, 2, 4} {
		equal(t, fmt.Sprint(m, " is dead"), seen[m], true)
	}
	equal(t, "number", len(dead), 4)
}

// TestNoMessageIsLost: each message is received or a dead letter, though receivers end meanwhile.
func TestNoMessageIsLost(t *testing.T) {
	const senders, each = 4, 500
	for range 20 {
		dead := make(chan int, senders*each)
		s := Start(Config{Workers: 2, DeadLetters: func(d DeadLetter) { dead <- d.Message.(int) }})
		received := 0
		r := Spawn(s, func(s *Self[int]) {
			for range senders * each / 2 {
				s.Receive()
				received++
			}
		})
		for range senders {
			Go(s, func(p *Proc) {
				for i := range each {
					r.Send(p, i)
				}
			})
		}
		quiet(t, s)
		equal(t, "sum", received+len(dead), senders*each)
		s.Stop()
	}
}

// TestKillStorm: receivers are killed at any moment; each message is received or a dead letter.
func TestKillStorm(t *testing.T) {
	const receivers, each = 100, 100
	dead := NewChan[int](receivers * each)
	var s *System
	s = Start(Config{Workers: 2, DeadLetters: func(d DeadLetter) { dead.TrySend(s, 1) }})
	defer s.Stop()
	received := NewChan[int](receivers * each)
	for range receivers {
		r := Spawn(s, func(s *Self[int]) {
			for {
				received.TrySend(s, s.ReceiveMatch(func(m int) bool { return m%3 != 0 }))
			}
		})
		Go(s, func(p *Proc) {
			for i := range each {
				r.Send(p, i)
				if i%10 == 0 {
					p.Yield()
				}
			}
		})
		Go(s, func(p *Proc) { p.Yield(); p.Yield(); r.Kill(p) })
	}
	quiet(t, s)
	equal(t, "sum", received.Len()+dead.Len(), receivers*each)
	equal(t, "blocked", len(s.Blocked()), 0)
}
