package main

import (
	"sync"
	"sync/atomic"
)

// philosophersPlain has a lock for each fork, which are taken in order.
func philosophersPlain(n int) uint64 {
	var forks [diners]sync.Mutex
	var meals atomic.Uint64
	var wg sync.WaitGroup
	for i := range diners {
		wg.Go(func() {
			first, second := &forks[min(i, (i+1)%diners)], &forks[max(i, (i+1)%diners)]
			eaten := uint64(0)
			for range n {
				first.Lock()
				second.Lock()
				eaten++
				second.Unlock()
				first.Unlock()
			}
			meals.Add(eaten)
		})
	}
	wg.Wait()
	return meals.Load()
}

func messageArbitrator(out chan<- uint64) behaviour {
	var used [diners]bool
	meals, dining := uint64(0), diners
	return func(self node, m msg) {
		left, right := &used[m.x], &used[(m.x+1)%diners]
		switch {
		case m.op == opDone:
			*left, *right = false, false
		case m.op == opOther:
			if dining--; dining == 0 {
				out <- meals
			}
		case *left || *right:
			m.from.send(self, msg{op: opStart})
		default:
			*left, *right = true, true
			meals++
			m.from.send(self, msg{op: opTake})
		}
	}
}

func philosophersMessage(c crew, n int) uint64 {
	out := make(chan uint64, 1)
	arbitrator := c.spawn(4*diners, func(node) behaviour { return messageArbitrator(out) })
	for i := range diners {
		left := n
		c.spawn(4, func(node) behaviour {
			return func(self node, m msg) {
				if m.op == opTake {
					left--
					arbitrator.send(self, msg{op: opDone, x: i})
					if left == 0 {
						arbitrator.send(self, msg{op: opOther})
					} else {
						self.send(self, msg{op: opStart})
					}
					return
				}
				arbitrator.send(self, msg{op: opTake, x: i, from: self})
			}
		}).send(nil, msg{op: opStart})
	}
	return <-out
}
