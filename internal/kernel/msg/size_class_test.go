package msg

import (
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"
	"unsafe"

	"github.com/gallop-go/gallop/internal/cacheline"
)

// TestPool_Blocks: nodes of two workers share no cache line, also after the GC has left gaps among
// them.
func TestPool_Blocks(t *testing.T) {
	if cacheline.Size != 64 || unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("nodes are not eighths of lines") // a line has 64 bytes where words have eight
	}
	linked, _ := Of[*int]()
	rng := rand.New(rand.NewPCG(1, 1))
	for _, s := range []*SizeClass{wordClasses[0].class, wordClasses[1].class, wordClasses[2].class,
		linked} {
		var kept []*Message
		for range 10 {
			for range 200 {
				for m := s.makeBlock(uint16(rng.IntN(2)), s.block); m != nil; m = m.Next {
					if rng.IntN(16) == 0 {
						kept = append(kept, m)
					}
				}
			}
			for _, m := range kept {
				m.Next = nil
			}
			runtime.GC()
		}
		if s.block == 1 {
			continue // Go's allocator chooses its neighbours
		}
		lines := make(map[uintptr]uint16)
		for _, m := range kept {
			at := reflect.ValueOf(m).Pointer()
			first, last := at/cacheline.Size, (at+s.size-1)/cacheline.Size
			for l := first; l <= last; l++ {
				if owner, ok := lines[l]; ok && owner != m.Owner() {
					t.Fatalf("size class %d: nodes of owners %d and %d share a line", s.ID, owner, m.Owner())
				}
				lines[l] = m.Owner()
			}
		}
	}
}

// linkedOf returns the number of nodes with a link.
func linkedOf(nodes []*Message) (n int) {
	for _, m := range nodes {
		if m.Next != nil {
			n++
		}
	}
	return n
}

// chainOf makes a chain of n nodes.
func chainOf(s *SizeClass, owner uint16, n int) (nodes []*Message) {
	for len(nodes) < n {
		for m := s.makeBlock(owner, s.block); m != nil; m = m.Next {
			nodes = append(nodes, m)
		}
	}
	nodes = nodes[:n]
	for i, m := range nodes {
		if m.Next = nil; i > 0 {
			nodes[i-1].Next = m
		}
	}
	return nodes
}

// TestPool_Unlinks: "code that leaves nodes of a block to the GC unlinks them".
func TestPool_Unlinks(t *testing.T) {
	s := wordClasses[0].class
	nodes := chainOf(s, 0, 200)
	s.put(0, nodes[0], len(nodes))
	if n := linkedOf(nodes); n != 0 {
		t.Errorf("%d of 200 nodes in a size class are linked", n)
	}
	nodes = chainOf(s, 0, 10)
	Unlink(nodes[0], 9)
	if n := linkedOf(nodes); n != 0 {
		t.Errorf("%d of 10 nodes are linked that were left to the GC", n)
	}
}

// TestPool_InBytes: "bounded in bytes": a magazine, a chain and a batch.
func TestPool_InBytes(t *testing.T) {
	for size, want := range map[uintptr][3]int{
		32: {64, 256, 8192}, 64: {64, 256, 4096}, 128: {64, 256, 2048}, 256: {64, 128,
			1024}, 1 << 10: {16, 32, 256}, 1032: {15, 31, 31},
		64 << 10: {1, 1, 1}, 1 << 20: {1, 1, 1},
	} {
		s := register(1, size, func(int) *Message { return new(Message) })
		if got := [3]int{s.batch, s.chain, s.keep}; got != want {
			t.Errorf("of %d bytes: %d in a batch, %d in a chain and %d in all, want %d", size, got[0],
				got[1], got[2], want)
		}
		nodes := chainOf(s, 0, 100)
		s.put(0, nodes[0], len(nodes))
		if _, n := s.get(0); n > s.batch {
			t.Errorf("of %d bytes: %d come together, want %d at most", size, n, s.batch)
		}
	}
}

// TestPool_Outside: a sender without a worker gets nodes whose owner is Outside, with From cleared,
// one by one or from a chain of its own.
func TestPool_Outside(t *testing.T) {
	s := register(blockLength, headerSize+8, func(n int) *Message {
		return &make([]Node[[1]uint64], n)[0].Header
	})
	var chain *Message
	seen := map[*Message]bool{}
	for i := range 200 {
		m := s.TakeOne()
		if i%2 == 1 {
			s.PutOne(m)
			m = s.TakeFrom(&chain)
		}
		if seen[m] || m.Owner() != Outside || m.SizeClass() != s.ID || m.From != 0 || m.Next != nil &&
			i%2 == 1 {
			t.Fatalf("node %d: seen %v, owner %d, size class %d, from %d", i, seen[m], m.Owner(),
				m.SizeClass(), m.From)
		}
		seen[m] = true
		m.From = WasStashed | 5
		if i%4 >= 2 {
			delete(seen, m)
			s.PutOne(m)
		}
	}
}
