//go:build gallop_explore

package sched

import (
	"fmt"
	"testing"

	"github.com/gallop-go/gallop/internal/explore"
	"github.com/gallop-go/gallop/internal/seam"
)

// sharingInject is two producers with two tasks each and two consumers that take
// until all is taken: every task once, and those of one producer in order.
func sharingInject(size int) func(*explore.Program) {
	return func(p *explore.Program) {
		d, q, left := newDeck(4), new(mpmcq), 2
		q.init(size)
		for from := range 2 {
			p.Go(func() {
				q.push(d.card(2 * from))
				q.push(d.card(2*from + 1))
				left--
			})
		}
		for range 2 {
			by := [2]taker{{last: -1}, {last: -1}}
			p.Go(func() {
				for {
					done := left == 0
					if t := q.pop(); t != nil {
						took(p, d, &by[d.index(t)/2], t)
					} else if done {
						return
					} else {
						seam.Spin()
					}
				}
			})
		}
		p.After(d.each)
	}
}

// TestInjectConservation: each task exactly once, in its producer's order.
//
// Mutants tried by hand: a pusher that stores instead of comparing and swapping, an
// extension that stores next, a popper that moves head before it saw next.
func TestInjectConservation(t *testing.T) {
	for _, size := range []int{1, 2} {
		t.Run(fmt.Sprint(size), func(t *testing.T) { explore.Portfolio(t, sharingInject(size)) })
	}
}

// TestBug_K29_StrictEmpty: while there is always a task in the queue, neither pop nor
// empty finds the queue empty, although others push and pop.
func TestBug_K29_StrictEmpty(t *testing.T) {
	for _, size := range []int{1, 2} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			explore.Portfolio(t, func(p *explore.Program) {
				d, q := newDeck(3), new(mpmcq)
				q.init(size)
				q.push(d.card(2))
				for i := range 2 {
					p.Go(func() {
						q.push(d.card(i))
						if !d.take(q.pop()) {
							p.Errorf("popped nothing from a queue with a task in it")
						}
					})
				}
				p.Go(func() {
					for range 2 {
						if q.empty() {
							p.Errorf("empty with a task in it")
						}
					}
				})
				p.After(func() error {
					d.take(q.pop())
					if !q.empty() || q.pop() != nil {
						return fmt.Errorf("not empty at the end")
					}
					return d.each()
				})
			})
		})
	}
}
