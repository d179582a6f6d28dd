package sched

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

// TestInjectTwin: an inject queue that one goroutine uses behaves exactly like a
// slice, with segments so small that every few pushes extend the queue.
func TestInjectTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q mpmcq
		twin := ringTwin{size: 1 << 30}
		q.init(rapid.SampledFrom([]int{1, 2, 3, 64}).Draw(t, "cells"))
		t.Repeat(map[string]func(*rapid.T){
			"push": func(*rapid.T) {
				task := new(Task)
				q.push(task)
				twin.push(task)
			},
			"pop": func(*rapid.T) {
				if got, want := q.pop(), twin.pop(); got != want {
					t.Fatalf("pop: %p, want %p", got, want)
				}
			},
			"": func(*rapid.T) {
				if got, want := q.empty(), twin.len() == 0; got != want {
					t.Fatalf("empty: %v, want %v", got, want)
				}
				if n := q.len(); n < 0 || n > 2*q.size {
					t.Fatalf("len: %d, with segments of %d", n, q.size)
				}
			},
		})
	})
}

// TestInjectStress: producers and consumers in parallel; every task is taken once,
// and each consumer sees those of one producer in order.
func TestInjectStress(t *testing.T) {
	const producers, consumers = 2, 2
	for _, cells := range []int{1, 2, segmentCells} {
		var q mpmcq
		q.init(cells)
		each := scaled(10_000)
		all := numberedTasks(producers * each)
		var left atomic.Int32
		left.Store(producers)
		takers := make([]taker, producers*consumers)
		for i := range takers {
			takers[i].last = -1
		}
		var wg sync.WaitGroup
		for p := range producers {
			wg.Go(func() {
				for _, n := range all[p*each : (p+1)*each] {
					q.push(&n.Task)
				}
				left.Add(-1)
			})
		}
		for c := range consumers {
			wg.Go(func() { consume(&q, &left, each, takers[c*producers:]) })
		}
		wg.Wait()
		checkTaken(t, all, takers)
	}
}

// consume takes until the producers are done and the queue is empty; by is one
// taker for each producer.
func consume(q *mpmcq, left *atomic.Int32, each int, by []taker) {
	for {
		done := left.Load() == 0
		if t := q.pop(); t != nil {
			n := number(t)
			n.taken.Add(1)
			by[n.no/each].take(n.no)
		} else if done {
			return
		} else {
			runtime.Gosched()
		}
	}
}

// TestBug_K29_NeverFalselyEmpty: between the push of a task and its taking the
// queue never looks empty, however many others come and go.
func TestBug_K29_NeverFalselyEmpty(t *testing.T) {
	var q mpmcq
	q.init(2)
	var stay, come Task
	q.push(&stay)
	var wg sync.WaitGroup
	for range 2 { // each takes one and puts one back, so one is always there
		wg.Go(func() {
			for range scaled(20_000) {
				q.push(&come)
				if q.pop() == nil {
					t.Error("popped nothing from a queue with a task in it")
					return
				}
				if q.empty() {
					t.Error("empty with a task in it")
					return
				}
			}
		})
	}
	wg.Wait()
	if q.pop() == nil || q.pop() != nil {
		t.Error("one task should be left")
	}
}

// TestInjectKeepsNothing: a queue keeps no task alive that was taken.
func TestInjectKeepsNothing(t *testing.T) {
	var q mpmcq
	q.init(4)
	for range 3 {
		q.push(new(Task))
		q.pop()
	}
	for s := q.head.Load(); s != nil; s = s.next.Load() {
		for i := range s.cells {
			if c := s.cells[i].Load(); c != nil && c != &takenMark {
				t.Errorf("cell %d still holds a task", i)
			}
		}
	}
}
