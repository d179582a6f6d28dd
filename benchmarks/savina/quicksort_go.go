package main

import (
	"slices"
	"sync"
)

// quicksortPlain sorts in place. A part that is large gets a goroutine for one of its sides.
func quicksortPlain(n int) uint64 {
	v := unsorted(n)
	var wg sync.WaitGroup
	sortInPlace(v, &wg)
	wg.Wait()
	return checkSorted(v)
}

func sortInPlace(v []uint64, wg *sync.WaitGroup) {
	for len(v) >= 8*sortThreshold {
		low, high := partition(v)
		left := v[:low]
		wg.Go(func() { sortInPlace(left, wg) })
		v = v[high:]
	}
	slices.Sort(v)
}

// partition sorts v into smaller values than the pivot, v[:low], equal ones, and larger ones,
// v[high:].
func partition(v []uint64) (low, high int) {
	pivot := v[len(v)/2]
	at, high := 0, len(v)
	for at < high {
		switch x := v[at]; {
		case x < pivot:
			v[at], v[low] = v[low], x
			low++
			at++
		case x > pivot:
			high--
			v[at], v[high] = v[high], x
		default:
			at++
		}
	}
	return low, high
}

type messageSorter struct {
	c      crew
	parent node
	side   side
	parts  [2][]uint64
	equal  []uint64
	left   int
	out    chan<- []uint64
}

func (s *messageSorter) do(self node, m msg) {
	v := m.data.([]uint64)
	if m.op == opReply {
		s.parts[m.x] = v
		if s.left--; s.left == 0 {
			s.finish(self, slices.Concat(s.parts[leftSide], s.equal, s.parts[rightSide]))
		}
		return
	}
	if len(v) < sortThreshold {
		slices.Sort(v)
		s.finish(self, v)
		return
	}
	smaller, equal, larger := split(v)
	s.equal, s.left = equal, 2
	for i, part := range [...][]uint64{smaller, larger} {
		child := s.c.spawn(2, func(node) behaviour {
			return (&messageSorter{c: s.c, parent: self, side: side(i)}).do
		})
		child.send(self, msg{op: opStart, data: part})
	}
}

func (s *messageSorter) finish(self node, v []uint64) {
	if s.out != nil {
		s.out <- v
	} else {
		s.parent.send(self, msg{op: opReply, x: int(s.side), data: v})
	}
}

func quicksortMessage(c crew, n int) uint64 {
	out := make(chan []uint64, 1)
	c.spawn(2, func(node) behaviour { return (&messageSorter{c: c, out: out}).do }).
		send(nil, msg{op: opStart, data: unsorted(n)})
	return checkSorted(<-out)
}
