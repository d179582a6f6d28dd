// Package processes has processes that GV5 must not report.
package processes

import (
	"context"
	"time"

	"github.com/gallop-go/gallop/process"
)

type question struct{ reply process.ReplyTo[int] }

func ask(to process.ReplyTo[int]) question { return question{to} }

// What is closed, locked and taken once.
func once(p *process.Proc, r process.Ref[question]) {
	c := process.NewChan[int](0)
	defer c.Close(p)
	var mu process.Mutex
	mu.Lock(p)
	mu.Unlock(p)
	mu.Lock(p)
	mu.Unlock(p)
	if mu.TryLock() {
		mu.Unlock(p)
	}
	a, b := process.Ask(p, r, ask), process.Ask(p, r, ask)
	_, _ = a.Reply(p)
	_, _ = b.Reply(p)
	c.TryRecv(p)
}

// Each round has a channel of its own.
func rounds(p *process.Proc) {
	var c *process.Chan[int]
	for range 3 {
		c = process.NewChan[int](1)
		c.Send(p, 1)
		c.Close(p)
	}
	c = process.NewChan[int](1)
	c.Close(p)
	c = process.NewChan[int](1)
	c.Send(p, 1)
}

// Either of two.
func either(p *process.Proc, c *process.Chan[int], done bool) {
	if done {
		c.Close(p)
	} else {
		c.Send(p, 1)
	}
	k := process.RecvFrom(c, nil, nil)
	process.Select(p, k, process.After(time.Second), process.After(time.Second))
	process.Select(p, k, nil)
}

// One system waits for another, and goroutines for any.
func systems(s, t *process.System) {
	process.Go(s, func(p *process.Proc) {
		p.Blocking(func() { _ = t.Wait(context.Background()) })
		go s.Stop()
	})
	_ = process.Start(process.Config{Workers: 1024})
	_ = process.Start(process.Config{})
}

// A call of another.
func others(self *process.Self[question], r process.Ref[question]) {
	_, _ = process.Call(self, r, ask, process.Within(time.Second))
	r.Send(self, question{})
}

func answer(p *process.Proc, q question) { q.reply.Reply(p, 1) }
