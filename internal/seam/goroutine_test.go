package seam_test

import (
	"testing"

	"github.com/gallop-go/gallop/internal/seam"
)

// grow uses so much stack that Go has to move it.
func grow(depth int) uint64 {
	var room [256]byte
	if depth == 0 {
		return seam.Goroutine()
	}
	room[depth%len(room)] = 1
	return grow(depth-1) + uint64(room[(depth+1)%len(room)])
}

// TestGoroutine: each live goroutine has a number of its own, which stays the same when Go moves
// its stack. Every Ask of an actor that is not idle needs it.
func TestGoroutine(t *testing.T) {
	own := seam.Goroutine()
	if own == 0 || grow(1000) != own || seam.Goroutine() != own {
		t.Fatalf("%d, and deeper in the stack %d", own, grow(1000))
	}
	const others = 100
	ids, stay := make(chan uint64), make(chan struct{})
	for range others {
		go func() { ids <- seam.Goroutine(); <-stay }()
	}
	seen := map[uint64]bool{0: true, own: true}
	for range others {
		id := <-ids
		if seen[id] {
			t.Fatalf("two goroutines are %d", id)
		}
		seen[id] = true
	}
	close(stay)
}

// BenchmarkGoroutine is the cost of the running goroutine's number.
func BenchmarkGoroutine(b *testing.B) {
	for b.Loop() {
		seam.Goroutine()
	}
}
