package process

import (
	"fmt"
	"runtime"
	"testing"
	"time"
)

// TestRequestFails: a request that is not made leaves nothing: no monitor at the process that was to
// be asked, and no place in its mailbox taken. The request panics, leaves by Goexit, or is made while
// the process that asks is told to end.
func TestRequestFails(t *testing.T) {
	type asks func(by Party, to Ref[int], request func(ReplyTo[int]) int)
	calls := map[string]asks{
		"Ask":         func(by Party, to Ref[int], r func(ReplyTo[int]) int) { Ask(by, to, r) },
		"Call":        func(by Party, to Ref[int], r func(ReplyTo[int]) int) { _, _ = Call(by, to, r) },
		"Call within": func(by Party, to Ref[int], r func(ReplyTo[int]) int) { _, _ = Call(by, to, r, Within(time.Hour)) },
	}
	fails := map[string]func(by Party){
		"panics": func(Party) { panic("planted") },
		"exits":  func(Party) { runtime.Goexit() },
		"is told to end": func(by Party) {
			if p := by.self(); p != nil {
				Process{p}.Kill(by)
			}
			Select(by, After(1))
			runtime.Goexit()
		},
	}
	for call, ask := range calls {
		for fail, f := range fails {
			for _, bounded := range []bool{false, true} {
				for _, outside := range []bool{false, true} {
					t.Run(fmt.Sprint(call, " ", fail, " bounded ", bounded, " outside ", outside),
						func(t *testing.T) {
							onBoth(t, func(t *testing.T, s *System) {
								requestFails(t, s, bounded, outside, func(by Party, to Ref[int]) {
									ask(by, to, func(ReplyTo[int]) int {
										f(by)
										return 0
									})
								})
							})
						})
				}
			}
		}
	}
}

func requestFails(t *testing.T, s *System, bounded, outside bool, ask func(by Party, to Ref[int])) {
	var options []Option
	if bounded {
		options = append(options, WithBound(1))
	}
	took := 0
	to := Spawn(s, func(self *Self[int]) {
		for {
			took += self.ReceiveMatch(func(int) bool { return true })
		}
	}, options...)
	quiet(t, s)
	if outside {
		over := make(chan bool)
		go func() {
			defer close(over)
			defer func() { _ = recover() }()
			ask(s.Goroutine(), to)
		}()
		<-over
	} else {
		Go(s, func(p *Proc) {
			func() {
				defer func() { _ = recover() }()
				ask(p, to)
			}()
			Select(p)
		})
	}
	quiet(t, s)
	if l := to.p.life.Load(); l != nil {
		l.mu.Lock()
		equal(t, "monitors", l.monitors.n, 0)
		l.mu.Unlock()
	}
	if bounded {
		b := to.box.rare.bound
		b.mu.Lock()
		equal(t, "places taken", b.n, 0)
		b.mu.Unlock()
	}
	Go(s, func(p *Proc) { to.Send(p, 1) })
	quiet(t, s)
	equal(t, "messages taken", took, 1)
}

// TestRequestFails_Line: the place of a request that fails is that of the next in line, at once. The
// process, which waits for something else, does not look.
func TestRequestFails_Line(t *testing.T) {
	onBoth(t, func(t *testing.T, s *System) {
		gate, sent := NewChan[int](0), false
		to := Spawn(s, func(self *Self[int]) {
			gate.Recv(self)
			self.Receive()
		}, WithBound(1))
		b := to.box.rare.bound
		inLine := func() bool {
			b.mu.Lock()
			defer b.mu.Unlock()
			return b.line.first != nil
		}
		Go(s, func(p *Proc) {
			_, _ = Call(p, to, func(ReplyTo[int]) int {
				Go(p, func(p *Proc) {
					to.Send(p, 1)
					sent = true
				})
				for !inLine() {
					p.Yield()
				}
				panic("planted")
			})
		})
		quiet(t, s)
		equal(t, "sent", sent, true)
		gate.TrySend(s, 1)
		equal(t, "reason", result(t, s, to.Process), nil)
	})
}
