package msg

import (
	"testing"

	"pgregory.net/rapid"
)

// cached is a cache and its model, the set of nodes in use.
type cached struct {
	c     Cache
	class *SizeClass
	live  map[*Message]bool // nodes in use
}

func (s *cached) alloc() *Message {
	if m := s.c.Take(s.class.ID); m != nil {
		return m
	}
	m, _ := s.c.Refill(s.class.ID)
	return m
}

func (s *cached) take(t *rapid.T, m *Message) {
	if s.live[m] {
		t.Fatal("a node was handed out twice")
	}
	if m.SizeClass() != s.class.ID {
		t.Fatalf("a node of size class %d, want %d", m.SizeClass(), s.class.ID)
	}
	s.live[m] = true
}

// free gives up to n live nodes back, one by one.
func (s *cached) free(n int) {
	for m := range s.live {
		if n--; n < 0 {
			return
		}
		delete(s.live, m)
		if !s.c.Covers(s.class.ID) {
			s.c.Grow()
		}
		if !s.c.Free(m) {
			s.c.FreeChain(m, m, 1)
		}
	}
}

// freeChain gives up to n live nodes of one owner back together.
func (s *cached) freeChain(t *rapid.T, n int) {
	var l List
	k := 0
	for m := range s.live {
		if k == n {
			break
		}
		if m.Next = nil; l.First == nil || m.OwnerTag == l.First.OwnerTag {
			delete(s.live, m)
			l.Add(m)
			k++
		}
	}
	if k == 0 {
		t.Skip("no node is in use")
	}
	if !s.c.Covers(s.class.ID) {
		s.c.Grow()
	}
	if crossed := s.c.FreeChain(l.First, l.Last, k); crossed != 0 {
		t.Fatalf("%d of %d nodes were made by other workers", crossed, k)
	}
}

// check: every chain has the counted length and holds only free nodes of its owner. Full chains
// have been given to the size class.
func (s *cached) check(t *rapid.T) {
	if !s.c.Covers(s.class.ID) {
		return
	}
	have := s.c.magazines[s.class.ID]
	s.chain(t, have.top, s.class.keep-have.room, s.c.owner)
	if have.room <= 0 {
		t.Fatalf("%d nodes too many are kept", -have.room)
	}
	for owner, r := range have.remote {
		if r.room <= 0 {
			t.Fatalf("%d nodes have not gone back to %d", s.class.batch-r.room, owner)
		}
		s.chain(t, r.first, s.class.batch-r.room, uint16(owner))
	}
}

func (s *cached) chain(t *rapid.T, first *Message, want int, owner uint16) {
	n := 0
	for m := first; m != nil; m = m.Next {
		if n++; s.live[m] || m.Owner() != owner {
			t.Fatalf("in use: %v; of owner %d, want %d", s.live[m], m.Owner(), owner)
		}
	}
	if n != want {
		t.Fatalf("a chain of %d, booked as %d", n, want)
	}
}

// TestPool_Twin: in random operations of random amounts no node is handed out twice, and the cache
// counts correctly and stays within its bound.
func TestPool_Twin(t *testing.T) {
	class := register(blockLength, headerSize+8, func(n int) *Message {
		return &make([]Node[[1]uint64], n)[0].Header
	})
	class.keep = 3 * ChainLength
	rapid.Check(t, func(t *rapid.T) {
		s := &cached{NewCache(0), class, map[*Message]bool{}}
		amount := rapid.SampledFrom([]int{1, 2, ChainLength - 1, ChainLength, ChainLength + 1,
			3 * ChainLength})
		t.Repeat(map[string]func(*rapid.T){
			"inside": func(t *rapid.T) {
				for range amount.Draw(t, "n") {
					s.take(t, s.alloc())
				}
			},
			"outside":   func(t *rapid.T) { s.take(t, class.TakeOne()) },
			"free":      func(t *rapid.T) { s.free(amount.Draw(t, "n")) },
			"freeChain": func(t *rapid.T) { s.freeChain(t, min(amount.Draw(t, "n"), ChainLength)) },
			"hide": func(t *rapid.T) {
				s.c.Hide()
				if s.c.Take(class.ID) != nil {
					t.Fatal("a node was taken from a cache that is hidden")
				}
				s.c.Show()
			},
			"flush": func(t *rapid.T) {
				if rapid.IntRange(0, 9).Draw(t, "seldom") > 0 {
					t.Skip("not now") // rapid draws another action
				}
				s.c.Flush()
			},
			"": s.check,
		})
		s.free(len(s.live))
		s.c.Flush()
	})
}

// TestPool_Flushes: after Flush the nodes of a cache are not linked, neither its own nodes nor
// nodes of other owners.
func TestPool_Flushes(t *testing.T) {
	class := wordClasses[0].class
	for name, lengths := range map[string][]int{"few": {10}, "many": {ChainLength, ChainLength, 10}} {
		c := NewCache(0)
		c.Grow()
		var nodes []*Message
		for _, owner := range []uint16{c.Owner(), 5, Outside} {
			for _, n := range lengths {
				more := chainOf(class, owner, n)
				nodes = append(nodes, more...)
				c.FreeChain(more[0], more[n-1], n)
			}
		}
		if linkedOf(nodes) == 0 {
			t.Fatalf("%s: nothing is linked in the cache", name)
		}
		c.Flush()
		if n := linkedOf(nodes); n != 0 || c.Covers(class.ID) {
			t.Errorf("%s: %d of %d nodes are linked", name, n, len(nodes))
		}
	}
}

// TestPool_Crossings: FreeChain returns the number of nodes that another worker has made. Nodes
// from outside do not count.
func TestPool_Crossings(t *testing.T) {
	c, class := NewCache(1), wordClasses[0].class
	c.Grow()
	for owner, want := range map[uint16]int{0: 3, 1: 0, 2: 3, Outside: 0} {
		nodes := chainOf(class, owner, 3)
		if got := c.FreeChain(nodes[0], nodes[2], 3); got != want {
			t.Errorf("of owner %d: %d have crossed, want %d", owner, got, want)
		}
	}
}

// TestPool_KeepsNoMore: if more messages run than are sent, the cache grows up to its bound. Nodes
// leave it in chains.
func TestPool_KeepsNoMore(t *testing.T) {
	class := wordClasses[0].class
	c := NewCache(0)
	c.Grow()
	most := 0
	for range 2 * class.keep / 100 {
		nodes := chainOf(class, c.owner, 100)
		c.FreeChain(nodes[0], nodes[99], 100)
		most = max(most, class.keep-c.magazines[class.ID].room)
	}
	have := c.magazines[class.ID]
	if n := Distance(have.top, nil); n != class.keep-have.room {
		t.Errorf("%d are kept, booked as %d", n, class.keep-have.room)
	}
	if most >= class.keep || most < class.keep-class.chain {
		t.Errorf("%d are kept, want almost %d", most, class.keep)
	}
}
