package process

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"
)

// Each benchmark has a twin of goroutines, and a ratio: process over goroutines, taken in turns in
// one run, the fastest of each. Both have as many processors as there are workers.

// twin is a task for processes and for goroutines, done n times.
type twin struct {
	process    func(s *System, n int)
	goroutines func(n int)
}

func (t twin) run(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprint("process/workers=", workers), func(b *testing.B) {
			b.ReportAllocs()
			t.onProcesses(b, workers, b.N)
		})
		b.Run(fmt.Sprint("goroutines/workers=", workers), func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(workers))
			b.ReportAllocs()
			t.goroutines(b.N)
		})
		b.Run(fmt.Sprint("ratio/workers=", workers), func(b *testing.B) {
			for range b.N {
				b.ReportMetric(t.ratio(b, workers), "ratio")
			}
		})
	}
}

func (t twin) onProcesses(b *testing.B, workers, n int) time.Duration {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(workers))
	s := Start(Config{Workers: workers})
	defer s.Stop()
	began := time.Now()
	t.process(s, n)
	s.mustQuiet(b)
	return time.Since(began)
}

func (t twin) ratio(b *testing.B, workers int) float64 {
	const rounds, n = 25, 100_000
	process, goroutines := time.Hour, time.Hour
	for range rounds {
		process = min(process, t.onProcesses(b, workers, n))
		goroutines = min(goroutines, t.onGoroutines(workers, n))
	}
	return float64(process) / float64(goroutines)
}

func (t twin) onGoroutines(workers, n int) time.Duration {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(workers))
	began := time.Now()
	t.goroutines(n)
	return time.Since(began)
}

func (s *System) mustQuiet(b *testing.B) {
	if err := s.Wait(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkPingPong is a message there and back.
func BenchmarkPingPong(b *testing.B) {
	b.Run("mailbox", twin{mailPingPong, goPingPong}.run)
	b.Run("chan", twin{chanPingPong, goPingPong}.run)
}

func mailPingPong(s *System, n int) {
	var ping, pong Ref[int]
	ready := NewChan[int](0)
	ping = Spawn(s, func(s *Self[int]) {
		ready.Recv(s)
		for i := range n {
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
}

func chanPingPong(s *System, n int) {
	in, out := NewChan[int](0), NewChan[int](0)
	Go(s, func(p *Proc) {
		for v := range in.All(p) {
			out.Send(p, v)
		}
	})
	Go(s, func(p *Proc) {
		for i := range n {
			in.Send(p, i)
			out.Recv(p)
		}
		in.Close(p)
	})
}

func goPingPong(n int) {
	in, out := make(chan int), make(chan int)
	go func() {
		for v := range in {
			out <- v
		}
	}()
	for i := range n {
		in <- i
		<-out
	}
	close(in)
}

// BenchmarkSelect is a receive from one of four channels.
func BenchmarkSelect(b *testing.B) { twin{selectOfFour, goSelectOfFour}.run(b) }

func selectOfFour(s *System, n int) {
	var c [4]*Chan[int]
	for i := range c {
		c[i] = NewChan[int](0)
	}
	Go(s, func(p *Proc) {
		for i := range n {
			c[i%4].Send(p, i)
		}
	})
	Go(s, func(p *Proc) {
		v := 0
		k := []Case{RecvFrom(c[0], &v, nil), RecvFrom(c[1], &v, nil),
			RecvFrom(c[2], &v, nil), RecvFrom(c[3], &v, nil)}
		for range n {
			Select(p, k...)
		}
	})
}

func goSelectOfFour(n int) {
	var c [4]chan int
	for i := range c {
		c[i] = make(chan int)
	}
	go func() {
		for i := range n {
			c[i%4] <- i
		}
	}()
	for range n {
		select {
		case <-c[0]:
		case <-c[1]:
		case <-c[2]:
		case <-c[3]:
		}
	}
}

// BenchmarkSpawn is the creation and the end of one, a hundred at a time.
func BenchmarkSpawn(b *testing.B) { twin{spawnMany, goSpawnMany}.run(b) }

func spawnMany(s *System, n int) {
	Go(s, func(p *Proc) {
		var g WaitGroup
		for i := range n {
			g.Add(p, 1)
			Go(p, func(p *Proc) { g.Done(p) })
			if i%100 == 99 {
				g.Wait(p)
			}
		}
	})
}

func goSpawnMany(n int) {
	var g sync.WaitGroup
	for i := range n {
		g.Add(1)
		go func() { g.Done() }()
		if i%100 == 99 {
			g.Wait()
		}
	}
	g.Wait()
}

// BenchmarkReceive is a request and its reply, beside messages that do not match.
func BenchmarkReceive(b *testing.B) {
	for _, unmatched := range []int{0, 10_000} {
		b.Run(fmt.Sprint("unmatched=", unmatched), func(b *testing.B) {
			s := Start(Config{Workers: 1})
			defer s.Stop()
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
	}
}

// BenchmarkWaiting is the memory of a million that wait; run it with -benchtime=1x, and each of the
// two by itself: the second would be given stacks of the first.
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
