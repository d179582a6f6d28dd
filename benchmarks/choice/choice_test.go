package choice

import (
	"context"
	"runtime"
	"sync"
	"testing"

	"github.com/gallop-go/gallop/actor"
)

// The goroutines or actors that add to the counter at the same time.
const adders = 8

// A counter is the shared state of each benchmark.
type counter struct{ n int }

func (c *counter) add(_ *actor.Context, by int) { c.n += by }

func (c *counter) fetch(_ *actor.Context, by int) (int, error) { c.n += by; return c.n, nil }

// An adder adds for as long as there is something left, a hundred at a time.
type adder struct {
	to   actor.Ref[counter]
	left int
}

func (a *adder) more(ctx *actor.Context, _ struct{}) {
	for range min(100, a.left) {
		add.Send(ctx, a.to, 1)
	}
	if a.left -= 100; a.left > 0 {
		more.Send(ctx, actor.Self[adder](ctx), struct{}{})
	}
}

// spawn makes actors that run one message each, a hundred at a time.
func (a *adder) spawn(ctx *actor.Context, _ struct{}) {
	for range min(100, a.left) {
		add.Send(ctx, counterType.Spawn(ctx, counter{}), 1)
	}
	if a.left -= 100; a.left > 0 {
		spawn.Send(ctx, actor.Self[adder](ctx), struct{}{})
	}
}

var (
	counterType = actor.NewType[counter]("counter")
	add         = actor.Declare[int](counterType, "add")
	fetch       = actor.DeclareAsk[int, int](counterType, "fetch")
	_           = counterType.Table(add.Handle((*counter).add), fetch.Handle((*counter).fetch))

	adderType = actor.NewType[adder]("adder")
	more      = actor.Declare[struct{}](adderType, "more")
	spawn     = actor.Declare[struct{}](adderType, "spawn")
	_         = adderType.Table(more.Handle((*adder).more), spawn.Handle((*adder).spawn))
)

// share calls work in each of the goroutines that add, and waits for them.
func share(b *testing.B, work func(times int)) {
	var wg sync.WaitGroup
	for range adders {
		wg.Go(func() { work(b.N/adders + 1) })
	}
	wg.Wait()
}

// BenchmarkTell is a change that is not waited for, made by eight at once.
func BenchmarkTell(b *testing.B) {
	b.Run("mutex", func(b *testing.B) {
		var mu sync.Mutex
		n := 0
		share(b, func(times int) {
			for range times {
				mu.Lock()
				n++
				mu.Unlock()
			}
		})
	})
	b.Run("channel", func(b *testing.B) {
		in, done := make(chan int, 128), make(chan struct{})
		go serve(in, nil, done)
		share(b, func(times int) {
			for range times {
				in <- 1
			}
		})
		close(in)
		<-done
	})
	b.Run("actor", func(b *testing.B) {
		sys := actor.Start()
		c := counterType.Spawn(sys, counter{})
		for range adders {
			more.Send(sys, adderType.Spawn(sys, adder{c, b.N/adders + 1}), struct{}{})
		}
		_ = sys.Run()
	})
	b.Run("actor-from-goroutines", func(b *testing.B) {
		sys := actor.Start()
		c := counterType.Spawn(sys, counter{})
		share(b, func(times int) {
			for range times {
				_ = add.SendWait(context.Background(), c, 1)
			}
		})
		_ = sys.Run()
	})
}

// BenchmarkAsk is a question to which one goroutine waits for the answer.
func BenchmarkAsk(b *testing.B) {
	b.Run("mutex", func(b *testing.B) {
		var mu sync.Mutex
		n := 0
		for b.Loop() {
			mu.Lock()
			n++
			mu.Unlock()
		}
	})
	b.Run("channel", func(b *testing.B) {
		in, out, done := make(chan int), make(chan int), make(chan struct{})
		go serve(in, out, done)
		for b.Loop() {
			in <- 1
			<-out
		}
		close(in)
		<-done
	})
	b.Run("actor", func(b *testing.B) {
		sys := actor.Start()
		defer sys.Stop()
		c := counterType.Spawn(sys, counter{})
		for b.Loop() {
			_, _ = fetch.Ask(context.Background(), c, 1)
		}
	})
}

// BenchmarkMany makes one, lets it do one thing, and lets it go.
func BenchmarkMany(b *testing.B) {
	b.Run("mutex", func(b *testing.B) {
		for b.Loop() {
			c := new(locked)
			c.mu.Lock()
			c.n++
			c.mu.Unlock()
			keep = c
		}
	})
	b.Run("goroutine", func(b *testing.B) {
		var wg sync.WaitGroup
		for b.Loop() {
			wg.Go(func() {})
			wg.Wait()
		}
	})
	b.Run("channel", func(b *testing.B) {
		for b.Loop() {
			in, done := make(chan int, 1), make(chan struct{})
			go serve(in, nil, done)
			in <- 1
			close(in)
			<-done
		}
	})
	b.Run("actor", func(b *testing.B) {
		sys := actor.Start()
		spawn.Send(sys, adderType.Spawn(sys, adder{left: b.N}), struct{}{})
		_ = sys.Run()
	})
}

// BenchmarkIdle reports the bytes of one of 100,000 that wait for work.
func BenchmarkIdle(b *testing.B) {
	const n = 100_000
	b.Run("mutex", func(b *testing.B) {
		all := make([]*locked, n)
		perIdle(b, n, func() {
			for i := range all {
				all[i] = new(locked)
			}
		})
		keep = all
	})
	b.Run("goroutine", func(b *testing.B) {
		stop := make(chan struct{})
		perIdle(b, n, func() {
			for range n {
				go func() { <-stop }()
			}
		})
		close(stop)
	})
	b.Run("channel", func(b *testing.B) {
		all := make([]chan int, n)
		done := make(chan struct{}, n)
		perIdle(b, n, func() {
			for i := range all {
				all[i] = make(chan int, 128)
				go serve(all[i], nil, done)
			}
		})
		for _, in := range all {
			close(in)
		}
	})
	b.Run("actor", func(b *testing.B) {
		sys := actor.Start()
		defer sys.Stop()
		all := make([]actor.Ref[counter], n)
		perIdle(b, n, func() {
			for i := range all {
				all[i] = counterType.Spawn(sys, counter{})
				add.Send(sys, all[i], 1)
			}
			_ = sys.Wait(context.Background())
		})
		keep = all
	})
}

// perIdle reports how much memory the process has taken from the machine for each.
func perIdle(b *testing.B, n int, make func()) {
	used := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc + m.StackInuse
	}
	before := used()
	make()
	taken := used() - before
	for b.Loop() {
	}
	b.ReportMetric(float64(taken)/float64(n), "B/idle")
}

type locked struct {
	mu sync.Mutex
	n  int
}

var keep any

// serve adds the numbers that it receives. If out is not nil, it sends the sum after each.
func serve(in <-chan int, out chan<- int, done chan<- struct{}) {
	n := 0
	for by := range in {
		n += by
		if out != nil {
			out <- n
		}
	}
	done <- struct{}{}
}
