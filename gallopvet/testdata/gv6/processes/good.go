// Package processes has processes that GV6 must not report.
package processes

import (
	"context"
	"os/exec"
	"sync"
	"time"

	"github.com/gallop-go/gallop/process"
)

// By package process, or in Blocking.
func waits(p *process.Proc, c *process.Chan[int], ctx context.Context, goChan chan int) {
	p.Sleep(time.Second)
	c.Recv(p)
	process.Select(p, process.After(time.Second), process.Done(ctx), process.RecvFrom(c, nil, nil))
	p.Blocking(func() {
		time.Sleep(time.Second)
		_ = exec.Command("true").Run()
		<-goChan
	})
	_ = p.Wait(ctx)
}

// What does not wait.
func goes(p *process.Proc, goChan chan int) {
	buffered := make(chan int, 1)
	buffered <- 1
	select {
	case goChan <- 1:
	default:
	}
	go func() { time.Sleep(time.Second) }()
	p.Yield()
}

// A short lock.
func short(p *process.Proc, mu *sync.Mutex, all map[string]int, c *process.Chan[int]) {
	mu.Lock()
	all["a"]++
	mu.Unlock()
	c.Send(p, 1)
	func() {
		mu.Lock()
		defer mu.Unlock()
		all["b"]++
	}()
	c.Send(p, 1)
}

// A lock of processes.
func long(p *process.Proc, mu *process.Mutex, c *process.Chan[int]) {
	mu.Lock(p)
	defer mu.Unlock(p)
	c.Recv(p)
}

// Goroutines wait as they like.
func goroutine(s *process.System, goChan chan int) {
	c := process.NewChan[int](0)
	process.Go(s, func(p *process.Proc) { c.Send(p, 1) })
	<-goChan
	time.Sleep(time.Second)
	c.Recv(s.Goroutine())
}
