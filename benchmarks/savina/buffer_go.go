package main

import (
	"sync"
	"sync/atomic"
)

// bufferPlain is a channel with so much room.
func bufferPlain(n int) uint64 {
	buffer := make(chan uint64, bufferSize)
	var total atomic.Uint64
	var makers, users sync.WaitGroup
	for i := range bufferActors {
		makers.Go(func() {
			r := newRandom(i)
			for range n {
				buffer <- makeItem(&r)
			}
		})
		users.Go(func() {
			sum := uint64(0)
			for v := range buffer {
				sum += useItem(v)
			}
			total.Add(sum)
		})
	}
	makers.Wait()
	close(buffer)
	users.Wait()
	return total.Load()
}

type messageManager struct {
	ready                []uint64
	producers, consumers []node
	asked, left          int
	all                  []node
}

func (b *messageManager) do(self node, m msg) {
	switch m.op {
	case opStart:
		b.producers = append(b.producers, m.data.([]node)...)
	case opTake:
		b.asked--
		b.producers = append(b.producers, m.from)
		b.ready = append(b.ready, uint64(m.x))
	case opNext:
		b.consumers = append(b.consumers, m.from)
	case opDone:
		b.asked--
		b.left--
	}
	b.deal(self)
}

func (b *messageManager) deal(self node) {
	for len(b.ready) > 0 && len(b.consumers) > 0 {
		last := len(b.consumers) - 1
		b.consumers[last].send(self, msg{op: opTake, x: int(b.ready[len(b.ready)-1])})
		b.ready, b.consumers = b.ready[:len(b.ready)-1], b.consumers[:last]
	}
	for len(b.producers) > 0 && len(b.ready)+b.asked < bufferSize {
		last := len(b.producers) - 1
		b.producers[last].send(self, msg{op: opStart})
		b.producers = b.producers[:last]
		b.asked++
	}
	if b.left == 0 && len(b.consumers) == bufferActors {
		b.left = -1
		for _, c := range b.all {
			c.send(self, msg{op: opDone})
		}
	}
}

func bufferMessage(c crew, n int) uint64 {
	total, out := messageTally(c, bufferActors)
	consumers, producers := make([]node, bufferActors), make([]node, bufferActors)
	m := c.spawn(8*bufferActors, func(node) behaviour {
		return (&messageManager{left: bufferActors, all: consumers}).do
	})
	for i := range bufferActors {
		sum, left, r := uint64(0), n, newRandom(i)
		consumers[i] = c.spawn(4, func(node) behaviour {
			return func(self node, got msg) {
				if got.op == opDone {
					total.send(self, msg{x: int(sum)})
					return
				}
				sum += useItem(uint64(got.x))
				m.send(self, msg{op: opNext, from: self})
			}
		})
		producers[i] = c.spawn(4, func(node) behaviour {
			return func(self node, _ msg) {
				if left == 0 {
					m.send(self, msg{op: opDone})
					return
				}
				left--
				m.send(self, msg{op: opTake, x: int(makeItem(&r)), from: self})
			}
		})
	}
	for _, n := range consumers {
		m.send(nil, msg{op: opNext, from: n})
	}
	m.send(nil, msg{op: opStart, data: producers})
	return <-out
}
