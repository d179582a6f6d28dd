package process

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"
)

// The cases of Go's tests of channels and select, as far as they apply.

// TestGo runs each case in one process, on workers and under seeds. It must end normally.
func TestGo(t *testing.T) {
	for name, f := range map[string]func(t *testing.T, p *Proc){
		"send and receive": func(t *testing.T, p *Proc) {
			c := NewChan[int](0)
			Go(p, func(p *Proc) { c.Send(p, 5) })
			v, ok := c.Recv(p)
			equal(t, "value", fmt.Sprint(v, ok), "5 true")
		},
		"receive before send": func(t *testing.T, p *Proc) {
			c, d := NewChan[int](0), NewChan[int](0)
			Go(p, func(p *Proc) { v, _ := c.Recv(p); d.Send(p, v+1) })
			p.Yield()
			c.Send(p, 1)
			v, _ := d.Recv(p)
			equal(t, "value", v, 2)
		},
		"order": func(t *testing.T, p *Proc) {
			for _, size := range []int{0, 1, 7, 100} {
				c := NewChan[int](size)
				Go(p, func(p *Proc) {
					for i := range 300 {
						c.Send(p, i)
					}
					c.Close(p)
				})
				i := 0
				for v := range c.All(p) {
					equal(t, "value", v, i)
					i++
				}
				equal(t, "number", i, 300)
			}
		},
		"senders wait in order": func(t *testing.T, p *Proc) {
			c := NewChan[int](0)
			for i := range 5 {
				q := Go(p, func(p *Proc) { c.Send(p, i) })
				for q.Status() != Waiting {
					p.Yield()
				}
			}
			for i := range 5 {
				v, _ := c.Recv(p)
				equal(t, "value", v, i)
			}
		},
		"receivers wait in order": func(t *testing.T, p *Proc) {
			c := NewChan[int](0)
			var g WaitGroup
			for i := range 5 {
				q := g.Go(p, func(p *Proc) { v, _ := c.Recv(p); equal(t, "value", v, i) })
				for q.Status() != Waiting {
					p.Yield()
				}
			}
			for i := range 5 {
				c.Send(p, i)
			}
			g.Wait(p)
		},
		"len and cap": func(t *testing.T, p *Proc) {
			c := NewChan[int](3)
			c.Send(p, 1)
			c.Send(p, 2)
			equal(t, "of 3", fmt.Sprint(c.Len(), c.Cap()), "2 3")
			c.Recv(p)
			equal(t, "len", c.Len(), 1)
			equal(t, "of 0", fmt.Sprint(NewChan[int](0).Len(), NewChan[int](0).Cap()), "0 0")
			var none *Chan[int]
			equal(t, "of nil", fmt.Sprint(none.Len(), none.Cap()), "0 0")
		},
		"a full buffer suspends": func(t *testing.T, p *Proc) {
			c := NewChan[int](2)
			q := Go(p, func(p *Proc) {
				for i := range 3 {
					c.Send(p, i)
				}
			})
			for q.Status() != Waiting {
				p.Yield()
			}
			equal(t, "len", c.Len(), 2)
			c.Recv(p)
			q.Join(p)
			equal(t, "len", c.Len(), 2)
		},
		"the buffer goes round": func(t *testing.T, p *Proc) {
			c := NewChan[int](3)
			for i := range 20 {
				c.Send(p, i)
				if i >= 2 {
					v, _ := c.Recv(p)
					equal(t, "value", v, i-2)
				}
			}
		},
		"close: receive at once": func(t *testing.T, p *Proc) {
			c := NewChan[int](0)
			c.Close(p)
			for range 2 {
				v, ok := c.Recv(p)
				equal(t, "value", fmt.Sprint(v, ok), "0 false")
			}
		},
		"close: the buffer first": func(t *testing.T, p *Proc) {
			c := NewChan[int](2)
			c.Send(p, 1)
			c.Close(p)
			v, ok := c.Recv(p)
			equal(t, "value", fmt.Sprint(v, ok), "1 true")
			v, ok = c.Recv(p)
			equal(t, "value", fmt.Sprint(v, ok), "0 false")
		},
		"close: wakes all receivers": func(t *testing.T, p *Proc) {
			c := NewChan[int](0)
			var g WaitGroup
			for range 10 {
				q := g.Go(p, func(p *Proc) { _, ok := c.Recv(p); equal(t, "ok", ok, false) })
				for q.Status() != Waiting {
					p.Yield()
				}
			}
			c.Close(p)
			g.Wait(p)
		},
		"close: senders panic": func(t *testing.T, p *Proc) {
			c := NewChan[int](0)
			q := Go(p, func(p *Proc) { c.Send(p, 1) })
			for q.Status() != Waiting {
				p.Yield()
			}
			c.Close(p)
			_, ok := Panicked(q.Join(p))
			equal(t, "panicked", ok, true)
		},
		"close: a select that sends panics": func(t *testing.T, p *Proc) {
			c := NewChan[int](0)
			q := Go(p, func(p *Proc) { v := 1; Select(p, SendTo(c, &v)) })
			for q.Status() != Waiting {
				p.Yield()
			}
			c.Close(p)
			_, ok := Panicked(q.Join(p))
			equal(t, "panicked", ok, true)
		},
		"close: a select that receives": func(t *testing.T, p *Proc) {
			c := NewChan[int](0)
			q := Go(p, func(p *Proc) {
				v, ok := 1, true
				Select(p, RecvFrom[int](NewChan[int](0), nil, nil), RecvFrom(c, &v, &ok))
				equal(t, "value", fmt.Sprint(v, ok), "0 false")
			})
			for q.Status() != Waiting {
				p.Yield()
			}
			c.Close(p)
			equal(t, "reason", q.Join(p), nil)
		},
		"nil: try": func(t *testing.T, p *Proc) {
			var c *Chan[int]
			equal(t, "sent", c.TrySend(p, 1), false)
			_, _, received := c.TryRecv(p)
			equal(t, "received", received, false)
		},
		"nil: select": func(t *testing.T, p *Proc) {
			var c *Chan[int]
			v := 1
			equal(t, "chosen", TrySelect(p, RecvFrom(c, &v, nil), SendTo(c, &v)), -1)
			equal(t, "chosen", Select(p, RecvFrom(c, &v, nil), nil, SendTo(c, &v), After(0)), 3)
		},
		"nil: waits for ever": func(t *testing.T, p *Proc) {
			for _, f := range []func(p *Proc){
				func(p *Proc) { (*Chan[int])(nil).Recv(p) },
				func(p *Proc) { (*Chan[int])(nil).Send(p, 1) },
				func(p *Proc) { Select(p) },
				func(p *Proc) { Select(p, RecvFrom[int](nil, nil, nil)) },
			} {
				q := Go(p, f)
				for q.Status() != Waiting {
					p.Yield()
				}
				q.Kill(p)
				equal(t, "reason", q.Join(p), ErrKilled)
			}
		},
		"try: unbuffered without a counterpart": func(t *testing.T, p *Proc) {
			c := NewChan[int](0)
			equal(t, "sent", c.TrySend(p, 1), false)
			_, _, received := c.TryRecv(p)
			equal(t, "received", received, false)
		},
		"try: with a counterpart": func(t *testing.T, p *Proc) {
			c := NewChan[int](0)
			q := Go(p, func(p *Proc) { v, _ := c.Recv(p); equal(t, "value", v, 4) })
			for q.Status() != Waiting {
				p.Yield()
			}
			equal(t, "sent", c.TrySend(p, 4), true)
			q.Join(p)
			q = Go(p, func(p *Proc) { c.Send(p, 5) })
			for q.Status() != Waiting {
				p.Yield()
			}
			v, ok, received := c.TryRecv(p)
			equal(t, "value", fmt.Sprint(v, ok, received), "5 true true")
			q.Join(p)
		},
		"try: closed": func(t *testing.T, p *Proc) {
			c := NewChan[int](0)
			c.Close(p)
			_, ok, received := c.TryRecv(p)
			equal(t, "received", fmt.Sprint(ok, received), "false true")
		},
		"select: default": func(t *testing.T, p *Proc) {
			c := NewChan[int](1)
			v, ok := 7, false
			equal(t, "chosen", TrySelect(p, RecvFrom(c, &v, &ok)), -1)
			equal(t, "chosen", TrySelect(p, SendTo(c, &v)), 0)
			equal(t, "chosen", TrySelect(p, SendTo(c, &v)), -1)
			v = 0
			equal(t, "chosen", TrySelect(p, RecvFrom(c, &v, &ok)), 0)
			equal(t, "value", fmt.Sprint(v, ok), "7 true")
			equal(t, "no case", TrySelect(p), -1)
		},
		"select: only the ready one": func(t *testing.T, p *Proc) {
			a, b := NewChan[int](1), NewChan[int](1)
			b.Send(p, 2)
			v := 0
			equal(t, "chosen", Select(p, RecvFrom(a, &v, nil), RecvFrom(b, &v, nil)), 1)
			equal(t, "value", v, 2)
		},
		"select: waits, then sends": func(t *testing.T, p *Proc) {
			a, b := NewChan[int](0), NewChan[int](0)
			q := Go(p, func(p *Proc) {
				v, w := 1, 2
				equal(t, "chosen", Select(p, SendTo(a, &v), SendTo(b, &w)), 1)
			})
			for q.Status() != Waiting {
				p.Yield()
			}
			v, _ := b.Recv(p)
			equal(t, "value", v, 2)
			equal(t, "reason", q.Join(p), nil)
			equal(t, "left at a", a.TrySend(p, 1), false)
			_, _, received := a.TryRecv(p)
			equal(t, "offered at a", received, false)
		},
		"select: the case not chosen is not committed": func(t *testing.T, p *Proc) {
			a, b := NewChan[int](1), NewChan[int](1)
			for range 100 {
				v := 3
				a.Send(p, 1)
				switch Select(p, RecvFrom(a, &v, nil), SendTo(b, &v)) {
				case 0:
					equal(t, "b", b.Len(), 0)
				case 1:
					equal(t, "a", a.Len(), 1)
					a.Recv(p)
					b.Recv(p)
				}
			}
		},
		"select: both sides of one channel": func(t *testing.T, p *Proc) {
			c := NewChan[int](0)
			v := 1
			equal(t, "with itself", TrySelect(p, SendTo(c, &v), RecvFrom(c, &v, nil)), -1)
			q := Go(p, func(p *Proc) {
				v := 8
				Select(p, SendTo(c, &v), RecvFrom(c, &v, nil))
			})
			w := 9
			Select(p, RecvFrom(c, &w, nil), SendTo(c, &w))
			equal(t, "reason", q.Join(p), nil)
		},
		"select: the same channel twice": func(t *testing.T, p *Proc) {
			c := NewChan[int](0)
			q := Go(p, func(p *Proc) {
				v := 0
				Select(p, RecvFrom(c, &v, nil), RecvFrom(c, &v, nil))
				equal(t, "value", v, 6)
			})
			for q.Status() != Waiting {
				p.Yield()
			}
			c.Send(p, 6)
			equal(t, "reason", q.Join(p), nil)
			equal(t, "left", c.TrySend(p, 1), false)
		},
		"select: two that meet in opposite order": func(t *testing.T, p *Proc) {
			a, b := NewChan[int](0), NewChan[int](0)
			var g WaitGroup
			for range 2 {
				g.Go(p, func(p *Proc) {
					v := 1
					for range 200 {
						Select(p, SendTo(a, &v), RecvFrom(b, &v, nil))
					}
				})
				g.Go(p, func(p *Proc) {
					v := 1
					for range 200 {
						Select(p, SendTo(b, &v), RecvFrom(a, &v, nil))
					}
				})
			}
			g.Wait(p)
		},
		"select: uniform": func(t *testing.T, p *Proc) {
			const cases, rounds = 4, 4000
			c := make([]*Chan[int], cases)
			var k []Case
			for i := range c {
				c[i] = NewChan[int](1)
				c[i].Send(p, 1)
				k = append(k, RecvFrom[int](c[i], nil, nil))
			}
			var n [cases]int
			for range rounds {
				i := Select(p, k...)
				n[i]++
				c[i].Send(p, 1)
			}
			for i := range n {
				if n[i] < rounds/cases*8/10 || n[i] > rounds/cases*12/10 {
					t.Errorf("case %d was chosen %d times of %d", i, n[i], rounds)
				}
			}
		},
		"select: fair to a rare one": func(t *testing.T, p *Proc) {
			busy, rare := NewChan[int](1), NewChan[int](1)
			rare.Send(p, 1)
			for i := 0; ; i++ {
				busy.TrySend(p, 1)
				if Select(p, RecvFrom[int](busy, nil, nil), RecvFrom[int](rare, nil, nil)) == 1 {
					break
				}
				if i > 1000 {
					t.Fatal("never chosen")
				}
			}
		},
		"select: many cases": func(t *testing.T, p *Proc) {
			const n = 300
			c := make([]*Chan[int], n)
			var k []Case
			sum := 0
			for i := range c {
				c[i] = NewChan[int](0)
				v := new(int)
				k = append(k, RecvFrom(c[i], v, nil))
				Go(p, func(p *Proc) { c[i].Send(p, i) })
			}
			for range n {
				sum += Select(p, k...)
			}
			equal(t, "sum", sum, n*(n-1)/2)
		},
		"select: time-out": func(t *testing.T, p *Proc) {
			c := NewChan[int](0)
			k := []Case{RecvFrom[int](c, nil, nil), After(time.Millisecond)}
			for range 3 {
				equal(t, "chosen", Select(p, k...), 1)
			}
		},
		"select: value before the time-out": func(t *testing.T, p *Proc) {
			c := NewChan[int](0)
			Go(p, func(p *Proc) { c.Send(p, 1) })
			equal(t, "chosen", Select(p, RecvFrom[int](c, nil, nil), After(time.Hour)), 0)
		},
		"select: context": func(t *testing.T, p *Proc) {
			ctx, end := context.WithCancel(context.Background())
			Go(p, func(p *Proc) { p.Yield(); end() })
			if p.sys.stepwise {
				end() // else its goroutine is no part of the run
			}
			never := RecvFrom[int](NewChan[int](0), nil, nil)
			equal(t, "chosen", Select(p, never, Done(ctx), After(time.Hour)), 1)
			equal(t, "ended already", Select(p, Done(ctx)), 0)
		},
		"select: mailbox": func(t *testing.T, p *Proc) {
			c := NewChan[int](0)
			r := Spawn(p, func(s *Self[int]) {
				m, v := 0, 0
				k := []Case{s.Receives(&m, func(m int) bool { return m > 1 }), RecvFrom(c, &v, nil)}
				equal(t, "chosen", Select(s, k...), 0)
				equal(t, "message", m, 2)
				c.Send(s, 0)
				equal(t, "chosen", Select(s, k...), 1)
				equal(t, "value", v, 3)
				equal(t, "pending", s.Pending(), 1)
			})
			p.Yield()
			r.Send(p, 1)
			r.Send(p, 2)
			c.Recv(p)
			c.Send(p, 3)
			equal(t, "reason", r.Join(p), nil)
		},
		"select: end of a process": func(t *testing.T, p *Proc) {
			q := Go(p, func(p *Proc) { p.Yield(); p.Exit(errWhy) })
			var reason error
			equal(t, "chosen", Select(p, RecvFrom[int](NewChan[int](0), nil, nil), q.Done(&reason)), 1)
			equal(t, "reason", reason, errWhy)
		},
		"select: asks": func(t *testing.T, p *Proc) {
			slow := Spawn(p, func(s *Self[request]) { s.Receive(); s.Sleep(time.Hour) })
			ask := func(r ReplyTo[int]) request { return request{5, r} }
			v, err := 0, error(nil)
			got := Select(p, Ask(p, slow, ask).Replied(&v, &err), Ask(p, doubler(p), ask).Replied(&v, &err))
			equal(t, "chosen", fmt.Sprint(got, v, err), "1 10 <nil>")
			slow.Kill(p)
		},
		"select: a case of the user's": func(t *testing.T, p *Proc) {
			var e Event
			var m Mutex
			n := 0
			Go(p, func(p *Proc) {
				for range 3 {
					p.Yield()
					m.Lock(p)
					n++
					m.Unlock(p)
					e.Notify(p)
				}
			})
			Block(p, &e, func() bool {
				if !m.TryLock() {
					return false
				}
				defer m.Unlock(p)
				return n == 3
			})
			equal(t, "n", n, 3)
		},
		"select: a match that panics": func(t *testing.T, p *Proc) {
			c := NewChan[int](1)
			r := Spawn(p, func(s *Self[int]) {
				m := 0
				s.Ref().Send(s, 1)
				func() {
					defer func() { recover() }()
					Select(s, s.Receives(&m, func(int) bool { panic(1) }), RecvFrom[int](c, nil, nil))
				}()
				c.Send(s, 1)
				equal(t, "chosen", Select(s, s.Receives(&m, nil)), 0)
			})
			equal(t, "reason", r.Join(p), nil)
		},
		"select: cases are used again": func(t *testing.T, p *Proc) {
			c := NewChan[int](0)
			Go(p, func(p *Proc) {
				for i := range 50 {
					c.Send(p, i)
				}
			})
			v := 0
			k := RecvFrom(c, &v, nil)
			for i := range 50 {
				Select(p, k)
				equal(t, "value", v, i)
			}
		},
		"sieve": func(t *testing.T, p *Proc) {
			var primes []int
			c := NewChan[int](0)
			first := c
			all := []Process{Go(p, func(p *Proc) {
				for i := 2; ; i++ {
					first.Send(p, i)
				}
			})}
			for range 20 {
				prime, _ := c.Recv(p)
				primes = append(primes, prime)
				in, out := c, NewChan[int](0)
				all = append(all, Go(p, func(p *Proc) {
					for v := range in.All(p) {
						if v%prime != 0 {
							out.Send(p, v)
						}
					}
				}))
				c = out
			}
			equal(t, "the 20th", primes[19], 71)
			for _, q := range all {
				q.Kill(p)
			}
		},
		"semaphore": func(t *testing.T, p *Proc) {
			sem := NewChan[int](3)
			var g WaitGroup
			now, most := 0, 0
			var m Mutex
			for range 20 {
				g.Go(p, func(p *Proc) {
					sem.Send(p, 1)
					m.Lock(p)
					now++
					most = max(most, now)
					m.Unlock(p)
					p.Yield()
					m.Lock(p)
					now--
					m.Unlock(p)
					sem.Recv(p)
				})
			}
			g.Wait(p)
			if most > 3 {
				t.Errorf("%d at a time", most)
			}
		},
		"channel of channels": func(t *testing.T, p *Proc) {
			c := NewChan[*Chan[string]](0)
			Go(p, func(p *Proc) { r, _ := c.Recv(p); r.Send(p, "hi") })
			r := NewChan[string](0)
			c.Send(p, r)
			v, _ := r.Recv(p)
			equal(t, "value", v, "hi")
		},
		"empty values": func(t *testing.T, p *Proc) {
			c := NewChan[struct{}](2)
			c.Send(p, struct{}{})
			equal(t, "len", c.Len(), 1)
			_, ok := c.Recv(p)
			equal(t, "ok", ok, true)
		},
		"large values": func(t *testing.T, p *Proc) {
			c := NewChan[[100]int](0)
			Go(p, func(p *Proc) { c.Send(p, [100]int{99: 4}) })
			v, _ := c.Recv(p)
			equal(t, "value", v[99], 4)
		},
		"range: break leaves the rest": func(t *testing.T, p *Proc) {
			c := NewChan[int](5)
			for i := range 5 {
				c.Send(p, i)
			}
			for v := range c.All(p) {
				if v == 1 {
					break
				}
			}
			equal(t, "len", c.Len(), 3)
		},
		"a select that was cancelled takes nothing": func(t *testing.T, p *Proc) {
			c := NewChan[int](0)
			q := Go(p, func(p *Proc) { Select(p, RecvFrom[int](c, nil, nil)) })
			for q.Status() != Waiting {
				p.Yield()
			}
			q.Cancel(p, nil)
			q.Join(p)
			equal(t, "taken", c.TrySend(p, 1), false)
		},
		"a commit before the cancel counts": func(t *testing.T, p *Proc) {
			c, d := NewChan[int](0), NewChan[int](1)
			q := Go(p, func(p *Proc) { v, _ := c.Recv(p); d.TrySend(p, v); p.Yield() })
			for q.Status() != Waiting {
				p.Yield()
			}
			c.Send(p, 1)
			q.Cancel(p, errWhy)
			equal(t, "reason", q.Join(p), errWhy)
			equal(t, "received", d.Len(), 1)
		},
		"mutex": func(t *testing.T, p *Proc) {
			var m Mutex
			var g WaitGroup
			n := 0
			for range 10 {
				g.Go(p, func(p *Proc) {
					for range 100 {
						m.Lock(p)
						v := n
						p.Yield()
						n = v + 1
						m.Unlock(p)
					}
				})
			}
			g.Wait(p)
			equal(t, "n", n, 1000)
			equal(t, "free", m.TryLock(), true)
			equal(t, "taken", m.TryLock(), false)
		},
		"wait group: of none": func(t *testing.T, p *Proc) { var g WaitGroup; g.Wait(p) },
		"wait group: one that panics counts": func(t *testing.T, p *Proc) {
			var g WaitGroup
			g.Go(p, func(*Proc) { panic(1) })
			g.Wait(p)
		},
		"once": func(t *testing.T, p *Proc) {
			var o Once
			var g WaitGroup
			n := 0
			for range 10 {
				g.Go(p, func(p *Proc) {
					o.Do(p, func() { p.Yield(); n++ })
					equal(t, "n", n, 1)
				})
			}
			g.Wait(p)
		},
		"once: a panic counts": func(t *testing.T, p *Proc) {
			var o Once
			Go(p, func(p *Proc) { o.Do(p, func() { panic(1) }) }).Join(p)
			o.Do(p, func() { t.Error("called twice") })
		},
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, s *System) {
				equal(t, "reason", result(t, s, Go(s, func(p *Proc) { f(t, p) })), nil)
			})
		})
	}
}

// TestGoroutines: goroutines outside, and processes of two systems, share a channel.
func TestGoroutines(t *testing.T) {
	a, b := Start(Config{Workers: 1}), Start(Config{Workers: 1})
	defer a.Stop()
	defer b.Stop()
	c := NewChan[int](0)
	const each = 500
	for _, s := range []*System{a, b} {
		Go(s, func(p *Proc) {
			for i := range each {
				c.Send(p, i)
			}
		})
	}
	go func() {
		g := a.Goroutine()
		for i := range each {
			v := i
			Select(g, SendTo(c, &v))
		}
	}()
	g, sum := b.Goroutine(), 0
	for range 3 * each {
		v, _ := c.Recv(g)
		sum += v
	}
	equal(t, "sum", sum, 3*each*(each-1)/2)
}

// TestGoroutineInDeterministicRun: a goroutine can wait for a process of a deterministic run.
func TestGoroutineInDeterministicRun(t *testing.T) {
	s := Start(Config{Seed: 3})
	defer s.Stop()
	c := NewChan[int](0)
	Go(s, func(p *Proc) { p.Sleep(time.Hour); c.Send(p, 1) })
	v, _ := c.Recv(s.Goroutine())
	equal(t, "value", v, 1)
}

// TestHerd: many processes at few channels, with selects on both sides: all values arrive once.
func TestHerd(t *testing.T) {
	const procs, each, channels = 8, 300, 3
	for seed := range uint64(4) {
		s := Start(Config{Workers: max(2, runtime.GOMAXPROCS(0)), Seed: seed})
		c := make([]*Chan[int], channels)
		for i := range c {
			c[i] = NewChan[int](i)
		}
		all := NewChan[int](procs * each)
		for i := range procs {
			Go(s, func(p *Proc) {
				v := 0
				k := []Case{SendTo(c[0], &v), SendTo(c[1], &v), SendTo(c[2], &v)}
				for j := range each {
					v = i*each + j
					Select(p, k...)
				}
			})
			Go(s, func(p *Proc) {
				v := 0
				k := []Case{RecvFrom(c[2], &v, nil), RecvFrom(c[0], &v, nil), RecvFrom(c[1], &v, nil)}
				for range each {
					Select(p, k...)
					all.Send(p, v)
				}
			})
		}
		quiet(t, s)
		var got []int
		for range all.Len() {
			v, _, _ := all.TryRecv(s)
			got = append(got, v)
		}
		slices.Sort(got)
		for i, v := range got {
			equal(t, "value", v, i)
		}
		equal(t, "number", len(got), procs*each)
		s.Stop()
	}
}

// TestCancelStorm: processes are cancelled at any moment; no value is lost but with its sender.
func TestCancelStorm(t *testing.T) {
	s := Start(Config{Workers: 2})
	defer s.Stop()
	c := NewChan[int](0)
	received := NewChan[int](100_000)
	var victims []Process
	for range 200 {
		victims = append(victims, Go(s, func(p *Proc) {
			for {
				v := 0
				Select(p, RecvFrom(c, &v, nil), RecvFrom[int](nil, nil, nil))
				received.TrySend(p, v)
			}
		}))
	}
	sent := 0
	Go(s, func(p *Proc) {
		for i := range 20_000 {
			if c.TrySend(p, i) {
				sent++
			}
			if i%100 == 0 {
				victims[i/100].Cancel(p, nil)
				p.Yield()
			}
		}
	})
	quiet(t, s)
	equal(t, "received", received.Len(), sent)
}
