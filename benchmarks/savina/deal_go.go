package main

import (
	"sync"
	"sync/atomic"
)

// dealPlain has one goroutine per processor, and a stack of pieces under a lock.
func dealPlain(all []piece) uint64 {
	var mu sync.Mutex
	changed := sync.NewCond(&mu)
	working := 0
	var sum atomic.Uint64
	onAll(func() {
		mu.Lock()
		defer mu.Unlock()
		for {
			for len(all) == 0 && working > 0 {
				changed.Wait()
			}
			if len(all) == 0 {
				changed.Broadcast()
				return
			}
			p := all[len(all)-1]
			all = all[:len(all)-1]
			working++
			mu.Unlock()
			r, more := p.work()
			sum.Add(r)
			mu.Lock()
			working--
			all = append(all, more...)
			changed.Broadcast()
		}
	})
	return sum.Load()
}

func dealMessage(c crew, all []piece) uint64 {
	out := make(chan uint64, 1)
	sum, open, next := uint64(0), 0, 0
	var workers []node
	deal := func(self node, all []piece) {
		for _, p := range all {
			workers[next].send(self, msg{from: self, data: p})
			next = (next + 1) % dealers
		}
		open += len(all)
	}
	for range dealers {
		workers = append(workers, c.spawn(1<<14, func(node) behaviour {
			return func(self node, m msg) {
				r, more := m.data.(piece).work()
				m.from.send(self, msg{x: int(r), data: more})
			}
		}))
	}
	c.spawn(1<<14, func(node) behaviour {
		return func(self node, m msg) {
			more, _ := m.data.([]piece)
			if m.op != opStart {
				sum += uint64(m.x)
				open--
			}
			deal(self, more)
			if open == 0 {
				out <- sum
			}
		}
	}).send(nil, msg{op: opStart, data: all})
	return <-out
}
