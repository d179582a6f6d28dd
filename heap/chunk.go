package heap

import (
	"math/bits"
	"unsafe"

	"github.com/gallop-go/gallop/internal/invariant"
)

// chunk is a block of memory without pointers. Its first used bytes may hold
// data; the rest is zero.
type chunk struct {
	base       unsafe.Pointer
	size, used uint32 // size has sharedBit besides
}

// sharedBit marks the bytes of a shared blob. It is above MaxObject.
const sharedBit = 1 << 31

// shared reports whether the chunk is the bytes of a blob, which other arenas may hold too.
func (c *chunk) shared() bool { return c.size&sharedBit != 0 }

// length returns the size in bytes.
func (c *chunk) length() int { return int(c.size &^ sharedBit) }

// stays reports whether the collector leaves the chunk where it is: a single large
// object, or a shared blob.
func (c *chunk) stays() bool { return c.size > maxChunk }

// Chunks come in eight classes. An arena's first chunk is of the smallest class, and each further
// chunk of the next class. The chunks of the second class are four times as large as those of the
// first, and the chunks of each further class twice as large as those before. An object larger than
// the largest class has a chunk to itself, of its own size.
//
// The smallest is for arenas that hold one or two hundred bytes: a million of those took 1.2 GB
// when a first chunk had 1 KiB.
const (
	smallestChunk = 256
	minChunkBits  = 10 // of the second class
	maxChunkBits  = offsetBits + 3
	chunkClasses  = maxChunkBits - minChunkBits + 2
	maxChunk      = 1 << maxChunkBits
)

// classSize returns the size of the chunks of a class.
func classSize(class int) int {
	if class == 0 {
		return smallestChunk
	}
	return 1 << (minChunkBits - 1 + class)
}

// classFor returns the smallest class that holds size bytes, which are at most
// maxChunk.
func classFor(size int) int {
	if size <= smallestChunk {
		return 0
	}
	return max(bits.Len(uint(size-1))-minChunkBits, 0) + 1
}

// newChunk takes zeroed memory from Go's allocator. The GC does not scan
// a slice of bytes.
func newChunk(size int) chunk {
	return chunk{base: unsafe.Pointer(unsafe.SliceData(make([]byte, size))), size: uint32(size)}
}

// bytes returns the first n bytes of the chunk.
func (c chunk) bytes(n uint32) []byte { return unsafe.Slice((*byte)(c.base), n) }

// zero clears the used part.
func (c *chunk) zero() {
	clear(c.bytes(c.used))
	c.used = 0
}

// poison fills a dead chunk where invariants are checked, and with the tag
// gallop_poison.
const poison = 0xdb

// spoil overwrites a dead chunk, so that a pointer kept longer than allowed
// reads nonsense at once, and not sometimes the next actor's data.
func (c *chunk) spoil() {
	if !invariant.On && !Poisoned {
		return
	}
	b := c.bytes(c.size)
	for i := range b {
		b[i] = poison
	}
	c.used = c.size
}
