package mailbox

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

var boxes = []struct {
	name string
	make func() Box
}{
	{"swap", func() Box { return NewSwap() }},
	{"link", func() Box { return NewLink() }},
	{"bulk", func() Box { return NewBulk() }},
	{"top", func() Box { return NewTop() }},
	{"ring", func() Box { return NewRing() }},
}

// TestBoxes: with several producers and one consumer at a time, everything arrives
// once, in the order of its producer.
func TestBoxes(t *testing.T) {
	const producers, each = 4, 20_000
	for _, b := range boxes {
		t.Run(b.name, func(t *testing.T) {
			box := b.make()
			wake := make(chan struct{}, producers*each)
			var got atomic.Int64
			last := make([]int, producers)
			var producing, consuming sync.WaitGroup
			consuming.Go(func() {
				for range wake {
					for !box.Drain(func(n *Node) {
						p, v := n.V/each, n.V%each+1
						if v != last[p]+1 {
							t.Errorf("producer %d: %d after %d", p, v, last[p])
						}
						last[p] = v
						got.Add(1)
					}) {
					}
				}
			})
			for p := range producers {
				producing.Go(func() {
					for i := range each {
						if box.Push(&Node{V: p*each + i}) {
							wake <- struct{}{}
						}
					}
				})
			}
			producing.Wait()
			close(wake)
			consuming.Wait()
			if got.Load() != producers*each {
				t.Errorf("%d of %d arrived", got.Load(), producers*each)
			}
		})
	}
}

// BenchmarkOne is a ping-pong's share of a mailbox: push to an idle one, take it, go
// idle.
func BenchmarkOne(b *testing.B) {
	for _, c := range boxes {
		b.Run(c.name, func(b *testing.B) {
			box, nodes, sum := c.make(), new([4]Node), 0
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				box.Push(&nodes[i&3])
				box.Drain(func(n *Node) { sum += n.V })
			}
		})
	}
}

// BenchmarkHundred is a batch: a hundred pushes, then a turn. Per message.
func BenchmarkHundred(b *testing.B) {
	for _, c := range boxes {
		b.Run(c.name, func(b *testing.B) {
			box, nodes, sum := c.make(), new([256]Node), 0
			b.ReportAllocs()
			for i := 0; i < b.N; i++ {
				box.Push(&nodes[i&255])
				if i%100 == 99 {
					box.Drain(func(n *Node) { sum += n.V })
				}
			}
		})
	}
	b.Run("top_chains_of_8", func(b *testing.B) {
		box, nodes, sum := NewTop(), new([256]Node), 0
		for i := 0; i < b.N; i += 8 {
			for k := 1; k < 8; k++ {
				nodes[(i+k)&255].below = &nodes[(i+k-1)&255]
			}
			box.PushChain(&nodes[(i+7)&255], &nodes[i&255])
			if i%104 == 96 {
				box.Drain(func(n *Node) { sum += n.V })
			}
		}
	})
}

// BenchmarkTwo is one producer and one consumer on two processors, a thousand messages
// in flight at most. Per message.
func BenchmarkTwo(b *testing.B) { across(b, 1) }

// BenchmarkEight is eight producers at one consumer.
func BenchmarkEight(b *testing.B) { across(b, 8) }

func across(b *testing.B, producers int) {
	for _, c := range boxes {
		b.Run(c.name, func(b *testing.B) {
			box := c.make()
			wake := make(chan struct{}, 1<<16)
			budget := make([]atomic.Int64, producers*8)
			var consuming, producing sync.WaitGroup
			consuming.Go(func() {
				for range wake {
					for !box.Drain(func(n *Node) { budget[n.V*8].Add(1) }) {
					}
				}
			})
			for p := range producers {
				producing.Go(func() { produce(box, wake, &budget[p*8], p, b.N/producers) })
			}
			producing.Wait()
			close(wake)
			consuming.Wait()
		})
	}
}

func produce(box Box, wake chan<- struct{}, done *atomic.Int64, p, n int) {
	const window = 1024
	nodes := make([]Node, 2*window)
	for i := range n {
		for int64(i)-done.Load() >= window {
			runtime.Gosched()
		}
		m := &nodes[i%len(nodes)]
		m.V = p
		if box.Push(m) {
			wake <- struct{}{}
		}
	}
}
