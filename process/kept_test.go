package process

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

var errPlanted = errors.New("planted")

// TestUnlink_Barrier: after Unlink a process does not end because of the other, however the two fall
// together.
func TestUnlink_Barrier(t *testing.T) {
	rounds := 3000
	if testing.Short() {
		rounds = 300
	}
	s := Start(Config{Workers: 4})
	defer s.Stop()
	ended := 0
	for i := range rounds {
		b := Go(s, func(p *Proc) {
			for range i % 4 {
				p.Yield()
			}
			p.Exit(errPlanted)
		})
		after := false
		a := Go(s, func(p *Proc) {
			p.Link(b)
			p.Unlink(b)
			after = true
			b.Join(p)
			p.Yield()
		})
		switch reason := result(t, s, a); {
		case reason == nil:
		case after:
			t.Fatalf("round %d: the process has ended after Unlink: %v", i, reason)
		default:
			ended++ // in Link or Unlink
		}
	}
	t.Logf("%d of %d ended before Unlink returned", ended, rounds)
}

// TestUnlink_Trapped: a process that traps exits hears of none after Unlink that was not in its
// mailbox.
func TestUnlink_Trapped(t *testing.T) {
	s := Start(Config{Workers: 4})
	defer s.Stop()
	for i := range 300 {
		b := Go(s, func(p *Proc) {
			for range i % 4 {
				p.Yield()
			}
			p.Exit(errPlanted)
		})
		late := 0
		a := Spawn(s, func(self *Self[Exit]) {
			self.TrapExit(func(e Exit) Exit { runtime.Gosched(); return e })
			self.Link(b)
			self.Unlink(b)
			there := self.Pending()
			b.Join(self)
			self.Yield()
			late = self.Pending() - there
		})
		equal(t, "reason", result(t, s, a.Process), nil)
		equal(t, "late exits", late, 0)
	}
}

// TestUnlink_KeepsOthers: other reasons for which a process is told to end are kept, in their
// order: another link, a cancel, a kill.
func TestUnlink_KeepsOthers(t *testing.T) {
	other := errors.New("other")
	for name, c := range map[string]struct {
		tell func(p *Proc, a Process)
		want func(error) bool
	}{
		"nothing": {func(*Proc, Process) {}, func(err error) bool { return err == nil }},
		"cancel":  {func(p *Proc, a Process) { a.Cancel(p, other) }, func(err error) bool { return err == other }},
		"kill":    {func(p *Proc, a Process) { a.Kill(p) }, func(err error) bool { return err == ErrKilled }},
		"link": {func(p *Proc, a Process) { Go(p, func(q *Proc) { q.Link(a); q.Exit(other) }); p.Yield() },
			func(err error) bool { return errors.Is(err, other) }},
	} {
		t.Run(name, func(t *testing.T) {
			s := Start(Config{Workers: 1})
			defer s.Stop()
			gate := NewChan[int](0)
			b := Go(s, func(p *Proc) { gate.Recv(p); p.Exit(errPlanted) })
			a := Go(s, func(p *Proc) {
				p.Link(b)
				Go(s, func(o *Proc) {
					gate.Close(o)
					b.Join(o)
					c.tell(o, p.Process())
				})
				p.Blocking(func() { // the request to end waits meanwhile
					for p.cause.Load() == nil {
						runtime.Gosched()
					}
					for name != "nothing" && p.cause.Load() == linkFailed && p.failedLinks() < 2 {
						runtime.Gosched()
					}
				})
				p.unlink(b.p) // Unlink does this if the process has not obeyed before
				p.Yield()
			})
			if err := result(t, s, a); !c.want(err) {
				t.Errorf("the reason is %v", err)
			}
		})
	}
}

func (p *Proc) failedLinks() int {
	l := p.life.Load()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.links.failed
}

// TestMonitors_EndWithTheirOwner: a process keeps no memory of ended processes that have watched,
// linked, asked or joined it, and its end makes no dead letters for them.
func TestMonitors_EndWithTheirOwner(t *testing.T) {
	letters := 0
	s := Start(Config{Workers: 1, DeadLetters: func(DeadLetter) { letters++ }})
	defer s.Stop()
	gate := NewChan[int](0)
	server := Spawn(s, func(self *Self[any]) { gate.Recv(self) })
	var asked Asked[int]
	for i := range 100 {
		p := Spawn(s, func(self *Self[int]) {
			self.Watch(server.Process, func(Down) int { return 1 })
			self.Watch(server.Process, func(Down) int { return 2 }).Stop()
			asked = Ask(self, server, func(r ReplyTo[int]) any { return r })
			self.Link(server.Process)
			self.Unlink(server.Process)
			if i%2 == 0 {
				_, _ = Call(self, server, func(r ReplyTo[int]) any { return r }, Within(time.Hour))
			}
			if i%3 == 0 {
				_, _ = Call(self, server, func(r ReplyTo[int]) any { return r })
			}
			self.Receive()
		})
		for p.Status() != Waiting {
			runtime.Gosched()
		}
		p.Process.Cancel(s, nil)
	}
	quiet(t, s)
	l := server.p.life.Load()
	equal(t, "monitors", l.monitors.n, 0)
	equal(t, "links", l.links.all.n, 0)
	equal(t, "waiters", l.waiters.n, 0)
	g := s.Goroutine()
	if _, err := asked.Reply(g); err != ErrNoProcess {
		t.Errorf("the reply to a process that has ended is %v", err)
	}
	requests := 100
	for i := range 100 {
		if i%2 == 0 || i%3 == 0 { // cancelled in the first Call
			requests++
		}
	}
	gate.Close(s)
	quiet(t, s)
	equal(t, "dead letters, which are the requests", letters, requests)
}

// TestManyKept_Constant: of many outstanding requests, monitors, links, joins and waits for an
// event, each ends in constant time. With lists that are searched from the front, this test would
// take minutes.
func TestManyKept_Constant(t *testing.T) {
	n := 80_000
	if testing.Short() {
		n = 10_000
	}
	s := Start(Config{Workers: 1})
	defer s.Stop()
	server := Spawn(s, func(self *Self[ReplyTo[int]]) {
		all := make([]ReplyTo[int], n)
		for i := range all {
			all[i] = self.Receive()
		}
		for i := range all { // the newest first: the worst for a search from the front
			all[n-1-i].Reply(self, i)
		}
		self.Receive()
	})
	p := Spawn(s, func(self *Self[int]) {
		all := make([]Asked[int], n)
		for i := range all {
			all[i] = Ask(self, server, func(r ReplyTo[int]) ReplyTo[int] { return r })
		}
		for i := range all {
			if v, err := all[i].Reply(self); v != n-1-i || err != nil {
				t.Errorf("reply %d is %d, %v", i, v, err)
			}
		}
		monitors := make([]Monitor, n)
		for i := range monitors {
			monitors[i] = self.Watch(server.Process, func(Down) int { return 0 })
		}
		for i := range monitors {
			monitors[n-1-i].Stop()
		}
		gate, left := NewChan[int](0), NewChan[int](0)
		var e Event
		over := false
		linked := make([]Process, n)
		for i := range linked {
			linked[i] = Go(self, func(p *Proc) {
				p.Link(self.Process())
				Select(p, RecvFrom(gate, nil, nil), server.Done(nil), When(&e, func() bool { return over }))
				if i%1000 == 0 {
					left.Send(p, i)
				}
			})
		}
		Go(self, func(p *Proc) {
			for i := range linked {
				gate.Send(p, i)
			}
		})
		for range n / 1000 {
			left.Recv(self)
		}
		for i := range linked {
			linked[i].Join(self)
		}
	})
	equal(t, "reason", result(t, s, p.Process), nil)
}

// TestCase_TwoParties: a case in the Selects of two parties at a time panics in the second one, and
// the first is woken.
func TestCase_TwoParties(t *testing.T) {
	done := NewChan[int](0)
	var e Event
	ctx, cancel := context.WithCancel(t.Context())
	ready := false
	v := 1
	for name, c := range map[string]struct {
		one  Case
		wake func(s *System)
	}{
		"receive": {RecvFrom(done, nil, nil), func(s *System) { done.TrySend(s, 1) }},
		"send":    {SendTo(done, &v), func(s *System) { done.TryRecv(s) }},
		"after":   {After(time.Hour), nil},
		"when":    {When(&e, func() bool { return ready }), func(s *System) { ready = true; e.Notify(s) }},
		"context": {Done(ctx), func(*System) { cancel() }},
		"ended":   {}, "reply": {},
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, s *System) {
				if name == "context" && s.stepwise {
					t.Skip("the context has ended") // it cannot end later in a deterministic run
				}
				one, wake := c.one, c.wake
				gate := NewChan[int](1)
				switch q := Go(s, func(p *Proc) { gate.Recv(p) }); name {
				case "ended":
					one, wake = q.Done(nil), func(s *System) { gate.TrySend(s, 1) }
				case "reply":
					a, r := NewReply[int]()
					one, wake = a.Replied(nil, nil), func(s *System) { r.Reply(s, 1) }
				case "after":
					one = After(time.Millisecond)
				}
				ready = false
				other := NewChan[int](0)
				p := Go(s, func(p *Proc) { Select(p, one, RecvFrom(other, nil, nil)) })
				first := p
				if name != "after" {
					quiet(t, s)
				}
				q := Go(s, func(p *Proc) {
					for first.Status() == Runnable {
						p.Yield()
					}
					Select(p, RecvFrom(other, nil, nil), one)
				})
				if wake != nil {
					says(t, result(t, s, q), "a case is used twice at a time")
					wake(s)
				}
				equal(t, "reason of the first", p.Join(s.Goroutine()), nil)
			})
		})
	}
}

// TestCase_InTurns: parties use a case one after the other.
func TestCase_InTurns(t *testing.T) {
	onBoth(t, func(t *testing.T, s *System) {
		c := NewChan[int](0)
		one, late := RecvFrom(c, nil, nil), After(time.Millisecond)
		var m Mutex
		got := 0
		for range 4 {
			Go(s, func(p *Proc) {
				for range 20 {
					m.Lock(p)
					got += Select(p, late, one)
					m.Unlock(p)
				}
			})
		}
		Go(s, func(p *Proc) {
			for range 80 {
				c.Send(p, 1)
			}
		})
		quiet(t, s)
		if got == 0 {
			t.Error("nothing was received")
		}
	})
}

// TestSelect_ForeignPanics: a context of the user's that panics in a Select leaves nothing behind:
// no lock, no waiter, no timer.
func TestSelect_ForeignPanics(t *testing.T) {
	onBoth(t, func(t *testing.T, s *System) {
		c := NewChan[int](0)
		v := 1
		p := Go(s, func(p *Proc) {
			defer func() {
				_ = recover()
				Go(p, func(p *Proc) { c.Send(p, 7) })
				equal(t, "received", Select(p, RecvFrom(c, &v, nil)), 0)
			}()
			Select(p, RecvFrom(c, nil, nil), After(time.Hour), Done(badContext{t.Context()}), SendTo(c, &v))
		})
		equal(t, "reason", result(t, s, p), nil)
		equal(t, "value", v, 7)
		equal(t, "timers", len(s.timers.heap), 0)
	})
}

// badContext panics when it is to tell of its end.
type badContext struct{ context.Context }

func (badContext) AfterFunc(func()) func() bool { panic("planted") }
func (badContext) Done() <-chan struct{}        { return make(chan struct{}) }
func (badContext) Value(any) any                { return nil }

// TestReceiveAfter_OlderMark: an older mark matches the same messages as a newest mark in its
// place: messages after it, and no earlier ones.
func TestReceiveAfter_OlderMark(t *testing.T) {
	onBoth(t, func(t *testing.T, s *System) {
		p := Spawn(s, func(self *Self[int]) {
			me := self.Ref()
			me.Send(self, 1)
			old := self.Mark()
			me.Send(self, 2)
			newer := self.Mark()
			me.Send(self, 3)
			_, any := self.ReceiveAfter(self.Mark(), 0, nil)
			equal(t, "something after the newest", any, false)
			for _, c := range []struct {
				m    Mark
				want int
			}{{newer, 3}, {old, 2}} {
				if got, ok := self.ReceiveAfter(c.m, 0, nil); got != c.want || !ok {
					t.Errorf("received %d, %v, want %d", got, ok, c.want)
				}
			}
			_, any = self.ReceiveAfter(old, 0, nil)
			equal(t, "something after the older mark", any, false)
			_, any = self.ReceiveAfter(newer, time.Millisecond, nil)
			equal(t, "something after the newer mark", any, false)
			equal(t, "first", self.Receive(), 1)
		})
		equal(t, "reason", result(t, s, p.Process), nil)
	})
}

// TestBlocked_Names: each wait has its name.
func TestBlocked_Names(t *testing.T) {
	s := Start(Config{Workers: 1})
	defer s.Stop()
	idle := Spawn(s, func(self *Self[ReplyTo[int]]) { self.ReceiveMatch(func(ReplyTo[int]) bool { return false }) })
	other := Spawn(s, func(self *Self[ReplyTo[int]]) { self.ReceiveMatch(func(ReplyTo[int]) bool { return false }) })
	request := func(r ReplyTo[int]) ReplyTo[int] { return r }
	full := Spawn(s, func(self *Self[ReplyTo[int]]) { Select(self) }, WithBound(1))
	full.Send(s, ReplyTo[int]{})
	var e Event
	var m Mutex
	var g WaitGroup
	g.Add(s, 1)
	m.TryLock()
	c := NewChan[int](0)
	v := 1
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	long := 100 * time.Hour
	for want, wait := range map[string]func(p *Proc){
		fmt.Sprint("reply of process ", idle.ID()):      func(p *Proc) { _, _ = Call(p, idle, request) },
		fmt.Sprint("reply of process ", idle.ID(), " "): func(p *Proc) { _, _ = Call(p, idle, request, Within(long)) },
		fmt.Sprint("reply of process ", idle.ID(), "  "): func(p *Proc) {
			Select(p, After(long), Ask(p, idle, request).Replied(nil, nil))
		},
		"reply":                                  func(p *Proc) { a, _ := NewReply[int](); _, _ = a.Reply(p) },
		fmt.Sprint("end of process ", idle.ID()): func(p *Proc) { idle.Join(p) },
		"context":                                func(p *Proc) { _ = p.Wait(ctx) },
		"event":                                  func(p *Proc) { Block(p, &e, func() bool { return false }) },
		"mutex":                                  func(p *Proc) { m.Lock(p) },
		"wait group":                             func(p *Proc) { g.Wait(p) },
		"channel send":                           func(p *Proc) { Select(p, SendTo(c, &v)) },
		"channel receive":                        func(p *Proc) { Select(p, RecvFrom(NewChan[int](0), nil, nil), After(long)) },
		"sleep":                                  func(p *Proc) { Select(p, After(long)) },
		fmt.Sprint("select of end of process ", idle.ID(), ", context"): func(p *Proc) {
			Select(p, Done(ctx), idle.Done(nil))
		},
		"select of channel send, channel receive, sleep, reply": func(p *Proc) {
			a, _ := NewReply[int]()
			Select(p, After(long), SendTo(c, &v), a.Replied(nil, nil), RecvFrom(NewChan[int](0), nil, nil))
		},
		fmt.Sprint("select of reply of process ", other.ID(), ", end of process ", idle.ID(), ", context"): func(p *Proc) {
			asked := Ask(p, other, request)
			Select(p, nil, asked.Replied(nil, nil), idle.Done(nil), Done(ctx), idle.Done(nil))
		},
		"full mailbox":                func(p *Proc) { _ = full.SendWait(p, ReplyTo[int]{}) },
		"nil channel or empty select": func(p *Proc) { Select(p, nil, nil) },
	} {
		p := Go(s, wait)
		for p.Status() != Waiting {
			runtime.Gosched()
		}
		for _, b := range s.Blocked() {
			if b.Process == p && b.On != strings.TrimSpace(want) {
				t.Errorf("waits for %q, want %q", b.On, want)
			}
		}
		p.Kill(s)
	}
}

// TestWrap_Fails: a wrap that does not return ends the process which has given it, and none else.
func TestWrap_Fails(t *testing.T) {
	for name, fails := range map[string]func(){"panic": func() { panic(errPlanted) }, "Goexit": runtime.Goexit} {
		for _, place := range []string{"monitor", "monitor of an ended one", "trap a link", "trap a cancel"} {
			t.Run(name+"/"+place, func(t *testing.T) {
				onBoth(t, func(t *testing.T, s *System) {
					gate := NewChan[int](0)
					o := Go(s, func(p *Proc) { gate.Recv(p); p.Exit(errPlanted) })
					ended := Go(s, func(*Proc) {})
					quiet(t, s)
					p := Spawn(s, func(self *Self[int]) {
						self.TrapExit(func(Exit) int { fails(); return 1 })
						wrap := func(Down) int { fails(); return 1 }
						switch place {
						case "monitor":
							self.Watch(o, wrap)
						case "monitor of an ended one":
							self.Watch(ended, wrap)
						case "trap a link":
							self.Link(o)
						}
						self.Receive()
					})
					watcher := Spawn(s, func(self *Self[Down]) {
						self.Watch(o, func(d Down) Down { return d })
						self.Receive()
					})
					quiet(t, s)
					if place == "trap a cancel" {
						p.Process.Cancel(s, nil)
					}
					gate.Close(s)
					reason := result(t, s, p.Process)
					if _, panicked := Panicked(reason); reason == nil || panicked != (name == "panic") {
						t.Errorf("the reason is %v", reason)
					}
					equal(t, "reason of the other", reasonOf(o), errPlanted)
					equal(t, "reason of a watcher", result(t, s, watcher.Process), nil)
					equal(t, "panics", s.Stats().Panics, uint64(1))
				})
			})
		}
	}
}

// TestTrap_CausesExits: a wrap that tells its own process to end, at once or by another that traps exits,
// causes another exit each time. That ends the process, and not the program.
func TestTrap_CausesExits(t *testing.T) {
	for name, two := range map[string]bool{"its own process": false, "each other": true} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, s *System) {
				var all [2]Ref[int]
				for i := range all {
					all[i] = Spawn(s, func(self *Self[int]) {
						next := i
						if two {
							next = 1 - i
						}
						self.TrapExit(func(Exit) int { all[next].Process.Cancel(s, nil); return 1 })
						self.ReceiveMatch(func(int) bool { return false })
					})
				}
				quiet(t, s)
				all[0].Process.Cancel(s, nil)
				quiet(t, s)
				ended := 0
				for _, p := range all {
					if reason, over := p.Process.Result(); over {
						ended++
						says(t, reason, "the wrap of TrapExit causes exits of its own process")
					}
				}
				equal(t, "ended", ended, 1)
			})
		})
	}
}

// TestSpawn_KilledAtOnce: a process may end before Spawn has returned. The race detector looks on.
func TestSpawn_KilledAtOnce(t *testing.T) {
	s := Start(Config{Workers: 2})
	defer s.Stop()
	for range 1000 {
		for _, options := range [][]Option{nil, {WithBound(1)}} {
			Spawn(s, func(self *Self[int]) {
				self.Process().Kill(self)
				self.Yield()
			}, options...).Send(s, 1)
		}
	}
	quiet(t, s)
}

// TestMatch_PanicsLeaveNothing: a match that panics in a receive with a time leaves no timer, which
// would keep the system from being quiet.
func TestMatch_PanicsLeaveNothing(t *testing.T) {
	onBoth(t, func(t *testing.T, s *System) {
		p := Spawn(s, func(self *Self[int]) {
			self.ReceiveWithin(time.Hour, func(int) bool { panic(1) })
		})
		for s.Blocked() == nil && !s.stepwise {
			runtime.Gosched()
		}
		p.Send(s, 1)
		quiet(t, s)
		equal(t, "timers", len(s.timers.heap), 0)
	})
}
