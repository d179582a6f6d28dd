package process

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
)

// Each benchmark has a twin of goroutines; compare them in one run.

func withSystem(b *testing.B, f func(b *testing.B, s *System)) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprint("workers=", workers), func(b *testing.B) {
			s := Start(Config{Workers: workers})
			defer s.Stop()
			f(b, s)
		})
	}
}

func BenchmarkPingPong(b *testing.B) {
	b.Run("mailbox", func(b *testing.B) {
		withSystem(b, func(b *testing.B, s *System) {
			s.pingPong(b)
		})
	})
	b.Run("chan", func(b *testing.B) {
		withSystem(b, func(b *testing.B, s *System) {
			in, out := NewChan[int](0), NewChan[int](0)
			Go(s, func(p *Proc) {
				for v := range in.All(p) {
					out.Send(p, v)
				}
			})
			Go(s, func(p *Proc) {
				for i := range b.N {
					in.Send(p, i)
					out.Recv(p)
				}
				in.Close(p)
			})
			s.mustQuiet(b)
		})
	})
	b.Run("goroutines", func(b *testing.B) {
		for _, n := range []int{1, 2} {
			b.Run(fmt.Sprint("workers=", n), func(b *testing.B) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
				in, out := make(chan int), make(chan int)
				go func() {
					for v := range in {
						out <- v
					}
				}()
				for i := range b.N {
					in <- i
					<-out
				}
				close(in)
			})
		}
	})
}

// pingPong sends b.N messages there and back between two mailboxes.
func (s *System) pingPong(b *testing.B) {
	var ping, pong Ref[int]
	ready := NewChan[int](0)
	ping = Spawn(s, func(s *Self[int]) {
		ready.Recv(s)
		for i := range b.N {
			pong.Send(s, i)
			s.Receive()
		}
		pong.Send(s, -1)
	})
	pong = Spawn(s, func(s *Self[int]) {
		for s.Receive() >= 0 {
			ping.Send(s, 1)
		}
	})
	ready.Send(s.Goroutine(), 1)
	s.mustQuiet(b)
}

func (s *System) mustQuiet(b *testing.B) {
	if err := s.Wait(b.Context()); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkSelect(b *testing.B) {
	b.Run("process", func(b *testing.B) {
		withSystem(b, func(b *testing.B, s *System) {
			var c [4]*Chan[int]
			for i := range c {
				c[i] = NewChan[int](0)
			}
			Go(s, func(p *Proc) {
				for i := range b.N {
					c[i%4].Send(p, i)
				}
			})
			Go(s, func(p *Proc) {
				v := 0
				k := []Case{RecvFrom(c[0], &v, nil), RecvFrom(c[1], &v, nil),
					RecvFrom(c[2], &v, nil), RecvFrom(c[3], &v, nil)}
				for range b.N {
					Select(p, k...)
				}
			})
			s.mustQuiet(b)
		})
	})
	b.Run("goroutines", func(b *testing.B) {
		for _, n := range []int{1, 2} {
			b.Run(fmt.Sprint("workers=", n), func(b *testing.B) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
				var c [4]chan int
				for i := range c {
					c[i] = make(chan int)
				}
				go func() {
					for i := range b.N {
						c[i%4] <- i
					}
				}()
				for range b.N {
					select {
					case <-c[0]:
					case <-c[1]:
					case <-c[2]:
					case <-c[3]:
					}
				}
			})
		}
	})
}

// BenchmarkReceive is a request and its reply, beside messages that do not match.
func BenchmarkReceive(b *testing.B) {
	for _, unmatched := range []int{0, 10_000} {
		b.Run(fmt.Sprint("unmatched=", unmatched), func(b *testing.B) {
			withSystem(b, func(b *testing.B, s *System) {
				Spawn(s, func(s *Self[int]) {
					for range unmatched {
						s.Ref().Send(s, 0)
					}
					b.ResetTimer()
					for range b.N {
						mark := s.Mark()
						s.Ref().Send(s, 1)
						s.ReceiveAfter(mark, -1, func(m int) bool { return m == 1 })
					}
				})
				s.mustQuiet(b)
			})
		})
	}
}

func BenchmarkSpawn(b *testing.B) {
	b.Run("process", func(b *testing.B) {
		withSystem(b, func(b *testing.B, s *System) {
			b.ReportAllocs()
			Go(s, func(p *Proc) {
				var g WaitGroup
				for i := range b.N {
					g.Add(p, 1)
					Go(p, func(p *Proc) { g.Done(p) })
					if i%100 == 99 {
						g.Wait(p)
					}
				}
			})
			s.mustQuiet(b)
		})
	})
	b.Run("goroutines", func(b *testing.B) {
		for _, n := range []int{1, 2} {
			b.Run(fmt.Sprint("workers=", n), func(b *testing.B) {
				b.ReportAllocs()
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
				var g sync.WaitGroup
				for i := range b.N {
					g.Add(1)
					go func() { g.Done() }()
					if i%100 == 99 {
						g.Wait()
					}
				}
				g.Wait()
			})
		}
	})
}

// BenchmarkWaiting is the memory of a million that wait; run it with -benchtime=1x.
func BenchmarkWaiting(b *testing.B) {
	const n = 1_000_000
	inUse := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.Sys - m.HeapReleased
	}
	b.Run("process", func(b *testing.B) {
		before := inUse()
		s := Start(Config{Workers: 2})
		c := NewChan[int](0)
		for range n {
			Go(s, func(p *Proc) { c.Recv(p) })
		}
		s.mustQuiet(b)
		b.ReportMetric(float64(inUse()-before)/n, "B/each")
		s.Stop()
	})
	b.Run("goroutines", func(b *testing.B) {
		before := inUse()
		c := make(chan int)
		var g sync.WaitGroup
		for range n {
			g.Go(func() { <-c })
		}
		b.ReportMetric(float64(inUse()-before)/n, "B/each")
		close(c)
		g.Wait()
	})
}
