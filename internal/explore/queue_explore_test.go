//go:build gallop_explore

package explore_test

import (
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
	"github.com/gallop-go/gallop/internal/seam"
)

// queue is a toy: producers swap the head and link, consumers CAS the tail.
type queue struct {
	head, tail seam.Pointer[item]
	mutant     string
}

type item struct {
	next  seam.Pointer[item]
	value int
}

func newQueue(mutant string) *queue {
	q := &queue{mutant: mutant}
	first := &item{}
	q.head.Store(first)
	q.tail.Store(first)
	return q
}

func (q *queue) push(value int) {
	i := &item{value: value}
	if q.mutant == "lost push" {
		old := q.head.Load()
		q.head.Store(i)
		old.next.Store(i)
		return
	}
	q.head.Swap(i).next.Store(i)
}

// pop takes the oldest item. It does not see an item that is not linked yet, nor items after it.
func (q *queue) pop() (value int, ok bool) {
	for {
		t := q.tail.Load()
		next := t.next.Load()
		if next == nil {
			return 0, false
		}
		if q.advance(t, next) {
			return next.value, true
		}
	}
}

func (q *queue) advance(from, to *item) bool {
	if q.mutant != "double pop" {
		return q.tail.CompareAndSwap(from, to)
	}
	if q.tail.Load() != from {
		return false
	}
	q.tail.Store(to)
	return true
}

// sharing has two producers, and two consumers that spin until all items are taken.
func sharing(mutant string) func(*explore.Program) {
	const items = 4
	return func(p *explore.Program) {
		q, left, got := newQueue(mutant), 2, [items]int{}
		for from := range 2 {
			p.Go(func() {
				q.push(2 * from)
				q.push(2*from + 1)
				left--
			})
		}
		for range 2 {
			p.Go(func() {
				for {
					done := left == 0
					if v, ok := q.pop(); ok {
						got[v]++
					} else if done {
						return
					} else {
						seam.Spin()
					}
				}
			})
		}
		p.After(func() error {
			if got != [items]int{1, 1, 1, 1} {
				return fmt.Errorf("taken: %v", got)
			}
			return nil
		})
	}
}

func TestQueue(t *testing.T) { explore.Portfolio(t, sharing("")) }

func TestQueueMutants(t *testing.T) {
	for _, mutant := range []string{"lost push", "double pop"} {
		t.Run(mutant, func(t *testing.T) { refuteByAll(t, sharing(mutant)) })
	}
}

// FuzzQueue lets Go's fuzzer choose the schedules.
func FuzzQueue(f *testing.F) {
	f.Add([]byte{1, 2, 3, 0, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		explore.Run(t, explore.Config{Strategy: explore.Fuzz(data)}, sharing(""))
	})
}

// locking has three threads that take a spin lock.
func locking(mutant bool) func(*explore.Program) {
	return func(p *explore.Program) {
		var lock seam.Uint32
		inside := 0
		for range 3 {
			p.Go(func() {
				for !lock.CompareAndSwap(0, 1) && !mutant {
					seam.Spin()
				}
				if inside++; inside > 1 {
					p.Errorf("%d inside", inside)
				}
				seam.Point()
				inside--
				lock.Store(0)
			})
		}
	}
}

func TestSpinLock(t *testing.T) {
	explore.Portfolio(t, locking(false))
	refuteByAll(t, locking(true))
}
