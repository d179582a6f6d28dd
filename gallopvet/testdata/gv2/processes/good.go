// Package processes has processes that GV2 must not report.
package processes

import (
	"slices"
	"sync"

	"github.com/gallop-go/gallop/process"
)

type order struct {
	items []int
	reply process.ReplyTo[[]int]
}

// A clone is sent.
func cloned(p *process.Proc, r process.Ref[[]int]) {
	all := []int{1}
	r.Send(p, slices.Clone(all))
	all[0] = 2
}

// What is made anew in each round.
func anew(p *process.Proc, c *process.Chan[[]int]) {
	for i := range 3 {
		all := make([]int, 3)
		all[0] = i
		c.Send(p, all)
	}
}

// Let go of.
func released(p *process.Proc, c *process.Chan[[]int]) {
	var batch []int
	for i := range 100 {
		batch = append(batch, i)
		if len(batch) == 10 {
			c.Send(p, batch)
			batch = nil
		}
	}
}

// The receiver says when it is done.
func acknowledged(p *process.Proc, c *process.Chan[[]int], done *process.Chan[int]) {
	all := make([]int, 3)
	c.Send(p, all)
	done.Recv(p)
	all[0] = 1
}

// A buffer that comes back.
func comesBack(p *process.Proc, c, back *process.Chan[[]int]) {
	buf := make([]int, 3)
	for i := range 3 {
		buf[0] = i
		c.Send(p, buf)
		buf, _ = back.Recv(p)
	}
}

// The process sends to itself.
func toItself(s *process.System) {
	process.Spawn(s, func(self *process.Self[[]int]) {
		all := []int{1}
		self.Ref().Send(self, all)
		all[0] = 2
		_ = self.Receive()
	})
}

// What was refused is the sender's again.
func refused(p *process.Proc, c *process.Chan[[]int]) {
	all := []int{1}
	if !c.TrySend(p, all) {
		all[0] = 2
	}
	more := []int{1}
	for ok := c.TrySend(p, more); !ok; ok = c.TrySend(p, more) {
		more[0]++
	}
}

// Another case was chosen.
func notChosen(p *process.Proc, c *process.Chan[[]int], d *process.Chan[int]) {
	all := []int{1}
	var n int
	for {
		switch process.Select(p, process.SendTo(c, &all), process.RecvFrom(d, &n, nil)) {
		case 0:
			return
		case 1:
			all[0] += n
		}
	}
}

// The number is copied when it is sent.
func numbers(p *process.Proc, c *process.Chan[int]) {
	n := 0
	for n < 3 {
		process.Select(p, process.SendTo(c, &n))
		n++
	}
}

// The one that asks waits for the reply.
func asks(p *process.Proc, r process.Ref[order]) {
	all := []int{1}
	_, _ = process.Call(p, r, func(to process.ReplyTo[[]int]) order { return order{all, to} })
	all[0] = 2
}

// The system has come to rest.
func rested(s *process.System, r process.Ref[[]int]) {
	all := []int{1}
	r.Send(s, all)
	s.Run()
	all[0] = 2
}

// A process waits for a message, and has the memory by then.
func handsOver(s *process.System) {
	all := []int{1}
	r := process.Spawn(s, func(self *process.Self[[]int]) {
		got := self.Receive()
		got[0] = 2
		all[0] = 3 // the same
	})
	r.Send(s, all)
}

// A lock protects it.
type table struct {
	mu sync.Mutex
	m  map[string]int
}

func locked(p *process.Proc, r process.Ref[*table]) {
	t := &table{m: map[string]int{}}
	r.Send(p, t)
	t.set("a", 1)
}

func (t *table) set(k string, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.m[k] = n
}

// The sender reads, the receiver reads.
func bothRead(s *process.System) int {
	r := process.Spawn(s, func(self *process.Self[[]int]) { _ = self.Receive()[0] })
	all := []int{1}
	r.Send(s, all)
	return all[0]
}

func answer(p *process.Proc, o order) { o.reply.Reply(p, slices.Clone(o.items)) }
