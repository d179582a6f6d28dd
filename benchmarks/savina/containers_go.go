package main

import (
	"sync"
	"sync/atomic"
)

// containerPlain has a lock around the container: readers share it.
func containerPlain(n int, box container) uint64 {
	var mu sync.RWMutex
	var done atomic.Uint64
	var wg sync.WaitGroup
	for i := range containerUsers {
		wg.Go(func() {
			u := newUser(i, n)
			for u.left > 0 {
				k, key := u.draw()
				if k == writeRequest {
					mu.Lock()
					box.serve(k, key)
					mu.Unlock()
				} else {
					mu.RLock()
					box.serve(k, key)
					mu.RUnlock()
				}
			}
			done.Add(uint64(n))
		})
	}
	wg.Wait()
	return done.Load()
}

func containerMessage(c crew, n int, box container) uint64 {
	total, out := messageTally(c, containerUsers)
	owner := c.spawn(2*containerUsers, func(node) behaviour {
		return func(self node, m msg) {
			m.from.send(self, msg{op: opReply, x: box.serve(requestKind(m.x), m.y)})
		}
	})
	for i := range containerUsers {
		u := newUser(i, n)
		c.spawn(2, func(node) behaviour {
			return func(self node, _ msg) {
				if u.left == 0 {
					total.send(self, msg{x: n})
					return
				}
				k, key := u.draw()
				owner.send(self, msg{op: opTake, x: int(k), y: key, from: self})
			}
		}).send(nil, msg{op: opReply})
	}
	return <-out
}
