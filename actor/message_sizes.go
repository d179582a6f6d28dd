package actor

import (
	"math"
	"reflect"
	"sync"
	"unsafe"

	"github.com/gallop-go/gallop/internal/invariant"
	"github.com/gallop-go/gallop/internal/seam"
)

// Messages are recycled. A send takes a node from the worker's own cache; when the
// behaviour has run, the node goes back to the worker that made it, at once if it ran
// there and in chains of many otherwise. What a worker cannot keep waits in a
// sync.Pool of its own, where the GC finds it.
//
// That nodes go home is not about memory but about cache lines. Two nodes of 32 bytes share one. If
// nodes stayed where they were run, then after a while the two halves of most lines would belong to
// different workers, and every send would pull a line over from the other processor: two workers
// were then no faster than one even if they never talked to each other. For the same reason nodes
// are made in blocks: made one by one, they came to lie in the gaps that the GC had left
// among another worker's nodes.
//
// A pool holds nodes of one memory layout. Payloads without pointers share three
// sizes; a payload with pointers has a pool of its own type, since the GC must
// know where the pointers are, and is cleared before its behaviour runs, so that a
// recycled node keeps nothing alive.
//
// the GC frees a block when nobody has any node of it. So code that lets go of a node of a
// block unlinks it. Otherwise, as long as any node of the block is in use, a dead one would keep
// alive the nodes it was linked to, their blocks what these are linked to, and so on. Nodes with
// pointers are made one by one.

const (
	// A block of nodes fills whole cache lines, and nothing else is in them: eight nodes of n words
	// are n lines, and on 64-bit machines Go aligns an object of up to 512 bytes to a line if it
	// fills its lines. Processors fetch two lines at a time, so a block of one line would not do.
	blockLength = 8

	freeBatchLength = 64 // the most nodes that wait together

	maxOwners    = 64
	outsideOwner = maxOwners - 1  // the home of nodes that were made outside of any worker
	noSizeClass  = math.MaxUint16 // the number of no pool
)

// sizeClass is one layout of nodes. Read-only after registration, except for homes.
type sizeClass struct {
	id          uint16
	block       int     // nodes of a block
	size        uintptr // of a node
	batchLength int     // nodes that wait together, or go home together
	keep        int     // nodes that a worker keeps
	chain       int     // nodes that leave a full magazine
	// Makes n nodes side by side, at most a block, and returns the first.
	newBlock func(n int) *message
	batches  [maxOwners]sync.Pool // of *free batch
}

// free batch holds nodes that wait to be used, not linked to each other.
type freeBatch struct {
	n     int
	nodes [freeBatchLength]*message
}

// emptyBatches are free batches without nodes.
var emptyBatches = sync.Pool{New: func() any { return new(freeBatch) }}

// makeBlock returns up to a block of new nodes, in a chain.
func (p *sizeClass) makeBlock(owner uint16, n int) *message {
	first := p.newBlock(n)
	for m := first; ; m = m.next {
		m.ownerTag = ownerTagOf(p.id, owner)
		if n--; n == 0 {
			return first
		}
		m.next = (*message)(unsafe.Add(unsafe.Pointer(m), p.size))
	}
}

// get returns a chain of nodes of a home, and how many there are: from the pool, or new ones.
func (p *sizeClass) get(owner uint16) (first *message, n int) {
	b, ok := p.batches[owner].Get().(*freeBatch)
	if !ok {
		return p.makeBlock(owner, p.block), p.block
	}
	for n = b.n; b.n > 0; {
		b.n--
		m := b.nodes[b.n]
		b.nodes[b.n], m.next = nil, first
		first = m
	}
	emptyBatches.Put(b)
	return first, n
}

// put leaves n nodes to the pool, from first on, and returns the one behind them.
func (p *sizeClass) put(owner uint16, first *message, n int) (rest *message) {
	for n > 0 {
		b := emptyBatches.Get().(*freeBatch)
		for ; n > 0 && b.n < p.batchLength; n-- {
			m := first
			first, m.next = m.next, nil
			b.nodes[b.n] = m
			b.n++
		}
		p.batches[owner].Put(b)
	}
	return first
}

// unlink lets go of the n nodes from first on.
func unlink(first *message, n int) {
	for ; n > 0; n-- {
		m := first
		first, m.next = m.next, nil
	}
}

// sizeClasses is the registry of all layouts of this process. Types are declared at
// package level, before any system runs, but nothing forbids a late one.
var sizeClasses struct {
	mu   seam.Mutex
	list seam.Pointer[[]*sizeClass]  // replaced whole, under mu
	own  map[reflect.Type]*sizeClass // guarded by mu
}

// wordClasses are the pools of pointer-free payloads, by size in words.
var wordClasses = [...]struct {
	size uintptr
	pool *sizeClass
}{
	{8, registerSize(blockLength, headerSize+8, func(n int) *message { return &make([]node[[1]uint64], n)[0].header })},
	{24, registerSize(blockLength, headerSize+24, func(n int) *message { return &make([]node[[3]uint64], n)[0].header })},
	{40, registerSize(blockLength, headerSize+40, func(n int) *message { return &make([]node[[5]uint64], n)[0].header })},
}

// registerSize adds a layout.
func registerSize(block int, size uintptr, newBlock func(n int) *message) *sizeClass {
	sizeClasses.mu.Lock()
	p := addSize(block, size, newBlock)
	sizeClasses.mu.Unlock()
	return p
}

// addSize is register under the lock, which it unlocks if it panics.
func addSize(block int, size uintptr, newBlock func(n int) *message) *sizeClass {
	list := allSizeClasses()
	if len(list) >= noSizeClass {
		sizeClasses.mu.Unlock()
		panic("gallop: more than 65,535 message layouts")
	}
	p := &sizeClass{id: uint16(len(list)), block: block, size: size, newBlock: newBlock}
	p.batchLength, p.chain = lengthIn(freeBatchBytes, size, freeBatchLength), lengthIn(chainBytes, size, chainLength)
	if p.keep = p.chain; size <= largestMany {
		p.keep = int(magazineBytes / size)
	}
	list = append(list[:len(list):len(list)], p)
	sizeClasses.list.Store(&list)
	return p
}

// lengthIn returns how many nodes of a size fill so many bytes: one at least, and most at most.
func lengthIn(bytes, size uintptr, most int) int { return max(1, min(int(bytes/size), most)) }

// sizeClassOf returns the pool for payloads of type M and whether they hold pointers.
func sizeClassOf[M any]() (p *sizeClass, pointers bool) {
	return sizeClassFor(reflect.TypeFor[M](), func(int) *message { return &new(node[M]).header })
}

// sizeClassFor is sizeClassOf without the type parameter, so that there is one of it.
func sizeClassFor(t reflect.Type, newBlock func(n int) *message) (p *sizeClass, pointers bool) {
	pointers = hasPointers(t)
	if !pointers && t.Align() <= 8 {
		for _, w := range wordClasses {
			if t.Size() <= w.size {
				return w.pool, false
			}
		}
	}
	sizeClasses.mu.Lock()
	if p = sizeClasses.own[t]; p == nil {
		p = addSize(1, headerSize+t.Size(), newBlock)
		if sizeClasses.own == nil {
			sizeClasses.own = make(map[reflect.Type]*sizeClass)
		}
		sizeClasses.own[t] = p
	}
	sizeClasses.mu.Unlock()
	return p, pointers
}

// allSizeClasses returns all layouts there are by now. Any goroutine.
func allSizeClasses() []*sizeClass {
	if l := sizeClasses.list.Load(); l != nil {
		return *l
	}
	return nil
}

// sizeClassByID returns a layout by its number. A call, which keeps a small program small.
//
//go:noinline
func sizeClassByID(id uint16) *sizeClass { return allSizeClasses()[id] }

// sizeClassCount returns how many layouts there are.
func sizeClassCount() int { return len(allSizeClasses()) }

// takeOne returns a node for a sender that has no worker. It clears from, which may still name an
// actor, and have the mark wasStashed. takeOne costs two passes through the sync.Pool, about 30 ns.
func (p *sizeClass) takeOne() *message {
	free := &p.batches[outsideOwner]
	b, ok := free.Get().(*freeBatch)
	if !ok {
		m := p.makeBlock(outsideOwner, p.block)
		p.put(outsideOwner, m.next, p.block-1)
		m.next = nil
		return m
	}
	b.n--
	m := b.nodes[b.n]
	b.nodes[b.n] = nil
	m.from = 0
	if invariant.On {
		verifyOutside(p, m)
	}
	if b.n == 0 {
		free = &emptyBatches
	}
	free.Put(b)
	return m
}

// takeFrom returns a node of a sender's own chain, which it refills from the pool.
func (p *sizeClass) takeFrom(chain **message) *message {
	m := *chain
	if m == nil {
		m, _ = p.get(outsideOwner)
	}
	*chain, m.next, m.from = m.next, nil, 0
	return m
}

// hasPointers reports whether the GC has to look into a value of type t.
func hasPointers(t reflect.Type) bool {
	switch k := t.Kind(); {
	case k <= reflect.Complex128: // numbers and bools
		return false
	case k == reflect.Array:
		return t.Len() > 0 && hasPointers(t.Elem())
	case k == reflect.Struct:
		for i := range t.NumField() {
			if hasPointers(t.Field(i).Type) {
				return true
			}
		}
		return false
	}
	return true
}
